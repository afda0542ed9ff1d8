// A translation in the making: what was read, what is written, what the reader changed.
//
// No drawing here. `read` takes a sentence; `forward` and `back` move by one token (in a
// beam: by one step of the search); `path()` holds the steps that are in sight, each with
// the probabilities of all next tokens and what each head looked at; `overrule` writes
// another token in one step and drops what came after it.

import { largestPlaces } from "../arrays.js";
import { BeamSearch } from "../beam.js";
import { noSwitches } from "../config.js";
import { Greedy } from "../greedy.js";
import { Transformer } from "../model.js";
import { readSource } from "../subwords.js";

/**
 * @typedef {import("../beam.js").Hypothesis} Hypothesis
 * @typedef {import("../greedy.js").Step} Step
 * @typedef {import("../subwords.js").SubwordVocabulary} SubwordVocabulary
 * @typedef {{
 *   config: import("../config.js").Config,
 *   arrays: Record<string, import("../arrays.js").Matrix>
 * }} Weights
 * @typedef {"greedy" | "beam" | "drawn"} Way how the next token is chosen
 * @typedef {{
 *   way: Way, beamSize: number, lengthPenalty: number, temperature: number,
 *   switches: import("../config.js").Switches
 * }} Settings
 * @typedef {{ living: Hypothesis[], ended: Hypothesis[] }} Frame a step of a beam search
 * @typedef {{ token: number, probability: number, taken: boolean }} Candidate
 */

/** What the book's translator does if nobody touches it. @returns {Settings} */
export function usualSettings() {
  return {
    way: "greedy",
    beamSize: 4,
    lengthPenalty: 0.6,
    temperature: 1,
    switches: noSwitches(),
  };
}

export class Session {
  /** The source. @type {number[]} */
  source = [];
  text = "";
  /** @type {Greedy | null} */
  trace = null;
  /** @type {BeamSearch | null} */
  search = null;
  /** What the search did in each step. @type {Frame[]} */
  frames = [];
  /** How many steps are in sight. */
  shown = 0;
  /** Which of them is looked at; null for the last. @type {number | null} */
  selected = null;
  /** Which hypothesis of the beam is looked at; null for the best.
   * @type {Hypothesis | null} */
  chosen = null;
  /** The steps that the reader overruled. @type {Set<number>} */
  forced = new Set();
  /** @type {Record<string, import("../arrays.js").Matrix[]>} */
  encoderAttention = {};

  /**
   * @param {Weights} weights two sessions may share them
   * @param {SubwordVocabulary} vocabulary
   * @param {() => number} random numbers from 0 up to 1, for tokens that are drawn
   */
  constructor({ config, arrays }, vocabulary, random = Math.random) {
    this.model = new Transformer(config, arrays);
    this.vocabulary = vocabulary;
    this.random = random;
    this.settings = usualSettings();
  }

  /**
   * Take a sentence in.
   * @param {string} sentence
   * @throws {Error} with a sentence for the reader, if there is nothing to read, or more
   *   than the model can
   */
  read(sentence) {
    const { text, ids } = readSource(
      sentence, this.vocabulary, this.model.config.max_len,
    );
    this.text = text;
    this.source = ids;
    this.begin();
  }

  /** Read the source again under the present settings; nothing is written yet. */
  begin() {
    const { way, beamSize, lengthPenalty, temperature, switches } = this.settings;
    const { sosId, eosId } = this.vocabulary;
    Object.assign(this.model.switches, switches);
    const options = { sosId, eosId, temperature };
    this.search =
      way === "beam"
        ? new BeamSearch(this.model, this.source, { ...options, beamSize, lengthPenalty })
        : null;
    this.trace = new Greedy(this.model, this.source, options);
    this.encoderAttention = this.model.attentionWeights();
    this.frames = [];
    this.forced = new Set();
    this.show(0);
  }

  /** Bring so many steps in sight, and look at the last. @param {number} count */
  show(count) {
    this.shown = count;
    this.selected = null;
    this.chosen = null;
  }

  /** How many steps have been computed. */
  get computed() {
    return this.search ? this.frames.length : (this.trace?.steps.length ?? 0);
  }

  /** Whether the end is in sight. */
  get atEnd() {
    if (!this.trace) return true;
    return this.shown === this.computed && (this.search ?? this.trace).done;
  }

  /** Show one step more, and compute it if it is a new one. */
  forward() {
    if (!this.trace || this.atEnd) return;
    if (this.shown === this.computed) this.compute(this.trace);
    this.show(this.shown + 1);
  }

  /** @param {Greedy} trace */
  compute(trace) {
    if (this.search) {
      this.frames.push(this.search.step());
      return;
    }
    const step = trace.step();
    if (this.settings.way === "drawn") {
      step.token = draw(step.logProbabilities, this.random());
      step.logProbability = step.logProbabilities[step.token];
    }
  }

  /** Show one step less; it is not forgotten. */
  back() {
    this.show(Math.max(0, this.shown - 1));
  }

  /** The tokens in sight: in a beam those of the hypothesis that is looked at. */
  ids() {
    const { frames, shown } = this;
    if (!this.search) return this.trace?.ids.slice(0, shown) ?? [];
    if (this.chosen) return this.chosen.ids;
    if (shown === 0) return [];
    if (this.atEnd) return this.search.best()[0].ids;
    const { living, ended } = frames[shown - 1];
    return (living[0] ?? ended[0]).ids;
  }

  /** The steps in sight. In a beam the trace is led along the hypothesis.
   * @returns {Step[]} */
  path() {
    if (!this.trace) return [];
    const ids = this.ids();
    if (this.search) {
      let same = 0;
      while (same < ids.length && this.trace.steps[same]?.token === ids[same]) same += 1;
      this.trace.rewind(same);
      for (const id of ids.slice(same)) this.trace.step(id);
    }
    return this.trace.steps.slice(0, ids.length);
  }

  /** Whether all is written, and the reader has chosen no step. */
  get atRest() {
    return this.atEnd && this.selected === null && !this.chosen;
  }

  /** The place of the step that is looked at: the last one, or at the end the one with
   * most doubt; −1 if nothing is written. */
  get place() {
    const steps = this.path();
    if (!this.atRest) return Math.min(this.selected ?? Infinity, steps.length - 1);
    const sure = steps.map(({ logProbabilities: all }) => all[largestPlaces(all, 1)[0]]);
    return sure.indexOf(Math.min(...sure));
  }

  /** The likeliest tokens of a step, and the one that was taken if it is not among them.
   * @param {number} place
   * @param {number} count
   * @returns {Candidate[]} */
  candidates(place, count = 5) {
    const step = this.path()[place];
    if (!step) return [];
    const tokens = largestPlaces(step.logProbabilities, count);
    if (!tokens.includes(step.token)) tokens.push(step.token);
    return tokens.map((token) => ({
      token,
      probability: Math.exp(step.logProbabilities[token]),
      taken: token === step.token,
    }));
  }

  /**
   * Write another token in one step. What came after it is dropped; a beam gives way to
   * greedy decoding, which goes on from there.
   * @param {number} place
   * @param {number} token
   */
  overrule(place, token) {
    const steps = this.path();
    if (!this.trace || !steps[place]) return;
    this.settings.way = this.settings.way === "beam" ? "greedy" : this.settings.way;
    this.search = null;
    this.frames = [];
    this.trace.rewind(place);
    const step = this.trace.step(token);
    this.forced = new Set([...this.forced].filter((each) => each < place));
    if (token !== largestPlaces(step.logProbabilities, 1)[0]) this.forced.add(place);
    this.show(place + 1);
  }

  /** The translation in sight, as text. */
  written() {
    return this.vocabulary.decode(this.ids());
  }

  /** Whether anything is other than usual, the size of a beam aside. */
  get touched() {
    const { way, temperature, lengthPenalty, switches } = this.settings;
    const usual = usualSettings();
    return (
      this.forced.size > 0 ||
      way === "drawn" ||
      temperature !== usual.temperature ||
      (way === "beam" && lengthPenalty !== usual.lengthPenalty) ||
      JSON.stringify(switches) !== JSON.stringify(usual.switches)
    );
  }
}

/**
 * Choose a token at random, each as often as its probability says.
 * @param {Float32Array} logProbabilities
 * @param {number} random from 0 up to 1
 */
export function draw(logProbabilities, random) {
  let left = random;
  let last = 0;
  for (let token = 0; token < logProbabilities.length; token++) {
    const probability = Math.exp(logProbabilities[token]);
    if (probability === 0) continue;
    last = token;
    left -= probability;
    if (left < 0) break;
  }
  return last;
}

/**
 * Which words of a text the other one lacks, in order.
 * @param {string[]} words
 * @param {string[]} others
 * @returns {boolean[]} true where a word is new
 */
export function newWords(words, others) {
  // lengths[i][j]: the longest common row of words behind places i and j.
  const lengths = Array.from({ length: words.length + 1 }, () =>
    new Array(others.length + 1).fill(0),
  );
  for (let i = words.length - 1; i >= 0; i--) {
    for (let j = others.length - 1; j >= 0; j--) {
      lengths[i][j] =
        words[i] === others[j]
          ? lengths[i + 1][j + 1] + 1
          : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  let j = 0;
  return words.map((word, i) => {
    while (j < others.length && word !== others[j]) {
      if (lengths[i][j + 1] < lengths[i + 1][j]) return true;
      j += 1;
    }
    j += 1;
    return j > others.length;
  });
}
