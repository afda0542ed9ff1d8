// Decoding: beam search (§6.1), as `search.py` of `lib` has it; with a beam of one it is
// greedy.
//
// `new BeamSearch(model, src, { sosId, eosId, beamSize, lengthPenalty })` has encoded
// the source. Each `step()` lets the living hypotheses grow by a token, and returns
// those that live now and those that have ended just now; `living`, `ended` and `done`
// hold where the search stands. A hypothesis knows its parent, so that all of them make
// a tree; its score is its log-probability, and if it has ended its rank is the score
// divided by the length penalty. `best()` gives the ended ones, the best first. Order,
// ties and limits are those of `lib`. `goOn(hypothesis)` writes on, greedily, from any of
// them.

import { largestPlaces, logSoftmax } from "./arrays.js";

/**
 * @typedef {import("./arrays.js").Matrix} Matrix
 * @typedef {import("./model.js").Transformer} Transformer
 * @typedef {{ sosId: number, eosId: number }} Ends the ids around every target
 * @typedef {{
 *   logProbabilities: Float32Array, attention: Record<string, Matrix[]>, reader: Reader
 * }} Reading
 * @typedef {Ends & {
 *   beamSize?: number, lengthPenalty?: number, temperature?: number
 * }} Options
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
  constructor(model, memory, caches = model.open(memory), ids = []) {
    this.model = model;
    this.memory = memory;
    this.caches = caches;
    this.ids = ids;
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
  /** The score divided by the length penalty; only if it has ended.
   * @type {number | null} */
  rank = null;

  /**
   * @param {Hypothesis | null} parent the same without its last token; null: the root
   * @param {number} token the last token
   * @param {Reading | null} reading what it was chosen from; null for the root
   */
  constructor(parent, token, reading) {
    this.parent = parent;
    this.token = token;
    this.reading = reading;
    const own = reading?.logProbabilities[token] ?? 0;
    /** The log-probability of all its tokens together. */
    this.score = Math.fround((parent?.score ?? 0) + own);
    /** Its tokens, without <sos>. @type {number[]} */
    this.ids = parent ? [...parent.ids, token] : [];
  }
}

export class BeamSearch {
  /** @type {Hypothesis[]} */
  ended = [];
  done = false;

  /**
   * @param {Transformer} model
   * @param {number[]} src token ids (S), ending with <eos>
   * @param {Options} options
   */
  constructor(model, src, options) {
    const { beamSize = 4, lengthPenalty = 0.6, temperature = 1 } = options;
    this.beamSize = beamSize;
    this.lengthPenalty = lengthPenalty;
    this.temperature = temperature;
    this.eosId = options.eosId;
    this.never = [model.config.pad_id, options.sosId];
    // As long as the source and 50 tokens more (§6.1), as far as there are positions.
    this.limit = Math.min(src.length + 50, model.config.max_len);
    this.start = new Reader(model, model.encode(src));
    this.root = new Hypothesis(null, options.sosId, null);
    this.living = [this.root];
  }

  /** Write on from a beginning, with no beam. @param {Hypothesis} hypothesis */
  goOn(hypothesis) {
    Object.assign(this, { beamSize: 1, living: [hypothesis], ended: [], done: false });
  }

  /**
   * Add a token to the best beginnings, and put those that end aside.
   * @param {typeof largestPlaces} [choose] which tokens may be next, by their
   *   log-probabilities, and how many of them are asked for: the likeliest
   * @returns {{ living: Hypothesis[], ended: Hypothesis[], done: boolean }} those that
   *   live now, and those that ended in this step
   */
  step(choose = largestPlaces) {
    if (this.done) throw new Error("The search has ended.");
    const endedBefore = this.ended.length;
    /** @type {Hypothesis[]} */
    const going = [];
    for (const [place, candidate] of this.candidates(choose).entries()) {
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

  /**
   * The likeliest beginnings with one token more: twice as many as live, because half
   * of them may end.
   * @param {typeof largestPlaces} choose
   */
  candidates(choose) {
    const count = 2 * this.beamSize;
    const all = this.living.flatMap((parent) => {
      const { reader } = parent.reading ?? { reader: this.start };
      const reading = reader.read(parent.token, this.never, this.temperature);
      return choose(reading.logProbabilities, count).map(
        (token) => new Hypothesis(parent, token, reading),
      );
    });
    // Sorting keeps the order of equal scores: the earlier parent, the lower token.
    all.sort((a, b) => b.score - a.score);
    return all.slice(0, count).filter(({ score }) => score > -Infinity);
  }

  /** @param {Hypothesis} hypothesis */
  end(hypothesis) {
    const norm = lengthNorm(hypothesis.ids.length, this.lengthPenalty);
    hypothesis.rank = hypothesis.score / norm;
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
    return bestFirst(this.ended);
  }
}

/**
 * The best of those that have ended in front; of equal ones the first.
 * @template {{ rank: number | null }} H
 * @param {H[]} ended
 */
export function bestFirst(ended) {
  const rank = (/** @type {H} */ { rank }) => rank ?? -Infinity;
  return [...ended].sort((a, b) => rank(b) - rank(a));
}
