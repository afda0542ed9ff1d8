// A translation in the making: what was read, what is written, what the reader changed.
//
// No drawing here, and no model: that is an `Engine`, which may be far away and answers
// later. `read` takes a sentence; `compute` asks for the next step of the search (with no
// beam: for the next token), `show` brings so many steps in sight; `path()` holds those of
// one hypothesis, each with the likeliest next tokens and what each head looked at;
// `overrule` writes another token in one step and drops what came after.

import { noSwitches } from "../config.js";
import { inKind, withoutLoops } from "../raw.js";
import { bestFirst } from "../search.js";
import { inParts, readText } from "../subwords.js";

/**
 * @typedef {import("./engine.js").Node} Node
 * @typedef {import("./engine.js").Progress} Progress
 * @typedef {import("../subwords.js").SubwordVocabulary} SubwordVocabulary
 * @typedef {Record<string, number[][][]>} Looked by the name of an attention, of each
 *   head the rows of its weights
 * @typedef {{
 *   begin: (source: number[], settings: Settings) => Promise<Looked>,
 *   step: () => Promise<Progress>,
 *   overrule: (before: number, token: number) => Promise<Progress>
 * }} Engine who reads and writes; `begin` says what each head of the encoder looked at
 * @typedef {"greedy" | "beam" | "drawn"} Way how the next token is chosen
 * @typedef {{
 *   way: Way, beamSize: number, lengthPenalty: number, temperature: number,
 *   switches: import("../config.js").Switches
 * }} Settings
 * @typedef {Omit<Node, "parent"> & { ids: number[], parent: Hypothesis | null }} Hypothesis
 * @typedef {{ living: Hypothesis[], ended: Hypothesis[] }} Frame a step of the search
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
  /** What the reader typed. */
  text = "";
  /** Its sentences. @type {import("../subwords.js").Source[]} */
  sources = [];
  /** Which of them is being translated. */
  at = 0;
  /** Translations of others. @type {{ text: string, unsure: boolean }[]} */
  others = [];
  /** What the search did in each step. @type {Frame[]} */
  frames = [];
  /** Every hypothesis, by its number. @type {Hypothesis[]} */
  hypotheses = [];
  /** Whether the last step is computed. */
  done = false;
  /** How many steps are in sight. */
  shown = 0;
  /** Which of them is looked at; null for the last. @type {number | null} */
  selected = null;
  /** Which hypothesis of the beam is looked at; null for the best.
   * @type {Hypothesis | null} */
  chosen = null;
  /** The steps that the reader overruled. @type {Set<number>} */
  forced = new Set();
  /** @type {Looked} */
  encoderAttention = {};
  /** Goes up when what was asked for is no longer wanted. */
  turn = 0;
  /** The step that is being computed. @type {Promise<void> | null} */
  pending = null;

  /**
   * @param {Engine} engine
   * @param {SubwordVocabulary} vocabulary
   * @param {import("../config.js").Config} config
   * @param {number} unsureAbove from which doubt on it says so
   */
  constructor(engine, vocabulary, config, unsureAbove) {
    this.engine = engine;
    this.vocabulary = vocabulary;
    this.config = config;
    this.unsureAbove = unsureAbove;
    this.settings = usualSettings();
  }

  /**
   * Take a text in, of one sentence or several.
   * @param {string} text
   * @throws {Error} with a sentence for the reader, if there is nothing to read, or more
   *   than the model can
   */
  read(text) {
    this.sources = readText(text, this.vocabulary, this.config.max_len);
    this.text = text;
    this.again();
  }

  /** Begin with the first sentence; nothing is written yet. */
  again() {
    this.others = [];
    this.done = false;
    this.open(0);
  }

  /** Go over to another sentence. @param {number} at */
  open(at) {
    if (this.ended) this.others[this.at] = { text: this.own(), unsure: this.doubted() };
    this.at = at;
    this.begin();
  }

  /** The token ids that are read. */
  get source() {
    return this.sources[this.at]?.ids ?? [];
  }

  /** Read the source again under the present settings; nothing is written yet. */
  begin() {
    this.forget([]);
    this.hypotheses = [];
    this.forced = new Set();
    this.encoderAttention = {};
    this.take(this.engine.begin(this.source, this.settings), (attention) => {
      this.encoderAttention = attention;
    });
  }

  /**
   * Go on from these steps; what is on its way no longer counts.
   * @param {Frame[]} frames
   */
  forget(frames) {
    this.turn += 1;
    this.pending = null;
    this.done = false;
    this.frames = frames;
    this.show(frames.length);
  }

  /**
   * Use an answer of the engine, if it is still wanted when it comes.
   * @template T
   * @param {Promise<T>} answer
   * @param {(found: T) => void} use
   */
  async take(answer, use) {
    const { turn } = this;
    const found = await answer;
    if (turn === this.turn) use(found);
  }

  /** Bring so many steps in sight, as far as they are computed, and look at the last.
   * @param {number} count */
  show(count) {
    this.shown = Math.max(0, Math.min(count, this.computed));
    this.selected = null;
    this.chosen = null;
  }

  /** How many steps have been computed. */
  get computed() {
    return this.frames.length;
  }

  /** Whether the end of this sentence is in sight. */
  get ended() {
    return this.done && this.shown === this.computed;
  }

  /** Whether the end of all is in sight. */
  get atEnd() {
    return !this.sources.length || (this.ended && this.at === this.sources.length - 1);
  }

  /** Have the next step computed, if it is a new one. */
  async compute() {
    if (this.atEnd || this.shown < this.computed) return;
    if (this.ended) this.open(this.at + 1);
    this.pending ??= this.take(this.engine.step(), (progress) => {
      this.pending = null;
      this.add(progress);
    });
    await this.pending;
  }

  /** @param {Progress} progress */
  add({ done, living, ended }) {
    this.done = done;
    const grown = (/** @type {Node} */ node) => this.grown(node);
    this.frames.push({ living: living.map(grown), ended: ended.map(grown) });
  }

  /** @param {Node} node @returns {Hypothesis} */
  grown(node) {
    const parent = this.hypotheses[node.parent] ?? null;
    const ids = [...(parent?.ids ?? []), node.token];
    return (this.hypotheses[node.number] = { ...node, parent, ids });
  }

  /** The steps of the search that are in sight. */
  get seen() {
    return this.frames.slice(0, this.shown);
  }

  /** All translations in sight that have ended, the best first. */
  get finished() {
    return bestFirst(this.seen.flatMap(({ ended }) => ended));
  }

  /** The steps of the hypothesis that is looked at. */
  path() {
    const last = this.seen.at(-1);
    const best = this.ended ? this.finished[0] : (last?.living[0] ?? last?.ended[0]);
    return lineOf(this.chosen ?? best ?? null);
  }

  /** The tokens in sight. */
  ids() {
    return this.path().map(({ token }) => token);
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
    const sure = steps.map(({ likeliest: [[, logProbability]] }) => logProbability);
    return sure.indexOf(Math.min(...sure));
  }

  /** The likeliest tokens of a step, and the one that was taken if it is not among them.
   * @param {number} place
   * @returns {Candidate[]} */
  candidates(place) {
    const step = this.path()[place];
    if (!step) return [];
    const { token, logProbability, likeliest } = step;
    const known = likeliest.some(([each]) => each === token);
    /** @type {[number, number][]} */
    const all = known ? likeliest : [...likeliest, [token, logProbability]];
    return all.map(([each, logarithm]) => {
      return { token: each, probability: Math.exp(logarithm), taken: each === token };
    });
  }

  /**
   * Write another token in one step. What came after it is dropped; a beam gives way to
   * greedy decoding, which goes on from there.
   * @param {number} place
   * @param {number} token
   */
  async overrule(place, token) {
    const path = this.path();
    if (this.settings.way === "beam") this.settings.way = "greedy";
    this.forced = new Set([...this.forced].filter((each) => each < place));
    const before = path.slice(0, place);
    this.forget(before.map((step) => ({ living: [step], ended: [] })));
    const number = before.at(-1)?.number ?? 0;
    await this.take(this.engine.overrule(number, token), (progress) => {
      this.add(progress);
      if (token !== path[place].likeliest[0][0]) this.forced.add(place);
      this.show(place + 1);
    });
  }

  /** The translation of this sentence, as far as it is in sight, as text. */
  own() {
    return inKind(this.vocabulary.decode(this.ids()), this.sources[this.at].form);
  }

  /** The words of this sentence, each with its least sure step; none where they are not
   * those of its tokens, as where a name was put in.
   * @returns {{ word: string, place: number, logProbability: number }[]} */
  words() {
    /** @type {{ place: number, logProbability: number }[]} */
    const found = [];
    this.path().forEach(({ token, logProbability }, place) => {
      if (token === this.vocabulary.eosId) return;
      const begins = this.vocabulary.tokens[token].startsWith("▁");
      const last = found[found.length - 1];
      if (begins || !last) found.push({ place, logProbability });
      else if (logProbability < last.logProbability) Object.assign(last, { place, logProbability });
    });
    const words = this.own().split(" ");
    return words.length === found.length
      ? found.map((step, at) => ({ word: words[at], ...step }))
      : [];
  }

  /** The translation in sight, sentence by sentence, and whether each is doubted.
   * @returns {{ text: string, unsure: boolean }[]} */
  parts() {
    const all = this.sources.map((_, at) => {
      if (at !== this.at) return this.others[at] ?? { text: "", unsure: false };
      return { text: this.own(), unsure: this.ended && this.doubted() };
    });
    const lines = inParts(this.sources, all.map(({ text }) => text));
    return lines.map(({ text, places }) => {
      return { text, unsure: places.some((at) => all[at].unsure) };
    });
  }

  /** The translation in sight, as a whole. */
  written() {
    return this.parts().map(({ text }) => text).join("").trimEnd();
  }

  /** Whether the model doubts what it wrote, or went round in a circle. */
  doubted() {
    const doubt = this.path().reduce((sum, { logProbability }) => sum - logProbability, 0);
    const text = this.vocabulary.decode(this.ids());
    const inLoop = !this.sources[this.at].form.loops && withoutLoops(text) !== text;
    return inLoop || doubt > this.unsureAbove;
  }

  /** The usual settings, with a beam of the same size if there is one. */
  usual() {
    const { way, beamSize, lengthPenalty } = this.settings;
    const same = way === "beam" ? { way, beamSize } : { beamSize, lengthPenalty };
    return { ...usualSettings(), ...same };
  }

  /** Whether anything is other than usual. */
  get touched() {
    return (
      this.forced.size > 0 || JSON.stringify(this.settings) !== JSON.stringify(this.usual())
    );
  }
}

/**
 * A hypothesis and all that it grew from, the first token in front.
 * @param {Hypothesis | null} hypothesis
 * @returns {Hypothesis[]}
 */
export function lineOf(hypothesis) {
  const line = [];
  for (let each = hypothesis; each; each = each.parent) line.unshift(each);
  return line;
}
