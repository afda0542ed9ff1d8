// Operations that remember what they did, and send gradients back through it.
//
// Each operation makes a matrix. While `withGradient` reads an example, it also writes
// down how the gradient of that matrix reaches those it was made of. Followed backward
// from the loss, these ways give the gradient of all.

import { Matrix, softmax, standardized, timesTransposed } from "./arrays.js";

/** @typedef {Record<string, Matrix>} Numbers all that a model learns, by name */

/** The ways back, in the order of the operations; null while no gradient is asked for.
 * @type {(() => void)[] | null} */
let ways = null;

/**
 * The loss of some examples, the mean of −ln p of all right answers, and its gradient.
 * @template E
 * @param {Numbers} numbers they themselves stay as they are
 * @param {E[]} examples
 * @param {(numbers: Numbers) => (example: E) => {scores: Matrix, labels: number[]}} model
 *   reads an example: the scores of its answers (T, V), and which are right (T)
 * @returns {{loss: number, chances: number[], gradient: Numbers}}
 */
export function withGradient(numbers, examples, model) {
  const copies = mapped(numbers, (each) => new Matrix(each.rows, each.cols, each.data));
  const read = model(copies);
  const all = examples.map((example) => {
    ways = [];
    return { ...read(example), back: ways };
  });
  ways = null;
  const count = all.reduce((sum, { labels }) => sum + labels.length, 0);
  /** @type {number[]} */
  const chances = [];
  for (const { scores, labels, back } of all) {
    labels.forEach((label, n) => {
      const given = softmax(scores.row(n));
      chances.push(given[label]);
      // Of −ln p: the probabilities, less 1 at the right answer.
      given.forEach((p, id) => {
        scores.gradient[n * scores.cols + id] += (p - Number(id === label)) / count;
      });
    });
    for (const way of back.reverse()) way();
  }
  const loss = chances.reduce((sum, p) => sum - Math.log(p), 0) / count;
  const gradient = mapped(copies, (each) =>
    new Matrix(each.rows, each.cols, each.gradient));
  return { loss, chances, gradient };
}

/**
 * The sum of two matrices.
 * @param {Matrix} a (N, M)
 * @param {Matrix} b (N, M)
 */
export function add(a, b) {
  const made = new Matrix(a.rows, a.cols, a.data.map((x, i) => x + b.data[i]));
  ways?.push(() => {
    for (const each of [a, b]) addTimes(each.gradient, 0, 1, made.gradient, 0);
  });
  return made;
}

/** Numbers below zero become zero. @param {Matrix} x */
export function relu(x) {
  const made = new Matrix(x.rows, x.cols, x.data.map((n) => Math.max(n, 0)));
  ways?.push(() => made.gradient.forEach((slope, i) => {
    if (x.data[i] > 0) x.gradient[i] += slope;
  }));
  return made;
}

/**
 * Rows of a table, scaled.
 * @param {Matrix} table (V, D)
 * @param {number[]} ids (N)
 * @param {number} [scale]
 */
export function embed(table, ids, scale = 1) {
  const width = table.cols;
  const made = new Matrix(ids.length, width);
  ids.forEach((id, n) => {
    addTimes(made.data, n * width, scale, table.data, id * width, width);
  });
  ways?.push(() => ids.forEach((id, n) => {
    addTimes(table.gradient, id * width, scale, made.gradient, n * width, width);
  }));
  return made;
}

/**
 * A linear map, x Wᵀ + b.
 * @param {Matrix} x (N, K)
 * @param {Matrix} weight (M, K)
 * @param {Matrix} [bias] (1, M)
 */
export function linear(x, weight, bias = new Matrix(1, weight.rows)) {
  const made = timesTransposed(x, weight, bias.data);
  const width = x.cols;
  ways?.push(() => {
    for (let n = 0, i = 0; n < x.rows; n++) {
      for (let m = 0; m < weight.rows; m++, i++) {
        const slope = made.gradient[i];
        bias.gradient[m] += slope;
        addTimes(x.gradient, n * width, slope, weight.data, m * width, width);
        addTimes(weight.gradient, m * width, slope, x.data, n * width, width);
      }
    }
  });
  return made;
}

/**
 * Each row with mean 0 and variance 1, then a learned scale and shift.
 * @param {Matrix} x (N, D)
 * @param {Matrix} weight (1, D)
 * @param {Matrix} bias (1, D)
 */
export function layerNorm(x, weight, bias) {
  const width = x.cols;
  const made = new Matrix(x.rows, width);
  const rows = Array.from({ length: x.rows }, (_, n) => {
    const { normed, deviation } = standardized(x.row(n));
    made.row(n).set(normed.map((value, d) => value * weight.data[d] + bias.data[d]));
    return { normed, deviation };
  });
  ways?.push(() => rows.forEach(({ normed, deviation }, n) => {
    const slopes = made.gradient.subarray(n * width, (n + 1) * width);
    addTimes(bias.gradient, 0, 1, slopes, 0);
    addTimes(weight.gradient, 0, 1, slopes.map((slope, d) => slope * normed[d]), 0);
    const inner = slopes.map((slope, d) => slope * weight.data[d]);
    // What would move mean or length of the row as a whole is lost in the norm.
    const mean = inner.reduce((sum, slope) => sum + slope, 0) / width;
    const along = dot(inner, 0, normed, 0, width) / width;
    const back = inner.map((slope, d) => slope - mean - normed[d] * along);
    addTimes(x.gradient, n * width, 1 / deviation, back, 0);
  }));
  return made;
}

/**
 * Weigh the values by how well their keys match each query (§3.2.1), in several smaller
 * spaces at once: the columns of the first head come first.
 * @param {Matrix} query (T, D)
 * @param {Matrix} key (S, D)
 * @param {Matrix} value (S, D)
 * @param {{heads?: number, mask?: Uint8Array | null, scale?: number}} how the mask is
 *   (T, S), row after row, and hides where it is 0; the scale divides the scores, √d_k
 *   if left out
 * @returns {{ output: Matrix, weights: Matrix[] }} (T, D), and of each head (T, S)
 */
export function attend(query, key, value, { heads = 1, mask = null, scale }) {
  const output = new Matrix(query.rows, value.cols);
  const width = query.cols / heads;
  const share = 1 / (scale ?? Math.sqrt(width));
  const keys = Array.from({ length: key.rows }, (_, s) => s * key.cols);
  const weights = Array.from({ length: heads }, () => new Matrix(query.rows, key.rows));
  /** Each row of the weights, and where its query, its keys and its values begin.
   * @type {{ row: Float32Array, q: number, places: number[] }[]} */
  const looks = weights.flatMap((table, head) =>
    Array.from({ length: query.rows }, (_, t) => ({
      row: table.row(t),
      q: t * query.cols + head * width,
      places: keys.map((start) => start + head * width),
    })),
  );
  looks.forEach(({ row, q, places }, at) => {
    const first = (at % query.rows) * key.rows; // of its row in the mask
    row.set(softmax(Float32Array.from(places, (k, s) =>
      mask && !mask[first + s] ? -Infinity : share * dot(query.data, q, key.data, k, width),
    )));
    places.forEach((k, s) => addTimes(output.data, q, row[s], value.data, k, width));
  });
  ways?.push(() => looks.forEach(({ row, q, places }) => {
    const slopes = places.map((k) => dot(output.gradient, q, value.data, k, width));
    const mean = slopes.reduce((sum, slope, s) => sum + row[s] * slope, 0);
    places.forEach((k, s) => {
      const slope = share * row[s] * (slopes[s] - mean);
      addTimes(value.gradient, k, row[s], output.gradient, q, width);
      addTimes(query.gradient, q, slope, key.data, k, width);
      addTimes(key.gradient, k, slope, query.data, q, width);
    });
  }));
  return { output, weights };
}

/**
 * The same change to every entry.
 * @template A, B
 * @param {Record<string, A>} record
 * @param {(value: A, name: string) => B} change
 * @returns {Record<string, B>}
 */
export function mapped(record, change) {
  const entries = Object.entries(record);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, change(value, name)]),
  );
}

/**
 * @param {Float32Array} a
 * @param {number} i where its numbers begin
 * @param {Float32Array} b
 * @param {number} j
 * @param {number} width how many
 */
function dot(a, i, b, j, width) {
  let sum = 0;
  for (let d = 0; d < width; d++) sum += a[i + d] * b[j + d];
  return sum;
}

/**
 * Add numbers, times a factor, to others.
 * @param {Float32Array} to
 * @param {number} i where those begin
 * @param {number} factor
 * @param {Float32Array} from
 * @param {number} j
 * @param {number} [width] how many; all if left out
 */
function addTimes(to, i, factor, from, j, width = from.length) {
  for (let d = 0; d < width; d++) to[i + d] += factor * from[j + d];
}
