// The Transformer: an encoder that reads, a decoder that writes.
//
// `new Transformer(config, arrays)` is made of the sizes in config.json and of matrices
// under the names of `lib`'s state dict (weights.js reads them). It takes one sentence
// at a time: `encode(src)` gives the memory, `decode(tgt, memory)` the logits of every
// position. To write word by word use search.js.
// `model.switches` may be changed at any time (config.js says what each takes away);
// encode again afterwards. `model.attentionWeights()` gives, for each attention by its
// name, one matrix a head: what it looked at when it was last called.

import { causalMask, Linear } from "./attention.js";
import { noSwitches } from "./config.js";
import { DecoderLayer, EncoderLayer, LayerNorm, TokenEmbedding } from "./layers.js";
import { PositionalEncoding } from "./positions.js";

/**
 * @typedef {import("./arrays.js").Matrix} Matrix
 * @typedef {import("./config.js").Config} Config
 * @typedef {import("./config.js").Switches} Switches
 * @typedef {import("./layers.js").LayerCache} LayerCache
 */

/**
 * A stack of layers, each with weights of its own, and the norm that ends it (§3.1).
 * @template {EncoderLayer} L
 */
export class Stack {
  /**
   * @param {new (arrays: Record<string, Matrix>, name: string, config: Config,
   *   switches?: Switches) => L} Layer
   * @param {string} name
   * @param {Record<string, Matrix>} arrays
   * @param {Config} config
   * @param {Switches} [switches]
   */
  constructor(Layer, name, arrays, config, switches) {
    this.layers = Array.from(
      { length: config.n_layers },
      (_, n) => new Layer(arrays, `${name}.layers.${n}`, config, switches),
    );
    // Pre-norm leaves the last sum without a norm, so the stack ends in one.
    this.norm = config.norm_first ? new LayerNorm(arrays, `${name}.norm`) : null;
  }

  /**
   * @param {Matrix} x (T, D)
   * @param {import("./attention.js").Mask | null} mask (T, T)
   * @param {import("./layers.js").OwnCache[]} caches one for each layer, of tokens before
   *   x; they have read x afterwards
   * @returns {Matrix} (T, D)
   */
  forward(x, mask = null, caches = []) {
    this.layers.forEach((layer, n) => {
      x = layer.forward(x, mask, caches[n]);
    });
    return this.norm ? this.norm.forward(x) : x;
  }
}

/** The whole model of §3: token ids in, a score for each next word out. */
export class Transformer {
  /**
   * @param {Config} config the sizes
   * @param {Record<string, Matrix>} arrays the weights, by name
   */
  constructor(config, arrays) {
    this.config = config;
    this.switches = noSwitches();
    const whole = shared(config, arrays);
    this.encoder = new Stack(EncoderLayer, "encoder", whole, config, this.switches);
    this.decoder = new Stack(DecoderLayer, "decoder", whole, config, this.switches);
    this.outputProj = new Linear(whole, "output_proj");
    this.tgtEmbedding = new TokenEmbedding(whole["tgt_embedding.table.weight"]);
    this.srcEmbedding = new TokenEmbedding(whole["src_embedding.table.weight"]);
    this.positions = new PositionalEncoding(config.d_model, config.max_len);
  }

  /**
   * @param {TokenEmbedding} embedding
   * @param {number[]} ids (T)
   * @param {number} first the position of the first token
   * @returns {Matrix} (T, D)
   */
  embed(embedding, ids, first = 0) {
    const x = embedding.forward(ids);
    return this.switches.withoutPositions ? x : this.positions.forward(x, first);
  }

  /**
   * Read the source.
   * @param {number[]} src token ids (S); no mask is needed, for there is no padding
   * @returns {Matrix} the memory (S, D)
   */
  encode(src) {
    return this.encoder.forward(this.embed(this.srcEmbedding, src));
  }

  /** A cache for each layer, with no word read yet. @param {Matrix} memory (S, D) */
  open(memory) {
    return this.decoder.layers.map((layer) => layer.open(memory));
  }

  /**
   * Score each next word of a whole target.
   * @param {number[]} tgt token ids (T), beginning with <sos>
   * @param {Matrix} memory (S, D)
   * @returns {Matrix} logits (T, V)
   */
  decode(tgt, memory) {
    const noFuture = this.switches.withoutCausalMask ? null : causalMask(tgt.length);
    const x = this.embed(this.tgtEmbedding, tgt);
    return this.outputProj.forward(this.decoder.forward(x, noFuture, this.open(memory)));
  }

  /**
   * Read the newest token alone, and score the next word. No mask: only what is written
   * so far is kept.
   * @param {number} id
   * @param {number} position how many tokens stand before it
   * @param {LayerCache[]} caches from open; they have read it afterwards
   * @returns {Matrix} logits (1, V)
   */
  decodeNext(id, position, caches) {
    const x = this.embed(this.tgtEmbedding, [id], position);
    return this.outputProj.forward(this.decoder.forward(x, null, caches));
  }

  /**
   * What every head looked at in the last call: matrices (T, S), one a head, by the
   * name of the attention, such as "decoder.layers.0.cross_attention".
   * @returns {Record<string, Matrix[]>}
   */
  attentionWeights() {
    const attentions = [
      ...this.encoder.layers.map((layer) => layer.selfAttention),
      ...this.decoder.layers.flatMap((layer) => [
        layer.selfAttention,
        layer.crossAttention,
      ]),
    ];
    const named = attentions.map(({ name, lastWeights }) => [name, lastWeights]);
    return Object.fromEntries(named);
  }
}

/**
 * The arrays under every name that they have; a matrix that several parts share stands
 * in a file only once.
 * @param {Config} config
 * @param {Record<string, Matrix>} arrays
 * @returns {Record<string, Matrix>}
 */
function shared(config, arrays) {
  if (!config.tie_embeddings) return arrays;
  const table = arrays["output_proj.weight"] ?? arrays["tgt_embedding.table.weight"];
  const names = ["output_proj", "tgt_embedding.table", "src_embedding.table"];
  return { ...arrays, ...Object.fromEntries(names.map((name) => [`${name}.weight`, table])) };
}
