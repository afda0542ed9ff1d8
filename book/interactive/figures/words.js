// Chapter 1: a sentence of one's own, from its words to the rows of a table.

import { Matrix } from "../arrays.js";
import { textField, toggle } from "../controls.js";
import { fixed, shortened, signed } from "../draw.js";
import { TokenEmbedding } from "../layers.js";
import { filled, mounting, Panels, table } from "../panels.js";
import { padSequence, tokenize, Vocabulary } from "../words.js";

export const PHRASES = [
  "Yes.",
  "lets go",
  "Good morning.",
  "I don't know.",
  "Do you like it?",
  "Where is the station?",
  "The dog bites the man.",
  "I like the red car.",
  "We have been waiting for the bus for half an hour.",
  "If it rains tomorrow, we will stay at home and read.",
  "My sister, who lives in Madrid, is coming to see us on Sunday.",
  "The man bites the dog.",
];
const MOST_TOKENS = 12;

/**
 * Two sentences as a batch: their tokens, ids and vectors.
 * @param {string[]} sentences
 * @param {Matrix} table a row for each token
 */
export function batchOf(sentences, table) {
  const vocabulary = Vocabulary.build(PHRASES);
  const embedding = new TokenEmbedding(table);
  const words = sentences.map((text) => tokenize(text).slice(0, MOST_TOKENS));
  const encoded = words.map((tokens) => [
    ...vocabulary.encode(tokens.join(" ")),
    vocabulary.eosId,
  ]);
  return padSequence(encoded, vocabulary.padId).map((ids, b) => ({
    written: ids.map((id, place) => words[b][place] ?? vocabulary.tokens[id]),
    read: ids.map((id) => vocabulary.tokens[id]),
    ids,
    rows: ids.map((id) => Array.from(table.row(id))),
    vectors: embedding.forward(ids).toRows(),
  }));
}

class Words extends Panels {
  first = "The dog bites the cat.";
  second = "Good morning.";
  scaled = false;
  chosen = "0-0";

  /**
   * @param {HTMLElement} root
   * @param {number[][]} rows of the table, as lib's `TokenEmbedding` draws them
   */
  constructor(root, rows) {
    super(root, {
      title: "From a sentence of your own to rows of numbers",
      hint:
        "Write two sentences; they share a batch. " +
        "Press a token to follow it to its row of the table.",
      label: "The tokens of two sentences, their ids and their rows of the table",
    });
    this.rows = Matrix.fromRows(rows);
    const attributes = { lang: "en", maxlength: 70 };
    textField(this.controls, "first", "sentence 1", attributes);
    textField(this.controls, "second", "sentence 2", attributes);
    toggle(this.controls, "scaled", "multiplied by √d_model = √4 = 2");
    for (const b of [0, 1]) table(this, () => this.cellsOf(b));
  }

  /** @param {string} key */
  press(key) {
    this.chosen = key;
  }

  get sentences() {
    return [this.first, this.second];
  }

  get batch() {
    return batchOf(this.sentences, this.rows);
  }

  /** The sentence and the place of the token that is followed. */
  get followed() {
    const [b, place] = this.chosen.split("-").map(Number);
    const sentence = this.batch[b];
    return { sentence, at: Math.min(place, sentence.ids.length - 1) };
  }

  tell() {
    const { sentence, at } = this.followed;
    const [word, read, id] = [sentence.written[at], sentence.read[at], sentence.ids[at]];
    const all = this.batch.flatMap(({ ids }) => ids);
    const same = all.filter((other) => other === id).length;
    const end = this.sentences.some((text) => tokenize(text).length > MOST_TOKENS)
      ? ` Only the first ${MOST_TOKENS} tokens of a sentence are shown.`
      : ` The batch has the shape (2, ${sentence.ids.length}).`;
    if (read === "<pad>") {
      return `<pad> fills the shorter sentence up. Its row is all zeros.${end}`;
    }
    if (read === "<unk>") {
      return (
        `“${word}” is not among the 60 tokens of the vocabulary: it becomes <unk>, ` +
        `id ${id}, and gets the same row as every other unknown word ` +
        `(${same} here).${end}`
      );
    }
    const times =
      same === 1 ? "It occurs once" : `It occurs ${same} times, with the same numbers,`;
    return (
      `“${word}” has the id ${id} and gets row ${id} of the table. ` +
      `${times} in this batch.${end}`
    );
  }

  /** A row for each token of a sentence. @param {number} b */
  cellsOf(b) {
    const { written, read, ids, rows, vectors } = this.batch[b];
    const { sentence, at } = this.followed;
    const title = this.scaled ? "row × 2" : "row of the table";
    const cells = ids.map((id, place) => {
      const numbers = (this.scaled ? vectors : rows)[place];
      const unknown = read[place] === "<unk>";
      const spoken = [`id ${id}`, ...numbers.map((value) => fixed(value))].join(", ");
      const token = {
        text: unknown ? `${shortened(written[place], 6)} <unk>` : shortened(read[place], 13),
        style: read[place] === "<pad>" && "border: 1px dashed var(--ink)",
        "data-key": `${b}-${place}`,
        "aria-label": `${written[place]}: ${unknown ? "unknown, " : ""}${spoken}`,
        "aria-pressed": String(id === sentence.ids[at]),
      };
      return [token, id, ...numbers.map((n) => filled(fixed(n), signed(n / 2)))];
    });
    return [["token", "id", { text: title, colspan: 4 }], ...cells];
  }
}

export const mount = mounting(Words);
