// Attention as lines between two columns of tokens, and as heat maps.

import { fixed, svg } from "../draw.js";
import { strongest } from "./heads.js";
import { widest } from "./pictures.js";

/**
 * @typedef {import("./heads.js").Attention} Attention
 * @typedef {{ width: number, height: number }} Size
 */

const ROW = 28;
const FAINT = 0.03; // weaker weights are left out of the drawings

/**
 * Two columns: what is looked at on the left, who looks on the right.
 * @param {SVGElement} drawing
 * @param {number} room
 * @param {Attention} attention
 * @param {number} place the row whose lines are strong; −1 for all
 * @param {[string, string]} titles of the columns
 * @returns {Size}
 */
export function drawLines(drawing, room, attention, place, titles) {
  const { keys, queries, heads } = attention;
  const width = Math.min(room, 460);
  const left = Math.max(widest([...keys, titles[0]]) + 8, 60);
  const right = width - Math.max(widest([...queries, titles[1]]) + 16, 60);
  const middle = (/** @type {number} */ row) => 30 + ROW * (row + 0.5);
  svg(drawing, "text", { x: left - 8, y: 16, class: "soft", "text-anchor": "end" }, titles[0]);
  svg(drawing, "text", { x: right + 8, y: 16, class: "soft" }, titles[1]);
  heads.forEach(({ weights, color }, head) => {
    const aside = 3 * (head - (heads.length - 1) / 2); // side by side, not one over all
    weights.toRows().forEach((row, query) =>
      row.forEach((weight, key) => {
        if (weight < FAINT) return;
        const strong = place < 0 || query === place;
        svg(drawing, "line", {
          x1: left,
          y1: middle(key) + aside,
          x2: right,
          y2: middle(query) + aside,
          stroke: `var(--role-${color})`,
          "stroke-width": (1 + 4 * weight).toFixed(1),
          opacity: (weight ** 0.7 * (strong ? 0.95 : 0.25)).toFixed(3),
        });
      }),
    );
  });
  keys.forEach((key, row) => {
    const looked = place < 0 ? 0 : mean(attention, place, row);
    svg(drawing, "rect", {
      x: 0, y: middle(row) - 13, width: left, height: 26, rx: 4, fill: tint(looked / 2, "key", "paper"),
    });
    const y = middle(row) + 5;
    svg(drawing, "text", { x: left - 8, y, "text-anchor": "end" }, key);
  });
  queries.forEach((query, row) => {
    const most = strongest(attention, row);
    const at = most ? `looked most at ${most.key}, ${fixed(most.weight)}` : "";
    const token = svg(drawing, "g", {
      key: `row-${row}`,
      role: "button",
      "aria-pressed": String(row === place),
      "aria-label": `${query} ${at}`,
    });
    const box = { x: right, y: middle(row) - 13, width: width - right - 1, height: 26, rx: 4 };
    const [fill, stroke] = row === place ? ["var(--field)", "var(--accent)"] : ["var(--paper)", "none"];
    svg(token, "rect", { ...box, fill, stroke });
    svg(token, "text", { x: right + 8, y: middle(row) + 5 }, query);
  });
  const rows = Math.max(keys.length, queries.length);
  return { width, height: middle(rows) - 4 };
}

/**
 * The color of a weight between 0 and 1, from that of the ground to that of a role.
 * @param {number} weight
 * @param {string} role
 * @param {string} ground
 */
function tint(weight, role, ground) {
  const share = (100 * weight).toFixed(1);
  return `color-mix(in srgb, var(--role-${role}) ${share}%, var(--${ground}))`;
}

/**
 * @param {Attention} attention
 * @param {number} query
 * @param {number} key
 */
function mean({ heads }, query, key) {
  if (!heads.length || query >= heads[0].weights.rows) return 0;
  const sum = heads.reduce((all, { weights }) => all + weights.row(query)[key], 0);
  return sum / heads.length;
}

/**
 * One large heat map with words at its sides, or a small one for each head.
 * @param {SVGElement} drawing
 * @param {number} room
 * @param {Attention} attention
 * @param {number} place the row that is framed; −1 for none
 * @returns {Size}
 */
export function drawHeat(drawing, room, attention, place) {
  return attention.heads.length === 1
    ? drawLarge(drawing, room, attention, place)
    : drawSmall(drawing, room, attention, place);
}

/** @type {typeof drawHeat} */
function drawLarge(drawing, room, attention, place) {
  const { keys, queries, heads } = attention;
  const left = widest(queries) + 10;
  const top = 0.75 * widest(keys) + 22;
  const side = Math.min(32, Math.max(18, (room - left - 30) / Math.max(1, keys.length)));
  queries.forEach((query, row) => {
    const y = top + side * (row + 0.5) + 5;
    const attributes = { x: left - 8, y, "text-anchor": "end", "data-key": `row-${row}` };
    svg(drawing, "text", attributes, query);
  });
  keys.forEach((key, column) => {
    const [x, y] = [left + side * (column + 0.5) + 4, top - 6];
    svg(drawing, "text", { x, y, transform: `rotate(-48 ${x} ${y})` }, key);
  });
  drawTable(drawing, heads[0], left, top, side, place);
  const tail = 0.67 * widest(keys.slice(-1)); // the last word leans over the edge
  return {
    width: left + side * keys.length + Math.max(4, tail - side / 2 + 8),
    height: top + side * queries.length + 4,
  };
}

/** @type {typeof drawHeat} */
function drawSmall(drawing, room, attention, place) {
  const { keys, queries, heads } = attention;
  const count = Math.max(1, Math.min(heads.length, Math.floor(room / 150)));
  const wide = (room - 16 * (count - 1)) / count;
  const side = Math.min(20, wide / Math.max(1, keys.length));
  const tall = side * queries.length + 38;
  heads.forEach((head, number) => {
    const x = (number % count) * (wide + 16);
    const y = Math.floor(number / count) * tall;
    const map = svg(drawing, "g", {
      key: `head-${number}`, role: "button", "aria-label": `${head.name}: show it alone`,
    });
    // A ground to press on.
    const ground = { x, y, width: wide, height: tall - 8, fill: "transparent" };
    svg(map, "rect", ground);
    svg(map, "circle", { cx: x + 6, cy: y + 15, r: 6, fill: `var(--role-${head.color})` });
    svg(map, "text", { x: x + 18, y: y + 20 }, head.name);
    drawTable(map, head, x, y + 28, side, place);
  });
  return { width: room, height: tall * Math.ceil(heads.length / count) };
}

/**
 * @param {SVGElement} parent
 * @param {import("./heads.js").Head} head
 * @param {number} left
 * @param {number} top
 * @param {number} side of a cell
 * @param {number} place
 */
function drawTable(parent, { weights, color }, left, top, side, place) {
  const { rows, cols } = weights;
  svg(parent, "rect", {
    x: left, y: top, width: side * cols, height: side * rows,
    fill: "var(--field)", stroke: "var(--line)",
  });
  weights.toRows().forEach((row, query) =>
    row.forEach((weight, key) => {
      if (weight < FAINT) return;
      const cell = svg(parent, "rect", {
        x: left + side * key + 0.5,
        y: top + side * query + 0.5,
        width: side - 1,
        height: side - 1,
        fill: tint(weight, color, "field"),
      });
      svg(cell, "title", {}, fixed(weight));
    }),
  );
  if (place < 0 || place >= rows) return;
  svg(parent, "rect", {
    x: left, y: top + side * place, width: side * cols, height: side,
    fill: "none", stroke: "var(--accent)", "stroke-width": 2,
  });
}
