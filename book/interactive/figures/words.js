// Chapter 1: a sentence of one's own, from its words to the rows of a table.

import { Matrix } from "../arrays.js";
import { textField, toggle } from "../controls.js";
import { cell, edge, END, fixed, rect, shortened, signed, svg, touchable, write } from "../draw.js";
import { Figure } from "../frame.js";
import { mounting } from "../panels.js";
import { TokenEmbedding } from "../layers.js";
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
// TokenEmbedding(60, d_model=4, pad_id=0) of lib, as it is made after
// torch.manual_seed(0): one row a token, in hundredths.
const HUNDREDTHS = [
  [0, 0, 0, 0], [72, -6, 29, -8], [-3, 52, 45, -24], [-44, 7, 95, 20],
  [-2, -40, -25, -18], [29, -58, -7, -10], [-4, 70, 30, -24], [-18, -66, 85, 103],
  [-12, 35, 29, 13], [-103, 27, -27, -43], [-1, 59, 20, -10], [-58, -16, 47, -57],
  [28, 40, -9, -37], [-4, -49, 3, -24], [-41, 41, -32, 65], [73, -31, 49, -22],
  [-31, -11, -24, 39], [5, -54, -6, -51], [-60, 24, -61, -69], [77, -2, -21, -13],
  [-6, -3, 20, 56], [97, 50, 50, -22], [-62, 64, 12, 27], [-1, -112, 73, -61],
  [32, 197, -6, 15], [19, -27, -50, 67], [97, -65, -117, -103], [45, -35, 98, -55],
  [27, 77, 54, 62], [6, 81, 23, 65], [44, 3, 39, -49], [-44, -16, -17, 23],
  [25, 44, 19, 73], [24, -27, -2, 33], [-16, -28, -24, -64], [-9, 28, -9, -12],
  [15, 40, 63, 47], [27, -77, 16, 37], [73, 205, 56, -78], [-35, 29, 62, -32],
  [-38, 12, 8, -112], [69, -25, 84, -51], [84, -61, 38, 60], [-36, -3, 110, 89],
  [-1, 49, -53, 89], [-14, -14, 37, -32], [-48, 14, 34, 92], [60, -29, 48, -75],
  [113, 61, -24, 23], [68, 22, -26, -9], [14, 5, 18, -38], [11, -13, 79, -12],
  [-60, -1, 90, -53], [170, -28, -24, 87], [-10, -16, 65, 67], [10, 79, -19, 70],
  [17, -80, -29, 30], [22, -5, 17, -9], [-71, 30, -58, 2], [11, -46, 78, -158],
];
const MOST_TOKENS = 12;
const ROW = 30;

/**
 * Two sentences as a batch: their tokens, ids and vectors.
 * @param {string[]} sentences
 */
export function batchOf(sentences) {
  const vocabulary = Vocabulary.build(PHRASES);
  const table = Matrix.fromRows(HUNDREDTHS.map((row) => row.map((x) => x / 100)));
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

class Words extends Figure {
  first = "The dog bites the cat.";
  second = "Good morning.";
  scaled = false;
  chosen = "0-0";

  /** @param {HTMLElement} root */
  constructor(root) {
    super(root, {
      title: "From a sentence of your own to rows of numbers",
      hint:
        "Write two sentences; they share a batch. " +
        "Press a token to follow it to its row of the table.",
      label: "The tokens of two sentences, their ids and their rows of the table",
    });
    const attributes = { lang: "en", maxlength: 70 };
    textField(this.controls, "first", "sentence 1", attributes);
    textField(this.controls, "second", "sentence 2", attributes);
    toggle(this.controls, "scaled", "multiplied by √d_model = √4 = 2");
  }

  /** @param {string} key */
  press(key) {
    this.chosen = key;
  }

  get sentences() {
    return [this.first, this.second];
  }

  /** The sentence and the place of the token that is followed. */
  get followed() {
    const [b, place] = this.chosen.split("-").map(Number);
    const sentence = batchOf(this.sentences)[b];
    return { sentence, at: Math.min(place, sentence.ids.length - 1) };
  }

  tell() {
    const { sentence, at } = this.followed;
    const [word, read, id] = [sentence.written[at], sentence.read[at], sentence.ids[at]];
    const all = batchOf(this.sentences).flatMap(({ ids }) => ids);
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

  /** @param {SVGElement} drawing @param {number} width */
  draw(drawing, width) {
    const batch = batchOf(this.sentences);
    const wide = width >= 620;
    const each = wide ? (width - 24) / 2 : width;
    const tall = ROW * (batch[0].ids.length + 1) + 8;
    batch.forEach((sentence, b) => {
      const [x, y] = wide ? [b * (each + 24), 0] : [0, b * tall];
      const group = svg(drawing, "g", { transform: `translate(${x} ${y})` });
      this.drawSentence(group, sentence, b, each);
    });
    return wide ? tall : 2 * tall;
  }

  /**
   * @param {SVGElement} group
   * @param {ReturnType<typeof batchOf>[0]} sentence
   * @param {number} b
   * @param {number} width
   */
  drawSentence(group, { written, read, ids, rows, vectors }, b, width) {
    const left = width < 340 ? 148 : 158;
    const { sentence, at } = this.followed;
    write(group, 4, 20, "token", { class: "soft" });
    write(group, left - 10, 20, "id", { ...END, class: "soft" });
    const title = this.scaled ? "row × 2" : "row of the table";
    write(group, left, 20, title, { class: "soft" });
    ids.forEach((id, place) => {
      const y = ROW * (place + 1);
      const numbers = (this.scaled ? vectors : rows)[place];
      const unknown = read[place] === "<unk>" ? "unknown, " : "";
      const spoken = [`id ${id}`, ...numbers.map((value) => fixed(value))].join(", ");
      const label = `${written[place]}: ${unknown}${spoken}`;
      const chosen = id === sentence.ids[at];
      const line = touchable(group, `${b}-${place}`, label, chosen);
      const dashes = read[place] === "<pad>" ? "4 3" : undefined;
      const look = { rx: 4, fill: "var(--field)", "stroke-dasharray": dashes };
      rect(line, [1, y + 1, width - 2, ROW - 2], { ...look, ...edge(chosen, "paper") });
      const name = unknown
        ? `${shortened(written[place], 6)} <unk>`
        : shortened(read[place], 13);
      write(line, 8, y + 20, name);
      write(line, left - 10, y + 20, id, { ...END, class: "number" });
      drawNumbers(line, numbers, [left, y + 3], width);
    });
  }
}

/**
 * @param {SVGElement} group
 * @param {number[]} numbers
 * @param {number[]} corner
 * @param {number} width of the whole line
 */
function drawNumbers(group, numbers, [left, y], width) {
  const side = (width - left) / 4;
  const style = width < 340 ? "font-size: 12.5px" : undefined;
  numbers.forEach((value, column) => {
    const box = [left + side * column, y, side - 2, ROW - 6];
    const letters = { class: "number", style };
    cell(group, box, fixed(value), { fill: signed(value / 2) }, letters);
  });
}

export const mount = mounting(Words);
