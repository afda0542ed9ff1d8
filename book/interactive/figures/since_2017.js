// Chapter 19: the layer of 2017, changed step by step, and how fast each one learns.

import { mainButton, pushButton, slider } from "../controls.js";
import { cell, edge, fixed, segment, shade, svg } from "../draw.js";
import { mounting, Panels, plot } from "../panels.js";

const STAGES = [
  ["2017", "The layer of the paper (Vaswani and others)."],
  ["2019: pre-norm", "The norm comes before each part, and no norm is on the way of the sum."],
  ["2019: RMS norm", "The norm takes no mean away (Zhang and Sennrich)."],
  ["2020: gate", "The feed-forward block gets a gate (Shazeer)."],
  ["2021: rotary", "Queries and keys are turned, and no position is added (Su and others)."],
  ["2023: grouped", "Two heads of queries share one of keys and values (Ainslie and others)."],
];
/** What the runs call the change of each stage but the first. */
const WAY = ["pre-norm", "RMS norm", "gated", "rotary", "grouped"];
const LAST = WAY.length;
const STEPS = 600;
const LEVELS = [3, 3.5, 4, 4.5, 5, 5.5]; // of the loss
const [ROW, BOX, LEFT, WIDTH, HEIGHT] = [46, 32, 24, 240, 322];

/** @typedef {{changes: string[], cache: number, curve: Record<string, number>}} Run */

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

/** The loss over the steps, but for the first, which is chance. @param {Run} run */
function pointsOf({ curve }) {
  return Object.entries(curve).slice(1).map(([step, loss]) => [Number(step), loss]);
}

/** The mean of several runs, over their steps. @param {Run[]} runs */
function meanOf(runs) {
  const all = runs.map(pointsOf);
  return all[0].map(([step], at) => {
    return [step, all.reduce((sum, points) => sum + points[at][1], 0) / all.length];
  });
}

class TimeMachine extends Panels {
  stage = 0;

  /** @param {HTMLElement} root @param {Run[]} runs what was measured, three seeds of each */
  constructor(root, runs) {
    super(root, {
      title: "From 2017 to today, one change after the other",
      hint:
        "Which change lowers the curve most? Guess, then press Next. Blue marks all changes " +
        "so far, a frame the newest. Gray curves are older.",
      label: "The layer, read upwards, and its loss on held-out sentences by steps",
    });
    this.runs = STAGES.map((_, stage) => {
      const wanted = WAY.slice(0, stage).join();
      return runs.filter(({ changes }) => changes.join() === wanted);
    });
    const { controls } = this;
    pushButton(controls, "Back", () => this.stage--, () => this.stage === 0);
    mainButton(controls, "Next", () => this.stage++, () => this.stage === LAST);
    slider(controls, "stage", "up to", [0, LAST], (stage) => STAGES[stage][0]);
    this.addPicture((drawing) => this.draw(drawing));
    plot(this, () => ({
      title: "loss on held-out sentences", last: STEPS, unit: "steps", levels: LEVELS,
      curves: this.runs.slice(0, this.stage + 1).map(meanOf),
    }));
  }

  /** The last losses of the three seeds, in order. @param {number} stage */
  ends(stage) {
    return this.runs[stage].map(({ curve }) => curve[STEPS]).sort((a, b) => a - b);
  }

  tell() {
    const { stage } = this;
    const [low, middle, high] = this.ends(stage);
    const before = this.ends(Math.max(0, stage - 1));
    const apart = high < before[0] ? "lower" : low > before[2] ? "higher" : "";
    const told = apart
      ? `All three are ${apart} than those of the step before.`
      : "That is no difference that three seeds can tell from the step before.";
    return (
      `${STAGES[stage][1]} Loss after ${STEPS} steps: ` +
      `${fixed(middle)} (three seeds: ${fixed(low)} to ${fixed(high)}). ` +
      `${stage ? told : ""} The cache keeps ` +
      `${this.runs[stage][0].cache.toLocaleString("en")} bytes of a token.`
    );
  }

  /** The layer, read upwards. @param {SVGElement} drawing */
  draw(drawing) {
    const rows = boxes(this.stage);
    const x = LEFT + WIDTH / 2;
    /** @param {number} row */
    const middle = (row) => HEIGHT - ROW * (row + 0.5);
    rows.forEach(([text, since], row) => {
      const y = middle(row);
      if (row < rows.length - 1) segment(drawing, [x, y], [x, y - ROW], "flow");
      if (text === "+") {
        const from = this.stage ? row - 3 : row - 2; // below the norm, or below the part
        const d = `M${x} ${middle(from + 0.5)} H${LEFT - 16} V${y} H${x - 14}`;
        svg(drawing, "path", { class: "flow", d });
      }
      const [wide, rx] = text === "+" ? [28, 14] : [WIDTH, 4];
      const fill = shade(since ? 0.3 : 0, "query");
      const look = { rx, fill, ...edge(since > 0 && since === this.stage) };
      const box = [x - wide / 2, y - BOX / 2, wide, BOX];
      cell(drawing, box, text, look, since ? "title" : "");
    });
    return [LEFT + WIDTH + 2, HEIGHT];
  }
}

export const mount = mounting(TimeMachine);
