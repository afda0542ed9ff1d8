// Chapter 11: the learning rate of a run by sliders, and how far a number can walk.

import { onDrag } from "../canvas.js";
import { choice, options, slider } from "../controls.js";
import { circle, END, fixed, MIDDLE, segment, svg, through, write } from "../draw.js";
import { Figure, mounting } from "../frame.js";

const LONGEST = 6000; // steps: the horizontal axis stays while the run grows
const HIGHEST = 0.003; // rate: the vertical axis stays too
const [HEIGHT, LEFT, BOTTOM] = [250, 56, 208];

/** @typedef {{peak: number, warmup: number, total: number}} Run */

/**
 * The share of the peak: up in a line, then down to zero.
 * @param {number} step optimizer steps made so far
 * @param {number} warmupSteps
 * @param {number} totalSteps
 */
export function warmupDecay(step, warmupSteps, totalSteps) {
  if (step < warmupSteps) return (step + 1) / warmupSteps;
  return Math.max(0, (totalSteps - step) / (totalSteps - warmupSteps));
}

/**
 * The share of the peak by the paper's rule, whose steps are counted from 1.
 * @param {number} step optimizer steps made so far
 * @param {number} warmupSteps at least 1
 */
export function inverseSquareRoot(step, warmupSteps) {
  return Math.min(Math.sqrt(warmupSteps / (step + 1)), (step + 1) / warmupSteps);
}

/** @typedef {{label: string, share: (step: number, run: Run) => number}} Rule */
/** @type {Record<string, Rule>} */
const RULES = {
  linear: {
    label: "linear, to zero (this book)",
    share: (step, { warmup, total }) => warmupDecay(step, warmup, total),
  },
  root: {
    label: "inverse square root (the paper)",
    share: (step, { warmup }) => inverseSquareRoot(step, Math.max(1, warmup)),
  },
};

/**
 * The sum of the rates of some steps: Adam moves a number by about the rate at most.
 * @param {string} rule
 * @param {Run} run
 * @param {number} from the first of these steps
 */
export function walked(rule, run, from = 0) {
  let sum = 0;
  for (let step = from; step < run.total; step++) {
    sum += run.peak * RULES[rule].share(step, run);
  }
  return sum;
}

class Schedule extends Figure {
  rule = "linear";
  peak = 0.002;
  warmup = 300;
  total = 3000;
  step = 1000;

  /** @param {HTMLElement} root */
  constructor(root) {
    super(root, {
      title: "How fast a run walks",
      hint:
        "Change the run, and drag the dot along its curve. The dashed curve is the " +
        "other rule.",
      label: "The learning rate at each step of a run",
    });
    const { controls } = this;
    choice(controls, "rule", "decay", options(RULES));
    const range = [0.0002, HIGHEST, 0.0001];
    slider(controls, "peak", "highest rate", range, (rate) => fixed(rate, 4));
    slider(controls, "warmup", "warm-up steps", [0, 1000, 50], counted);
    slider(controls, "total", "steps in all", [1500, LONGEST, 250], counted);
    onDrag(
      this.picture,
      (_, x) => {
        const width = Number(this.picture.getAttribute("width"));
        this.moveTo(LONGEST * ((x - LEFT) / (width - LEFT - 8)));
      },
      (_, right, down) => this.moveTo(this.step + (right - down) * 50),
    );
  }

  changed() {
    this.step = Math.min(this.step, this.total - 1);
  }

  /** @param {number} wanted */
  moveTo(wanted) {
    this.step = Math.max(0, Math.min(this.total - 1, Math.round(wanted)));
    this.update();
  }

  /** The rate at a step. @param {number} step @param {string} [rule] */
  rate(step, rule = this.rule) {
    return this.peak * RULES[rule].share(step, this);
  }

  tell() {
    const { rule, step, total } = this;
    const all = walked(rule, this);
    const late = walked(rule, this, Math.floor(0.75 * total)) / all;
    const first =
      step === 0
        ? "Before the first step"
        : `After ${counted(step)} of ${counted(total)} steps`;
    return (
      `${first} the rate is ${fixed(this.rate(step), 5)}, ` +
      `${percent(this.rate(step) / this.peak)} of the highest. ` +
      `All rates together are ${fixed(all)}, ` +
      "about the farthest that Adam can move a number; " +
      `the last quarter of the steps has ${percent(late)} of it.`
    );
  }

  /** @param {SVGElement} drawing @param {number} width */
  draw(drawing, width) {
    const { rule, step, total } = this;
    const x = (/** @type {number} */ at) => LEFT + ((width - LEFT - 8) * at) / LONGEST;
    const y = (/** @type {number} */ rate) => BOTTOM - ((BOTTOM - 14) * rate) / HIGHEST;
    drawAxes(drawing, width, x, y);
    const curve = (/** @type {string} */ name) =>
      this.places().map((at) => [x(at), y(this.rate(at, name))]);
    const area = [[x(0), y(0)], ...curve(rule), [x(total), y(0)]];
    through(drawing, "polygon", area, { fill: "var(--field)" });
    for (const name of Object.keys(RULES)) {
      const chosen = name === rule;
      through(drawing, "polyline", curve(name), {
        fill: "none", stroke: chosen ? "var(--accent)" : "var(--line)",
        "stroke-width": chosen ? 3 : 1.5,
        "stroke-dasharray": chosen ? undefined : "6 5",
      });
    }
    this.drawDot(drawing, [x(step), y(this.rate(step))], width);
    return HEIGHT;
  }

  /** The steps between which the curves are straight lines. */
  places() {
    const ends = Array.from({ length: 301 }, (_, k) => (k / 300) * (this.total - 1));
    return [...ends, Math.max(0, this.warmup - 1)].sort((a, b) => a - b);
  }

  /** @param {SVGElement} drawing @param {number[]} place @param {number} width */
  drawDot(drawing, [x, y], width) {
    const rate = fixed(this.rate(this.step), 5);
    segment(drawing, [x, y], [x, BOTTOM], { stroke: "var(--accent)" });
    const dot = svg(drawing, "g", {
      key: "step", "data-drag": true, role: "slider", "aria-label": "step",
      "aria-valuemin": 0, "aria-valuemax": this.total - 1, "aria-valuenow": this.step,
      "aria-valuetext": `step ${this.step}, rate ${rate}`,
    });
    circle(dot, [x, y], 22, { fill: "transparent" });
    circle(dot, [x, y], 8, { fill: "var(--accent)", stroke: "var(--paper)" });
    const end = x > width / 2;
    const look = { ...(end ? END : {}), class: "number" };
    write(drawing, end ? x - 14 : x + 14, Math.max(16, y - 12), rate, look);
  }
}

/**
 * @param {SVGElement} drawing
 * @param {number} width
 * @param {(at: number) => number} x
 * @param {(rate: number) => number} y
 */
function drawAxes(drawing, width, x, y) {
  const right = width - 8;
  for (const rate of [0, 0.001, 0.002, 0.003]) {
    const stroke = rate ? "var(--field)" : "var(--line)";
    segment(drawing, [x(0), y(rate)], [right, y(rate)], { stroke });
    const look = { ...END, class: "soft number" };
    write(drawing, x(0) - 6, y(rate) + 5, fixed(rate, 3), look);
  }
  for (const at of [0, 2000, 4000, LONGEST]) {
    const look = { ...(at === LONGEST ? END : MIDDLE), class: "soft number" };
    write(drawing, x(at), y(0) + 18, counted(at), look);
  }
  write(drawing, (x(0) + right) / 2, y(0) + 36, "step", MIDDLE);
}

/** @param {number} value */
function counted(value) {
  return value.toLocaleString("en-US");
}

/** @param {number} share */
function percent(share) {
  return `${fixed(100 * share, 0)}%`;
}

export const mount = mounting(Schedule);
