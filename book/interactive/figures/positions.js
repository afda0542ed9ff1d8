// Chapter 2: the clocks of two positions, their rows in the table, their dot product.

import { clock } from "../clock.js";
import { slider } from "../controls.js";
import { circle, END, fixed, MIDDLE, rect, segment, signed, svg, through, write } from "../draw.js";
import { Figure } from "../frame.js";
import { mounting } from "../panels.js";
import { sinusoidalEncoding } from "../positions.js";

const POSITIONS = 64; // that p can be
const FARTHEST = 20; // words between the two positions
const RADIUS = 30;
const TALL = 4; // a row of the table
const LEFT = 34; // of the table and of the curve

/**
 * The table, dot products of its rows, and for each position the one most like it.
 * @param {number} dModel
 * @param {number} base
 */
export function tableOf(dModel, base) {
  const rows = sinusoidalEncoding(POSITIONS + FARTHEST, dModel, base).toRows();
  const products = (/** @type {number} */ p, /** @type {number} */ q) =>
    Array.from({ length: dModel / 2 }, (_, pair) =>
      [0, 1].reduce((sum, i) => sum + rows[p][2 * pair + i] * rows[q][2 * pair + i], 0),
    );
  const dot = (/** @type {number} */ p, /** @type {number} */ q) =>
    products(p, q).reduce((sum, product) => sum + product, 0);
  const nearest = (/** @type {number} */ p) => {
    const distances = rows.map((row) => Math.hypot(...row.map((n, i) => n - rows[p][i])));
    distances[p] = Infinity;
    const distance = Math.min(...distances);
    return { position: distances.indexOf(distance), distance };
  };
  return { rows, products, dot, nearest };
}

class Positions extends Figure {
  p = 3;
  k = 2;
  dModel = 8;
  power = 4;
  /** Whether the reader has moved p just now. */
  moved = false;
  table = tableOf(8, 10_000);

  /** @param {HTMLElement} root */
  constructor(root) {
    super(root, {
      title: "Clock hands, and two positions",
      hint:
        "Each pair of numbers is a clock. The blue hand stands k words further on than " +
        "the other. Move p: both turn. What stays?",
      label: "One clock for each pair, the dot product of two positions, and the table",
    });
    const { controls } = this;
    slider(controls, "p", "position p", [0, POSITIONS - 1]);
    slider(controls, "k", "distance k", [0, FARTHEST]);
    slider(controls, "dModel", "d_model", [2, 16, 2]);
    slider(controls, "power", "base", [0, 8], (power) => (10 ** power).toLocaleString("en"));
  }

  /** @param {unknown} name */
  changed(name) {
    this.moved = name === "p";
    this.table = tableOf(this.dModel, 10 ** this.power);
  }

  tell() {
    const { p, k, table } = this;
    const like = table.nearest(p);
    const verdict = like.distance < 0.1 ? "hardly to be told apart" : "clearly another vector";
    return (
      `The dot product of positions ${p} and ${p + k} is ${fixed(table.dot(p, p + k), 4)}` +
      (this.moved ? `: as before, because the distance is still ${k}. ` : ". ") +
      `Position ${p} looks most like position ${like.position}: ` +
      `${fixed(like.distance)} apart, ${verdict}.`
    );
  }

  /** @param {SVGElement} drawing @param {number} width */
  draw(drawing, width) {
    const { k, dModel } = this;
    const top = this.drawClocks(drawing, width) + 16;
    drawRotation(drawing, top, [[Math.cos(k), Math.sin(k)], [-Math.sin(k), Math.cos(k)]]);
    const wide = width >= 560;
    const room = wide ? 0.45 * width : width;
    const side = Math.min(40, (room - 2 * LEFT) / dModel);
    const below = this.drawTable(drawing, top + 66, side);
    if (!wide) return this.drawCurve(drawing, 0, below + 30, width);
    return Math.max(below, this.drawCurve(drawing, room + 10, top + 66, width));
  }

  /** @param {SVGElement} drawing @param {number} width @returns {number} its height */
  drawClocks(drawing, width) {
    const { p, k, dModel, table: { rows, products } } = this;
    const across = Math.min(dModel / 2, 8, Math.floor(width / 78));
    const each = Math.min(width / across, 110);
    const tall = 2 * RADIUS + 72;
    const [a, b] = [rows[p], rows[p + k]];
    const hands = [{ row: a, role: "ink" }, { row: b, role: "role-position" }];
    products(p, p + k).forEach((product, pair) => {
      const x = each * ((pair % across) + 0.5);
      const y = tall * Math.floor(pair / across) + RADIUS + 4;
      clock(drawing, [x, y], RADIUS, hands, pair);
      const texts = [`sin ${fixed(a[2 * pair])}`, `cos ${fixed(a[2 * pair + 1])}`];
      [...texts, `dot ${fixed(product)}`].forEach((text, line) => {
        const look = { ...MIDDLE, class: "number" };
        write(drawing, x, y + RADIUS + 17 * (line + 1), text, look);
      });
    });
    return tall * Math.ceil(dModel / 2 / across);
  }

  /** @param {SVGElement} drawing @param {number} top @param {number} side */
  drawTable(drawing, top, side) {
    const { table: { rows, nearest }, p, k, dModel } = this;
    write(drawing, 0, top - 10, "the table, a position a row", { class: "soft" });
    rows.forEach((row, at) =>
      row.forEach((value, column) => {
        const box = [LEFT + side * column, top + TALL * at, side - 1, TALL];
        rect(drawing, box, { fill: signed(value) });
      }),
    );
    const right = LEFT + side * dModel;
    /** @param {number} at @param {string} stroke @param {string} [dashes] */
    const frame = (at, stroke, dashes) =>
      rect(drawing, [LEFT - 2, top + TALL * at - 2, right - LEFT + 3, TALL + 4], {
        fill: "none", stroke: `var(--${stroke})`, "stroke-width": 2, "stroke-dasharray": dashes,
      });
    const name = (/** @type {number} */ at, /** @type {number} */ x, look = {}) =>
      write(drawing, x, top + TALL * at + 8, at, { class: "number", ...look });
    const like = nearest(p).position;
    frame(like, "ink", "3 3");
    frame(p + k, "role-position");
    frame(p, "ink");
    name(p, LEFT - 6, END);
    name(like, right + 6);
    return top + TALL * rows.length + 6;
  }

  /**
   * The dot product over the distance, with the one that is chosen.
   * @param {SVGElement} drawing @param {number} from @param {number} top
   * @param {number} width
   */
  drawCurve(drawing, from, top, width) {
    const { p, k, dModel, table } = this;
    const dots = Array.from({ length: FARTHEST + 1 }, (_, far) => table.dot(p, p + far));
    const [left, right, tall, most] = [from + LEFT, width - 10, 130, dModel / 2];
    const x = (/** @type {number} */ at) => left + ((right - left) * at) / FARTHEST;
    const y = (/** @type {number} */ dot) => top + (tall * (most - dot)) / (2 * most);
    write(drawing, from, top - 10, "the dot product over the distance", { class: "soft" });
    for (const level of [most, 0, -most]) {
      const look = { stroke: "var(--line)", "stroke-width": 0.7 };
      segment(drawing, [left, y(level)], [right, y(level)], look);
      write(drawing, left - 6, y(level) + 5, fixed(level, 0), { ...END, class: "number" });
    }
    const curve = { fill: "none", stroke: "var(--ink)", "stroke-width": 2 };
    through(drawing, "polyline", dots.map((dot, at) => [x(at), y(dot)]), curve);
    circle(drawing, [x(k), y(dots[k])], 7, { fill: "var(--role-position)" });
    return top + tall + 14;
  }
}

/**
 * The matrix that turns the first hand k words on, in its brackets.
 * @param {SVGElement} drawing @param {number} top @param {number[][]} matrix
 */
function drawRotation(drawing, top, matrix) {
  write(drawing, 0, top + 10, "turn of pair 0:");
  matrix.forEach((row, at) =>
    row.forEach((value, column) => {
      const look = { ...END, class: "number turn" };
      write(drawing, 160 + 62 * column, top + 20 * at, fixed(value, 3), look);
    }),
  );
  const brackets = `M106 ${top - 16}h-5v42h5M226 ${top - 16}h5v42h-5`;
  svg(drawing, "path", { d: brackets, fill: "none", stroke: "var(--ink)" });
}

export const mount = mounting(Positions);
