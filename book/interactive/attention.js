// Attention: each token gathers what it needs from the others; the mask says from whom.

import { stack } from "./arrays.js";
import { noSwitches } from "./config.js";
import { attend, linear } from "./tape.js";

/**
 * @typedef {import("./arrays.js").Matrix} Matrix
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
 * @param {number} [scale] what the scores are divided by; √d_k if left out
 * @returns {{ output: Matrix, weights: Matrix }} (T, d_v) and (T, S)
 */
export function scaledDotProductAttention(query, key, value, mask = null, scale) {
  const { output, weights } = attend(query, key, value, { mask, scale });
  return { output, weights: weights[0] };
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
    return linear(x, this.weight, this.bias);
  }
}

/**
 * Keys and values of the tokens read so far, matrices (S, D). They are never changed:
 * one more token makes new ones. So a beam can go on twice from the same beginning, and
 * a page can step back.
 * @typedef {{ keys: Matrix, values: Matrix }} Kept
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

  /**
   * The keys and values of some tokens, below those that are kept already.
   * @param {Matrix} x (S, D)
   * @param {Kept | null} kept
   * @returns {Kept}
   */
  keep(x, kept = null) {
    const [keys, values] = [this.keyProj.forward(x), this.valueProj.forward(x)];
    if (!kept) return { keys, values };
    return { keys: stack(kept.keys, keys), values: stack(kept.values, values) };
  }

  /**
   * @param {Matrix} query (T, D)
   * @param {Kept} kept keys and values of S tokens, from keep
   * @param {Mask | null} mask (T, S)
   * @returns {Matrix} (T, D); the weights lie in lastWeights
   */
  forward(query, { keys, values }, mask = null) {
    const { withoutScale, silencedHeads } = this.switches;
    const { output, weights } = attend(this.queryProj.forward(query), keys, values, {
      heads: this.nHeads,
      mask,
      scale: withoutScale ? 1 : undefined,
    });
    this.lastWeights = weights;
    const width = output.cols / this.nHeads;
    for (let head = 0; head < this.nHeads; head++) {
      if (!silencedHeads.includes(`${this.name}.${head}`)) continue;
      for (let t = 0; t < output.rows; t++) {
        output.row(t).fill(0, head * width, (head + 1) * width);
      }
    }
    return this.outputProj.forward(output);
  }
}
