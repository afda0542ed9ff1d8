// A tape: arithmetic that remembers what it did, and sends gradients back through it.
//
// Each operation makes a value, and writes down how the gradient of that value reaches
// those it was made of. Read backward from the loss, the tape gives the gradient of all.
// Sentences of several lengths stand below one another, without padding; `lengths` says
// how many rows each of them has.

import { Matrix, softmax, standardized } from "./arrays.js";
import { sinusoidalEncoding } from "./positions.js";

/** A matrix, and which way each of its numbers would move the loss. */
export class Value extends Matrix {
  gradient = new Float32Array(this.data.length);
}

/** @typedef {Record<string, Value>} Numbers all that a model learns, by name */

/** The operations that a Transformer needs, and the way back through each. */
export class Tape {
  /** The ways back, in the order of the operations. @type {(() => void)[]} */
  ways = [];

  /** From the loss to everything it depends on. */
  backward() {
    for (const way of this.ways.reverse()) way();
  }

  /**
   * The sum of two values.
   * @param {Value} a (N, M)
   * @param {Value} b (N, M)
   */
  add(a, b) {
    const made = new Value(a.rows, a.cols, a.data.map((x, i) => x + b.data[i]));
    this.ways.push(() => {
      for (const each of [a, b]) addTimes(each.gradient, 0, 1, made.gradient, 0);
    });
    return made;
  }

  /**
   * Add to each token the row of its position in its sentence (§3.5).
   * @param {Value} x (N, D)
   * @param {number[]} lengths
   */
  addPositions(x, lengths) {
    const tables = lengths.map((length) => sinusoidalEncoding(length, x.cols).toRows());
    return this.add(x, new Value(x.rows, x.cols, Float32Array.from(tables.flat(2))));
  }

  /** Numbers below zero become zero. @param {Value} x */
  relu(x) {
    const made = new Value(x.rows, x.cols, x.data.map((n) => Math.max(n, 0)));
    this.ways.push(() => made.gradient.forEach((slope, i) => {
      if (x.data[i] > 0) x.gradient[i] += slope;
    }));
    return made;
  }

  /**
   * Rows of a table, scaled.
   * @param {Value} table (V, D)
   * @param {number[]} ids (N)
   * @param {number} [scale]
   */
  embed(table, ids, scale = 1) {
    const width = table.cols;
    const made = new Value(ids.length, width);
    ids.forEach((id, n) => {
      addTimes(made.data, n * width, scale, table.data, id * width, width);
    });
    this.ways.push(() => ids.forEach((id, n) => {
      addTimes(table.gradient, id * width, scale, made.gradient, n * width, width);
    }));
    return made;
  }

  /**
   * A linear map, x Wᵀ + b.
   * @param {Value} x (N, K)
   * @param {Value} weight (M, K)
   * @param {Value} [bias] (1, M)
   */
  linear(x, weight, bias = new Value(1, weight.rows)) {
    const width = x.cols;
    const made = new Value(x.rows, weight.rows);
    for (let n = 0, i = 0; n < x.rows; n++) {
      for (let m = 0; m < weight.rows; m++, i++) {
        const product = dot(x.data, n * width, weight.data, m * width, width);
        made.data[i] = product + bias.data[m];
      }
    }
    this.ways.push(() => {
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
   * @param {Value} x (N, D)
   * @param {Value} weight (1, D)
   * @param {Value} bias (1, D)
   */
  layerNorm(x, weight, bias) {
    const width = x.cols;
    const made = new Value(x.rows, width);
    const rows = Array.from({ length: x.rows }, (_, n) => {
      const { normed, deviation } = standardized(x.row(n));
      made.row(n).set(normed.map((value, d) => value * weight.data[d] + bias.data[d]));
      return { normed, deviation };
    });
    this.ways.push(() => rows.forEach(({ normed, deviation }, n) => {
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
   * Attention of several heads, each sentence for itself (§3.2).
   * @param {Value} query (N, D)
   * @param {Value} key (M, D)
   * @param {Value} value (M, D)
   * @param {{heads: number, asking: number[], asked: number[], causal?: boolean}} how
   *   the lengths of the sentences that ask, and of those that are asked
   */
  attend(query, key, value, { heads, asking, asked, causal = false }) {
    const made = new Value(query.rows, query.cols);
    const width = query.cols / heads;
    const scale = 1 / Math.sqrt(width);
    /** @type {{q: number, places: number[], weights: Float32Array}[]} */
    const looks = [];
    let [first, from] = [0, 0]; // rows of a sentence in the queries, and in the keys
    asking.forEach((length, sentence) => {
      for (let at = 0; at < length * heads; at++) {
        const [t, head] = [Math.floor(at / heads), (at % heads) * width];
        const q = (first + t) * query.cols + head;
        const seen = causal ? t + 1 : asked[sentence];
        const places = Array.from({ length: seen }, (_, s) =>
          (from + s) * key.cols + head);
        const weights = softmax(Float32Array.from(places, (k) =>
          scale * dot(query.data, q, key.data, k, width)));
        places.forEach((k, s) =>
          addTimes(made.data, q, weights[s], value.data, k, width));
        looks.push({ q, places, weights });
      }
      first += length;
      from += asked[sentence];
    });
    this.ways.push(() => looks.forEach(({ q, places, weights }) => {
      const slopes = places.map((k) => dot(made.gradient, q, value.data, k, width));
      const mean = slopes.reduce((sum, slope, s) => sum + weights[s] * slope, 0);
      places.forEach((k, s) => {
        const slope = scale * weights[s] * (slopes[s] - mean);
        addTimes(value.gradient, k, weights[s], made.gradient, q, width);
        addTimes(query.gradient, q, slope, key.data, k, width);
        addTimes(key.gradient, k, slope, query.data, q, width);
      });
    }));
    return made;
  }

  /**
   * The loss: the mean of −ln p of the right answers. The way back begins here.
   * @param {Value} scores (N, V)
   * @param {number[]} labels (N)
   */
  crossEntropy(scores, labels) {
    const given = labels.map((_, n) => softmax(scores.row(n)));
    this.ways.push(() => labels.forEach((label, n) => {
      // Of −ln p: the probabilities, less 1 at the right answer.
      given[n].forEach((p, id) => {
        const slope = (p - Number(id === label)) / labels.length;
        scores.gradient[n * scores.cols + id] += slope;
      });
    }));
    const chances = labels.map((label, n) => given[n][label]);
    const loss = chances.reduce((sum, p) => sum - Math.log(p), 0) / labels.length;
    return { loss, chances };
  }
}

/**
 * The loss of some numbers, and its gradient; they themselves stay as they are.
 * @template {{loss: number}} Found
 * @param {Numbers} numbers
 * @param {(tape: Tape, numbers: Numbers) => Found} measure
 * @returns {Found & {gradient: Record<string, Matrix>}}
 */
export function withGradient(numbers, measure) {
  const tape = new Tape();
  const copies = mapped(numbers, (each) => new Value(each.rows, each.cols, each.data));
  const found = measure(tape, copies);
  tape.backward();
  const gradient = mapped(copies, (each) =>
    new Matrix(each.rows, each.cols, each.gradient));
  return { ...found, gradient };
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
