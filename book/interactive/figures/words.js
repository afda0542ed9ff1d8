// Chapter 1: a sentence of one's own, from its words to the rows of a table.

import { Matrix } from "../arrays.js";
import { fixed, onPress, panel, signed, svg, textField, toggle } from "../draw.js";
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

/** @param {HTMLElement} root */
export function mount(root) {
  const sentences = ["The dog bites the cat.", "Good morning."];
  let scaled = false;
  let chosen = "0-0";
  const { controls, picture, redraw, say } = panel(root, {
    title: "From a sentence of your own to rows of numbers",
    hint:
      "Write two sentences; they share a batch. " +
      "Press a token to follow it to its row of the table.",
    label: "The tokens of two sentences, their ids and their rows of the table",
    draw,
  });
  sentences.forEach((value, b) =>
    textField(controls, {
      label: `sentence ${b + 1}`,
      value,
      lang: "en",
      maxLength: 70,
      change: (text) => {
        sentences[b] = text;
        update();
      },
    }),
  );
  toggle(controls, {
    label: "multiplied by √d_model = √4 = 2",
    value: scaled,
    change: (on) => {
      scaled = on;
      update();
    },
  });
  onPress(picture, (key) => {
    chosen = key;
    update();
  });
  update();

  function update() {
    redraw();
    say(told(batchOf(sentences)));
  }

  /** @param {ReturnType<typeof batchOf>} batch */
  function told(batch) {
    const [b, place] = chosen.split("-").map(Number);
    const sentence = batch[b];
    const at = Math.min(place, sentence.ids.length - 1);
    const [word, read] = [sentence.written[at], sentence.read[at]];
    const id = sentence.ids[at];
    const same = batch.flatMap(({ ids }) => ids).filter((other) => other === id).length;
    const end = sentences.some((text) => tokenize(text).length > MOST_TOKENS)
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

  /**
   * @param {SVGElement} drawing
   * @param {number} width
   */
  function draw(drawing, width) {
    const batch = batchOf(sentences);
    const wide = width >= 620;
    const each = wide ? (width - 24) / 2 : width;
    const tall = ROW * (batch[0].ids.length + 1) + 8;
    batch.forEach((_, b) => {
      const [x, y] = wide ? [b * (each + 24), 0] : [0, b * tall];
      const group = svg(drawing, "g", { transform: `translate(${x} ${y})` });
      drawSentence(group, batch, b, each);
    });
    return wide ? tall : 2 * tall;
  }

  /**
   * @param {SVGElement} group
   * @param {ReturnType<typeof batchOf>} batch
   * @param {number} b
   * @param {number} width
   */
  function drawSentence(group, batch, b, width) {
    const { written, read, ids, rows, vectors } = batch[b];
    const [chosenB, chosenAt] = chosen.split("-").map(Number);
    const chosenIds = batch[chosenB].ids;
    const chosenId = chosenIds[Math.min(chosenAt, chosenIds.length - 1)];
    const left = width < 340 ? 148 : 158;
    const size = width < 340 ? "font-size: 12.5px" : undefined;
    const side = (width - left) / 4;
    const head = { y: 20, class: "soft" };
    svg(group, "text", { ...head, x: 4 }, "token");
    svg(group, "text", { ...head, x: left - 10, "text-anchor": "end" }, "id");
    svg(group, "text", { ...head, x: left }, scaled ? "row × 2" : "row of the table");
    ids.forEach((id, place) => {
      const y = ROW * (place + 1);
      const numbers = (scaled ? vectors : rows)[place];
      const unknown = read[place] === "<unk>";
      const spoken = [`id ${id}`, ...numbers.map((value) => fixed(value))].join(", ");
      const line = svg(group, "g", {
        key: `${b}-${place}`,
        role: "button",
        "aria-pressed": String(id === chosenId),
        "aria-label": `${written[place]}: ${unknown ? "unknown, " : ""}${spoken}`,
      });
      const [token, mark] = [read[place], id === chosenId];
      svg(line, "rect", {
        x: 1,
        y: y + 1,
        width: width - 2,
        height: ROW - 2,
        rx: 4,
        fill: "var(--field)",
        stroke: mark ? "var(--accent)" : "var(--paper)",
        "stroke-width": mark ? 3 : 1,
        "stroke-dasharray": token === "<pad>" ? "4 3" : undefined,
      });
      const text = unknown
        ? `${shortened(written[place], 6)} <unk>`
        : shortened(token, 13);
      svg(line, "text", { x: 8, y: y + 20 }, text);
      const number = { y: y + 20, class: "number" };
      const end = { x: left - 10, "text-anchor": "end" };
      svg(line, "text", { ...number, ...end }, String(id));
      numbers.forEach((value, column) => {
        const x = left + side * column;
        const cell = { x, y: y + 3, width: side - 2, height: ROW - 6 };
        svg(line, "rect", { ...cell, fill: signed(value / 2) });
        const middle = { x: x + side / 2 - 1, "text-anchor": "middle" };
        svg(line, "text", { ...number, ...middle, style: size }, fixed(value));
      });
    });
  }
}

/**
 * @param {string} word
 * @param {number} most how many letters there is room for
 */
function shortened(word, most) {
  return word.length > most ? `${word.slice(0, most - 1)}…` : word;
}
