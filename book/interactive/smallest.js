// The smallest translator of chapter 9: 69 numbers, their gradient, a step downhill.

import { add, Matrix, matmul, softmax, timesTransposed, transpose } from "./arrays.js";
import { scaledDotProductAttention } from "./attention.js";
import { causalMask } from "./masks.js";
import { sinusoidalEncoding } from "./positions.js";

/**
 * @typedef {Record<string, Matrix>} Numbers all that the translator learns, by name
 * @typedef {{ x: Matrix, from: Matrix, query: Matrix, key: Matrix, value: Matrix,
 *   weights: Matrix, output: Matrix }} Attended
 * @typedef {{ src: number[], tgt: number[], listened: Attended, memory: Matrix,
 *   words: Matrix, heard: Matrix, own: Attended, cross: Attended, read: Matrix,
 *   scores: Matrix }} Seen all that happens on the way to the scores (T, V)
 */

export const SOURCE_WORDS = ["<SOS>", "lets", "to", "go"];
export const TARGET_WORDS = ["<SOS>", "ir", "vamos", "y", "<EOS>"];

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

/** The numbers before training: those that the seeds of chapter 9 give. */
export function untrained() {
  return mapped(UNTRAINED, (rows) => Matrix.fromRows(rows));
}

/**
 * The same change to every entry.
 * @template A, B
 * @param {Record<string, A>} record
 * @param {(value: A, name: string) => B} change
 * @returns {Record<string, B>}
 */
function mapped(record, change) {
  const entries = Object.entries(record);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, change(value, name)]),
  );
}

/**
 * @param {Numbers} numbers
 * @param {string} side
 * @param {number[]} ids
 */
function embed(numbers, side, ids) {
  const table = numbers[`${side}.embedding.weight`];
  const rows = Matrix.fromRows(ids.map((id) => Array.from(table.row(id))));
  const positions = sinusoidalEncoding(ids.length, rows.cols);
  return add(rows, positions);
}

/**
 * @param {Numbers} numbers
 * @param {string} name
 * @param {Matrix} x (T, D) the words that look
 * @param {Matrix} from (S, D) the words that are looked at
 * @param {import("./masks.js").Mask | null} [mask]
 * @returns {Attended}
 */
function attend(numbers, name, x, from, mask = null) {
  const query = timesTransposed(x, numbers[`${name}.query_proj.weight`]);
  const key = timesTransposed(from, numbers[`${name}.key_proj.weight`]);
  const value = timesTransposed(from, numbers[`${name}.value_proj.weight`]);
  const attended = scaledDotProductAttention(query, key, value, mask);
  return { x, from, query, key, value, ...attended };
}

/**
 * From two rows of ids to the scores of the next words, and all on the way.
 * @param {Numbers} numbers
 * @param {number[]} src (S)
 * @param {number[]} tgt (T)
 * @returns {Seen}
 */
export function forward(numbers, src, tgt) {
  const source = embed(numbers, "encoder", src);
  const listened = attend(numbers, "encoder.self_attention", source, source);
  const memory = add(source, listened.output);
  const words = embed(numbers, "decoder", tgt);
  const past = causalMask(tgt.length);
  const own = attend(numbers, "decoder.self_attention", words, words, past);
  const heard = add(words, own.output);
  const cross = attend(numbers, "decoder.cross_attention", heard, memory);
  const read = add(heard, cross.output);
  const products = timesTransposed(read, numbers["decoder.output_proj.weight"]);
  const scores = add(products, numbers["decoder.output_proj.bias"]);
  return { src, tgt, listened, memory, words, heard, own, cross, read, scores };
}

/**
 * Write a translation, always the best next word.
 * @param {Numbers} numbers
 * @param {number[]} src
 * @param {number} [patience] the most words
 */
export function translate(numbers, src, patience = 4) {
  const written = [0];
  while (written.at(-1) !== 4 && written.length <= patience) {
    const { scores } = forward(numbers, src, written);
    const last = Array.from(scores.row(scores.rows - 1));
    written.push(last.indexOf(Math.max(...last)));
  }
  return written.slice(1).map((id) => TARGET_WORDS[id]);
}

/**
 * The loss of both phrases, the probabilities of the right words, and the gradient.
 * @param {Numbers} numbers
 * @returns {{ loss: number, chances: number[], gradient: Numbers }}
 */
export function gradientOf(numbers) {
  const gradient = mapped(numbers, ({ rows, cols }) => new Matrix(rows, cols));
  const chances = PHRASES.flatMap(({ src, tgtIn, tgtOut }) => {
    const seen = forward(numbers, src, tgtIn);
    const given = tgtOut.map((right, t) => softmax(seen.scores.row(t)));
    const push = new Matrix(seen.scores.rows, seen.scores.cols);
    tgtOut.forEach((right, t) => {
      // Of -ln p, averaged over four answers: the probabilities, less 1 at the right.
      push.row(t).set(given[t].map((p, id) => (p - Number(id === right)) / 4));
    });
    backward(numbers, seen, push, gradient);
    return tgtOut.map((right, t) => given[t][right]);
  });
  const loss = chances.reduce((sum, p) => sum - Math.log(p), 0) / chances.length;
  return { loss, chances, gradient };
}

/**
 * Send the gradient of the scores back to every number, and add it up there.
 * @param {Numbers} numbers
 * @param {Seen} seen
 * @param {Matrix} push (T, V)
 * @param {Numbers} gradient
 */
function backward(numbers, seen, push, gradient) {
  collect(gradient, "decoder.output_proj.weight", matmul(transpose(push), seen.read));
  for (const row of push.toRows()) {
    collect(gradient, "decoder.output_proj.bias", Matrix.fromRows([row]));
  }
  const through = (/** @type {string} */ part, /** @type {Attended} */ attended,
    /** @type {Matrix} */ dOutput) =>
    attendBackward(numbers, part, attended, dOutput, gradient);
  const dRead = matmul(push, numbers["decoder.output_proj.weight"]);
  const [toHeard, dMemory] = through("decoder.cross_attention", seen.cross, dRead);
  const dHeard = add(dRead, toHeard); // the residual, and the way through the attention
  const [dx, dFrom] = through("decoder.self_attention", seen.own, dHeard);
  embedBackward("decoder", seen.tgt, add(dHeard, add(dx, dFrom)), gradient);
  const [dq, dkv] = through("encoder.self_attention", seen.listened, dMemory);
  embedBackward("encoder", seen.src, add(dMemory, add(dq, dkv)), gradient);
}

/** @param {Numbers} gradient @param {string} name @param {Matrix} more */
function collect(gradient, name, more) {
  gradient[name] = add(gradient[name], more);
}

/**
 * @param {string} side
 * @param {number[]} ids (T)
 * @param {Matrix} dx (T, D)
 * @param {Numbers} gradient
 */
function embedBackward(side, ids, dx, gradient) {
  const table = gradient[`${side}.embedding.weight`];
  ids.forEach((id, t) => dx.row(t).forEach((d, i) => {
    table.row(id)[i] += d;
  }));
}

/**
 * Through an attention: what reaches x, and what reaches the words looked at.
 * @param {Numbers} numbers
 * @param {string} name
 * @param {Attended} attended
 * @param {Matrix} dOutput (T, D)
 * @param {Numbers} gradient
 */
function attendBackward(numbers, name, attended, dOutput, gradient) {
  const { query, key, value, weights } = attended;
  const dValue = matmul(transpose(weights), dOutput);
  const dWeights = timesTransposed(dOutput, value);
  const dScores = new Matrix(weights.rows, weights.cols);
  for (let t = 0; t < weights.rows; t++) {
    const [w, d] = [weights.row(t), dWeights.row(t)];
    const mean = w.reduce((sum, share, s) => sum + share * d[s], 0);
    const scale = Math.sqrt(key.cols);
    dScores.row(t).set(w.map((share, s) => (share * (d[s] - mean)) / scale));
  }
  const back = (/** @type {string} */ map, /** @type {Matrix} */ x,
    /** @type {Matrix} */ d) => {
    collect(gradient, `${name}.${map}_proj.weight`, matmul(transpose(d), x));
    return matmul(d, numbers[`${name}.${map}_proj.weight`]);
  };
  const dx = back("query", attended.x, matmul(dScores, key));
  const dKey = back("key", attended.from, matmul(transpose(dScores), query));
  return [dx, add(dKey, back("value", attended.from, dValue))];
}

/** Plain gradient descent: against the gradient, as far as it is long. */
export class GradientDescent {
  /** @param {number} rate */
  constructor(rate) {
    this.rate = rate;
  }

  /** @param {Numbers} numbers @param {Numbers} gradient @returns {Numbers} */
  step(numbers, gradient) {
    return mapped(numbers, (matrix, name) =>
      changed(matrix, (value, i) => value - this.rate * gradient[name].data[i]),
    );
  }
}

/** Adam: every number gets a step size of its own (Kingma and Ba, 2015). */
export class Adam {
  /** @param {number} rate */
  constructor(rate) {
    this.rate = rate;
    this.steps = 0;
    /** @type {Numbers} the running means of the gradient and of its square */
    this.mean = {};
    /** @type {Numbers} */
    this.square = {};
  }

  /** @param {Numbers} numbers @param {Numbers} gradient @returns {Numbers} */
  step(numbers, gradient) {
    this.steps += 1;
    const [fadeMean, fadeSquare] = [1 - 0.9 ** this.steps, 1 - 0.999 ** this.steps];
    return mapped(numbers, (matrix, name) => {
      const slope = gradient[name].data;
      const before = new Matrix(matrix.rows, matrix.cols);
      const [mean, square] = [this.mean[name] ?? before, this.square[name] ?? before];
      this.mean[name] = changed(mean, (m, i) => 0.9 * m + 0.1 * slope[i]);
      this.square[name] = changed(square, (s, i) => 0.999 * s + 0.001 * slope[i] ** 2);
      return changed(matrix, (value, i) => {
        const root = Math.sqrt(this.square[name].data[i] / fadeSquare) + 1e-8;
        return value - (this.rate * this.mean[name].data[i]) / fadeMean / root;
      });
    });
  }
}

/**
 * A matrix like another, its numbers changed.
 * @param {Matrix} matrix
 * @param {(value: number, index: number) => number} change
 */
export function changed(matrix, change) {
  return new Matrix(matrix.rows, matrix.cols, matrix.data.map(change));
}
