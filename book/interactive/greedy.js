// Greedy decoding: always the likeliest next word, unless the reader says otherwise.
//
// `new Greedy(model, src, { sosId, eosId })` has encoded the source. Each `step()` adds
// a Step to `steps` and returns it: the log-probabilities of all V tokens, what each
// head looked at, and the token that was chosen. `step(id)` writes that token instead;
// `rewind(n)` goes back to the first n steps. `done` tells whether the translation
// ended, `ids` holds it so far.

import { largestPlaces } from "./arrays.js";
import { lengthLimit, Reader } from "./steps.js";

/**
 * @typedef {import("./arrays.js").Matrix} Matrix
 * @typedef {import("./model.js").Transformer} Transformer
 * @typedef {import("./steps.js").Ends} Ends
 * @typedef {{
 *   token: number, logProbability: number, logProbabilities: Float32Array,
 *   attention: Record<string, Matrix[]>, reader: Reader
 * }} Step
 */

export class Greedy {
  /**
   * @param {Transformer} model
   * @param {number[]} src token ids (S), ending with <eos>
   * @param {Ends & { temperature?: number }} options
   */
  constructor(model, src, { sosId, eosId, temperature = 1 }) {
    this.limit = lengthLimit(model, src);
    this.ends = { sosId, eosId };
    this.temperature = temperature;
    this.never = [model.config.pad_id, sosId];
    this.start = Reader.open(model, src);
    /** @type {Step[]} */
    this.steps = [];
  }

  /** The tokens written so far, <eos> included. */
  get ids() {
    return this.steps.map(({ token }) => token);
  }

  /** Whether the translation has ended, or may not become longer. */
  get done() {
    const last = this.steps.at(-1);
    return last?.token === this.ends.eosId || this.steps.length >= this.limit;
  }

  /**
   * Write one more token.
   * @param {number | null} token the one to write; null for the likeliest
   * @returns {Step}
   */
  step(token = null) {
    if (this.done) throw new Error("The translation has ended: rewind it first.");
    const last = this.steps.at(-1);
    const [reader, newest] = last
      ? [last.reader, last.token]
      : [this.start, this.ends.sosId];
    const reading = reader.read(newest, this.never, this.temperature);
    const chosen = token ?? largestPlaces(reading.logProbabilities, 1)[0];
    const logProbability = reading.logProbabilities[chosen];
    const step = { ...reading, token: chosen, logProbability };
    this.steps.push(step);
    return step;
  }

  /** Go back to the first steps. @param {number} count how many stay */
  rewind(count) {
    this.steps.length = Math.min(count, this.steps.length);
  }
}
