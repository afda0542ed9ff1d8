// Chapter 2: the clocks of two positions, their rows in the table, their dot product.

import { inside, legend, mainButton, row, slider } from "../controls.js";
import { circle, fixed, html, rect, segment, signed, size, svg, write } from "../draw.js";
import { mounting, Panels, plot, table } from "../panels.js";
import { sinusoidalEncoding } from "../positions.js";

const POSITIONS = 64; // that p can be
const FARTHEST = 20; // words between the two positions
const RADIUS = 30;
const TALL = 4; // a row of the table
const [LEFT, TOP] = [34, 46]; // of the table

/**
 * The table, dot products of its rows, and for each position the one most like it.
 * @param {number} dModel
 * @param {number} base
 */
export function tableOf(dModel, base) {
  const rows = sinusoidalEncoding(POSITIONS + FARTHEST, dModel, base).toRows();
  const pairsOf = (/** @type {number} */ p) =>
    Array.from({ length: dModel / 2 }, (_, pair) => rows[p].slice(2 * pair, 2 * pair + 2));
  const products = (/** @type {number} */ p, /** @type {number} */ q) => {
    const others = pairsOf(q);
    return pairsOf(p).map(([sine, cosine], at) => sine * others[at][0] + cosine * others[at][1]);
  };
  const dot = (/** @type {number} */ p, /** @type {number} */ q) =>
    products(p, q).reduce((sum, product) => sum + product, 0);
  const nearest = (/** @type {number} */ p) => {
    const distances = rows.map((row) => Math.hypot(...row.map((n, i) => n - rows[p][i])));
    distances[p] = Infinity;
    const distance = Math.min(...distances);
    return { position: distances.indexOf(distance), distance };
  };
  return { rows, pairsOf, products, dot, nearest };
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

  /**
   * One clock for each pair of numbers, in a row that wraps; a hand points to (cosine,
   * sine).
   * @param {Element} empty
   */
  showClocks(empty) {
    const { p, k, found: { pairsOf, products } } = this;
    legend(empty, [["ink", `position ${p}`], ["role-position", `position ${p + k}`]]);
    const middle = [35, RADIUS + 4];
    const [first, second] = [pairsOf(p), pairsOf(p + k)];
    products(p, p + k).forEach((product, pair) => {
      const drawing = svg(empty, "svg", { class: "interactive-picture" });
      size(drawing, 2 * middle[0], 2 * RADIUS + 30);
      circle(drawing, middle, RADIUS, "field");
      /** @param {number[]} pair @param {string} color */
      const hand = ([sine, cosine], color) => {
        const tip = [middle[0] + RADIUS * cosine, middle[1] - RADIUS * sine];
        segment(drawing, middle, tip, { class: "hand", stroke: `var(--${color})` });
      };
      hand(second[pair], "role-position");
      hand(first[pair], "ink");
      write(drawing, middle[0], 2 * RADIUS + 24, fixed(product), "number middle dot");
    });
  }

  /** The sine and the cosine of each pair, in the first position. */
  numbers() {
    const pairs = this.found.pairsOf(this.p);
    const line = (/** @type {string} */ name, /** @type {number} */ i) =>
      [name, ...pairs.map((pair) => fixed(pair[i]))];
    return [["pair", ...pairs.keys()], line("sin", 0), line("cos", 1)];
  }

  /** The table, with both positions and the one most like the first. @param {SVGElement} drawing */
  drawTable(drawing) {
    const { found: { rows, nearest }, p, k, dModel } = this;
    const side = Math.min(40, 220 / dModel);
    const width = side * dModel;
    const like = nearest(p);
    write(drawing, 0, 12, "the table, a position a row; −1 blue, 1 orange", "soft");
    const told = `dashed: most like ${p}, ${fixed(like.distance)} apart`;
    write(drawing, 0, 31, told, "soft nearest");
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
    const middle = (/** @type {number} */ at) => TOP + TALL * at + 8;
    frame(like.position, "ink", "3 3");
    frame(p + k, "role-position");
    frame(p, "ink");
    write(drawing, LEFT - 6, middle(p), p, "number end");
    write(drawing, LEFT + width + 6, middle(like.position), like.position, "number like");
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
      write(drawing, 160 + 62 * column, 16 + 20 * at, fixed(value, 3), "number end turn");
    }),
  );
  svg(drawing, "path", { class: "way", d: "M106 0h-5v42h5M226 0h5v42h-5" });
  return [276, 52];
}

export const mount = mounting(Positions);
