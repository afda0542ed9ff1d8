// The Transformer of lib once more, on a tape: it takes many sentences at once, and
// every number of it can be trained. Names and sizes are those of model.js.

import { shapes } from "./config.js";
import { mapped, Value } from "./tape.js";

/**
 * @typedef {import("./config.js").Config} Config
 * @typedef {import("./tape.js").Numbers} Numbers
 * @typedef {import("./tape.js").Tape} Tape
 * @typedef {{withoutPositions?: boolean, withoutCausalMask?: boolean}} Missing
 */

/**
 * The numbers before training: as large as lib draws them, the biases zero.
 * @param {Config} config
 * @param {() => number} random numbers between -1 and 1
 */
export function untrained(config, random) {
  return mapped(shapes(config), ([rows, cols], name) => {
    const flat = name.endsWith("bias") ? 0 : 1;
    const reach = name.includes("embedding")
      ? Math.sqrt(3 / cols) // a deviation of 1 / √D
      : Math.sqrt(6 / (rows + cols));
    const draw = () => (name.includes("norm") ? flat : flat * reach * random());
    return new Value(rows, cols, Float32Array.from({ length: rows * cols }, draw));
  });
}

/** A Transformer that learns: its operations go on a tape. */
export class Trainee {
  /**
   * @param {Config} config
   * @param {Numbers} numbers
   * @param {Tape} tape
   * @param {Missing} missing
   */
  constructor(config, numbers, tape, missing = {}) {
    this.config = config;
    this.numbers = numbers;
    this.tape = tape;
    this.missing = missing;
  }

  /**
   * Read the sources.
   * @param {number[][]} src
   * @returns {Value} the memory (all S, D)
   */
  encode(src) {
    const asking = src.map((ids) => ids.length);
    return this.stack("encoder", this.embed("src", src), (layer, x) =>
      this.residual(`${layer}.self_attention`, x, (y) =>
        this.attend(`${layer}.self_attention`, y, y, { asking, asked: asking })));
  }

  /**
   * Score each next word.
   * @param {number[][]} tgt
   * @param {Value} memory
   * @param {number[][]} src
   * @returns {Value} logits (all T, V)
   */
  decode(tgt, memory, src) {
    const [asking, asked] = [tgt, src].map((all) => all.map((ids) => ids.length));
    const past = { asking, asked: asking, causal: !this.missing.withoutCausalMask };
    const x = this.stack("decoder", this.embed("tgt", tgt), (layer, x) => {
      const [own, cross] = [`${layer}.self_attention`, `${layer}.cross_attention`];
      x = this.residual(own, x, (y) => this.attend(own, y, y, past));
      return this.residual(cross, x, (y) =>
        this.attend(cross, y, memory, { asking, asked }));
    });
    return this.linear("output_proj", x);
  }

  /**
   * @param {string} side
   * @param {number[][]} sentences
   */
  embed(side, sentences) {
    const table = this.numbers[`${side}_embedding.table.weight`];
    const x = this.tape.embed(table, sentences.flat(), Math.sqrt(table.cols));
    if (this.missing.withoutPositions) return x;
    return this.tape.addPositions(x, sentences.map((ids) => ids.length));
  }

  /**
   * All layers, each with its attentions and then its feed-forward.
   * @param {string} name
   * @param {Value} x
   * @param {(layer: string, x: Value) => Value} attentions
   */
  stack(name, x, attentions) {
    for (let n = 0; n < this.config.n_layers; n++) {
      const layer = `${name}.layers.${n}`;
      const part = `${layer}.feed_forward`;
      x = this.residual(part, attentions(layer, x), (y) =>
        this.linear(`${part}.outer`, this.tape.relu(this.linear(`${part}.inner`, y))));
    }
    return this.config.norm_first ? this.norm(name, x) : x;
  }

  /**
   * A sublayer beside its input; the norm after both, or before the sublayer.
   * @param {string} name
   * @param {Value} x
   * @param {(x: Value) => Value} sublayer
   */
  residual(name, x, sublayer) {
    const norm = (/** @type {Value} */ y) => this.norm(`${name}_residual`, y);
    if (this.config.norm_first) return this.tape.add(x, sublayer(norm(x)));
    return norm(this.tape.add(x, sublayer(x)));
  }

  /** @param {string} name @param {Value} x */
  norm(name, x) {
    const [weight, bias] = this.pair(`${name}.norm`);
    return this.tape.layerNorm(x, weight, bias);
  }

  /** @param {string} name @param {Value} x */
  linear(name, x) {
    return this.tape.linear(x, ...this.pair(name));
  }

  /** @param {string} name @returns {[Value, Value]} */
  pair(name) {
    return [this.numbers[`${name}.weight`], this.numbers[`${name}.bias`]];
  }

  /**
   * @param {string} name
   * @param {Value} x the tokens that look
   * @param {Value} from those that are looked at
   * @param {{asking: number[], asked: number[], causal?: boolean}} how
   */
  attend(name, x, from, how) {
    const query = this.linear(`${name}.query_proj`, x);
    const key = this.linear(`${name}.key_proj`, from);
    const value = this.linear(`${name}.value_proj`, from);
    const heads = this.config.n_heads;
    const found = this.tape.attend(query, key, value, { heads, ...how });
    return this.linear(`${name}.output_proj`, found);
  }
}
