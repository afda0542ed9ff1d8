// Chapter 2: the clocks of a position, and its row in the table.

import { fixed, panel, signed, slider, svg } from "../draw.js";
import { sinusoidalEncoding } from "../positions.js";

const POSITIONS = 64; // rows of the table, 0 to 63
const RADIUS = 30;

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

/** @param {HTMLElement} root */
export function mount(root) {
  const state = { position: 44, dModel: 2, power: 4 };
  const { controls, redraw, say } = panel(root, {
    title: "Clock hands and their row in the table",
    hint:
      "Move the position and watch the hands. " +
      "Then give the vector more numbers, and change the base.",
    label: "One clock for each pair, and the table of all positions",
    draw,
  });
  slider(controls, {
    label: "position",
    min: 0,
    max: POSITIONS - 1,
    step: 1,
    value: state.position,
    change: (value) => update({ position: value }),
  });
  slider(controls, {
    label: "d_model",
    min: 2,
    max: 16,
    step: 2,
    value: state.dModel,
    change: (value) => update({ dModel: value }),
  });
  slider(controls, {
    label: "base",
    min: 0,
    max: 8,
    step: 1,
    value: state.power,
    show: (power) => (10 ** power).toLocaleString("en"),
    change: (value) => update({ power: value }),
  });
  update({});

  /** @param {Partial<typeof state>} changed */
  function update(changed) {
    Object.assign(state, changed);
    redraw();
    const { position, dModel } = state;
    const like = tableOf(dModel, 10 ** state.power).nearest(position);
    const verdict =
      like.distance < 0.1 ? "hardly to be told apart" : "clearly another vector";
    say(
      `Position ${position} looks most like position ${like.position}: ` +
        `${fixed(like.distance)} apart, ${verdict}.`,
    );
  }

  /**
   * @param {SVGElement} drawing
   * @param {number} width
   */
  function draw(drawing, width) {
    const table = tableOf(state.dModel, 10 ** state.power);
    const clocks = drawClocks(drawing, table.rows[state.position], width);
    return drawTable(drawing, table, width, clocks + 26);
  }

  /**
   * @param {SVGElement} drawing
   * @param {number[]} row
   * @param {number} width
   */
  function drawClocks(drawing, row, width) {
    const across = Math.min(row.length / 2, 8, Math.floor(width / 78));
    const each = Math.min(width / across, 110);
    const tall = 2 * RADIUS + 50;
    for (let pair = 0; 2 * pair < row.length; pair++) {
      const [sine, cosine] = [row[2 * pair], row[2 * pair + 1]];
      const x = each * ((pair % across) + 0.5);
      const y = tall * Math.floor(pair / across) + RADIUS + 4;
      const circle = { cx: x, cy: y, r: RADIUS, fill: "var(--field)" };
      svg(drawing, "circle", { ...circle, stroke: "var(--line)" });
      svg(drawing, "line", {
        x1: x,
        y1: y,
        x2: x + RADIUS * cosine,
        y2: y - RADIUS * sine,
        stroke: "var(--role-position)",
        "stroke-width": 4,
        "stroke-linecap": "round",
      });
      const middle = { x, "text-anchor": "middle", class: "number" };
      svg(drawing, "text", { ...middle, y: y + RADIUS + 17 }, `sin ${fixed(sine)}`);
      svg(drawing, "text", { ...middle, y: y + RADIUS + 34 }, `cos ${fixed(cosine)}`);
    }
    return tall * Math.ceil(row.length / 2 / across);
  }

  /**
   * @param {SVGElement} drawing
   * @param {ReturnType<typeof tableOf>} table
   * @param {number} width
   * @param {number} top
   */
  function drawTable(drawing, table, width, top) {
    const left = 34;
    const side = Math.min(44, (width - 2 * left) / state.dModel);
    const tall = 5;
    const head = { x: 0, y: top - 10, class: "soft" };
    svg(drawing, "text", head, "the table, a position a row");
    table.rows.forEach((row, position) =>
      row.forEach((value, column) => {
        const [x, y] = [left + side * column, top + tall * position];
        const cell = { x, y, width: side - 1, height: tall };
        svg(drawing, "rect", { ...cell, fill: signed(value) });
      }),
    );
    const like = table.nearest(state.position).position;
    const right = left + side * state.dModel;
    for (const [position, chosen] of /** @type {[number, boolean][]} */ ([
      [like, false],
      [state.position, true],
    ])) {
      const y = top + tall * position;
      svg(drawing, "rect", {
        x: left - 2,
        y: y - 2,
        width: right - left + 3,
        height: tall + 4,
        fill: "none",
        stroke: "var(--ink)",
        "stroke-width": 2,
        "stroke-dasharray": chosen ? undefined : "3 3",
      });
      const beside = chosen
        ? { x: left - 6, "text-anchor": "end" }
        : { x: right + 6, "text-anchor": "start" };
      const text = { ...beside, y: y + 8, class: "number" };
      svg(drawing, "text", text, String(position));
    }
    return top + tall * POSITIONS + 6;
  }
}
