// Beam search: several translations side by side, the best of them kept (§6.1).
//
// `new BeamSearch(model, src, { sosId, eosId, beamSize, lengthPenalty })` has encoded
// the source. Each `step()` lets the living hypotheses grow by a token, and returns
// those that live now and those that have ended just now; `living`, `ended` and `done`
// hold where the search stands. A hypothesis knows its parent, so that all of them make
// a tree; its score is its log-probability, and if it has ended its rank is the score
// divided by the length penalty. `best()` gives the ended ones, the best first. Order,
// ties and limits are those of `lib`.

import { largestPlaces } from "./arrays.js";
import { lengthLimit, Reader } from "./steps.js";

/**
 * @typedef {import("./model.js").Transformer} Transformer
 * @typedef {import("./steps.js").Reading} Reading
 * @typedef {import("./steps.js").Ends & {
 *   beamSize?: number, lengthPenalty?: number, temperature?: number
 * }} BeamOptions
 */

/**
 * What the log-probability of a translation is divided by: the rule of Wu et al.
 * (2016).
 * @param {number} length tokens of the translation
 * @param {number} lengthPenalty α; 0 leaves the log-probability as it is
 */
export function lengthNorm(length, lengthPenalty) {
  return ((5 + length) / 6) ** lengthPenalty;
}

/** The beginning of a translation, or a whole one. */
export class Hypothesis {
  /**
   * @param {Hypothesis | null} parent the same without its last token; null: the root
   * @param {number} token the last token
   * @param {number} score the log-probability of all its tokens together
   * @param {Reading | null} reading what it was chosen from; null for the root
   * @param {Reader | null} reader who has read all tokens but the last; null once ended
   */
  constructor(parent, token, score, reading, reader) {
    this.parent = parent;
    this.token = token;
    this.score = score;
    this.reading = reading;
    this.reader = reader;
    /** Its tokens, without <sos>. @type {number[]} */
    this.ids = parent ? [...parent.ids, token] : [];
    /** The score divided by the length penalty; only if it has ended.
     * @type {number | null} */
    this.rank = null;
  }
}

export class BeamSearch {
  /**
   * @param {Transformer} model
   * @param {number[]} src token ids (S), ending with <eos>
   * @param {BeamOptions} options
   */
  constructor(model, src, options) {
    const { beamSize = 4, lengthPenalty = 0.6, temperature = 1 } = options;
    this.beamSize = beamSize;
    this.lengthPenalty = lengthPenalty;
    this.temperature = temperature;
    this.eosId = options.eosId;
    this.never = [model.config.pad_id, options.sosId];
    this.limit = lengthLimit(model, src);
    this.root = new Hypothesis(null, options.sosId, 0, null, Reader.open(model, src));
    this.living = [this.root];
    /** @type {Hypothesis[]} */
    this.ended = [];
    this.done = false;
  }

  /**
   * Add a token to the best beginnings, and put those that end aside.
   * @returns {{ living: Hypothesis[], ended: Hypothesis[], done: boolean }} those that
   *   live now, and those that ended in this step
   */
  step() {
    if (this.done) throw new Error("The search has ended.");
    const endedBefore = this.ended.length;
    /** @type {Hypothesis[]} */
    const going = [];
    for (const [place, candidate] of this.candidates().entries()) {
      if (candidate.token !== this.eosId) going.push(candidate);
      // An end must be among the best, as all others.
      else if (place < this.beamSize) this.end(candidate);
      if (going.length === this.beamSize) break;
    }
    this.living = going;
    this.close();
    const ended = this.ended.slice(endedBefore);
    return { living: this.living, ended, done: this.done };
  }

  /** The likeliest beginnings with one token more: twice as many as live, because half
   * of them may end. */
  candidates() {
    const count = 2 * this.beamSize;
    const all = this.living.flatMap((parent) => {
      if (!parent.reader) return [];
      const reading = parent.reader.read(parent.token, this.never, this.temperature);
      const { logProbabilities, reader } = reading;
      parent.reader = null; // read once: its memory is free again
      return largestPlaces(logProbabilities, count).map((token) => {
        const score = Math.fround(parent.score + logProbabilities[token]);
        return new Hypothesis(parent, token, score, reading, reader);
      });
    });
    // Sorting keeps the order of equal scores: the earlier parent, the lower token.
    all.sort((a, b) => b.score - a.score);
    return all.slice(0, count).filter(({ score }) => score > -Infinity);
  }

  /** @param {Hypothesis} hypothesis */
  end(hypothesis) {
    const norm = lengthNorm(hypothesis.ids.length, this.lengthPenalty);
    hypothesis.rank = hypothesis.score / norm;
    hypothesis.reader = null;
    this.ended.push(hypothesis);
  }

  /** See whether the search is over. */
  close() {
    if (!this.living.length || this.living[0].ids.length >= this.limit) {
      for (const hypothesis of this.living) this.end(hypothesis);
      this.done = true;
    } else if (this.ended.length >= this.beamSize) {
      this.done = true;
    } else if (this.ended.length) {
      // Scores only fall, and the penalty is mildest at the limit.
      const hope = this.living[0].score / lengthNorm(this.limit, this.lengthPenalty);
      this.done = (this.best()[0].rank ?? -Infinity) >= hope;
    }
    if (this.done) this.living = [];
  }

  /** The best translations that have ended, the best first. */
  best() {
    const rank = (/** @type {Hypothesis} */ { rank }) => rank ?? -Infinity;
    return [...this.ended].sort((a, b) => rank(b) - rank(a));
  }
}
