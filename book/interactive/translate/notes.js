// What the translator can tell about a sentence before it reads it.

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

/**
 * Whether a sentence looks as if it were Spanish, and by what it was told: a plain count
 * of words, which can be wrong. It says nothing of a sentence with no other sign of it
 * than one word, such as a name.
 * @param {string} text
 * @returns {string} a sentence, or nothing
 */
export function languageNote(text) {
  const words = text.replaceAll("’", "'").toLowerCase().match(/[\p{L}\p{M}']+/gu) ?? [];
  const english = words.filter((word) => ENGLISH.has(word) || SHORTENED.test(word));
  const spanish = words.filter((word) => SPANISH.has(word));
  const marked = /[¿¡]/u.test(text);
  const found = [...new Set(spanish)];
  if (!(found.length > Math.max(1, english.length) || (marked && !english.length))) return "";
  return (
    `This looks like Spanish (it has ${found.slice(0, 4).join(", ") || "¿ or ¡"}); the ` +
    "translator was taught to read English alone, and will guess."
  );
}
