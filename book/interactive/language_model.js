// A language model: the encoder's layers alone, which read one token after the other
// (chapter 18). No mask is needed: when a token is read, no later one is there.
//
// `new Text(model, vocabulary)` is what a reader begins and the model writes on: `begin`
// reads what is typed, `logits` score the next token, `write` puts one behind it.

import { Linear } from "./attention.js";
import { EncoderLayer, TokenEmbedding } from "./layers.js";
import { Stack } from "./model.js";
import { PositionalEncoding } from "./positions.js";

/**
 * @typedef {import("./arrays.js").Matrix} Matrix
 * @typedef {{ caches: import("./layers.js").OwnCache[], logits: Float32Array }} State what was read; it never changes
 */

export class LanguageModel {
  /**
   * @param {import("./config.js").Config} config
   * @param {Record<string, Matrix>} arrays the weights, by name
   */
  constructor(config, arrays) {
    this.maxLen = config.max_len;
    this.encoder = new Stack(EncoderLayer, "encoder", arrays, config);
    this.outputProj = new Linear(arrays, "output_proj");
    this.embedding = new TokenEmbedding(this.outputProj.weight); // they share it
    this.positions = new PositionalEncoding(config.d_model, config.max_len);
  }

  /**
   * Read one token more.
   * @param {State | undefined} before
   * @param {number} id
   * @param {number} position
   * @returns {State}
   */
  read(before, id, position) {
    const caches = this.encoder.layers.map((_, n) => ({ own: null, ...before?.caches[n] }));
    const x = this.positions.forward(this.embedding.forward([id]), position);
    const logits = this.outputProj.forward(this.encoder.forward(x, null, caches));
    return { caches, logits: logits.row(0) };
  }
}

/** A text in the making. */
export class Text {
  /** All of it, <sos> first. @type {number[]} */
  ids = [];
  /** How many of them the reader typed. */
  typed = 0;
  /** After each token that was read. @type {State[]} */
  states = [];

  /** @param {LanguageModel} model @param {import("./subwords.js").SubwordVocabulary} vocabulary */
  constructor(model, vocabulary) {
    this.model = model;
    this.vocabulary = vocabulary;
    this.never = [vocabulary.padId, vocabulary.sosId, vocabulary.unkId];
  }

  /** Read what is typed; what was there before is not read again. @param {string} typed */
  begin(typed) {
    const { sosId } = this.vocabulary;
    const ids = [sosId, ...this.vocabulary.encode(typed)].slice(0, this.model.maxLen);
    let same = 0;
    while (same < ids.length && ids[same] === this.ids[same]) same += 1;
    this.states.length = Math.min(same, this.states.length);
    this.ids = ids.slice(0, same);
    for (const id of ids.slice(same)) this.write(id);
    this.typed = ids.length;
  }

  /** @param {number} id */
  write(id) {
    const at = this.ids.push(id) - 1;
    if (id === this.vocabulary.eosId || at >= this.model.maxLen) return;
    this.states.push(this.model.read(this.states[at - 1], id, at));
  }

  /** Whether more may be written. */
  get open() {
    return this.states.length === this.ids.length;
  }

  /** Of the token behind all that was read; those of marks are -Infinity. */
  get logits() {
    const logits = this.states[this.states.length - 1].logits.slice();
    for (const id of this.never) logits[id] = -Infinity;
    return logits;
  }
}
