// Chapter 2: two positions, the turn between them, and their dot product.

import { choice, fixed, panel, slider, svg } from "../draw.js";
import { sinusoidalEncoding } from "../positions.js";

const FARTHEST = 20; // words between the two positions
const LAST = 80; // the largest position p
const RADIUS = 32;

/** @type {Record<string, number[]>} for each d_model the pairs that are drawn */
const SHOWN = { "2": [0], "4": [0, 1], "8": [0, 1, 2, 3], "128": [0, 8, 16, 32] };

/**
 * The encodings of two positions, their dot product, and the turn of each pair.
 * @param {number} p
 * @param {number} k how many words further on the second one stands
 * @param {number} dModel
 */
export function compare(p, k, dModel) {
  const table = sinusoidalEncoding(p + k + 1, dModel);
  const [a, b] = [Array.from(table.row(p)), Array.from(table.row(p + k))];
  const products = a.map((value, column) => value * b[column]);
  const ofPairs = Array.from(
    { length: dModel / 2 },
    (_, pair) => products[2 * pair] + products[2 * pair + 1],
  );
  return { a, b, ofPairs, dot: ofPairs.reduce((sum, value) => sum + value, 0) };
}

/**
 * The matrix that turns the first hand k steps on, whatever its position.
 * @param {number} k
 */
export function rotation(k) {
  const [sine, cosine] = [Math.sin(k), Math.cos(k)];
  return [
    [cosine, sine],
    [-sine, cosine],
  ];
}

/** @param {HTMLElement} root */
export function mount(root) {
  const state = { p: 3, k: 2, dModel: 8 };
  const { controls, redraw, say } = panel(root, {
    title: "Two positions and the turn between them",
    hint:
      "The blue hand stands k words further on than the other. " +
      "Move p: both turn. What stays? Then move k.",
    label: "The hands of two positions, pair by pair, and their dot product",
    draw,
  });
  slider(controls, {
    label: "position p",
    min: 0,
    max: LAST,
    step: 1,
    value: state.p,
    change: (p) => update({ p }),
  });
  slider(controls, {
    label: "distance k",
    min: 0,
    max: FARTHEST,
    step: 1,
    value: state.k,
    change: (k) => update({ k }),
  });
  choice(controls, {
    label: "d_model",
    options: Object.keys(SHOWN).map((value) => ({ value, label: value })),
    value: String(state.dModel),
    change: (dModel) => update({ dModel: Number(dModel) }),
  });
  update({});

  /** @param {Partial<typeof state>} changed */
  function update(changed) {
    Object.assign(state, changed);
    redraw();
    const { p, k, dModel } = state;
    const { dot } = compare(p, k, dModel);
    say(
      `The dot product of positions ${p} and ${p + k} is ${fixed(dot, 4)}. ` +
        (changed.p === undefined
          ? `It belongs to the distance ${k}; a position with itself has ${dModel / 2}.`
          : "You moved both: the dot product and the matrix stay, because the distance " +
            `is still ${k}.`),
    );
  }

  /**
   * @param {SVGElement} drawing
   * @param {number} width
   */
  function draw(drawing, width) {
    const { p, k, dModel } = state;
    const { a, b, ofPairs, dot } = compare(p, k, dModel);
    const pairs = SHOWN[String(dModel)];
    const each = Math.min(110, width / pairs.length);
    pairs.forEach((pair, at) => {
      const x = each * (at + 0.5);
      const y = RADIUS + 4;
      const circle = { cx: x, cy: y, r: RADIUS, fill: "var(--field)" };
      svg(drawing, "circle", { ...circle, stroke: "var(--line)" });
      for (const [row, role] of /** @type {[number[], string][]} */ ([
        [a, "ink"],
        [b, "role-position"],
      ])) {
        svg(drawing, "line", {
          x1: x,
          y1: y,
          x2: x + RADIUS * row[2 * pair + 1],
          y2: y - RADIUS * row[2 * pair],
          stroke: `var(--${role})`,
          "stroke-width": 4,
          "stroke-linecap": "round",
        });
      }
      const middle = { x, "text-anchor": "middle" };
      svg(drawing, "text", { ...middle, y: 2 * RADIUS + 22 }, `pair ${pair}`);
      const product = { ...middle, class: "number", y: 2 * RADIUS + 40 };
      svg(drawing, "text", product, fixed(ofPairs[pair], 4));
    });
    const top = 2 * RADIUS + 72;
    const sum = dModel === 128 ? "the sum of all 64 pairs" : "their sum";
    svg(drawing, "text", { x: 0, y: top }, `dot product, ${sum}: ${fixed(dot, 4)}`);
    const [above, below] = rotation(k);
    svg(drawing, "text", { x: 0, y: top + 26 }, "turn of pair 0:");
    [above, below].forEach((row, line) => {
      const y = top + 26 + 20 * line;
      row.forEach((value, column) => {
        const place = { x: 160 + 62 * column, y, "text-anchor": "end" };
        svg(drawing, "text", { ...place, class: "number" }, fixed(value, 3));
      });
    });
    const brackets = `M106 ${top + 10}h-5v42h5M226 ${top + 10}h5v42h-5`;
    svg(drawing, "path", { d: brackets, fill: "none", stroke: "var(--ink)" });
    return drawCurve(drawing, width, top + 76);
  }

  /**
   * The dot product over the distance, with the one that is chosen.
   * @param {SVGElement} drawing
   * @param {number} width
   * @param {number} top
   */
  function drawCurve(drawing, width, top) {
    const { p, k, dModel } = state;
    const dots = Array.from(
      { length: FARTHEST + 1 },
      (_, distance) => compare(p, distance, dModel).dot,
    );
    const [left, tall, most] = [40, 110, dModel / 2];
    const right = Math.min(width - 10, left + 420);
    const x = (/** @type {number} */ at) => left + ((right - left) * at) / FARTHEST;
    const y = (/** @type {number} */ dot) => top + (tall * (most - dot)) / (2 * most);
    for (const level of [most, 0, -most]) {
      const line = { x1: left, x2: right, y1: y(level), y2: y(level) };
      svg(drawing, "line", { ...line, stroke: "var(--line)", "stroke-width": 0.7 });
      const end = { x: left - 6, y: y(level) + 5, "text-anchor": "end" };
      svg(drawing, "text", { ...end, class: "number" }, fixed(level, 0));
    }
    const points = dots.map((dot, at) => `${x(at)},${y(dot)}`).join(" ");
    const curve = { points, fill: "none", stroke: "var(--ink)", "stroke-width": 2 };
    svg(drawing, "polyline", curve);
    const dot = { cx: x(k), cy: y(dots[k]), r: 7, fill: "var(--role-position)" };
    svg(drawing, "circle", dot);
    const foot = { x: left, y: top + tall + 22, class: "soft" };
    svg(drawing, "text", foot, "dot product over the distance, 0 to 20");
    return top + tall + 30;
  }
}
