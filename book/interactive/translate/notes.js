// What the translator can tell about a sentence before it reads it.

/** @typedef {import("../subwords.js").SubwordVocabulary} SubwordVocabulary */

// Short words that nearly every sentence of a language has one of, and that the other
// language does not have, nor German (so "a", "me", "no", "in" are in neither list).
const ENGLISH = new Set(
  (
    "the and of to is it you i we they she his her my your our their this that these " +
    "were are be been have had do does did don't didn't not with for at on from by " +
    "what who where when why how there if but or would can could should must " +
    "i'm it's you're can't let's please yes very all some any him them us than as into"
  ).split(" "),
);
const SPANISH = new Set(
  (
    "el la los las un una unos unas de del al y o que en es son está están soy eres " +
    "por para con sin su sus mi mis tu tus se lo le les nos te yo tú él ella ellos " +
    "muy más pero como cómo qué quién cuándo dónde hay fue era tengo tiene quiero esta " +
    "este eso esto ya si sí también porque cuando donde mucho hola gracias"
  ).split(" "),
);
const SHORTENED = /'(s|t|m|d|ll|re|ve)$/; // as in "he's", "isn't", "we'll"
// English words of the training part are cut into 1.1 pieces on average.
const MANY_PIECES = 1.9;

/**
 * Sentences about what the translator cannot read well; none if all looks right.
 * @param {string} text
 * @param {SubwordVocabulary} vocabulary
 * @returns {string[]}
 */
export function notesOn(text, vocabulary) {
  const notes = [];
  const unknown = vocabulary.unknownCharacters(text);
  if (unknown.length) {
    notes.push(
      `This translator has never seen ${unknown.slice(0, 8).join(" ")}: it reads ` +
        "<unk> there, and guesses.",
    );
  }
  const language = languageNote(text, vocabulary);
  if (language) notes.push(language);
  else if (!/^\P{L}*\p{Lu}(?!\p{Lu}{2}).*[.?!…"”]$/u.test(text)) {
    notes.push(
      "It learned from whole sentences: with one capital letter in front and a mark " +
        "such as . or ? at the end, it does better.",
    );
  }
  return notes;
}

/**
 * Whether a sentence looks as if it were not English, and by what it was told. This is
 * a plain count of words and pieces, not a second model: it can be wrong.
 * @param {string} text
 * @param {SubwordVocabulary} vocabulary
 * @returns {string} a sentence, or nothing
 */
export function languageNote(text, vocabulary) {
  const words = text.replaceAll("’", "'").toLowerCase().match(/[\p{L}\p{M}']+/gu) ?? [];
  const english = words.filter((word) => ENGLISH.has(word) || SHORTENED.test(word));
  const spanish = words.filter((word) => SPANISH.has(word));
  const marked = /[¿¡ñ]/iu.test(text);
  if (spanish.length > english.length || (marked && !english.length)) {
    const found = [...new Set(spanish)].slice(0, 4).join(", ") || "¿, ¡ or ñ";
    return (
      `This looks like Spanish, or a language near it (it has ${found}); the translator ` +
      "was taught to read English alone, and will guess."
    );
  }
  if (words.length < 3 || english.length) return "";
  const pieces = words.flatMap((word) => vocabulary.subwords(word)).length;
  if (pieces < MANY_PIECES * words.length) return "";
  return (
    "This may not be English: it has none of the commonest English words, and its " +
    `${words.length} words had to be cut into ${pieces} pieces. The translator was ` +
    "taught English alone, and will guess."
  );
}
