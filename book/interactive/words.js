// Words: a sentence to tokens, tokens to numbers (chapter 1).

const LETTER = "[\\p{L}\\p{N}_]"; // what Python's \w stands for
const WORD = `${LETTER}(?:${LETTER}|\\p{M})*`; // with the marks on its letters
const TOKEN = `${WORD}(?:'${WORD})*|[^\\p{L}\\p{N}_\\s]`;
const SPECIAL = ["<pad>", "<sos>", "<eos>", "<unk>"];

/**
 * The words and marks of a sentence; capitals are kept.
 * @param {string} sentence
 * @returns {string[]}
 */
export function tokenize(sentence) {
  const text = sentence.normalize("NFC").replaceAll("’", "'");
  return text.match(new RegExp(TOKEN, "gu")) ?? [];
}

/** A numbered list of tokens, which begins with the four special ones. */
export class Vocabulary {
  /** @param {string[]} tokens in the order of their ids, special ones first */
  constructor(tokens) {
    this.tokens = tokens;
    this.ids = new Map(tokens.map((token, id) => [token, id]));
    this.padId = 0;
    this.sosId = 1;
    this.eosId = 2;
    this.unkId = 3;
  }

  /**
   * Frequent tokens first; the alphabet decides between equals.
   * @param {string[]} sentences
   */
  static build(sentences) {
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const token of sentences.flatMap(tokenize)) {
      counts.set(token, (counts.get(token) ?? 0) + 1);
    }
    const order = [...counts].sort(
      ([a, many], [b, often]) => often - many || (a < b ? -1 : 1),
    );
    return new Vocabulary([...SPECIAL, ...order.map(([token]) => token)]);
  }

  /** The id of each token; unknown ones become <unk>. @param {string} sentence */
  encode(sentence) {
    return tokenize(sentence).map((token) => this.ids.get(token) ?? this.unkId);
  }
}

/**
 * Sentences of token ids, made equally long with the padding's id.
 * @param {number[][]} sequences
 * @param {number} padId
 * @returns {number[][]} (B, S)
 */
export function padSequence(sequences, padId) {
  const longest = Math.max(...sequences.map((ids) => ids.length));
  return sequences.map((ids) => [
    ...ids,
    ...new Array(longest - ids.length).fill(padId),
  ]);
}
