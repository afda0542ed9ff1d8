// Attention as lines between what was read and what was written, and as heat maps.

import {
  circle, END, fixed, MIDDLE, rect, segment, svg, touchable, widthOf, write,
} from "../draw.js";
import { looked, strongest } from "./heads.js";
import { widest } from "./pictures.js";

/**
 * @typedef {import("./heads.js").Attention} Attention
 * @typedef {{ width: number, height: number }} Size
 */

const ROW = 28;
const [GAP, WIDEST_GAP] = [8, 26]; // between the words of a sentence
const TALL = 132; // from one sentence down to the other

/**
 * Where a word stands: its box, the place of its letters and how they stand there, and
 * where its lines end.
 * @typedef {{ box: number[], x: number, look: object, end: number[] }} Spot
 */

/**
 * Two columns: what is looked at on the left, who looks on the right.
 * @param {SVGElement} drawing
 * @param {number} room
 * @param {Attention} attention
 * @param {number} place the row whose lines are strong; −1 for all
 * @param {string[]} titles of the columns
 * @param {number} rows for how many words there is to be room
 * @returns {Size}
 */
export function drawLines(drawing, room, attention, place, titles, rows = 0) {
  const { keys, queries } = attention;
  const width = Math.min(room, 460);
  const left = Math.max(widest([...keys, titles[0]]) + 8, 60);
  const right = width - Math.max(widest([...queries, titles[1]]) + 16, 60);
  write(drawing, left - 8, 16, titles[0], { ...END, class: "soft" });
  write(drawing, right + 8, 16, titles[1], { class: "soft" });
  const middle = (/** @type {number} */ at) => 30 + ROW * (at + 0.5);
  const above = keys.map((_, at) => {
    const end = [left, middle(at)];
    return { box: [0, middle(at) - 13, left, 26], x: left - 8, look: END, end };
  });
  const below = queries.map((_, at) => {
    const [box, end] = [[right, middle(at) - 13, width - right - 1, 26], [right, middle(at)]];
    return { box, x: right + 8, look: {}, end };
  });
  drawPair(drawing, attention, place, above, below, [0, 1]);
  return { width, height: middle(Math.max(keys.length, queries.length, rows)) - 4 };
}

/**
 * Two sentences, one above the other where there is room, and else as columns. They take
 * the same room from the first word to the last.
 * @param {SVGElement} drawing
 * @param {number} room
 * @param {Attention} attention of the words that are written
 * @param {number} place the word whose lines are strong; −1 for all
 * @param {string[]} all words that will be written
 * @returns {Size}
 */
export function drawSentences(drawing, room, attention, place, all) {
  const above = spots(attention.keys, room, 1, 27);
  const below = spots(all, room, TALL, TALL);
  if (!above.length || !below.length) {
    const titles = ["it reads", "it writes"];
    return drawLines(drawing, room, attention, place, titles, all.length);
  }
  drawPair(drawing, attention, place, above, below, [1, 0]);
  return { width: room, height: TALL + 28 };
}

/**
 * Where the words of a sentence stand, side by side; none if there is no room.
 * @param {string[]} words
 * @param {number} room
 * @param {number} top
 * @param {number} edge where lines end
 * @returns {Spot[]}
 */
function spots(words, room, top, edge) {
  const widths = words.map((word) => widthOf(word) + 18);
  const letters = widths.reduce((sum, width) => sum + width, 2);
  const gap = Math.min(WIDEST_GAP, (room - letters) / (words.length - 1));
  if (gap < GAP) return [];
  let left = (room - letters - gap * (words.length - 1)) / 2 + 1;
  return widths.map((width) => {
    const [box, x] = [[left, top, width, 26], left + width / 2];
    left += width + gap;
    return { box, x, look: MIDDLE, end: [x, edge] };
  });
}

/**
 * The lines from who looks to what is looked at, and the words at both ends: those that
 * look can be pressed, those that are looked at are shaded.
 * @param {SVGElement} drawing
 * @param {Attention} attention
 * @param {number} place
 * @param {Spot[]} above of the keys
 * @param {Spot[]} below of the queries
 * @param {number[]} aside which way the lines of several heads part
 */
function drawPair(drawing, attention, place, above, below, aside) {
  const { keys, queries, heads } = attention;
  heads.forEach(({ weights, color }, head) => {
    const far = 3 * (head - (heads.length - 1) / 2); // side by side, not one over all
    forStrong(weights, (weight, query, key) => {
      const strong = place < 0 || query === place;
      const [from, to] = [above[key], below[query]].map(({ end }) =>
        end.map((number, axis) => number + far * aside[axis]),
      );
      segment(drawing, from, to, {
        stroke: `var(--role-${color})`,
        "stroke-width": (1 + 4 * weight).toFixed(1),
        opacity: (weight ** 0.7 * (strong ? 0.95 : 0.25)).toFixed(3),
      });
    });
  });
  const shares = looked(attention, place);
  keys.forEach((key, at) => {
    const { box, x, look } = above[at];
    rect(drawing, box, { rx: 4, fill: tint((shares[at] ?? 0) / 2, "key", "paper") });
    write(drawing, x, box[1] + 18, key, { ...look });
  });
  queries.forEach((query, at) => {
    const { box, x, look } = below[at];
    const most = strongest(attention, at);
    const where = most ? `looked most at ${most.key}, ${fixed(most.weight)}` : "";
    const token = touchable(drawing, `row-${at}`, `${query} ${where}`, at === place);
    const [fill, stroke] =
      at === place ? ["var(--field)", "var(--accent)"] : ["var(--paper)", "none"];
    rect(token, box, { rx: 4, fill, stroke });
    write(token, x, box[1] + 18, query, { ...look });
  });
}

/**
 * Weaker weights are left out of the drawings: of a long sentence more of them, or a page
 * would be busy with thousands of lines that nobody can tell apart.
 * @param {number[][]} weights
 * @param {(weight: number, query: number, key: number) => void} draw
 */
function forStrong(weights, draw) {
  const least = weights.length * (weights[0]?.length ?? 0) > 900 ? 0.15 : 0.03;
  weights.forEach((row, query) =>
    row.forEach((weight, key) => {
      if (weight >= least) draw(weight, query, key);
    }),
  );
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
 * One large heat map with words at its sides, or a small one for each head.
 * @param {SVGElement} drawing
 * @param {number} room
 * @param {Attention} attention
 * @param {number} place the row that is framed; −1 for none
 * @returns {Size}
 */
export function drawHeat(drawing, room, attention, place) {
  const { keys, queries, heads } = attention;
  if (heads.length !== 1) return drawSmall(drawing, room, attention, place);
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
function drawSmall(drawing, room, { keys, queries, heads }, place) {
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
  const [rows, cols] = [weights.length, weights[0]?.length ?? 0];
  const ground = { fill: "var(--field)", stroke: "var(--line)" };
  rect(parent, [left, top, side * cols, side * rows], ground);
  forStrong(weights, (weight, query, key) => {
    const [x, y] = [left + side * key + 0.5, top + side * query + 0.5];
    const fill = tint(weight, color, "field");
    const cell = rect(parent, [x, y, side - 1, side - 1], { fill });
    svg(cell, "title", {}, fixed(weight));
  });
  if (place < 0 || place >= rows) return;
  const frame = { fill: "none", stroke: "var(--accent)", "stroke-width": 2 };
  rect(parent, [left, top + side * place, side * cols, side], frame);
}
