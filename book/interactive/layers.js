// The layers: embedding, norm, feed-forward, residual, and the two that stack them.

import { add, Matrix } from "./arrays.js";
import { Linear, MultiHeadAttention } from "./attention.js";

/** Look up a vector for each token, and scale it by √D (§3.4). */
export class TokenEmbedding {
  /** @param {Matrix} table (V, D) */
  constructor(table) {
    this.table = table;
  }

  /** @param {number[]} ids (T) @returns {Matrix} (T, D) */
  forward(ids) {
    const { rows, cols } = this.table;
    const scale = Math.sqrt(cols);
    const x = new Matrix(ids.length, cols);
    ids.forEach((id, t) => {
      if (!Number.isInteger(id) || id < 0 || id >= rows) {
        throw new RangeError(
          `Token ids must lie between 0 and ${rows - 1}, but one is ${id}.`,
        );
      }
      x.row(t).set(this.table.row(id).map((value) => value * scale));
    });
    return x;
  }
}

/** Give each token's vector mean 0 and variance 1, then a learned scale and shift. */
export class LayerNorm {
  /**
   * @param {Record<string, Matrix>} arrays the weights of the model
   * @param {string} name the norm's name among them
   */
  constructor(arrays, name) {
    this.weight = arrays[`${name}.weight`].data; // (D)
    this.bias = arrays[`${name}.bias`].data; // (D)
    this.eps = 1e-5;
  }

  /** @param {Matrix} x (T, D) @returns {Matrix} (T, D) */
  forward(x) {
    const result = new Matrix(x.rows, x.cols);
    for (let t = 0; t < x.rows; t++) {
      const row = x.row(t);
      const mean = row.reduce((sum, value) => sum + value, 0) / x.cols;
      const squares = row.reduce((sum, value) => sum + (value - mean) ** 2, 0);
      // ε stands inside the root, and keeps it away from zero.
      const deviation = Math.sqrt(squares / x.cols + this.eps);
      const normed = row.map((value) => (value - mean) / deviation);
      const scaled = normed.map((value, d) => value * this.weight[d] + this.bias[d]);
      result.row(t).set(scaled);
    }
    return result;
  }
}

/** Send each token on its own through two linear maps with a ReLU between (§3.3). */
export class PositionwiseFeedForward {
  /**
   * @param {Record<string, Matrix>} arrays the weights of the model
   * @param {string} name
   */
  constructor(arrays, name) {
    this.inner = new Linear(arrays, `${name}.inner`);
    this.outer = new Linear(arrays, `${name}.outer`);
  }

  /** @param {Matrix} x (T, D) @returns {Matrix} (T, D) */
  forward(x) {
    const inner = this.inner.forward(x); // (T, d_ff)
    const relu = inner.data.map((value) => Math.max(value, 0));
    return this.outer.forward(new Matrix(inner.rows, inner.cols, relu));
  }
}

/** Add a sublayer's output to its input; the norm after or before (§3.1, §5.4). */
export class Residual {
  /**
   * @param {Record<string, Matrix>} arrays the weights of the model
   * @param {string} name
   * @param {boolean} normFirst false for norm(x + sublayer(x)), true for
   *   x + sublayer(norm(x))
   */
  constructor(arrays, name, normFirst) {
    this.norm = new LayerNorm(arrays, `${name}.norm`);
    this.normFirst = normFirst;
  }

  /**
   * @param {Matrix} x (T, D)
   * @param {(x: Matrix) => Matrix} sublayer
   * @returns {Matrix} (T, D)
   */
  forward(x, sublayer) {
    if (this.normFirst) return add(x, sublayer(this.norm.forward(x)));
    return this.norm.forward(add(x, sublayer(x)));
  }
}

/** What both kinds of layer have: self-attention, the feed-forward, their residuals. */
class Layer {
  /**
   * @param {Record<string, Matrix>} arrays the weights of the model
   * @param {string} name such as "encoder.layers.0"
   * @param {import("./config.js").Config} config
   * @param {import("./config.js").Switches} [switches]
   */
  constructor(arrays, name, config, switches) {
    this.name = name;
    /** @param {string} part */
    this.attention = (part) =>
      new MultiHeadAttention(arrays, `${name}.${part}`, config.n_heads, switches);
    /** @param {string} part */
    this.residual = (part) =>
      new Residual(arrays, `${name}.${part}_residual`, config.norm_first);
    this.selfAttention = this.attention("self_attention");
    this.selfAttentionResidual = this.residual("self_attention");
    this.feedForward = new PositionwiseFeedForward(arrays, `${name}.feed_forward`);
    this.feedForwardResidual = this.residual("feed_forward");
  }
}

/** @typedef {import("./attention.js").Kept} Kept */

/** Let the source words look at one another, then think each on its own (§3.1). */
export class EncoderLayer extends Layer {
  /**
   * @param {Matrix} x (S, D)
   * @param {import("./masks.js").Mask | null} srcMask (S, S) or (1, S)
   * @param {{ own: Kept | null }} cache of the tokens before x, which x may see too
   * @returns {Matrix} (S, D)
   */
  forward(x, srcMask = null, cache = { own: null }) {
    x = this.selfAttentionResidual.forward(x, (y) => {
      cache.own = this.selfAttention.keep(y, cache.own);
      return this.selfAttention.forward(y, cache.own, srcMask);
    });
    return this.feedForwardResidual.forward(x, (y) => this.feedForward.forward(y));
  }
}

/**
 * What one decoder layer keeps from step to step: the keys and values of its own words
 * (none before the first), and those of the memory.
 * @typedef {{ own: Kept | null, memory: Kept }} LayerCache
 */

/** Look at the words written so far, then at the source, then think (§3.1). */
export class DecoderLayer extends Layer {
  crossAttention = this.attention("cross_attention");
  crossAttentionResidual = this.residual("cross_attention");

  /** A cache that has read the memory and no word. @param {Matrix} memory (S, D) */
  open(memory) {
    /** @type {LayerCache} */
    const cache = { own: null, memory: this.crossAttention.keep(memory) };
    return cache;
  }

  /**
   * @param {Matrix} x (T, D), the tokens that the cache has not read
   * @param {LayerCache} cache it has read x afterwards
   * @param {import("./masks.js").Mask | null} tgtMask (T, T)
   * @returns {Matrix} (T, D)
   */
  forward(x, cache, tgtMask = null) {
    x = this.selfAttentionResidual.forward(x, (y) => {
      cache.own = this.selfAttention.keep(y, cache.own);
      return this.selfAttention.forward(y, cache.own, tgtMask);
    });
    x = this.crossAttentionResidual.forward(x, (y) =>
      this.crossAttention.forward(y, cache.memory),
    );
    return this.feedForwardResidual.forward(x, (y) => this.feedForward.forward(y));
  }
}
