// Sub-words: a vocabulary of parts of words, so that no word is unknown (chapter 11).
//
// `SubwordVocabulary.fromTokenizer(JSON)` reads the shipped tokenizer.json.
// `readSource` does to a typed sentence what `lib`'s translator does, `decode` makes
// text of ids.

import { apart, filled, HAS_LETTER, prepare, sentences, squeezed } from "./raw.js";
import { Vocabulary } from "./words.js";

const SPACE = "▁"; // marks where a word begins, as the field writes it
// The letters and marks that the tokenizer's expression calls \w, digits aside.
const LETTER = "\\p{Alphabetic}\\p{M}\\p{Pc}";
// One digit; or a word with the apostrophes inside it, or a run of marks, and the space
// in front.
const WORD =
  `\\p{Nd}|${SPACE}?[${LETTER}]+(?:'[${LETTER}]+)*` +
  `|${SPACE}?[^${LETTER}\\p{Nd}\\p{White_Space}${SPACE}]+|${SPACE}`;

/** A numbered list of sub-words, learned by byte-pair encoding (§5.1). */
export class SubwordVocabulary extends Vocabulary {
  /**
   * @param {string[]} tokens the sub-words in the order of their ids, special ones first
   * @param {[string, string][]} merges pairs of sub-words, the one learned first in front
   */
  constructor(tokens, merges) {
    super(tokens);
    this.ranks = new Map(merges.map((pair, rank) => [pair.join(" "), rank]));
    /** The characters that it can write. */
    this.alphabet = new Set(tokens.filter((token) => [...token].length === 1));
  }

  /**
   * @param {{ model: { vocab: Record<string, number>, merges: [string, string][] } }}
   *   tokenizer what stands in tokenizer.json
   */
  static fromTokenizer({ model: { vocab, merges } }) {
    const tokens = Object.keys(vocab).sort((a, b) => vocab[a] - vocab[b]);
    return new SubwordVocabulary(tokens, merges);
  }

  /**
   * From what the page's model holds: the special tokens and single characters, and the
   * merges, a line each. Every merge makes the next sub-word.
   * @param {{ characters: string[], merges: string }} tokenizer
   */
  static fromMerges({ characters, merges }) {
    /** @type {[string, string][]} */
    const pairs = merges.split("\n").map((line) => {
      const [left, right] = line.split(" ");
      return [left, right];
    });
    const joined = pairs.map(([left, right]) => left + right);
    return new SubwordVocabulary([...characters, ...joined], pairs);
  }

  /** One form for each letter and space; ▁ for a space. @param {string} sentence */
  normalize(sentence) {
    const text = sentence
      .replace(/\p{Surrogate}/gu, "\ufffd") // half a character
      .normalize("NFC")
      .replaceAll("’", "'")
      .replace(/[▁\p{White_Space}]+/gu, " ")
      .replace(/^ | $/g, "");
    return text && (SPACE + text).replaceAll(" ", SPACE);
  }

  /** The words and marks inside which sub-words are merged. @param {string} sentence */
  words(sentence) {
    return this.normalize(sentence).match(new RegExp(WORD, "gu")) ?? [];
  }

  /**
   * Cut a word into sub-words: each step joins the pair that was learned first.
   * @param {string} word
   * @param {(cut: string[], rank: number) => void} [seen] gets what there is after each
   *   step, and the place of the merge that made it
   * @returns {string[]}
   */
  merge(word, seen = () => {}) {
    const cut = [...word];
    const rank = (/** @type {number} */ i) =>
      this.ranks.get(`${cut[i]} ${cut[i + 1]}`) ?? Infinity;
    const ranks = cut.slice(1).map((_, i) => rank(i));
    for (;;) {
      let place = 0;
      for (let i = 1; i < ranks.length; i++) if (ranks[i] < ranks[place]) place = i;
      if (!(ranks[place] < Infinity)) return cut;
      cut.splice(place, 2, cut[place] + cut[place + 1]);
      const [joined] = ranks.splice(place, 1);
      if (place > 0) ranks[place - 1] = rank(place - 1); // only its neighbors change
      if (place < ranks.length) ranks[place] = rank(place);
      seen([...cut], joined);
    }
  }

  /** The sub-words of a sentence, unknown characters too. @param {string} sentence */
  subwords(sentence) {
    return this.words(sentence).flatMap((word) => this.merge(word));
  }

  /**
   * The id of each sub-word. Characters that were never seen are <unk>; side by side in
   * one word they are a single one.
   * @param {string} sentence
   * @returns {number[]}
   */
  encode(sentence) {
    return this.words(sentence).flatMap((word) => {
      const ids = this.merge(word).map((subword) => this.ids.get(subword) ?? this.unkId);
      return ids.filter((id, i) => id !== this.unkId || ids[i - 1] !== this.unkId);
    });
  }

  /** The sentence up to <eos>, without <sos> and <pad>. @param {number[]} ids */
  decode(ids) {
    const end = ids.indexOf(this.eosId);
    return (end < 0 ? ids : ids.slice(0, end))
      .filter((id) => id !== this.sosId && id !== this.padId)
      .map((id) => this.tokens[id])
      .join("")
      .replaceAll(SPACE, " ")
      .trim();
  }

  /** The characters that the vocabulary lacks. @param {string} sentence */
  unknownCharacters(sentence) {
    const characters = this.words(sentence).flatMap((word) => [...word]);
    return [...new Set(characters.filter((each) => !this.ids.has(each)))];
  }
}

/**
 * What to tell of the characters that a model has never seen.
 * @param {string[]} characters
 * @param {string} model
 * @returns {string} a sentence, or nothing
 */
export function unseen(characters, model) {
  const some = characters.slice(0, 8).join(" ");
  return some && `This ${model} has never seen ${some}: it reads <unk> there, and guesses.`;
}

/**
 * A sentence as a model wants to read it.
 * @typedef {{ text: string, ids: number[], form: import("./raw.js").Form, space: string,
 *   said: boolean }} Source the ids end with <eos>; the space stands between it and the
 *   next sentence; it may be what is said in the one before it
 */

/**
 * Prepare a sentence as `lib`'s translator does, and look up its token ids.
 * @param {string} sentence what the reader wrote
 * @param {SubwordVocabulary} vocabulary
 * @param {number} maxLen how many tokens the model can read
 * @returns {Source}
 */
export function readSource(sentence, vocabulary, maxLen) {
  const typed = squeezed(sentence);
  if (!HAS_LETTER.test(typed)) {
    const where = typed && ` in '${typed}'`;
    throw new Error(`There is nothing to translate${where}; write a sentence.`);
  }
  const [text, form] = prepare(typed, vocabulary.alphabet, vocabulary.ids);
  const ids = [...vocabulary.encode(text), vocabulary.eosId];
  if (ids.length > maxLen) {
    throw new Error(
      `A sentence of ${ids.length - 1} sub-words is too long; this translator ` +
        `reads at most ${maxLen - 1}.`,
    );
  }
  return { text, ids, form, space: "", said: false };
}

/**
 * Prepare a text, which may have several sentences.
 * @param {string} text
 * @param {SubwordVocabulary} vocabulary
 * @param {number} maxLen
 * @returns {Source[]}
 */
export function readText(text, vocabulary, maxLen) {
  const one = (/** @type {string} */ each) => readSource(each, vocabulary, maxLen);
  if (!HAS_LETTER.test(text)) return [one(text)];
  return sentences(text).flatMap(([sentence, space]) => {
    const [around, said] = apart(sentence);
    const inside = sentences(said).map(([each, behind]) => {
      return { ...one(each), space: behind, said: true };
    });
    return [{ ...one(around), space }, ...inside];
  });
}

/**
 * Join the translations of a text's sentences.
 * @param {Source[]} sources
 * @param {string[]} texts each in the form of its source, empty if not yet written
 */
export function joined(sources, texts) {
  return inParts(sources, texts).map(({ text }) => text).join("");
}

/**
 * Join what is said with what stands around it.
 * @param {Source[]} sources
 * @param {string[]} texts each in the form of its source, empty if not yet written
 * @returns {{ text: string, places: number[] }[]} one behind the other, each with the
 *   places of its sources
 */
export function inParts(sources, texts) {
  /** @type {{ text: string, quotes: string[], places: number[] }[]} */
  const parts = [];
  sources.forEach(({ said, space }, at) => {
    const text = texts[at] + space;
    if (!said) parts.push({ text, quotes: [], places: [] });
    const { quotes, places } = parts[parts.length - 1];
    if (said) quotes[0] = (quotes[0] ?? "") + text;
    places.push(at);
  });
  return parts.map(({ text, quotes, places }) => ({ text: filled(text, quotes), places }));
}
