// Chapter 2: the clocks of a position, and its row in the table.

import { clock } from "../clock.js";
import { slider } from "../controls.js";
import { END, fixed, MIDDLE, rect, signed, write } from "../draw.js";
import { Figure, mounting } from "../frame.js";
import { sinusoidalEncoding } from "../positions.js";

const POSITIONS = 64; // rows of the table, 0 to 63
const RADIUS = 30;
const LEFT = 34; // of the table
const TALL = 5; // a row of it

/**
 * The table, and for each position the one that looks most like it.
 * @param {number} dModel
 * @param {number} base
 */
export function tableOf(dModel, base) {
  const rows = sinusoidalEncoding(POSITIONS, dModel, base).toRows();
  const apart = (/** @type {number[]} */ a, /** @type {number[]} */ b) =>
    Math.hypot(...a.map((value, column) => value - b[column]));
  const nearest = (/** @type {number} */ position) => {
    const distances = rows.map((row) => apart(row, rows[position]));
    distances[position] = Infinity;
    const distance = Math.min(...distances);
    return { position: distances.indexOf(distance), distance };
  };
  return { rows, nearest };
}

class Positions extends Figure {
  position = 44;
  dModel = 2;
  power = 4;

  /** @param {HTMLElement} root */
  constructor(root) {
    super(root, {
      title: "Clock hands and their row in the table",
      hint:
        "Move the position and watch the hands. " +
        "Then give the vector more numbers, and change the base.",
      label: "One clock for each pair, and the table of all positions",
    });
    slider(this.controls, "position", "position", [0, POSITIONS - 1]);
    slider(this.controls, "dModel", "d_model", [2, 16, 2]);
    slider(this.controls, "power", "base", [0, 8], (power) =>
      (10 ** power).toLocaleString("en"),
    );
  }

  get table() {
    return tableOf(this.dModel, 10 ** this.power);
  }

  tell() {
    const like = this.table.nearest(this.position);
    const verdict =
      like.distance < 0.1 ? "hardly to be told apart" : "clearly another vector";
    return (
      `Position ${this.position} looks most like position ${like.position}: ` +
      `${fixed(like.distance)} apart, ${verdict}.`
    );
  }

  /** @param {SVGElement} drawing @param {number} width */
  draw(drawing, width) {
    const row = this.table.rows[this.position];
    return this.drawTable(drawing, width, drawClocks(drawing, row, width) + 26);
  }

  /** @param {SVGElement} drawing @param {number} width @param {number} top */
  drawTable(drawing, width, top) {
    const { table, position, dModel } = this;
    const side = Math.min(44, (width - 2 * LEFT) / dModel);
    write(drawing, 0, top - 10, "the table, a position a row", { class: "soft" });
    table.rows.forEach((row, at) =>
      row.forEach((value, column) => {
        const box = [LEFT + side * column, top + TALL * at, side - 1, TALL];
        rect(drawing, box, { fill: signed(value) });
      }),
    );
    const right = LEFT + side * dModel;
    const look = { fill: "none", stroke: "var(--ink)", "stroke-width": 2 };
    const frame = (/** @type {number} */ at, /** @type {string} */ dashes) =>
      rect(drawing, [LEFT - 2, top + TALL * at - 2, right - LEFT + 3, TALL + 4], {
        ...look, "stroke-dasharray": dashes || undefined,
      });
    const name = (/** @type {number} */ at, /** @type {number} */ x, look = {}) =>
      write(drawing, x, top + TALL * at + 8, at, { class: "number", ...look });
    const like = table.nearest(position).position;
    frame(like, "3 3");
    name(like, right + 6);
    frame(position, "");
    name(position, LEFT - 6, END);
    return top + TALL * POSITIONS + 6;
  }
}

/** @param {SVGElement} drawing @param {number[]} row @param {number} width */
function drawClocks(drawing, row, width) {
  const across = Math.min(row.length / 2, 8, Math.floor(width / 78));
  const each = Math.min(width / across, 110);
  const tall = 2 * RADIUS + 50;
  for (let pair = 0; 2 * pair < row.length; pair++) {
    const x = each * ((pair % across) + 0.5);
    const y = tall * Math.floor(pair / across) + RADIUS + 4;
    clock(drawing, [x, y], RADIUS, [{ row, role: "role-position" }], pair);
    const look = { ...MIDDLE, class: "number" };
    write(drawing, x, y + RADIUS + 17, `sin ${fixed(row[2 * pair])}`, look);
    write(drawing, x, y + RADIUS + 34, `cos ${fixed(row[2 * pair + 1])}`, look);
  }
  return tall * Math.ceil(row.length / 2 / across);
}

export const mount = mounting(Positions);
