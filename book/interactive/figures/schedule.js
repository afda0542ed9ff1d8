// Chapter 11: the learning rate of a run by sliders, and how far a number can walk.

import { choice, fixed, onDrag, panel, slider, svg } from "../draw.js";

const LONGEST = 6000; // steps: the horizontal axis stays while the run grows
const HIGHEST = 0.003; // rate: the vertical axis stays too
const HEIGHT = 250;

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

/** @param {HTMLElement} root */
export function mount(root) {
  /** @type {Run} */
  const run = { peak: 0.002, warmup: 300, total: 3000 };
  let rule = "linear";
  let step = 1000;
  const { controls, picture, redraw, say } = panel(root, {
    title: "How fast a run walks",
    hint:
      "Change the run, and drag the dot along its curve. The dashed curve is the " +
      "other rule.",
    label: "The learning rate at each step of a run",
    draw,
  });
  choice(controls, {
    label: "decay",
    options: Object.entries(RULES).map(([value, { label }]) => ({ value, label })),
    value: rule,
    change: (name) => {
      rule = name;
      update();
    },
  });
  const sliders = [
    { label: "highest rate", name: "peak", min: 0.0002, max: HIGHEST, step: 0.0001 },
    { label: "warm-up steps", name: "warmup", min: 0, max: 1000, step: 50 },
    { label: "steps in all", name: "total", min: 1500, max: LONGEST, step: 250 },
  ];
  for (const { name, ...parts } of sliders) {
    const key = /** @type {keyof Run} */ (name);
    slider(controls, {
      ...parts,
      value: run[key],
      show: (value) => (key === "peak" ? fixed(value, 4) : counted(value)),
      change: (value) => {
        run[key] = value;
        step = Math.min(step, run.total - 1);
        update();
      },
    });
  }
  onDrag(
    picture,
    (_, x) => moveTo(LONGEST * ((x - left()) / (width() - left() - 8))),
    (_, right, down) => moveTo(step + (right - down) * 50),
  );
  update();

  /** @param {number} wanted */
  function moveTo(wanted) {
    step = Math.max(0, Math.min(run.total - 1, Math.round(wanted)));
    update();
  }

  function width() {
    return Number(picture.getAttribute("width"));
  }

  function left() {
    return 56;
  }

  function update() {
    redraw();
    const share = RULES[rule].share(step, run);
    const all = walked(rule, run);
    const late = walked(rule, run, Math.floor(0.75 * run.total)) / all;
    const first =
      step === 0
        ? "Before the first step"
        : `After ${counted(step)} of ${counted(run.total)} steps`;
    say(
      `${first} the rate is ${fixed(run.peak * share, 5)}, ` +
        `${percent(share)} of the highest. All rates together are ${fixed(all)}, ` +
        "about the farthest that Adam can move a number; " +
        `the last quarter of the steps has ${percent(late)} of it.`,
    );
  }

  /**
   * @param {SVGElement} drawing
   * @param {number} wide
   */
  function draw(drawing, wide) {
    const bottom = HEIGHT - 42;
    const room = wide - left() - 8;
    const x = (/** @type {number} */ at) => left() + (room * at) / LONGEST;
    const y = (/** @type {number} */ rate) => bottom - ((bottom - 14) * rate) / HIGHEST;
    const rate = (/** @type {string} */ name, /** @type {number} */ at) =>
      run.peak * RULES[name].share(at, run);
    const curve = (/** @type {string} */ name) => {
      const ends = Array.from({ length: 301 }, (_, k) => (k / 300) * (run.total - 1));
      const places = [...ends, Math.max(0, run.warmup - 1)].sort((a, b) => a - b);
      return places.map((at) => `${x(at)},${y(rate(name, at))}`);
    };
    axes(drawing, wide, x, y);
    const chosen = curve(rule);
    const area = [`${x(0)},${y(0)}`, ...chosen, `${x(run.total)},${y(0)}`].join(" ");
    svg(drawing, "polygon", { points: area, fill: "var(--field)" });
    for (const name of Object.keys(RULES)) {
      svg(drawing, "polyline", {
        points: curve(name).join(" "),
        fill: "none",
        stroke: name === rule ? "var(--accent)" : "var(--line)",
        "stroke-width": name === rule ? 3 : 1.5,
        "stroke-dasharray": name === rule ? undefined : "6 5",
      });
    }
    const [cx, cy] = [x(step), y(rate(rule, step))];
    const down = { x1: cx, x2: cx, y1: cy, y2: bottom };
    svg(drawing, "line", { ...down, stroke: "var(--accent)" });
    const dot = svg(drawing, "g", {
      key: "step",
      "data-drag": true,
      role: "slider",
      "aria-label": "step",
      "aria-valuemin": 0,
      "aria-valuemax": run.total - 1,
      "aria-valuenow": step,
      "aria-valuetext": `step ${step}, rate ${fixed(rate(rule, step), 5)}`,
    });
    svg(dot, "circle", { cx, cy, r: 22, fill: "transparent" });
    svg(dot, "circle", { cx, cy, r: 8, fill: "var(--accent)", stroke: "var(--paper)" });
    const end = cx > wide / 2;
    const label = { x: end ? cx - 14 : cx + 14, y: Math.max(16, cy - 12) };
    const anchor = end ? "end" : "start";
    const text = fixed(rate(rule, step), 5);
    svg(drawing, "text", { ...label, "text-anchor": anchor, class: "number" }, text);
    return HEIGHT;
  }
}

/**
 * @param {SVGElement} drawing
 * @param {number} wide
 * @param {(at: number) => number} x
 * @param {(rate: number) => number} y
 */
function axes(drawing, wide, x, y) {
  for (const rate of [0, 0.001, 0.002, 0.003]) {
    const at = y(rate);
    const line = { x1: x(0), x2: wide - 8, y1: at, y2: at };
    svg(drawing, "line", { ...line, stroke: rate ? "var(--field)" : "var(--line)" });
    const place = { x: x(0) - 6, y: at + 5, "text-anchor": "end" };
    svg(drawing, "text", { ...place, class: "soft number" }, fixed(rate, 3));
  }
  for (const at of [0, 2000, 4000, LONGEST]) {
    const anchor = at === LONGEST ? "end" : "middle";
    const place = { x: x(at), y: y(0) + 18, "text-anchor": anchor };
    svg(drawing, "text", { ...place, class: "soft number" }, counted(at));
  }
  const middle = (x(0) + wide - 8) / 2;
  svg(drawing, "text", { x: middle, y: y(0) + 36, "text-anchor": "middle" }, "step");
}

/** @param {number} value */
function counted(value) {
  return value.toLocaleString("en-US");
}

/** @param {number} share */
function percent(share) {
  return `${fixed(100 * share, 0)}%`;
}
