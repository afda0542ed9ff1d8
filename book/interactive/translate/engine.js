// The translator itself, which runs in a worker: it reads, and writes step by step. What
// it answers are plain numbers, as many as a page shows.

import { largestPlaces } from "../arrays.js";
import { BeamSearch, Greedy } from "../search.js";
import { Transformer } from "../model.js";
import { dialed, drawn } from "../sampling.js";
import { unpacked } from "../weights.js";
import { serve } from "../worker.js";

/**
 * @typedef {import("../arrays.js").Matrix} Matrix
 * @typedef {import("../search.js").Hypothesis} Hypothesis
 * @typedef {import("../search.js").Ends} Ends
 * @typedef {import("../search.js").Reading} Reading
 * @typedef {import("./session.js").Settings} Settings
 * @typedef {{
 *   token: number, logProbability: number, likeliest: [number, number][],
 *   attention: Record<string, Matrix[]>
 * }} Step a token, what else was likely and how much, and what the decoder looked at
 * @typedef {Step & {
 *   number: number, parent: number, score: number, rank: number | null
 * }} Node a hypothesis of a beam; 0 is the number of the empty one
 * @typedef {{ done: boolean, step?: Step, living?: Node[], ended?: Node[] }} Progress
 */

const LIKELIEST = 5; // how many of the next tokens a page shows

/** One sentence, and what is written of its translation. */
export class Decoding {
  /**
   * @param {Transformer} model other sentences may share it
   * @param {number[]} source
   * @param {Settings} settings
   * @param {Ends} ends
   * @param {() => number} random numbers from 0 up to 1, for tokens that are drawn
   */
  constructor(model, source, settings, ends, random = Math.random) {
    this.model = model;
    this.source = source;
    this.settings = structuredClone(settings);
    this.random = random;
    const { beamSize, lengthPenalty, temperature } = settings;
    this.options = { ...ends, temperature };
    const beam = { ...this.options, beamSize, lengthPenalty };
    this.use();
    this.search = settings.way === "beam" ? new BeamSearch(model, source, beam) : null;
    this.trace = this.search ? null : new Greedy(model, source, this.options);
    /** What each head of the encoder looked at. */
    this.attention = part(model.attentionWeights(), "encoder");
    /** @type {Map<Hypothesis | null, number>} */
    this.numbers = new Map([[this.search?.root ?? null, 0]]);
  }

  /** Take away from the model what this sentence is to be read without. */
  use() {
    Object.assign(this.model.switches, this.settings.switches);
  }

  /** Write one token more, in a beam one of each hypothesis. @returns {Progress} */
  step() {
    this.use();
    if (this.search) {
      const { living, ended, done } = this.search.step();
      const node = (/** @type {Hypothesis} */ each) => this.node(each);
      return { done, living: living.map(node), ended: ended.map(node) };
    }
    const trace = this.greedy();
    const step = trace.step();
    if (this.settings.way === "drawn") {
      step.token = drawn(dialed(step.logProbabilities, {}), this.random());
    }
    return { done: trace.done, step: stepOf(step.token, step) };
  }

  /**
   * Write one token of the reader's choice; from there it goes on greedily.
   * @param {number[]} before the tokens in front of it
   * @param {number} token
   * @returns {Progress}
   */
  overrule(before, token) {
    this.use();
    this.search = null;
    const trace = this.greedy();
    let same = 0;
    while (same < before.length && trace.steps[same]?.token === before[same]) same += 1;
    trace.rewind(same);
    for (const id of before.slice(same)) trace.step(id);
    const step = trace.step(token);
    return { done: trace.done, step: stepOf(token, step) };
  }

  greedy() {
    return (this.trace ??= new Greedy(this.model, this.source, this.options));
  }

  /** @param {Hypothesis} hypothesis @returns {Node} */
  node(hypothesis) {
    const { parent, token, score, rank, reading } = hypothesis;
    const number = this.numbers.size;
    this.numbers.set(hypothesis, number);
    const step = stepOf(token, /** @type {Reading} */ (reading));
    return { ...step, number, parent: this.numbers.get(parent) ?? 0, score, rank };
  }
}

/**
 * @param {number} token
 * @param {Omit<Reading, "reader">} reading what it was chosen from
 * @returns {Step}
 */
function stepOf(token, { logProbabilities, attention }) {
  return {
    token,
    logProbability: logProbabilities[token],
    likeliest: largestPlaces(logProbabilities, LIKELIEST).map((id) => [
      id, logProbabilities[id],
    ]),
    attention: part(attention, "decoder"),
  };
}

/**
 * What one part of the model looked at.
 * @param {Record<string, Matrix[]>} attention
 * @param {string} name
 */
function part(attention, name) {
  return Object.fromEntries(
    Object.entries(attention).filter(([each]) => each.startsWith(name)),
  );
}

/** Answer what a page asks for; it names each of its translations. */
export function serveTranslations() {
  /** @type {Transformer} */
  let model;
  /** @type {Map<string, Decoding>} */
  const all = new Map();
  const decoding = (/** @type {string} */ name) =>
    /** @type {Decoding} */ (all.get(name));
  serve({
    async load(/** @type {Uint8Array<ArrayBuffer>[]} */ parts) {
      const { config, arrays, tokenizer, reading } = await unpacked(parts);
      model = new Transformer(config, arrays);
      return { config, tokenizer, reading };
    },
    begin(
      /** @type {string} */ name, /** @type {number[]} */ source,
      /** @type {Settings} */ settings, /** @type {Ends} */ ends,
    ) {
      all.set(name, new Decoding(model, source, settings, ends));
      return decoding(name).attention;
    },
    step: (/** @type {string} */ name) => decoding(name).step(),
    overrule: (
      /** @type {string} */ name, /** @type {number[]} */ before,
      /** @type {number} */ token,
    ) => decoding(name).overrule(before, token),
  });
}
