// Chapter 10: a small translator learns in the page, in a thread of its own.

import { choice, mainButton, pushButton, toggle } from "../controls.js";
import { fixed } from "../draw.js";
import { mounting, Panels, plot, table, written } from "../panels.js";
import { english, EXAMPLES, isKept, served, SHOWN, spanish } from "../training.js";
import { Remote, serve } from "../worker.js";

const KEPT = EXAMPLES.filter((_, n) => isKept(n)).length;
const LEARNED = EXAMPLES.length - KEPT;
const STEPS = 600; // after which it stops, until it is told to go on
const LEVELS = [0, 1, 2, 3, 4, 5]; // of the loss

class SmallTraining extends Panels {
  running = false;
  busy = false;
  rate = 0.01;
  mask = true;
  positions = true;
  problem = "";
  /** The loss every few steps. @type {{steps: number, loss: number}[]} */
  losses = [];
  /** @type {import("../training.js").Marks | undefined} */
  marks;
  /** @type {Remote | undefined} */
  remote;

  /** @param {HTMLElement} root @param {null} _given @param {Function} script the whole one */
  constructor(root, _given, script) {
    super(root, {
      title: "A small translator learns",
      hint:
        `Train it on ${LEARNED} sentences, and watch what it writes for them and for ` +
        `${KEPT} others. Change the learning rate on the way; take out the mask or the ` +
        "positions, start again, and see what it cannot learn.",
      label: "The loss, the sentences that are right, and what is written for some",
    });
    this.script = script;
    const { controls } = this;
    const label = () => (this.running ? "stop" : this.steps ? "go on" : "train");
    mainButton(controls, label, () => {
      this.running = !this.running;
      this.run();
    });
    pushButton(controls, "start again", () => this.restart(), () => !this.steps);
    choice(controls, "rate", "learning rate", [0.0003, 0.003, 0.01, 0.03, 0.1]);
    toggle(controls, "mask", "causal mask");
    toggle(controls, "positions", "positions");
    plot(this, () => this.curve());
    table(this, () => this.sentences());
  }

  get steps() {
    return this.losses.at(-1)?.steps ?? 0;
  }

  get orders() {
    const missing = { withoutPositions: !this.positions, withoutCausalMask: !this.mask };
    return { rate: this.rate, missing };
  }

  /** @param {unknown} name */
  async changed(name) {
    const missed = name === "mask" || name === "positions";
    if (!missed || !this.marks || this.busy) return;
    this.marks = await this.remote?.call("mark", this.orders);
    this.update();
  }

  /** Steps in the worker, until they are enough or the reader stops them. */
  async run() {
    if (this.busy) return;
    this.busy = true;
    try {
      this.remote ??= new Remote(this.script);
      while (this.running) {
        const { steps, loss, marks } = await this.remote.call("train", this.orders);
        this.losses.push({ steps, loss });
        this.marks = marks ?? this.marks;
        if (steps % STEPS === 0) this.running = false;
        this.update();
      }
    } catch (error) {
      Object.assign(this, { problem: String(error), running: false });
      this.update();
    }
    this.busy = false;
  }

  async restart() {
    await this.remote?.call("restart");
    Object.assign(this, { losses: [], marks: undefined, running: true });
    this.update();
    this.run();
  }

  tell() {
    if (this.problem) return `The training cannot go on here (${this.problem}).`;
    if (!this.marks)
      return this.losses.length
        ? "In training; its sentences are marked from time to time."
        : "Not trained yet: its 9,097 numbers are random.";
    const { learned, kept } = this.marks;
    return (
      `Right: ${learned} of the ${LEARNED} sentences that it learns from, and ` +
      `${kept} of the ${KEPT} that it never sees.`
    );
  }

  /** The loss so far. */
  curve() {
    const now = this.losses.at(-1);
    const points = this.losses.map(({ steps, loss }) => [steps, loss]);
    const last = Math.max(1, Math.ceil(this.steps / STEPS)) * STEPS;
    const said = now ? `step ${now.steps}: ${fixed(now.loss)}` : "";
    const axes = { title: "loss", last, unit: "steps", levels: LEVELS, digits: 0 };
    return { ...axes, curves: [points], said };
  }

  /** Some sentences, and what it writes for them now; right ones have a ground. */
  sentences() {
    const lines = SHOWN.map((place, n) => {
      const { src, tgt } = EXAMPLES[place];
      const text = this.marks?.written[n] ?? "…";
      return [[english(src)], [written(text, text === spanish(tgt), { lang: "es" })]];
    });
    const kept = SHOWN.findIndex(isKept);
    return [
      [{ text: "Learned from", class: "title" }],
      ...lines.slice(0, kept).flat(),
      [{ text: "Never seen in training", class: "title" }],
      ...lines.slice(kept).flat(),
    ];
  }
}

export const mount = mounting(SmallTraining);

/** What the script does in the worker. */
export function work() {
  serve(served);
}
