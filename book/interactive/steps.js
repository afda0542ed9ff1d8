// Steps: what greedy and beam search share. Who reads the words, and how far they may
// go.

import { logSoftmax } from "./arrays.js";

/**
 * @typedef {import("./arrays.js").Matrix} Matrix
 * @typedef {import("./model.js").Transformer} Transformer
 * @typedef {{ sosId: number, eosId: number }} Ends the ids around every target
 * @typedef {{
 *   logProbabilities: Float32Array, attention: Record<string, Matrix[]>, reader: Reader
 * }} Reading
 */

/**
 * A decoder that has read a few words of one translation. It never changes: `read`
 * gives a new one, so that one may go on from the same beginning in several ways.
 */
export class Reader {
  /**
   * @param {Transformer} model
   * @param {Matrix} memory (S, D)
   * @param {import("./layers.js").LayerCache[]} caches
   * @param {number[]} ids the words read so far
   */
  constructor(model, memory, caches, ids) {
    this.model = model;
    this.memory = memory;
    this.caches = caches;
    this.ids = ids;
  }

  /**
   * One that has read the source and no word.
   * @param {Transformer} model
   * @param {number[]} src token ids (S)
   */
  static open(model, src) {
    const memory = model.encode(src);
    return new Reader(model, memory, model.open(memory), []);
  }

  /**
   * Read one more token: the log-probability of each next one (V), what each head
   * looked at, and the reader that goes on from there. The weights of the decoder have
   * one row, that of the newest token; without the causal mask there is a row for every
   * token.
   * @param {number} id
   * @param {number[]} never ids that no translation may contain
   * @param {number} temperature what the logits are divided by (chapter 3)
   * @returns {Reading}
   */
  read(id, never, temperature = 1) {
    const { model, memory } = this;
    const ids = [...this.ids, id];
    const caches = this.caches.map((each) => ({ ...each }));
    // A token that sees later ones changes with each of them: nothing can be kept.
    const logits = model.switches.withoutCausalMask
      ? model.decode(ids, memory)
      : model.decodeNext(id, this.ids.length, caches);
    const newest = logits.row(logits.rows - 1).map((logit) => logit / temperature);
    for (const forbidden of never) newest[forbidden] = -Infinity;
    return {
      logProbabilities: logSoftmax(newest),
      attention: model.attentionWeights(),
      reader: new Reader(model, memory, caches, ids),
    };
  }
}

/**
 * The most tokens that a translation may get: the length of the source plus 50 (§6.1),
 * as far as the model has positions.
 * @param {Transformer} model
 * @param {number[]} src token ids (S)
 */
export function lengthLimit(model, src) {
  return Math.min(src.length + 50, model.config.max_len);
}
