// Chapter 3: a query dragged among three keys: scores, weights, and the mix of values.

import { Matrix, timesTransposed } from "../arrays.js";
import { scaledDotProductAttention } from "../attention.js";
import { button, fixed, onDrag, panel, shade, slider, svg } from "../draw.js";

const WORDS = ["dog", "bites", "man"];
const QUERY = [1, 1];
const KEYS = [[1, 2], [-1, 0], [1, 0]];
const VALUES = [[3, 0], [-1, -1], [0, 3]];
const REACH = 3; // how far the plane of queries and keys goes, each way

/** @typedef {number[]} Vector two numbers */
/**
 * A square of the drawing, in pixels, and the numbers at its edges.
 * @typedef {{left: number, top: number, side: number, from: number, to: number}} Plane
 */

/**
 * One query's way through attention, with a temperature in place of √d_k.
 * @param {Vector} query
 * @param {Vector[]} keys
 * @param {number} temperature
 * @returns {{scores: number[], weights: number[], output: Vector}}
 */
export function lookUp(query, keys, temperature) {
  const [q, k, v] = [[query], keys, VALUES].map((rows) => Matrix.fromRows(rows));
  const { output, weights } = scaledDotProductAttention(q, k, v, null, temperature);
  const scores = timesTransposed(q, k);
  return {
    scores: scores.toRows()[0],
    weights: weights.toRows()[0],
    output: output.toRows()[0],
  };
}

/**
 * A vector that was stretched, as long as the plane allows.
 * @param {Vector} vector
 * @param {number} times
 * @returns {Vector}
 */
export function stretched(vector, times) {
  const longest = Math.max(...vector.map((number) => Math.abs(number * times)));
  const share = Math.min(1, REACH / (longest || 1));
  return vector.map((number) => number * times * share);
}

/** @param {number} number @returns {number} kept within the plane, in tenths */
function kept(number) {
  return Math.round(10 * Math.min(REACH, Math.max(-REACH, number))) / 10;
}

/** @param {Vector} vector @param {number} digits @returns {string} */
function shown(vector, digits) {
  return `(${vector.map((number) => fixed(number, digits)).join(", ")})`;
}

/** @param {HTMLElement} root */
export function mount(root) {
  let query = QUERY;
  let keys = KEYS;
  let temperature = Math.SQRT2;
  /** @type {Plane} */
  let plane = { left: 0, top: 0, side: 1, from: -REACH, to: REACH };
  const { controls, picture, redraw, say } = panel(root, {
    title: "Drag the query among the keys",
    hint: "Drag the tip of an arrow, or choose it with Tab and use the arrow keys.",
    label: "The query of bites, three keys, their weights, and the mix of the values",
    draw,
  });
  const warmth = slider(controls, {
    label: "temperature τ",
    min: -2,
    max: 4,
    step: 0.25,
    value: 0.5,
    show: (power) => fixed(2 ** power) + (power === 0.5 ? " = √d_k" : ""),
    change: (power) => {
      temperature = 2 ** power;
      update();
    },
  });
  for (const [label, times] of /** @type {[string, number][]} */ ([
    ["twice as long", 2],
    ["half as long", 0.5],
    ["turned round", -1],
    ["zero", 0],
  ])) {
    button(controls, label, () => {
      query = stretched(query, times);
      update();
    });
  }
  button(controls, "as in the text", () => {
    query = QUERY;
    keys = KEYS;
    temperature = Math.SQRT2;
    warmth.set(0.5);
    update();
  });
  onDrag(
    picture,
    (key, x, y) => {
      const across = (x - plane.left) / plane.side;
      const up = 1 - (y - plane.top) / plane.side;
      const span = plane.to - plane.from;
      move(key, [plane.from + span * across, plane.from + span * up]);
    },
    (key, right, down) => {
      const [x, y] = key === "query" ? query : keys[Number(key)];
      move(key, [x + 0.2 * right, y - 0.2 * down]);
    },
  );
  update();

  /** @param {string} key @param {Vector} to */
  function move(key, to) {
    const at = to.map(kept);
    if (key === "query") query = at;
    else keys = keys.map((old, word) => (word === Number(key) ? at : old));
    update();
  }

  function update() {
    redraw();
    const { scores, weights, output } = lookUp(query, keys, temperature);
    const told = WORDS.map((word, at) => `${word} ${fixed(weights[at])}`).join(", ");
    say(
      `The query ${shown(query, 1)} scores ` +
        `${scores.map((score) => fixed(score)).join(", ")}. ` +
        `At τ = ${fixed(temperature)} its weights are ${told}; ` +
        `the output is ${shown(output, 2)}.`,
    );
  }

  /** @param {SVGElement} drawing @param {number} width */
  function draw(drawing, width) {
    const wide = width >= 560;
    const side = wide ? Math.min(300, width / 2 - 20) : Math.min(width, 260);
    const margin = wide ? (width / 2 - side) / 2 : (width - side) / 2;
    const found = lookUp(query, keys, temperature);
    plane = { left: margin, top: 24, side, from: -REACH, to: REACH };
    drawKeys(drawing, plane, query, keys);
    const below = 24 + side + 14;
    const left = wide ? width / 2 + margin : margin;
    if (!wide) drawWeights(drawing, below, width, found);
    const top = wide ? 24 : below + 118 + 24;
    drawMix(drawing, { left, top, side, from: -1.6, to: 3.6 }, found);
    if (wide) drawWeights(drawing, below, width, found);
    return wide ? below + 112 : top + side + 4;
  }
}

/** @param {Plane} plane @param {Vector} vector @returns {Vector} its pixels */
function placed(plane, [x, y]) {
  const pixels = plane.side / (plane.to - plane.from);
  const right = plane.left + (x - plane.from) * pixels;
  return [right, plane.top + plane.side - (y - plane.from) * pixels];
}

/** @param {SVGElement} drawing @param {Plane} plane @param {string} title */
function drawPlane(drawing, plane, title) {
  const { left, top, side } = plane;
  const area = { x: left, y: top, width: side, height: side };
  svg(drawing, "text", { x: left, y: top - 8 }, title);
  svg(drawing, "rect", { ...area, fill: "var(--field)", stroke: "var(--line)" });
  const [x0, y0] = placed(plane, [0, 0]);
  const axis = { stroke: "var(--line)", "stroke-dasharray": "3 3" };
  svg(drawing, "line", { x1: left, x2: left + side, y1: y0, y2: y0, ...axis });
  svg(drawing, "line", { x1: x0, x2: x0, y1: top, y2: top + side, ...axis });
}

/**
 * @param {SVGElement} drawing @param {Plane} plane @param {Vector} query
 * @param {Vector[]} keys
 */
function drawKeys(drawing, plane, query, keys) {
  drawPlane(drawing, plane, "one query, three keys");
  keys.forEach((key, word) => {
    const name = WORDS[word];
    drawArrow(drawing, plane, { name, at: key, role: "key", key: String(word) });
  });
  drawArrow(drawing, plane, { name: "query", at: query, role: "query", key: "query" });
}

/**
 * An arrow from zero whose tip can be dragged.
 * @param {SVGElement} drawing @param {Plane} plane
 * @param {{name: string, at: Vector, role: string, key: string}} arrow
 */
function drawArrow(drawing, plane, { name, at, role, key }) {
  const [x1, y1] = placed(plane, [0, 0]);
  const [x2, y2] = placed(plane, at);
  const stroke = `var(--role-${role})`;
  svg(drawing, "line", { x1, y1, x2, y2, stroke, "stroke-width": 3 });
  const label = role === "query" ? "the query of bites" : `the key of ${name}`;
  const tip = svg(drawing, "g", {
    key,
    "data-drag": "",
    role: "button",
    "aria-label": `${label}, at ${shown(at, 1)}`,
  });
  svg(tip, "circle", { cx: x2, cy: y2, r: 16, fill: "transparent" });
  svg(tip, "circle", { cx: x2, cy: y2, r: 7, fill: stroke, stroke: "var(--ink)" });
  // Beyond the tip, where the arrow is not, unless the plane ends there.
  const room = (x2 - plane.left) / plane.side;
  const right = (at[0] >= 0 && room < 0.8) || room < 0.2;
  const side = right ? { x: x2 + 12 } : { x: x2 - 12, "text-anchor": "end" };
  svg(drawing, "text", { ...side, y: y2 + 5 }, name);
}

/**
 * @param {SVGElement} drawing @param {number} top @param {number} width
 * @param {{scores: number[], weights: number[]}} found
 */
function drawWeights(drawing, top, width, { scores, weights }) {
  const from = 122;
  const room = width - from - 48;
  svg(drawing, "text", { x: 112, y: top + 12, "text-anchor": "end" }, "score");
  svg(drawing, "text", { x: from, y: top + 12 }, "weight");
  WORDS.forEach((word, at) => {
    const y = top + 38 + 28 * at;
    const number = { class: "number", "text-anchor": "end", y };
    svg(drawing, "text", { x: 4, y }, word);
    svg(drawing, "text", { ...number, x: 112 }, fixed(scores[at]));
    const bar = { x: from, y: y - 15, height: 20, stroke: "var(--line)" };
    svg(drawing, "rect", { ...bar, width: room, fill: "none" });
    svg(drawing, "rect", { ...bar, width: room * weights[at], fill: shade(1) });
    svg(drawing, "text", { ...number, x: width - 4 }, fixed(weights[at]));
  });
}

/**
 * The values, and the output that lies between them.
 * @param {SVGElement} drawing @param {Plane} plane
 * @param {{weights: number[], output: Vector}} found
 */
function drawMix(drawing, plane, { weights, output }) {
  drawPlane(drawing, plane, "three values; the ring is the output");
  const corners = VALUES.map((value) => placed(plane, value));
  const [x, y] = placed(plane, output);
  svg(drawing, "polygon", {
    points: corners.map((corner) => corner.join(",")).join(" "),
    fill: shade(0.25, "value"),
    stroke: "var(--role-value)",
  });
  corners.forEach(([x1, y1], word) => {
    const thick = 1 + 7 * weights[word];
    const line = { x1, y1, x2: x, y2: y, "stroke-width": thick };
    svg(drawing, "line", { ...line, stroke: "var(--role-weight)" });
    svg(drawing, "circle", { cx: x1, cy: y1, r: 5, fill: "var(--role-value)" });
    const name = { x: x1, y: y1 + (VALUES[word][1] < 0 ? 20 : -10) };
    svg(drawing, "text", { ...name, "text-anchor": "middle" }, WORDS[word]);
  });
  const drop = { fill: "var(--paper)", stroke: "var(--ink)", "stroke-width": 3 };
  svg(drawing, "circle", { cx: x, cy: y, r: 8, ...drop });
}
