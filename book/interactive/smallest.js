// The smallest translator of chapter 5: 69 numbers, what they write, and their gradient.

import { Matrix } from "./arrays.js";
import { causalMask } from "./attention.js";
import { sinusoidalEncoding } from "./positions.js";
import { add, attend, embed, linear, mapped, withGradient } from "./tape.js";

/** @typedef {import("./tape.js").Numbers} Numbers */
/** @typedef {ReturnType<typeof forward>} Seen */

export const SOURCE_WORDS = ["<SOS>", "lets", "to", "go"];
export const TARGET_WORDS = ["<SOS>", "ir", "vamos", "y", "<EOS>"];

const MOST_WORDS = 4; // of a translation

/** Both phrases, the decoder's input and what it has to answer, as ids. */
export const PHRASES = [
  { src: [0, 1, 3], tgtIn: [0, 2], tgtOut: [2, 4] },
  { src: [0, 2, 3], tgtIn: [0, 1], tgtOut: [1, 4] },
];

/** @type {Record<string, number[][]>} */
const UNTRAINED = {
  "encoder.embedding.weight": [
    [0.33669, 0.128809], [0.234462, 0.230333], [-1.122856, -0.186328],
    [2.208201, -0.637997],
  ],
  "encoder.self_attention.query_proj.weight": [
    [0.545099, 0.104517], [-0.330106, 0.18024],
  ],
  "encoder.self_attention.key_proj.weight": [
    [-0.32579, -0.082924], [-0.287197, 0.469074],
  ],
  "encoder.self_attention.value_proj.weight": [
    [-0.558169, -0.325984], [-0.199669, -0.425164],
  ],
  "decoder.embedding.weight": [
    [-0.648401, -0.705841], [0.643218, 1.478799], [1.19185, -0.144617],
    [0.484716, 0.692104], [-1.392888, 0.762273],
  ],
  "decoder.self_attention.query_proj.weight": [
    [-0.555496, 0.319811], [-0.248813, 0.550473],
  ],
  "decoder.self_attention.key_proj.weight": [
    [-0.520703, 0.47723], [0.088448, -0.12186],
  ],
  "decoder.self_attention.value_proj.weight": [
    [0.512019, -0.31211], [0.117976, -0.242185],
  ],
  "decoder.cross_attention.query_proj.weight": [
    [0.250738, 0.289308], [0.594956, -0.376536],
  ],
  "decoder.cross_attention.key_proj.weight": [
    [0.177698, -0.053168], [0.516925, -0.467465],
  ],
  "decoder.cross_attention.value_proj.weight": [
    [-0.242649, 0.518079], [0.27586, -0.190734],
  ],
  "decoder.output_proj.weight": [
    [0.22131, 0.260326], [-0.213602, -0.570508], [-0.545688, 0.426071],
    [-0.0714, 0.369443], [-0.537382, 0.624036],
  ],
  "decoder.output_proj.bias": [[0.222367, -0.042649, -0.298548, -0.121628, -0.494926]],
};

/** The numbers before training: those that the seeds of chapter 5 give. */
export function untrained() {
  return mapped(UNTRAINED, Matrix.fromRows);
}

/**
 * From a phrase to the scores of its next words (T, V), and what the decoder's words
 * heard and read on the way.
 * @param {Numbers} numbers
 * @param {number[]} src (S)
 * @param {number[]} tgt (T)
 */
export function forward(numbers, src, tgt) {
  const embedded = (/** @type {string} */ side, /** @type {number[]} */ ids) => {
    const rows = embed(numbers[`${side}.embedding.weight`], ids);
    return add(rows, sinusoidalEncoding(ids.length, rows.cols));
  };
  const listen = (/** @type {string} */ name, /** @type {Matrix} */ x,
    /** @type {Matrix} */ from, /** @type {Uint8Array | null} */ mask = null) => {
    const [query, key, value] = ["query", "key", "value"].map((map) =>
      linear(map === "query" ? x : from, numbers[`${name}.${map}_proj.weight`]));
    return add(x, attend(query, key, value, { mask }).output);
  };
  const source = embedded("encoder", src);
  const memory = listen("encoder.self_attention", source, source);
  const words = embedded("decoder", tgt);
  const heard = listen("decoder.self_attention", words, words, causalMask(tgt.length));
  const read = listen("decoder.cross_attention", heard, memory);
  const [weight, bias] = ["weight", "bias"].map((n) => numbers[`decoder.output_proj.${n}`]);
  return { words, heard, read, scores: linear(read, weight, bias) };
}

/**
 * Write a translation, always the best next word.
 * @param {Numbers} numbers
 * @param {number[]} src
 */
export function translate(numbers, src) {
  const written = [0];
  while (written.at(-1) !== 4 && written.length <= MOST_WORDS) {
    const { scores } = forward(numbers, src, written);
    const last = Array.from(scores.row(scores.rows - 1));
    written.push(last.indexOf(Math.max(...last)));
  }
  return written.slice(1).map((id) => TARGET_WORDS[id]);
}

/**
 * The loss of both phrases, the probabilities of the right words, and the gradient.
 * @param {Numbers} numbers
 */
export function gradientOf(numbers) {
  return withGradient(numbers, PHRASES, (copies) => ({ src, tgtIn, tgtOut }) => {
    return { scores: forward(copies, src, tgtIn).scores, labels: tgtOut };
  });
}
