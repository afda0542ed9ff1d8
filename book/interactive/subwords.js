// Sub-words: a vocabulary of parts of words, so that no word is unknown (chapter 10).
//
// `SubwordVocabulary.fromTokenizer(JSON)` reads the shipped tokenizer.json.
// `readSource` does to a typed sentence what `lib`'s translator does, `decode` makes
// text of ids.

const SPACE = "▁"; // marks where a word begins, as the field writes it
// The letters, digits and marks that the tokenizer's expression calls \w. It counts six
// more characters as such, but only outside of brackets.
const LETTER = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}";
const OUTSIDE = `[${LETTER}²³¹¼½¾]`;
// A word with the apostrophes inside it, or a run of marks; the space stands in front.
const WORD =
  `${SPACE}?[${LETTER}]+(?:'${OUTSIDE}+)*` +
  `|${SPACE}?[^${LETTER}\\p{White_Space}${SPACE}]+|${SPACE}`;

/** A numbered list of sub-words, learned by byte-pair encoding (§5.1). */
export class SubwordVocabulary {
  /**
   * @param {string[]} tokens the sub-words in the order of their ids, special ones first
   * @param {[string, string][]} merges pairs of sub-words, the one learned first in front
   */
  constructor(tokens, merges) {
    this.tokens = tokens;
    this.ids = new Map(tokens.map((token, id) => [token, id]));
    this.ranks = new Map(merges.map((pair, rank) => [pair.join(" "), rank]));
    const special = (/** @type {string} */ token) => {
      const id = this.ids.get(token);
      if (id === undefined) throw new Error(`The special token ${token} is missing.`);
      return id;
    };
    this.padId = special("<pad>");
    this.sosId = special("<sos>");
    this.eosId = special("<eos>");
    this.unkId = special("<unk>");
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
   * What a word is made of after each merge: single characters first, then parts, then
   * the sub-words of its translation's vocabulary. Each step joins the pair learned first.
   * @param {string} word
   * @returns {string[][]}
   */
  mergeSteps(word) {
    const steps = [[...word]];
    for (;;) {
      const cut = steps[steps.length - 1];
      let [best, place] = [Infinity, -1];
      for (let i = 0; i + 1 < cut.length; i++) {
        const rank = this.ranks.get(`${cut[i]} ${cut[i + 1]}`) ?? Infinity;
        if (rank < best) [best, place] = [rank, i];
      }
      if (place < 0) return steps;
      const joined = cut[place] + cut[place + 1];
      steps.push([...cut.slice(0, place), joined, ...cut.slice(place + 2)]);
    }
  }

  /** The sub-words of a sentence, unknown characters too. @param {string} sentence */
  subwords(sentence) {
    return this.words(sentence).flatMap((word) => this.mergeSteps(word).at(-1) ?? []);
  }

  /**
   * The id of each sub-word. Characters that were never seen are <unk>; side by side in
   * one word they are a single one.
   * @param {string} sentence
   * @returns {number[]}
   */
  encode(sentence) {
    return this.words(sentence).flatMap((word) => {
      const cut = this.mergeSteps(word).at(-1) ?? [];
      const ids = cut.map((subword) => this.ids.get(subword) ?? this.unkId);
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
 * Prepare a sentence as `lib`'s translator does, and look up its token ids.
 * @param {string} sentence what the reader wrote
 * @param {SubwordVocabulary} vocabulary
 * @param {number} maxLen how many tokens the model can read
 * @returns {{ text: string, ids: number[] }} the ids end with <eos>
 */
export function readSource(sentence, vocabulary, maxLen) {
  // Python's notion of a space has four more characters.
  const spaces = /[\p{White_Space}\x1c-\x1f]+/gu;
  const text = sentence.replace(spaces, " ").replace(/^ | $/g, "");
  if (!/[\p{L}\p{N}_]/u.test(text)) {
    throw new Error(`There is nothing to translate in '${text}'; write a sentence.`);
  }
  const ids = [...vocabulary.encode(text), vocabulary.eosId];
  if (ids.length > maxLen) {
    throw new Error(
      `A sentence of ${ids.length - 1} sub-words is too long; this translator ` +
        `reads at most ${maxLen - 1}.`,
    );
  }
  return { text, ids };
}
