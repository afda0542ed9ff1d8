// Chapter 2: two positions, the turn between them, and their dot product.

import { clock } from "../clock.js";
import { choice, slider } from "../controls.js";
import { circle, END, fixed, MIDDLE, segment, svg, through, write } from "../draw.js";
import { Figure, mounting } from "../frame.js";
import { sinusoidalEncoding } from "../positions.js";

const FARTHEST = 20; // words between the two positions
const LAST = 80; // the largest position p
const RADIUS = 32;

/** For each d_model the pairs that are drawn. @type {Map<number, number[]>} */
const SHOWN = new Map([[2, [0]], [4, [0, 1]], [8, [0, 1, 2, 3]], [128, [0, 8, 16, 32]]]);

/**
 * The encodings of two positions, their dot product, and the turn of each pair.
 * @param {number} p
 * @param {number} k how many words further on the second one stands
 * @param {number} dModel
 */
export function compare(p, k, dModel) {
  const table = sinusoidalEncoding(p + k + 1, dModel);
  const [a, b] = [Array.from(table.row(p)), Array.from(table.row(p + k))];
  const products = a.map((value, column) => value * b[column]);
  const ofPairs = Array.from(
    { length: dModel / 2 },
    (_, pair) => products[2 * pair] + products[2 * pair + 1],
  );
  return { a, b, ofPairs, dot: ofPairs.reduce((sum, value) => sum + value, 0) };
}

/**
 * The matrix that turns the first hand k steps on, whatever its position.
 * @param {number} k
 */
export function rotation(k) {
  const [sine, cosine] = [Math.sin(k), Math.cos(k)];
  return [[cosine, sine], [-sine, cosine]];
}

class Shift extends Figure {
  p = 3;
  k = 2;
  dModel = 8;
  /** Whether the reader has moved p just now. */
  moved = false;

  /** @param {HTMLElement} root */
  constructor(root) {
    super(root, {
      title: "Two positions and the turn between them",
      hint:
        "The blue hand stands k words further on than the other. " +
        "Move p: both turn. What stays? Then move k.",
      label: "The hands of two positions, pair by pair, and their dot product",
    });
    slider(this.controls, "p", "position p", [0, LAST]);
    slider(this.controls, "k", "distance k", [0, FARTHEST]);
    choice(this.controls, "dModel", "d_model", [...SHOWN.keys()]);
  }

  /** @param {unknown} name */
  changed(name) {
    this.moved = name === "p";
  }

  tell() {
    const { p, k, dModel } = this;
    const { dot } = compare(p, k, dModel);
    return (
      `The dot product of positions ${p} and ${p + k} is ${fixed(dot, 4)}. ` +
      (this.moved
        ? "You moved both: the dot product and the matrix stay, because the distance " +
          `is still ${k}.`
        : `It belongs to the distance ${k}; a position with itself has ${dModel / 2}.`)
    );
  }

  /** @param {SVGElement} drawing @param {number} width */
  draw(drawing, width) {
    const { p, k, dModel } = this;
    const { a, b, ofPairs, dot } = compare(p, k, dModel);
    const hands = [{ row: a, role: "ink" }, { row: b, role: "role-position" }];
    const pairs = SHOWN.get(dModel) ?? [];
    const each = Math.min(110, width / pairs.length);
    pairs.forEach((pair, at) => {
      const x = each * (at + 0.5);
      clock(drawing, [x, RADIUS + 4], RADIUS, hands, pair);
      write(drawing, x, 2 * RADIUS + 22, `pair ${pair}`, MIDDLE);
      const look = { ...MIDDLE, class: "number" };
      write(drawing, x, 2 * RADIUS + 40, fixed(ofPairs[pair], 4), look);
    });
    const top = 2 * RADIUS + 72;
    const sum = dModel === 128 ? "the sum of all 64 pairs" : "their sum";
    write(drawing, 0, top, `dot product, ${sum}: ${fixed(dot, 4)}`);
    drawRotation(drawing, top + 26, rotation(k));
    return this.drawCurve(drawing, width, top + 76);
  }

  /**
   * The dot product over the distance, with the one that is chosen.
   * @param {SVGElement} drawing
   * @param {number} width
   * @param {number} top
   */
  drawCurve(drawing, width, top) {
    const { p, k, dModel } = this;
    const dots = Array.from(
      { length: FARTHEST + 1 },
      (_, distance) => compare(p, distance, dModel).dot,
    );
    const [left, tall, most] = [40, 110, dModel / 2];
    const right = Math.min(width - 10, left + 420);
    const x = (/** @type {number} */ at) => left + ((right - left) * at) / FARTHEST;
    const y = (/** @type {number} */ dot) => top + (tall * (most - dot)) / (2 * most);
    for (const level of [most, 0, -most]) {
      const look = { stroke: "var(--line)", "stroke-width": 0.7 };
      segment(drawing, [left, y(level)], [right, y(level)], look);
      const number = { ...END, class: "number" };
      write(drawing, left - 6, y(level) + 5, fixed(level, 0), number);
    }
    const curve = { fill: "none", stroke: "var(--ink)", "stroke-width": 2 };
    through(drawing, "polyline", dots.map((dot, at) => [x(at), y(dot)]), curve);
    circle(drawing, [x(k), y(dots[k])], 7, { fill: "var(--role-position)" });
    const title = "dot product over the distance, 0 to 20";
    write(drawing, left, top + tall + 22, title, { class: "soft" });
    return top + tall + 30;
  }
}

/**
 * The matrix of the turn, in its brackets.
 * @param {SVGElement} drawing
 * @param {number} top
 * @param {number[][]} matrix
 */
function drawRotation(drawing, top, matrix) {
  write(drawing, 0, top, "turn of pair 0:");
  matrix.forEach((row, at) =>
    row.forEach((value, column) => {
      const look = { ...END, class: "number" };
      write(drawing, 160 + 62 * column, top + 20 * at, fixed(value, 3), look);
    }),
  );
  const brackets = `M106 ${top - 16}h-5v42h5M226 ${top - 16}h5v42h-5`;
  svg(drawing, "path", { d: brackets, fill: "none", stroke: "var(--ink)" });
}

export const mount = mounting(Shift);
