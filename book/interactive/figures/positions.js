// Chapter 2: the clocks of two positions, their rows in the table, their dot product.

import { inside, legend, mainButton, row, slider } from "../controls.js";
import {
  circle, END, fixed, html, MIDDLE, rect, segment, signed, size, svg, write,
} from "../draw.js";
import { mounting, Panels, plot, table } from "../panels.js";
import { sinusoidalEncoding } from "../positions.js";

const POSITIONS = 64; // that p can be
const FARTHEST = 20; // words between the two positions
const RADIUS = 30;
const TALL = 4; // a row of the table
const [LEFT, TOP] = [34, 46]; // of the table

/**
 * The clock of one pair of a position's numbers; its hand points to (cosine, sine).
 * @param {SVGElement} drawing
 * @param {number[]} middle
 * @param {number} radius
 * @param {{row: number[], role: string}[]} hands
 * @param {number} pair which of the pairs of each row
 */
function clock(drawing, middle, radius, hands, pair) {
  const [x, y] = middle;
  circle(drawing, middle, radius, { fill: "var(--field)", stroke: "var(--line)" });
  for (const { row, role } of hands) {
    const [sine, cosine] = [row[2 * pair], row[2 * pair + 1]];
    segment(drawing, middle, [x + radius * cosine, y - radius * sine], {
      stroke: `var(--${role})`, "stroke-width": 4, "stroke-linecap": "round",
    });
  }
}

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
      title: "Both positions move: what stays?",
      hint:
        "Each pair of numbers is a clock, its dot product below. Guess, then press: does " +
        "the sum of the dot products change?",
      label: "One clock for each pair, and the dot product of two positions",
    });
    const { controls } = this;
    mainButton(controls, "Both a word further", () => {
      this.p = (this.p + 1) % POSITIONS;
      this.moved = true;
    });
    slider(controls, "p", "position p", [0, POSITIONS - 1]);
    slider(controls, "k", "distance k", [0, FARTHEST]);
    const clocks = html(this.panels, "div", { class: "interactive-panels" });
    this.addPanel(clocks, (empty) => this.showClocks(empty));
    plot(this, () => this.curve());
    this.addInside(root);
  }

  /** What takes longer than a minute: other sizes, and the table. @param {HTMLElement} root */
  addInside(root) {
    const { controls, panels } = this;
    const fold = inside(root);
    controls.place = row(fold);
    slider(controls, "dModel", "d_model", [2, 16, 2]);
    slider(controls, "power", "base", [0, 8], (power) => (10 ** power).toLocaleString("en"));
    this.panels = html(fold, "div", { class: "interactive-panels" });
    table(this, () => this.numbers());
    this.addPicture((drawing) => this.drawTable(drawing));
    this.addPicture((drawing) => drawRotation(drawing, this.k));
    this.panels = panels;
  }

  /** @param {unknown} name */
  changed(name) {
    if (name !== undefined) this.moved = name === "p";
    this.found = tableOf(this.dModel, 10 ** this.power);
  }

  tell() {
    const { p, k, found } = this;
    return (
      `The dot product of positions ${p} and ${p + k} is ${fixed(found.dot(p, p + k), 4)}` +
      (this.moved ? `: as before, because the distance is still ${k}.` : ".")
    );
  }

  /** One clock for each pair, in a row that wraps. @param {Element} empty */
  showClocks(empty) {
    const { p, k, found: { rows, products } } = this;
    legend(empty, [["ink", `position ${p}`], ["role-position", `position ${p + k}`]]);
    const hands = [{ row: rows[p + k], role: "role-position" }, { row: rows[p], role: "ink" }];
    const middle = [35, RADIUS + 4];
    products(p, p + k).forEach((product, pair) => {
      const drawing = svg(empty, "svg", { class: "interactive-picture" });
      size(drawing, 2 * middle[0], 2 * RADIUS + 30);
      clock(drawing, middle, RADIUS, hands, pair);
      const look = { ...MIDDLE, class: "number dot" };
      write(drawing, middle[0], 2 * RADIUS + 24, fixed(product), look);
    });
  }

  /** The sine and the cosine of each pair, in the first position. */
  numbers() {
    const row = this.found.rows[this.p];
    const pairs = Array.from({ length: this.dModel / 2 }, (_, pair) => pair);
    const line = (/** @type {string} */ name, /** @type {number} */ i) =>
      [name, ...pairs.map((pair) => fixed(row[2 * pair + i]))];
    return [["pair", ...pairs], line("sin", 0), line("cos", 1)];
  }

  /** The table, with both positions and the one most like the first. @param {SVGElement} drawing */
  drawTable(drawing) {
    const { found: { rows, nearest }, p, k, dModel } = this;
    const side = Math.min(40, 220 / dModel);
    const [width, right] = [side * dModel, LEFT + side * dModel];
    const like = nearest(p);
    write(drawing, 0, 12, "the table, a position a row; −1 blue, 1 orange", { class: "soft" });
    const told = `dashed: most like ${p}, ${fixed(like.distance)} apart`;
    write(drawing, 0, 31, told, { class: "soft nearest" });
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
    frame(like.position, "ink", "3 3");
    frame(p + k, "role-position");
    frame(p, "ink");
    name(p, LEFT - 6, END);
    name(like.position, right + 6, { class: "number like" });
    return [310, TOP + TALL * rows.length + 6];
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
  return [276, 52];
}

export const mount = mounting(Positions);
