// Chapter 12: the eight phrases in 60 steps, live: which warm-up does a rate need?

import { choice, mainButton, slider } from "../controls.js";
import { fixed } from "../draw.js";
import { mounting, Panels, plot, table, written } from "../panels.js";
import { sentence, Training } from "../training.js";
import { Remote, serve } from "../worker.js";

/**
 * @typedef {{sizes: import("../config.js").Config, words: string[], english: string[],
 *   examples: import("../training.js").Example[]}} Given
 */

const STEPS = 60;
const TOLD = 3; // steps between two drawings

/**
 * The rate of a step: up in a line, then down in a line to zero, as in lib.
 * @param {number} highest
 * @param {number} warmup
 * @param {number} step counted from 0
 */
export function rateAt(highest, warmup, step) {
  if (step < warmup) return (highest * (step + 1)) / warmup;
  return (highest * (STEPS - step)) / (STEPS - warmup);
}

class Rate extends Panels {
  rate = 0.02;
  warmup = 0;
  /** Counts the trainings: each has its own random numbers, and ends when the next begins. */
  start = 0;
  /** The losses of each, the newest last. @type {number[][]} */
  runs = [];
  /** What the newest writes in the end. @type {string[]} */
  written = [];
  /** How many phrases were right, for each setting. @type {Record<string, number[]>} */
  found = {};
  problem = "";
  /** What the training that is drawn began with; the sliders may have moved since.
   * @type {{rate: number, warmup: number} | undefined} */
  own;
  /** The worker, once it is needed. @type {Remote | undefined} */
  remote;

  /** @param {HTMLElement} root @param {Given} given @param {Function} script */
  constructor(root, given, script) {
    super(root, {
      title: "Which warm-up saves the rate 0.02?",
      hint:
        `For how many of the ${STEPS} steps shall the rate rise? Choose, then train. Every ` +
        "training begins with other random numbers, so one may be luck.",
      label: "The rate, the loss, and what is written in the end",
    });
    this.script = script;
    this.given = given;
    this.spanish = given.examples.map(({ tgt }) => this.text(tgt));
    slider(this.controls, "warmup", "warm-up", [0, 40], (steps) => `${steps} steps`);
    choice(this.controls, "rate", "highest rate", [0.005, 0.01, 0.02, 0.04]);
    const label = () => (this.runs.length ? "Train again" : "Train");
    mainButton(this.controls, label, () => this.train());
    plot(this, () => this.rates());
    plot(this, () => this.losses());
    table(this, () => this.phrases());
  }

  /** @param {number[]} tgt */
  text(tgt) {
    return sentence(tgt.slice(1), this.given.words);
  }

  /** Under another setting nothing is trained yet; a training goes on with its own.
   * @param {unknown} name */
  changed(name) {
    if (name && this.runs.at(-1)?.length === STEPS) this.begin();
  }

  /** The training before it ends, wherever it is. @returns {number[]} the new one's losses */
  begin() {
    this.start += 1;
    this.own = undefined;
    this.written = [];
    this.runs = [...this.runs.filter((run) => run.length), []];
    return this.runs[this.runs.length - 1];
  }

  /** A whole training, in the worker. */
  async train() {
    const losses = this.begin();
    const { start, rate, warmup, setting } = this;
    this.own = { rate, warmup };
    try {
      this.remote ??= new Remote(this.script);
      await this.remote.call("begin", this.given, 7919 * start + 1);
      while (losses.length < STEPS) {
        const next = Array.from({ length: TOLD }, (_, n) => losses.length + n);
        const rates = next.map((step) => rateAt(rate, warmup, step));
        const told = await this.remote.call("train", rates);
        if (start !== this.start) return;
        losses.push(...told);
        this.update();
      }
      const ids = await this.remote.call("write");
      if (start !== this.start) return;
      this.written = ids.map((/** @type {number[]} */ each) => this.text(each));
      const right = this.written.filter((text, n) => text === this.spanish[n]).length;
      (this.found[setting] ??= []).push(right);
    } catch (error) {
      this.problem = String(error);
    }
    this.update();
  }

  get setting() {
    return `rate ${this.rate}, ${this.warmup ? `warm-up ${this.warmup}` : "no warm-up"}`;
  }

  tell() {
    if (this.problem) return `The training cannot go on here (${this.problem}).`;
    const all = Object.entries(this.found).map(([how, right]) => `${right.join(", ")} with ${how}`);
    if (!all.length && this.runs.length) return "In training.";
    if (!all.length) return "Not trained yet: its numbers are random.";
    return `Phrases right, of ${this.spanish.length}, after each training: ${all.join("; ")}.`;
  }

  /** The rate of each step, and where the training is. */
  rates() {
    const { rate, warmup } = this.own ?? this;
    const curve = Array.from({ length: STEPS }, (_, n) => [n, rateAt(rate, warmup, n)]);
    const done = this.runs.at(-1)?.length;
    const now = done ? curve[done - 1] : undefined;
    const axes = { title: "learning rate", last: STEPS, unit: "steps", digits: 2 };
    const said = now ? fixed(now[1], 4) : "";
    return { ...axes, levels: [0, 0.01, 0.02, 0.03, 0.04], curves: [curve], now, said };
  }

  /** The losses of this training, and of the six before it. */
  losses() {
    const curves = this.runs.slice(-7).map((run) => run.map((loss, n) => [n, loss]));
    const loss = this.runs.at(-1)?.at(-1);
    const said = loss === undefined ? "" : fixed(loss);
    const title = `loss${this.runs.length > 1 ? " (thin: of earlier trainings)" : ""}`;
    return { title, last: STEPS, unit: "steps", levels: [0, 1, 2, 3, 4, 5], digits: 0, curves, said };
  }

  /** The phrases, and what is written for them; right ones have a ground. */
  phrases() {
    const rows = this.given.english.map((phrase, n) => {
      const text = this.written[n] ?? "…";
      return [phrase, written(text, text === this.spanish[n], { lang: "es" })];
    });
    return [["phrase", "what it writes in the end"], ...rows];
  }
}

export const mount = mounting(Rate);

/** @type {Training} */
let training;

/** What the script does in the worker. */
export function work() {
  serve({
    begin(/** @type {Given} */ { sizes, examples }, /** @type {number} */ seed) {
      training = new Training(sizes, examples, seed);
    },
    train: (/** @type {number[]} */ rates) =>
      rates.map((rate) => training.step({ rate, missing: {} })),
    write: () => training.write(training.learned.map(({ src }) => src), { rate: 0, missing: {} }),
  });
}
