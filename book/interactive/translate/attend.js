// Attention as lines between what was read and what was written, and as heat maps.

import {
  circle, END, fixed, MIDDLE, rect, segment, svg, touchable, widthOf, write,
} from "../draw.js";
import { looked, strongest } from "./heads.js";
import { widest } from "./pictures.js";

/**
 * @typedef {import("../arrays.js").Matrix} Matrix
 * @typedef {import("./heads.js").Attention} Attention
 * @typedef {{ width: number, height: number }} Size
 */

const ROW = 28;
const [GAP, WIDEST_GAP] = [8, 26]; // between the words of a sentence
const TALL = 132; // from one sentence down to the other

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
  drawWeights(drawing, attention, place, (key, query, aside) => [
    [left, middle(key) + aside], [right, middle(query) + aside],
  ]);
  keys.forEach((_, at) => {
    const box = [0, middle(at) - 13, left, 26];
    drawKey(drawing, attention, place, at, box, [left - 8, END]);
  });
  queries.forEach((_, at) => {
    const box = [right, middle(at) - 13, width - right - 1, 26];
    drawQuery(drawing, attention, place, at, box, [right + 8, {}]);
  });
  return { width, height: columnHeight(Math.max(keys.length, queries.length)) };
}

/** How far down a row has its middle. @param {number} at */
function middle(at) {
  return 30 + ROW * (at + 0.5);
}

/** How tall a column of so many rows is. @param {number} rows */
function columnHeight(rows) {
  return middle(rows) - 4;
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
  const { keys, queries } = attention;
  const [above, below] = [boxes(keys, 1, room), boxes(all, TALL, room)];
  if (!above.length || !below.length) {
    const { width } = drawLines(drawing, room, attention, place, ["it reads", "it writes"]);
    return { width, height: columnHeight(Math.max(keys.length, all.length)) };
  }
  const center = (/** @type {number[]} */ [x, , width]) => x + width / 2;
  drawWeights(drawing, attention, place, (key, query, aside) => [
    [center(above[key]) + aside, 27], [center(below[query]) + aside, TALL],
  ]);
  keys.forEach((_, at) => {
    drawKey(drawing, attention, place, at, above[at], [center(above[at]), MIDDLE]);
  });
  queries.forEach((_, at) => {
    drawQuery(drawing, attention, place, at, below[at], [center(below[at]), MIDDLE]);
  });
  return { width: room, height: TALL + 28 };
}

/**
 * Where the words of a sentence stand, side by side; none if there is no room.
 * @param {string[]} words
 * @param {number} top
 * @param {number} room
 * @returns {number[][]}
 */
function boxes(words, top, room) {
  const widths = words.map((word) => widthOf(word) + 18);
  const letters = widths.reduce((sum, width) => sum + width, 2);
  const gap = Math.min(WIDEST_GAP, (room - letters) / (words.length - 1));
  if (gap < GAP) return [];
  let x = (room - letters - gap * (words.length - 1)) / 2 + 1;
  return widths.map((width) => [(x += width + gap) - width - gap, top, width, 26]);
}

/**
 * What is looked at, and how much.
 * @param {SVGElement} drawing
 * @param {Attention} attention
 * @param {number} place
 * @param {number} at
 * @param {number[]} box
 * @param {[number, import("../draw.js").Attributes]} letters where they stand, and how
 */
function drawKey(drawing, attention, place, at, box, [x, look]) {
  const share = looked(attention, place)[at] ?? 0;
  rect(drawing, box, { rx: 4, fill: tint(share / 2, "key", "paper") });
  write(drawing, x, box[1] + 18, attention.keys[at], look);
}

/** Who looks; it can be pressed. @type {typeof drawKey} */
function drawQuery(drawing, attention, place, at, box, [x, look]) {
  const query = attention.queries[at];
  const most = strongest(attention, at);
  const where = most ? `looked most at ${most.key}, ${fixed(most.weight)}` : "";
  const token = touchable(drawing, `row-${at}`, `${query} ${where}`, at === place);
  const [fill, stroke] =
    at === place ? ["var(--field)", "var(--accent)"] : ["var(--paper)", "none"];
  rect(token, box, { rx: 4, fill, stroke });
  write(token, x, box[1] + 18, query, look);
}

/**
 * The lines from who looks to what is looked at.
 * @param {SVGElement} drawing
 * @param {Attention} attention
 * @param {number} place
 * @param {(key: number, query: number, aside: number) => number[][]} ends of a line
 */
function drawWeights(drawing, { heads }, place, ends) {
  heads.forEach(({ weights, color }, head) => {
    const aside = 3 * (head - (heads.length - 1) / 2); // side by side, not one over all
    forStrong(weights, (weight, query, key) => {
      const strong = place < 0 || query === place;
      const [from, to] = ends(key, query, aside);
      segment(drawing, from, to, {
        stroke: `var(--role-${color})`,
        "stroke-width": (1 + 4 * weight).toFixed(1),
        opacity: (weight ** 0.7 * (strong ? 0.95 : 0.25)).toFixed(3),
      });
    });
  });
}

/**
 * Weaker weights are left out of the drawings: of a long sentence more of them, or a page
 * would be busy with thousands of lines that nobody can tell apart.
 * @param {Matrix} weights
 * @param {(weight: number, query: number, key: number) => void} draw
 */
function forStrong(weights, draw) {
  const { rows, cols, data } = weights;
  const least = rows * cols > 900 ? 0.15 : 0.03;
  data.forEach((weight, at) => {
    if (weight >= least) draw(weight, Math.floor(at / cols), at % cols);
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
