// Chapter 19: the layer of 2017, changed step by step, and how fast each one learns.

import { pushButton, slider } from "../controls.js";
import {
  BOLD, cell, edge, END, fixed, MIDDLE, rect, segment, shade, svg, through, write,
} from "../draw.js";
import { Figure, mounting } from "../frame.js";
import { SINCE } from "../since_numbers.js";

const STAGES = [
  ["2017", "The layer of the paper (Vaswani and others)."],
  ["2019: pre-norm", "The norm comes before each part, and no norm is on the way of the sum."],
  ["2019: RMS norm", "The norm takes no mean away (Zhang and Sennrich)."],
  ["2020: gate", "The feed-forward block gets a gate (Shazeer)."],
  ["2021: rotary", "Queries and keys are turned, and no position is added (Su and others)."],
  ["2023: grouped", "Two heads of queries share one of keys and values (Ainslie and others)."],
];
const LAST = STAGES.length - 1;
const ROW = 46;
const BOX = 32;
const TOP = 5.6; // the largest loss that is drawn
const BOTTOM = 3.2;

/**
 * The boxes of the layer at a stage, from below, each with the stage that made it so.
 * @param {number} stage
 * @returns {[text: string, since: number][]}
 */
export function boxes(stage) {
  const pre = stage >= 1;
  const [turned, shared] = [stage >= 4 ? ", turned" : "", stage >= 5 ? ", grouped" : ""];
  /** @type {[text: string, since: number][]} */
  const [words, norm, attention, plus, thinks] = [
    [stage >= 4 ? "words" : "words + sines", stage >= 4 ? 4 : 0],
    stage >= 2 ? ["RMS norm", 2] : ["layer norm", pre ? 1 : 0],
    [`attention${turned}${shared}`, stage >= 4 ? stage : 0],
    ["+", 0],
    stage >= 3 ? ["feed-forward, gated", 3] : ["feed-forward", 0],
  ];
  return pre
    ? [words, norm, attention, plus, norm, thinks, plus]
    : [words, attention, plus, norm, thinks, plus, norm];
}

/** The last losses of the three seeds, in order. @param {number} stage */
function ends(stage) {
  return SINCE.curves[stage].map((curve) => curve[curve.length - 1]).sort((a, b) => a - b);
}

class TimeMachine extends Figure {
  stage = 0;

  /** @param {HTMLElement} root */
  constructor(root) {
    super(root, {
      title: "From 2017 to today, one change after the other",
      hint: "Move the slider, or press Next. The framed boxes are what the step changes.",
      label: "The layer, read upwards, and its loss on held-out sentences by steps",
    });
    const { controls } = this;
    pushButton(controls, "Back", () => this.stage--, () => this.stage === 0);
    pushButton(controls, "Next", () => this.stage++, () => this.stage === LAST);
    slider(controls, "stage", "up to", [0, LAST], (stage) => STAGES[stage][0]);
  }

  tell() {
    const { stage } = this;
    const [low, middle, high] = ends(stage);
    const before = ends(Math.max(0, stage - 1));
    const apart = high < before[0] ? "lower" : low > before[2] ? "higher" : "";
    const told = apart
      ? `All three are ${apart} than those of the step before.`
      : "That is no difference that three seeds can tell from the step before.";
    return (
      `${STAGES[stage][1]} Loss after ${SINCE.steps[SINCE.steps.length - 1]} steps: ` +
      `${fixed(middle)} (three seeds: ${fixed(low)} to ${fixed(high)}). ` +
      `${stage ? told : ""} The cache keeps ` +
      `${SINCE.cache[stage].toLocaleString("en")} bytes of a token.`
    );
  }

  /** @param {SVGElement} drawing @param {number} width */
  draw(drawing, width) {
    const wide = width >= 560;
    const height = 7 * ROW + 10;
    const column = Math.min(240, width - 40);
    this.drawLayer(drawing, wide ? 26 : (width - column) / 2 + 10, column, height);
    const left = wide ? column + 82 : 34;
    const top = wide ? 20 : height + 28;
    const plot = { left, top, width: width - left - 12, height: wide ? height - 60 : 200 };
    this.drawCurves(drawing, plot);
    return wide ? height : top + plot.height + 40;
  }

  /** @param {SVGElement} drawing @param {number} left @param {number} width @param {number} height */
  drawLayer(drawing, left, width, height) {
    const rows = boxes(this.stage);
    const x = left + width / 2;
    const line = { stroke: "var(--line)", "stroke-width": 2, fill: "none" };
    /** @param {number} row */
    const middle = (row) => height - ROW * (row + 0.5);
    rows.forEach(([text, since], row) => {
      const y = middle(row);
      if (row < rows.length - 1) segment(drawing, [x, y], [x, y - ROW], line);
      if (text === "+") {
        const from = this.stage ? row - 3 : row - 2; // below the norm, or below the part
        const d = `M${x} ${middle(from + 0.5)} H${left - 16} V${y} H${x - 14}`;
        svg(drawing, "path", { d, ...line });
      }
      const [wide, fill] = text === "+" ? [28, "var(--paper)"] : [width, shade(since ? 0.3 : 0, "query")];
      const look = { rx: text === "+" ? 14 : 4, fill, ...edge(since === this.stage && since > 0) };
      rect(drawing, [x - wide / 2, y - BOX / 2, wide, BOX], { fill: "var(--paper)" });
      cell(drawing, [x - wide / 2, y - BOX / 2, wide, BOX], text, look, since ? BOLD : {});
    });
  }

  /**
   * @param {SVGElement} drawing
   * @param {{left: number, top: number, width: number, height: number}} plot
   */
  drawCurves(drawing, { left, top, width, height }) {
    const last = SINCE.steps[SINCE.steps.length - 1];
    /** @param {number} step @param {number} loss */
    const at = (step, loss) => [
      left + (width * step) / last,
      top + (height * (TOP - Math.min(TOP, loss))) / (TOP - BOTTOM),
    ];
    for (const loss of [3.5, 4, 4.5, 5, 5.5]) {
      segment(drawing, at(0, loss), at(last, loss), { stroke: "var(--line)", opacity: 0.4 });
      write(drawing, left - 6, at(0, loss)[1] + 5, fixed(loss, 1), { ...END, class: "number" });
    }
    for (const step of [0, last / 2, last]) {
      write(drawing, at(step, 0)[0], top + height + 20, step, { ...MIDDLE, class: "number" });
    }
    write(drawing, left + width / 4, top + height + 20, "steps", { ...MIDDLE, class: "soft" });
    write(drawing, left, top - 6, "loss on held-out sentences", { class: "soft" });
    for (let stage = 0; stage <= this.stage; stage++) {
      const now = stage === this.stage;
      const mean = SINCE.steps.map((step, place) => {
        const all = SINCE.curves[stage].map((curve) => curve[place]);
        return at(step, all.reduce((sum, loss) => sum + loss, 0) / all.length);
      });
      const stroke = `var(--${now ? "accent" : "line"})`;
      through(drawing, "polyline", mean, { fill: "none", stroke, "stroke-width": now ? 3 : 1.5 });
    }
  }
}

export const mount = mounting(TimeMachine);
