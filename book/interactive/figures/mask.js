// Chapter 4: a mask to click together, what each position can still hear through it,
// and the attention weights that result.

import { Matrix, timesTransposed } from "../arrays.js";
import { scaledDotProductAttention } from "../attention.js";
import { choice, fixed, onPress, panel, shade, slider, svg } from "../draw.js";
import { causalMask, paddingMask } from "../masks.js";

const WORDS = ["<sos>", "el", "gato", "come", "<pad>"];
const IDS = [1, 4, 5, 6, 0];
const LENGTH = WORDS.length;
const PADDING = 4; // the place of <pad>

// Queries and keys of two numbers each, made up and always the same.
const QUERIES = [[1, 0], [0, 2], [2, 1], [1, 2], [1, 1]];
const KEYS = [[0, 1], [1, 0], [2, 1], [0, 2], [1, 1]];

/** @typedef {boolean[][]} Mask rows are queries, columns are keys; true: may look */

const CAUSAL = causalMask(LENGTH).data;
const NO_PADDING = paddingMask(IDS, 0).data;
const ONE_LONGER = causalMask(LENGTH + 1).data;

/** @param {number} query @param {number} key @returns {boolean} */
function causal(query, key) {
  return CAUSAL[query * LENGTH + key] === 1;
}

/** @param {number} query @param {number} key @returns {boolean} */
function both(query, key) {
  return causal(query, key) && NO_PADDING[key] === 1;
}

/** @typedef {(query: number, key: number) => boolean} Rule whether a cell is open */

/** @type {Record<string, {label: string, rule: Rule}>} */
const RULES = {
  both: { label: "causal and padding", rule: both },
  causal: { label: "causal", rule: causal },
  padding: { label: "padding", rule: (_, key) => NO_PADDING[key] === 1 },
  none: { label: "mistake: forgotten", rule: () => true },
  inverted: { label: "mistake: inverted", rule: (query, key) => !both(query, key) },
  shifted: {
    label: "mistake: off by one",
    // Each query got the row of the one after it.
    rule: (query, key) =>
      ONE_LONGER[(query + 1) * (LENGTH + 1) + key] === 1 && NO_PADDING[key] === 1,
  },
  thorough: {
    label: "mistake: rows of padding, too",
    rule: (query, key) => both(query, key) && NO_PADDING[query] === 1,
  },
};

/**
 * The mask of a rule, for the five words.
 * @param {string} name
 * @returns {Mask}
 */
export function maskOf(name) {
  return WORDS.map((_, query) => WORDS.map((_, key) => RULES[name].rule(query, key)));
}

/**
 * What each position can hear after some layers: itself, by its residual, and all that
 * those heard whom the mask lets it look at.
 * @param {Mask} mask
 * @param {number} layers
 * @returns {Mask}
 */
export function heard(mask, layers) {
  let reach = mask.map((_, query) => mask.map((_, key) => key === query));
  for (let layer = 0; layer < layers; layer++) {
    const before = reach;
    reach = mask.map((row, query) =>
      before[query].map(
        (already, key) => already || row.some((open, via) => open && before[via][key]),
      ),
    );
  }
  return reach;
}

/**
 * The attention weights of the fixed queries and keys under a mask, as `lib` has them:
 * a row without any open cell is all zeros.
 * @param {Mask} mask
 * @returns {number[][]}
 */
export function weightsOf(mask) {
  const [q, k] = [Matrix.fromRows(QUERIES), Matrix.fromRows(KEYS)];
  const data = Uint8Array.from(mask.flat(), Number);
  return scaledDotProductAttention(q, k, k, {
    rows: LENGTH,
    cols: LENGTH,
    data,
  }).weights.toRows();
}

/**
 * The same by the bare formula, with −∞ over the closed cells: a row of nothing but −∞
 * divides zero by zero.
 * @param {Mask} mask
 * @returns {number[][]}
 */
export function weightsOfFormula(mask) {
  const scores = timesTransposed(Matrix.fromRows(QUERIES), Matrix.fromRows(KEYS));
  return mask.map((row, query) => {
    const powers = row.map((open, key) =>
      Math.exp(open ? scores.row(query)[key] / Math.SQRT2 : -Infinity),
    );
    const sum = powers.reduce((a, b) => a + b, 0);
    return powers.map((power) => power / sum);
  });
}

/** @param {HTMLElement} root */
export function mount(root) {
  let mask = maskOf("both");
  let weigh = weightsOf;
  let layers = 1;
  let row = 2;
  const { controls, picture, redraw, say } = panel(root, {
    title: "Click a mask together",
    hint:
      "Each row is a word that looks, each column a word to look at. Press a cell to " +
      "open or close it. Right of the dashed stairs lies the future. A dot: closed, " +
      "yet heard, as its own vector or by way of another word.",
    label: "A mask of five words by five, and the attention weights under it",
    draw,
  });
  choice(controls, {
    label: "start from",
    options: Object.entries(RULES).map(([value, { label }]) => ({ value, label })),
    value: "both",
    change: (name) => {
      mask = maskOf(name);
      row = name === "thorough" ? PADDING : 2;
      update();
    },
  });
  choice(controls, {
    label: "softmax",
    options: [
      { value: "lib", label: "of lib" },
      { value: "formula", label: "with −∞, as in the formula" },
    ],
    value: "lib",
    change: (name) => {
      weigh = name === "lib" ? weightsOf : weightsOfFormula;
      update();
    },
  });
  slider(controls, {
    label: "layers",
    min: 1,
    max: 4,
    step: 1,
    value: layers,
    change: (value) => {
      layers = value;
      update();
    },
  });
  onPress(picture, (key) => {
    const [query, at] = key.split("-").map(Number);
    mask[query][at] = !mask[query][at];
    row = query;
    update();
  });
  update();

  function update() {
    redraw();
    const names = WORDS.filter((_, key) => heard(mask, layers)[row][key]);
    say(
      `${WORDS[row]} hears ${names.join(", ")} after ` +
        `${layers} ${layers === 1 ? "layer" : "layers"}. ${shares()}`,
    );
  }

  /** @returns {string} what the chosen row gives to the future and to padding */
  function shares() {
    const weights = weigh(mask)[row];
    if (mask[row].every((open) => !open)) {
      return Number.isNaN(weights[0])
        ? "It may look at nothing: zero divided by zero, NaN, which spreads."
        : "It may look at nothing: lib gives it zeros, and so an output of zero.";
    }
    const later = weights.slice(row + 1, PADDING).reduce((a, b) => a + b, 0);
    const padding = weights[PADDING];
    return (
      `Of its attention, ${fixed(later)} goes to later words ` +
      `and ${fixed(padding)} to padding.`
    );
  }

  /**
   * @param {SVGElement} drawing
   * @param {number} width
   */
  function draw(drawing, width) {
    const left = 62;
    const wide = width >= 560;
    const room = (wide ? width / 2 : width) - left;
    const side = Math.min(wide ? 58 : 50, room / LENGTH - 2);
    const high = 50 + side * LENGTH;
    drawMask(drawing, left, 50, side);
    const [right, below] = wide ? [left + width / 2, 50] : [left, 50 + high + 14];
    drawWeights(drawing, right, below, side);
    return below + side * LENGTH + 6;
  }

  /**
   * @param {SVGElement} drawing @param {number} left @param {number} top
   * @param {number} side
   */
  function drawMask(drawing, left, top, side) {
    drawFrame(drawing, left, top, { side, row, title: "may look" });
    const reach = heard(mask, layers);
    mask.forEach((line, query) =>
      line.forEach((open, key) => {
        const state = open ? "open" : "closed";
        const cell = svg(drawing, "g", {
          key: `${query}-${key}`,
          role: "button",
          "aria-pressed": String(open),
          "aria-label": `${WORDS[query]} looks at ${WORDS[key]}: ${state}`,
        });
        const [x, y] = [left + side * key, top + side * query];
        svg(cell, "rect", {
          x: x + 1,
          y: y + 1,
          width: side - 2,
          height: side - 2,
          rx: 3,
          fill: open ? shade(1) : "var(--field)",
          stroke: "var(--line)",
        });
        if (!open && reach[query][key]) {
          // Closed, and yet heard: by way of another word, or by the residual.
          const [cx, cy] = [x + side / 2, y + side / 2];
          svg(cell, "circle", { cx, cy, r: side / 7, fill: shade(1) });
        }
      }),
    );
    drawStairs(drawing, left, top, side);
  }

  /**
   * @param {SVGElement} drawing @param {number} left @param {number} top
   * @param {number} side
   */
  function drawWeights(drawing, left, top, side) {
    drawFrame(drawing, left, top, { side, row, title: "attention weights" });
    weigh(mask).forEach((line, query) =>
      line.forEach((weight, key) => {
        const [x, y] = [left + side * key, top + side * query];
        const broken = Number.isNaN(weight);
        svg(drawing, "rect", {
          x: x + 1,
          y: y + 1,
          width: side - 2,
          height: side - 2,
          rx: 3,
          fill: broken ? shade(0.5, "mistake") : shade(weight),
          stroke: "var(--line)",
        });
        const middle = { x: x + side / 2, y: y + side / 2 + 5 };
        const look = { "text-anchor": "middle", class: "number" };
        const place = { ...middle, ...look, "data-weight": `${query}-${key}` };
        svg(drawing, "text", place, fixed(weight));
      }),
    );
    drawStairs(drawing, left, top, side);
  }
}

/**
 * The title and the names of a table of words by words; the chosen row is underlined.
 * @param {SVGElement} drawing @param {number} left @param {number} top
 * @param {{side: number, row: number, title: string}} look
 */
function drawFrame(drawing, left, top, { side, row, title }) {
  svg(drawing, "text", { x: left, y: top - 34, "font-weight": 600 }, title);
  WORDS.forEach((word, place) => {
    const middle = top + side * (place + 0.5) + 5;
    const chosen = place === row ? { "font-weight": 700 } : {};
    const end = { x: left - 6, y: middle, "text-anchor": "end", ...chosen };
    svg(drawing, "text", end, word);
    const center = { x: left + side * (place + 0.5), y: top - 8 };
    svg(drawing, "text", { ...center, "text-anchor": "middle" }, word);
  });
  const y = top + side * row;
  const frame = { x: left - 1, y: y - 1, width: side * LENGTH + 2, height: side + 2 };
  const stroke = { stroke: "var(--role-query)", "stroke-width": 3, fill: "none" };
  svg(drawing, "rect", { ...frame, ...stroke });
}

/**
 * The line between the present and the future, drawn as stairs.
 * @param {SVGElement} drawing @param {number} left @param {number} top
 * @param {number} side
 */
function drawStairs(drawing, left, top, side) {
  const steps = `v${side} h${side} `.repeat(LENGTH - 1);
  svg(drawing, "path", {
    d: `M${left + side} ${top} ${steps}`,
    fill: "none",
    stroke: "var(--ink)",
    "stroke-width": 2,
    "stroke-dasharray": "5 4",
    "pointer-events": "none",
  });
}
