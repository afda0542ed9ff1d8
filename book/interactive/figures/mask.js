// Chapter 4: a mask to click together, what each position can still hear through it,
// and the attention weights that result.

import { Matrix, timesTransposed } from "../arrays.js";
import { scaledDotProductAttention } from "../attention.js";
import { onPress } from "../canvas.js";
import { choice, options, slider } from "../controls.js";
import {
  cell, circle, END, fixed, MIDDLE, rect, shade, svg, touchable, write,
} from "../draw.js";
import { Figure, mounting } from "../frame.js";
import { causalMask, paddingMask } from "../masks.js";

const WORDS = ["<sos>", "el", "gato", "come", "<pad>"];
const IDS = [1, 4, 5, 6, 0];
const LENGTH = WORDS.length;
const PADDING = 4; // the place of <pad>

// Queries and keys of two numbers each, made up and always the same.
const QUERIES = [[1, 0], [0, 2], [2, 1], [1, 2], [1, 1]];
const KEYS = [[0, 1], [1, 0], [2, 1], [0, 2], [1, 1]];

/** @typedef {boolean[][]} Mask rows are queries, columns are keys; true: may look */

const CAUSAL = causalMask(LENGTH).data;
const NO_PADDING = paddingMask(IDS, 0).data;
const ONE_LONGER = causalMask(LENGTH + 1).data;

/** @param {number} query @param {number} key @returns {boolean} */
function causal(query, key) {
  return CAUSAL[query * LENGTH + key] === 1;
}

/** @param {number} query @param {number} key @returns {boolean} */
function both(query, key) {
  return causal(query, key) && NO_PADDING[key] === 1;
}

/** @typedef {(query: number, key: number) => boolean} Rule whether a cell is open */

/** @type {Record<string, {label: string, rule: Rule}>} */
const RULES = {
  both: { label: "causal and padding", rule: both },
  causal: { label: "causal", rule: causal },
  padding: { label: "padding", rule: (_, key) => NO_PADDING[key] === 1 },
  none: { label: "mistake: forgotten", rule: () => true },
  inverted: { label: "mistake: inverted", rule: (query, key) => !both(query, key) },
  shifted: {
    label: "mistake: off by one",
    // Each query got the row of the one after it.
    rule: (query, key) =>
      ONE_LONGER[(query + 1) * (LENGTH + 1) + key] === 1 && NO_PADDING[key] === 1,
  },
  thorough: {
    label: "mistake: rows of padding, too",
    rule: (query, key) => both(query, key) && NO_PADDING[query] === 1,
  },
};

/**
 * The mask of a rule, for the five words.
 * @param {string} name
 * @returns {Mask}
 */
export function maskOf(name) {
  return WORDS.map((_, query) => WORDS.map((_, key) => RULES[name].rule(query, key)));
}

/**
 * What each position can hear after some layers: itself, by its residual, and all that
 * those heard whom the mask lets it look at.
 * @param {Mask} mask
 * @param {number} layers
 * @returns {Mask}
 */
export function heard(mask, layers) {
  let reach = mask.map((_, query) => mask.map((_, key) => key === query));
  for (let layer = 0; layer < layers; layer++) {
    const before = reach;
    reach = mask.map((row, query) =>
      before[query].map(
        (already, key) => already || row.some((open, via) => open && before[via][key]),
      ),
    );
  }
  return reach;
}

/**
 * The attention weights of the fixed queries and keys under a mask, as `lib` has them:
 * a row without any open cell is all zeros.
 * @param {Mask} mask
 * @returns {number[][]}
 */
export function weightsOf(mask) {
  const [q, k] = [Matrix.fromRows(QUERIES), Matrix.fromRows(KEYS)];
  const data = Uint8Array.from(mask.flat(), Number);
  const open = { rows: LENGTH, cols: LENGTH, data };
  return scaledDotProductAttention(q, k, k, open).weights.toRows();
}

/**
 * The same by the bare formula, with −∞ over the closed cells: a row of nothing but −∞
 * divides zero by zero.
 * @param {Mask} mask
 * @returns {number[][]}
 */
export function weightsOfFormula(mask) {
  const scores = timesTransposed(Matrix.fromRows(QUERIES), Matrix.fromRows(KEYS));
  return mask.map((row, query) => {
    const powers = row.map((open, key) =>
      Math.exp(open ? scores.row(query)[key] / Math.SQRT2 : -Infinity),
    );
    const sum = powers.reduce((a, b) => a + b, 0);
    return powers.map((power) => power / sum);
  });
}

class MaskFigure extends Figure {
  rule = "both";
  mask = maskOf("both");
  softmax = "lib";
  layers = 1;
  row = 2;

  /** @param {HTMLElement} root */
  constructor(root) {
    super(root, {
      title: "Click a mask together",
      hint:
        "Each row is a word that looks, each column a word to look at. Press a cell to " +
        "open or close it. Right of the dashed stairs lies the future. A dot: closed, " +
        "yet heard, as its own vector or by way of another word.",
      label: "A mask of five words by five, and the attention weights under it",
    });
    choice(this.controls, "rule", "start from", options(RULES));
    choice(this.controls, "softmax", "softmax", [
      ["lib", "of lib"],
      ["formula", "with −∞, as in the formula"],
    ]);
    slider(this.controls, "layers", "layers", [1, 4]);
    onPress(this.picture, (key) => {
      const [query, at] = key.split("-").map(Number);
      this.mask[query][at] = !this.mask[query][at];
      this.row = query;
      this.update();
    });
  }

  get weights() {
    return this.softmax === "lib" ? weightsOf(this.mask) : weightsOfFormula(this.mask);
  }

  /** @param {unknown} name */
  changed(name) {
    if (name !== "rule") return;
    this.mask = maskOf(this.rule);
    this.row = this.rule === "thorough" ? PADDING : 2;
  }

  tell() {
    const { mask, layers, row } = this;
    const names = WORDS.filter((_, key) => heard(mask, layers)[row][key]);
    return (
      `${WORDS[row]} hears ${names.join(", ")} after ` +
      `${layers} ${layers === 1 ? "layer" : "layers"}. ${this.shares()}`
    );
  }

  /** What the chosen row gives to the future and to padding. */
  shares() {
    const weights = this.weights[this.row];
    if (this.mask[this.row].every((open) => !open)) {
      return Number.isNaN(weights[0])
        ? "It may look at nothing: zero divided by zero, NaN, which spreads."
        : "It may look at nothing: lib gives it zeros, and so an output of zero.";
    }
    const later = weights.slice(this.row + 1, PADDING).reduce((a, b) => a + b, 0);
    return (
      `Of its attention, ${fixed(later)} goes to later words ` +
      `and ${fixed(weights[PADDING])} to padding.`
    );
  }

  /** @param {SVGElement} drawing @param {number} width */
  draw(drawing, width) {
    const left = 62;
    const wide = width >= 560;
    const room = (wide ? width / 2 : width) - left;
    const side = Math.min(wide ? 58 : 50, room / LENGTH - 2);
    const high = 50 + side * LENGTH;
    const [right, below] = wide ? [left + width / 2, 50] : [left, 50 + high + 14];
    this.drawMask(drawing, left, 50, side);
    this.drawWeights(drawing, right, below, side);
    return below + side * LENGTH + 6;
  }

  /**
   * @param {SVGElement} drawing @param {number} left @param {number} top
   * @param {number} side
   */
  drawMask(drawing, left, top, side) {
    const reach = heard(this.mask, this.layers);
    drawTable(drawing, [left, top], side, this.row, "may look", (query, key, box) => {
      const open = this.mask[query][key];
      const state = `looks at ${WORDS[key]}: ${open ? "open" : "closed"}`;
      const label = `${WORDS[query]} ${state}`;
      const made = touchable(drawing, `${query}-${key}`, label, open);
      const fill = open ? shade(1) : "var(--field)";
      rect(made, box, { rx: 3, fill, stroke: "var(--line)" });
      if (open || !reach[query][key]) return;
      // Closed, and yet heard: by way of another word, or by the residual.
      const middle = [left + side * (key + 0.5), top + side * (query + 0.5)];
      circle(made, middle, side / 7, { fill: shade(1) });
    });
  }

  /**
   * @param {SVGElement} drawing @param {number} left @param {number} top
   * @param {number} side
   */
  drawWeights(drawing, left, top, side) {
    const { weights, row } = this;
    const title = "attention weights";
    drawTable(drawing, [left, top], side, row, title, (query, key, box) => {
      const weight = weights[query][key];
      const fill = Number.isNaN(weight) ? shade(0.5, "mistake") : shade(weight);
      const letters = { class: "number", "data-weight": `${query}-${key}` };
      const look = { rx: 3, fill, stroke: "var(--line)" };
      cell(drawing, box, fixed(weight), look, letters);
    });
  }
}

/**
 * A table of words by words, the chosen row framed; `draw` draws each of its cells.
 * @param {SVGElement} drawing
 * @param {number[]} corner
 * @param {number} side of a cell
 * @param {number} row the chosen one
 * @param {string} title
 * @param {(query: number, key: number, box: number[]) => void} draw
 */
function drawTable(drawing, [left, top], side, row, title, draw) {
  write(drawing, left, top - 34, title, { "font-weight": 600 });
  WORDS.forEach((word, place) => {
    const chosen = place === row ? { "font-weight": 700 } : {};
    const middle = side * (place + 0.5);
    write(drawing, left - 6, top + middle + 5, word, { ...END, ...chosen });
    write(drawing, left + middle, top - 8, word, MIDDLE);
  });
  const frame = [left - 1, top + side * row - 1, side * LENGTH + 2, side + 2];
  const stroke = { stroke: "var(--role-query)", "stroke-width": 3, fill: "none" };
  rect(drawing, frame, stroke);
  for (let at = 0; at < LENGTH * LENGTH; at++) {
    const [query, key] = [Math.floor(at / LENGTH), at % LENGTH];
    const [x, y] = [left + side * key, top + side * query];
    draw(query, key, [x + 1, y + 1, side - 2, side - 2]);
  }
  // The line between the present and the future, drawn as stairs.
  const steps = `v${side} h${side} `.repeat(LENGTH - 1);
  svg(drawing, "path", {
    d: `M${left + side} ${top} ${steps}`, fill: "none", stroke: "var(--ink)",
    "stroke-width": 2, "stroke-dasharray": "5 4", "pointer-events": "none",
  });
}

export const mount = mounting(MaskFigure);
