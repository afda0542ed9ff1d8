// Attention as lines between two columns of tokens, and as heat maps.

import { circle, END, fixed, rect, segment, svg, touchable, write } from "../draw.js";
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
  const { keys, queries } = attention;
  const width = Math.min(room, 460);
  const left = Math.max(widest([...keys, titles[0]]) + 8, 60);
  const right = width - Math.max(widest([...queries, titles[1]]) + 16, 60);
  write(drawing, left - 8, 16, titles[0], { ...END, class: "soft" });
  write(drawing, right + 8, 16, titles[1], { class: "soft" });
  drawWeights(drawing, left, right, attention, place);
  keys.forEach((key, at) => {
    const looked = place < 0 ? 0 : mean(attention, place, at);
    const fill = tint(looked / 2, "key", "paper");
    rect(drawing, [0, middle(at) - 13, left, 26], { rx: 4, fill });
    write(drawing, left - 8, middle(at) + 5, key, END);
  });
  queries.forEach((query, at) => {
    const most = strongest(attention, at);
    const looked = most ? `looked most at ${most.key}, ${fixed(most.weight)}` : "";
    const token = touchable(drawing, `row-${at}`, `${query} ${looked}`, at === place);
    const [fill, stroke] =
      at === place ? ["var(--field)", "var(--accent)"] : ["var(--paper)", "none"];
    const box = [right, middle(at) - 13, width - right - 1, 26];
    rect(token, box, { rx: 4, fill, stroke });
    write(token, right + 8, middle(at) + 5, query);
  });
  return { width, height: middle(Math.max(keys.length, queries.length)) - 4 };
}

/** How far down a row has its middle. @param {number} at */
function middle(at) {
  return 30 + ROW * (at + 0.5);
}

/**
 * The lines between the columns.
 * @param {SVGElement} drawing
 * @param {number} left
 * @param {number} right
 * @param {Attention} attention
 * @param {number} place
 */
function drawWeights(drawing, left, right, { heads }, place) {
  heads.forEach(({ weights, color }, head) => {
    const aside = 3 * (head - (heads.length - 1) / 2); // side by side, not one over all
    weights.toRows().forEach((row, query) =>
      row.forEach((weight, key) => {
        if (weight < FAINT) return;
        const strong = place < 0 || query === place;
        segment(drawing, [left, middle(key) + aside], [right, middle(query) + aside], {
          stroke: `var(--role-${color})`,
          "stroke-width": (1 + 4 * weight).toFixed(1),
          opacity: (weight ** 0.7 * (strong ? 0.95 : 0.25)).toFixed(3),
        });
      }),
    );
  });
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
  queries.forEach((query, at) => {
    const y = top + side * (at + 0.5) + 5;
    write(drawing, left - 8, y, query, { ...END, "data-key": `row-${at}` });
  });
  keys.forEach((key, column) => {
    const [x, y] = [left + side * (column + 0.5) + 4, top - 6];
    write(drawing, x, y, key, { transform: `rotate(-48 ${x} ${y})` });
  });
  drawTable(drawing, heads[0], [left, top], side, place);
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
    const map = touchable(drawing, `head-${number}`, `${head.name}: show it alone`);
    rect(map, [x, y, wide, tall - 8], { fill: "transparent" }); // a ground to press on
    circle(map, [x + 6, y + 15], 6, { fill: `var(--role-${head.color})` });
    write(map, x + 18, y + 20, head.name);
    drawTable(map, head, [x, y + 28], side, place);
  });
  return { width: room, height: tall * Math.ceil(heads.length / count) };
}

/**
 * @param {SVGElement} parent
 * @param {import("./heads.js").Head} head
 * @param {number[]} corner
 * @param {number} side of a cell
 * @param {number} place
 */
function drawTable(parent, { weights, color }, [left, top], side, place) {
  const { rows, cols } = weights;
  const ground = { fill: "var(--field)", stroke: "var(--line)" };
  rect(parent, [left, top, side * cols, side * rows], ground);
  weights.toRows().forEach((row, query) =>
    row.forEach((weight, key) => {
      if (weight < FAINT) return;
      const [x, y] = [left + side * key + 0.5, top + side * query + 0.5];
      const fill = tint(weight, color, "field");
      const cell = rect(parent, [x, y, side - 1, side - 1], { fill });
      svg(cell, "title", {}, fixed(weight));
    }),
  );
  if (place < 0 || place >= rows) return;
  const frame = { fill: "none", stroke: "var(--accent)", "stroke-width": 2 };
  rect(parent, [left, top + side * place, side * cols, side], frame);
}
