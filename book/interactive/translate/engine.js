// The translator itself, which runs in a worker: it reads, and writes step by step. What
// it answers are plain numbers, as many as a page shows.

import { largestPlaces } from "../arrays.js";
import { BeamSearch } from "../search.js";
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
 *   number: number, parent: number, token: number, score: number, rank: number | null,
 *   logProbability: number, likeliest: [number, number][],
 *   attention: import("./session.js").Looked
 * }} Node a hypothesis: its last token, what else was likely and how much, and what the
 *   decoder looked at; 0 is the number of the empty one
 * @typedef {{ done: boolean, living: Node[], ended: Node[] }} Progress
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
    this.settings = structuredClone(settings);
    this.random = random;
    this.use();
    const beamSize = settings.way === "beam" ? settings.beamSize : 1;
    this.search = new BeamSearch(model, source, { ...settings, ...ends, beamSize });
    /** What each head of the encoder looked at. */
    this.attention = rowsOf(model.attentionWeights(), "encoder");
    /** By their numbers. @type {(Hypothesis | null)[]} */
    this.hypotheses = [this.search.root];
  }

  /** Take away from the model what this sentence is to be read without. */
  use() {
    Object.assign(this.model.switches, this.settings.switches);
  }

  /**
   * Write one token more, in a beam one of each hypothesis.
   * @param {number} [token] of the reader's choice
   * @returns {Progress}
   */
  step(token) {
    this.use();
    const { living, ended, done } = this.search.step((logProbabilities, count) => {
      if (token !== undefined) return [token];
      if (this.settings.way !== "drawn") return largestPlaces(logProbabilities, count);
      return [drawn(dialed(logProbabilities, {}), this.random())];
    });
    const node = (/** @type {Hypothesis} */ each) => this.node(each);
    return { done, living: living.map(node), ended: ended.map(node) };
  }

  /**
   * Write another token behind a hypothesis; from there it goes on without a beam.
   * @param {number} number
   * @param {number} token
   */
  overrule(number, token) {
    this.search.goOn(/** @type {Hypothesis} */ (this.hypotheses[number]));
    return this.step(token);
  }

  /** @param {Hypothesis} hypothesis @returns {Node} */
  node(hypothesis) {
    const { parent, token, score, rank } = hypothesis;
    const { logProbabilities, attention } = /** @type {Reading} */ (hypothesis.reading);
    return {
      number: this.hypotheses.push(hypothesis) - 1,
      parent: this.hypotheses.indexOf(parent),
      token,
      score,
      rank,
      logProbability: logProbabilities[token],
      likeliest: largestPlaces(logProbabilities, LIKELIEST).map((id) => [
        id, logProbabilities[id],
      ]),
      attention: rowsOf(attention, "decoder"),
    };
  }
}

/**
 * What one part of the model looked at, as rows of plain numbers.
 * @param {Record<string, Matrix[]>} attention
 * @param {string} part
 */
function rowsOf(attention, part) {
  const own = Object.entries(attention).filter(([name]) => name.startsWith(part));
  return Object.fromEntries(
    own.map(([name, heads]) => [name, heads.map((head) => head.toRows())]),
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
      const { config, arrays, tokenizer, unsureAbove } = await unpacked(parts);
      model = new Transformer(config, arrays);
      return { config, tokenizer, unsureAbove };
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
      /** @type {string} */ name, /** @type {number} */ number,
      /** @type {number} */ token,
    ) => decoding(name).overrule(number, token),
  });
}
