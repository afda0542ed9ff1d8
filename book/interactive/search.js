// Decoding: greedy, and beam search (§6.1), as `search.py` of `lib` has them.
//
// `new Greedy(model, src, { sosId, eosId })` has encoded the source. Each `step()` adds
// a Step to `steps` and returns it: the log-probabilities of all V tokens, what each
// head looked at, and the token that was chosen. `step(id)` writes that token instead;
// `rewind(n)` goes back to the first n steps. `done` tells whether the translation
// ended, `ids` holds it so far.
//
// `new BeamSearch(model, src, { sosId, eosId, beamSize, lengthPenalty })` has encoded
// the source, too. Each `step()` lets the living hypotheses grow by a token, and returns
// those that live now and those that have ended just now; `living`, `ended` and `done`
// hold where the search stands. A hypothesis knows its parent, so that all of them make
// a tree; its score is its log-probability, and if it has ended its rank is the score
// divided by the length penalty. `best()` gives the ended ones, the best first. Order,
// ties and limits are those of `lib`.

import { largestPlaces, logSoftmax } from "./arrays.js";

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

// --- greedy

/**
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

// --- beam search

/**
 * @typedef {Ends & {
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
