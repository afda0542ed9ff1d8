// Chapter 2: the clocks of two positions, their rows in the table, their dot product.

import { clock } from "../clock.js";
import { slider } from "../controls.js";
import { END, fixed, html, MIDDLE, rect, signed, svg, write } from "../draw.js";
import { mounting, Panels, plot } from "../panels.js";
import { sinusoidalEncoding } from "../positions.js";

const POSITIONS = 64; // that p can be
const FARTHEST = 20; // words between the two positions
const RADIUS = 30;
const TALL = 4; // a row of the table
const [LEFT, TOP] = [34, 26]; // of the table

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

class Positions extends Panels {
  p = 3;
  k = 2;
  dModel = 8;
  power = 4;
  /** Whether the reader has moved p just now. */
  moved = false;
  found = tableOf(8, 10_000);

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
    const clocks = html(this.panels, "div", { class: "interactive-panels" });
    this.addPanel(clocks, (empty) => this.showClocks(empty));
    this.addPicture((drawing) => this.drawTable(drawing));
    plot(this, () => this.curve());
  }

  /** @param {unknown} name */
  changed(name) {
    this.moved = name === "p";
    this.found = tableOf(this.dModel, 10 ** this.power);
  }

  tell() {
    const { p, k, found } = this;
    const like = found.nearest(p);
    const verdict = like.distance < 0.1 ? "hardly to be told apart" : "clearly another vector";
    return (
      `The dot product of positions ${p} and ${p + k} is ${fixed(found.dot(p, p + k), 4)}` +
      (this.moved ? `: as before, because the distance is still ${k}. ` : ". ") +
      `Position ${p} looks most like position ${like.position}: ` +
      `${fixed(like.distance)} apart, ${verdict}.`
    );
  }

  /** One clock for each pair, in a row that wraps, and the turn of the first. @param {Element} empty */
  showClocks(empty) {
    const { p, k, found: { rows, products } } = this;
    const [a, b] = [rows[p], rows[p + k]];
    const hands = [{ row: a, role: "ink" }, { row: b, role: "role-position" }];
    const middle = [39, RADIUS + 4];
    products(p, p + k).forEach((product, pair) => {
      const size = { width: 78, height: 2 * RADIUS + 64 };
      const drawing = svg(empty, "svg", { class: "interactive-picture", ...size });
      clock(drawing, middle, RADIUS, hands, pair);
      const texts = [`sin ${fixed(a[2 * pair])}`, `cos ${fixed(a[2 * pair + 1])}`];
      [...texts, `dot ${fixed(product)}`].forEach((text, line) => {
        const y = 2 * RADIUS + 4 + 17 * (line + 1);
        write(drawing, middle[0], y, text, { ...MIDDLE, class: "number" });
      });
    });
    drawRotation(svg(empty, "svg", { class: "interactive-picture", width: 276, height: 52 }), k);
  }

  /** The table, with both positions and the one most like the first. @param {SVGElement} drawing */
  drawTable(drawing) {
    const { found: { rows, nearest }, p, k, dModel } = this;
    const side = Math.min(40, 220 / dModel);
    const [width, right] = [side * dModel, LEFT + side * dModel];
    write(drawing, 0, TOP - 10, "the table, a position a row", { class: "soft" });
    rows.forEach((row, at) =>
      row.forEach((value, column) => {
        const box = [LEFT + side * column, TOP + TALL * at, side - 1, TALL];
        rect(drawing, box, { fill: signed(value) });
      }),
    );
    /** @param {number} at @param {string} stroke @param {string} [dashes] */
    const frame = (at, stroke, dashes) =>
      rect(drawing, [LEFT - 2, TOP + TALL * at - 2, width + 3, TALL + 4], {
        fill: "none", stroke: `var(--${stroke})`, "stroke-width": 2, "stroke-dasharray": dashes,
      });
    const name = (/** @type {number} */ at, /** @type {number} */ x, look = {}) =>
      write(drawing, x, TOP + TALL * at + 8, at, { class: "number", ...look });
    const like = nearest(p).position;
    frame(like, "ink", "3 3");
    frame(p + k, "role-position");
    frame(p, "ink");
    name(p, LEFT - 6, END);
    name(like, right + 6);
    return [Math.max(200, right + 26), TOP + TALL * rows.length + 6];
  }

  /** The dot product over the distance, with the one that is chosen. */
  curve() {
    const { p, k, found } = this;
    const dots = Array.from({ length: FARTHEST + 1 }, (_, far) => [far, found.dot(p, p + far)]);
    const most = this.dModel / 2;
    const axes = { last: FARTHEST, unit: "words", levels: [-most, 0, most], digits: 0 };
    const title = "the dot product over the distance";
    return { title, ...axes, curves: [dots], now: dots[k] };
  }
}

/**
 * The matrix that turns the first hand k words on, in its brackets.
 * @param {SVGElement} drawing @param {number} k
 */
function drawRotation(drawing, k) {
  write(drawing, 0, 26, "turn of pair 0:");
  const matrix = [[Math.cos(k), Math.sin(k)], [-Math.sin(k), Math.cos(k)]];
  matrix.forEach((row, at) =>
    row.forEach((value, column) => {
      const look = { ...END, class: "number turn" };
      write(drawing, 160 + 62 * column, 16 + 20 * at, fixed(value, 3), look);
    }),
  );
  const brackets = "M106 0h-5v42h5M226 0h5v42h-5";
  svg(drawing, "path", { d: brackets, fill: "none", stroke: "var(--ink)" });
}

export const mount = mounting(Positions);
