// Attention: each token gathers what it needs from the others; the mask says from whom.

import { add, columns, Matrix, matmul, softmax } from "./arrays.js";
import { stack, timesTransposed } from "./arrays.js";
import { noSwitches } from "./config.js";

/**
 * @typedef {Uint8Array} Mask row after row: 1 means "may be attended to", as in the whole
 *   book; rows are queries, columns are keys
 */

/**
 * Let each position attend to itself and to those before it (§3.2.3).
 * @param {number} length number of tokens, T
 * @returns {Mask} (T, T)
 */
export function causalMask(length) {
  const mask = new Uint8Array(length * length);
  for (let query = 0; query < length; query++) {
    mask.fill(1, query * length, query * length + query + 1);
  }
  return mask;
}

/**
 * Weigh the values by how well their keys match each query (§3.2.1):
 * softmax(Q Kᵀ / √d_k) V.
 * @param {Matrix} query (T, d_k)
 * @param {Matrix} key (S, d_k)
 * @param {Matrix} value (S, d_v)
 * @param {Mask | null} mask (T, S); null hides nothing
 * @param {number} scale what the scores are divided by; √d_k if left out
 * @returns {{ output: Matrix, weights: Matrix }} (T, d_v) and (T, S)
 */
export function scaledDotProductAttention(
  query, key, value, mask = null, scale = Math.sqrt(key.cols),
) {
  const scores = timesTransposed(query, key); // (T, S)
  const weights = new Matrix(query.rows, key.rows);
  for (let t = 0; t < query.rows; t++) {
    const row = scores.row(t).map((score, s) =>
      mask && !mask[t * key.rows + s] ? -Infinity : score / scale,
    );
    weights.row(t).set(softmax(row));
  }
  return { output: matmul(weights, value), weights };
}

/** A linear map, y = x Wᵀ + b. */
export class Linear {
  /**
   * @param {Record<string, Matrix>} arrays the weights of the model
   * @param {string} name the map's name among them
   */
  constructor(arrays, name) {
    this.weight = arrays[`${name}.weight`]; // (out, in)
    this.bias = arrays[`${name}.bias`]; // (1, out)
  }

  /** @param {Matrix} x (T, in) @returns {Matrix} (T, out) */
  forward(x) {
    return add(timesTransposed(x, this.weight), this.bias);
  }
}

/**
 * Keys and values of the tokens read so far, one matrix (S, D/H) for each head. They
 * are never changed: one more token makes new ones. So a beam can go on twice from the
 * same beginning, and a page can step back.
 * @typedef {{ keys: Matrix[], values: Matrix[] }} Kept
 */

/** Attend in several smaller spaces at once, and put the results together (§3.2.2). */
export class MultiHeadAttention {
  /**
   * @param {Record<string, Matrix>} arrays the weights of the model
   * @param {string} name the attention's name among them
   * @param {number} nHeads number of heads, H
   * @param {import("./config.js").Switches} switches
   */
  constructor(arrays, name, nHeads, switches = noSwitches()) {
    this.name = name;
    this.nHeads = nHeads;
    this.switches = switches;
    this.queryProj = new Linear(arrays, `${name}.query_proj`);
    this.keyProj = new Linear(arrays, `${name}.key_proj`);
    this.valueProj = new Linear(arrays, `${name}.value_proj`);
    this.outputProj = new Linear(arrays, `${name}.output_proj`);
    /** What each head looked at when it was last called: H matrices (T, S).
     * @type {Matrix[]} */
    this.lastWeights = [];
  }

  /** Cut each vector into H pieces. @param {Matrix} x (T, D) @returns {Matrix[]} */
  splitHeads(x) {
    const width = x.cols / this.nHeads;
    return Array.from({ length: this.nHeads }, (_, head) =>
      columns(x, head * width, (head + 1) * width),
    );
  }

  /** Join the pieces again. @param {Matrix[]} heads @returns {Matrix} (T, D) */
  mergeHeads(heads) {
    const width = heads[0].cols;
    const merged = new Matrix(heads[0].rows, width * heads.length);
    heads.forEach((head, h) => {
      for (let t = 0; t < head.rows; t++) merged.row(t).set(head.row(t), h * width);
    });
    return merged;
  }

  /**
   * The keys and values of some tokens, below those that are kept already.
   * @param {Matrix} x (S, D)
   * @param {Kept | null} kept
   * @returns {Kept}
   */
  keep(x, kept = null) {
    const keys = this.splitHeads(this.keyProj.forward(x));
    const values = this.splitHeads(this.valueProj.forward(x));
    if (!kept) return { keys, values };
    return {
      keys: keys.map((key, head) => stack(kept.keys[head], key)),
      values: values.map((value, head) => stack(kept.values[head], value)),
    };
  }

  /**
   * @param {Matrix} query (T, D)
   * @param {Kept} kept keys and values of S tokens, from keep
   * @param {Mask | null} mask (T, S)
   * @returns {Matrix} (T, D); the weights lie in lastWeights
   */
  forward(query, kept, mask = null) {
    const { withoutScale, silencedHeads } = this.switches;
    const heads = this.splitHeads(this.queryProj.forward(query)).map((q, head) => {
      const [k, v] = [kept.keys[head], kept.values[head]];
      const scale = withoutScale ? 1 : Math.sqrt(q.cols);
      return scaledDotProductAttention(q, k, v, mask, scale);
    });
    this.lastWeights = heads.map(({ weights }) => weights);
    const outputs = heads.map(({ output }, head) =>
      silencedHeads.includes(`${this.name}.${head}`)
        ? new Matrix(output.rows, output.cols)
        : output,
    );
    return this.outputProj.forward(this.mergeHeads(outputs));
  }
}
