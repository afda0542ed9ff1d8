// The layers: embedding, norm, feed-forward, residual, and the two that stack them.

import { Linear, MultiHeadAttention } from "./attention.js";
import { add, embed, layerNorm, relu } from "./tape.js";

/** @typedef {import("./arrays.js").Matrix} Matrix */

/** Look up a vector for each token, and scale it by √D (§3.4). */
export class TokenEmbedding {
  /** @param {Matrix} table (V, D) */
  constructor(table) {
    this.table = table;
  }

  /** @param {number[]} ids (T) @returns {Matrix} (T, D) */
  forward(ids) {
    return embed(this.table, ids, Math.sqrt(this.table.cols));
  }
}

/** Give each token's vector mean 0 and variance 1, then a learned scale and shift. */
export class LayerNorm {
  /**
   * @param {Record<string, Matrix>} arrays the weights of the model
   * @param {string} name the norm's name among them
   */
  constructor(arrays, name) {
    this.weight = arrays[`${name}.weight`]; // (1, D)
    this.bias = arrays[`${name}.bias`]; // (1, D)
  }

  /** @param {Matrix} x (T, D) @returns {Matrix} (T, D) */
  forward(x) {
    return layerNorm(x, this.weight, this.bias);
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
    return this.outer.forward(relu(this.inner.forward(x)));
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

/**
 * What a layer keeps from step to step: the keys and values of its own tokens, none
 * before the first.
 * @typedef {{ own: import("./attention.js").Kept | null }} OwnCache
 * @typedef {OwnCache & { memory: import("./attention.js").Kept }} LayerCache in a
 *   decoder those of the memory too
 */

/** Let the source words look at one another, then think each on its own (§3.1). */
export class EncoderLayer {
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

  /**
   * @param {Matrix} x (T, D), the tokens that the cache has not read
   * @param {import("./attention.js").Mask | null} mask (T, T)
   * @param {OwnCache} cache it has read x afterwards
   * @returns {Matrix} (T, D)
   */
  forward(x, mask = null, cache = { own: null }) {
    x = this.selfAttentionResidual.forward(x, (y) => {
      cache.own = this.selfAttention.keep(y, cache.own);
      return this.selfAttention.forward(y, cache.own, mask);
    });
    x = this.cross(x, cache);
    return this.feedForwardResidual.forward(x, (y) => this.feedForward.forward(y));
  }

  /** What comes between: nothing here. @param {Matrix} x @param {OwnCache} _cache */
  cross(x, _cache) {
    return x;
  }
}

/** Look at the words written so far, then at the source, then think (§3.1). */
export class DecoderLayer extends EncoderLayer {
  crossAttention = this.attention("cross_attention");
  crossAttentionResidual = this.residual("cross_attention");

  /** @param {Matrix} x @param {LayerCache} cache */
  cross(x, { memory }) {
    return this.crossAttentionResidual.forward(x, (y) =>
      this.crossAttention.forward(y, memory),
    );
  }

  /** A cache that has read the memory and no word. @param {Matrix} memory (S, D) */
  open(memory) {
    /** @type {LayerCache} */
    const cache = { own: null, memory: this.crossAttention.keep(memory) };
    return cache;
  }
}
