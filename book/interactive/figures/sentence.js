// Chapters 3 and 4: a whole sentence through a head of a trained translator, in motion:
// scores, mask, softmax, mixture. Each query can be dragged, each cell closed.

import { Matrix, timesTransposed } from "../arrays.js";
import { scaledDotProductAttention } from "../attention.js";
import { elastic } from "../canvas.js";
import { choice, legend, options, pushButton, toggle } from "../controls.js";
import { cell, circle, fixed, html, rect, shade, signed, touchable, write } from "../draw.js";
import { HEADS } from "../head_numbers.js";
import { MovingFigure } from "../moving.js";
import { mounting } from "../panels.js";
import { dragPoints, drawArrow, Plane, writeNames } from "../plane.js";

/** @typedef {{rows: string[], cols: string[], numbers: Matrix[]}} Head the tokens that
 *   ask and those that are asked; queries, keys and values */

const [MASKED, LAST] = [2, 4]; // the stages of the mask and of the mixture
const STAGES = [
  "the queries and the keys", "1. scores: query · key ÷ √32", "2. mask",
  "3. softmax of each row", "4. mixture of the values",
];
const [HIGH, SIDE] = [27, 278]; // a row of the table, and the plane
/** @type {Record<string, {title: string, attention: string}>} */
const OPENINGS = {
  open: { title: "Which word does “white” look at?", attention: "encoder" },
  masked: { title: "What may a word look at while it is written?", attention: "decoder" },
};
/** @type {Record<string, {label: string, row: number}>} */
const ATTENTIONS = {
  encoder: { label: "encoder: English looks at English", row: 1 },
  cross: { label: "cross: Spanish looks at English", row: 3 },
  decoder: { label: "decoder: Spanish looks at Spanish", row: 3 },
};
/** @typedef {{ahead: number, real: boolean, asks: boolean}} Place how far in the future
 *   the key stands, and whether key and query are words, not padding */
/** @type {Record<string, {label: string, rule: (place: Place) => boolean}>} */
const RULES = {
  right: { label: "of the model", rule: ({ ahead, real }) => ahead <= 0 && real },
  none: { label: "mistake: forgotten", rule: () => true },
  inverted: { label: "mistake: inverted", rule: ({ ahead, real }) => ahead > 0 || !real },
  shifted: { label: "mistake: off by one", rule: ({ ahead, real }) => ahead <= 1 && real },
  thorough: {
    label: "mistake: rows of padding, too",
    rule: ({ ahead, real, asks }) => ahead <= 0 && real && asks,
  },
};

/**
 * The numbers of a head for one of the sentences, two tokens of padding last if wanted.
 * @param {number} wanted
 * @param {string} attention
 * @param {boolean} padded
 * @returns {Head}
 */
export function headOf(wanted, attention, padded) {
  const { width, padding, scale } = HEADS;
  const bytes = Int8Array.from(atob(HEADS.bytes), (letter) => letter.charCodeAt(0));
  const numbers = Float32Array.from(bytes, (byte) => byte / scale);
  const pads = Array(padded ? padding : 0).fill("<pad>");
  let at = 0;
  /** @param {string[]} tokens */
  const take = ({ length }) => {
    const [from, rows] = [at, length + pads.length];
    at += (length + padding) * width;
    return new Matrix(rows, width, numbers.slice(from, from + rows * width));
  };
  const found = HEADS.sentences.map(({ src, tgt }) => {
    const heads = Object.keys(HEADS.heads).map((name) => {
      const [rows, cols] = [name === "encoder" ? src : tgt, name === "decoder" ? tgt : src];
      const numbers = [take(rows), take(cols), take(cols)];
      return [name, { rows: [...rows, ...pads], cols: [...cols, ...pads], numbers }];
    });
    return Object.fromEntries(heads);
  });
  return found[wanted][attention];
}

/** @param {number[]} a @param {ArrayLike<number>} b */
function dot(a, b) {
  return a.reduce((sum, number, i) => sum + number * b[i], 0);
}

/** @param {number[]} vector @returns {number[]} as long as 1 */
function unit(vector) {
  const length = Math.hypot(...vector) || 1;
  return vector.map((number) => number / length);
}

/**
 * A plane that holds a query, and beside it most of what tells the keys apart: while the
 * query stays in it, its two numbers give every score.
 * @param {number[]} query
 * @param {number[][]} keys
 * @returns {number[][]} two directions of length 1, at a right angle
 */
export function planeOf(query, keys) {
  const along = unit(query);
  const mean = along.map((_, i) => keys.reduce((sum, key) => sum + key[i], 0) / keys.length);
  const apart = keys.map((key) => {
    const centered = key.map((number, i) => number - mean[i]);
    return centered.map((number, i) => number - dot(centered, along) * along[i]);
  });
  let across = unit(apart[0]);
  for (let turn = 0; turn < 50; turn++) {
    const shares = apart.map((each) => dot(each, across));
    across = unit(along.map((_, i) => dot(shares, apart.map((each) => each[i]))));
  }
  return [along, across];
}

class Sentence extends MovingFigure {
  sentence = 0;
  attention = "encoder";
  row = 1;
  padded = false;
  rule = "right";
  at = 1; // what Play makes of the scores can be guessed
  goal = 1;
  pace = 1400;
  /** @type {boolean[][]} */
  mask = [];
  /** Where the reader has put the query, in its plane. @type {number[] | null} */
  moved = null;
  plane = new Plane(SIDE, -1, 1);

  /** @param {HTMLElement} root */
  constructor(root) {
    const { opened = "open" } = root.dataset;
    const masks = opened === "masked";
    super(root, {
      title: OPENINGS[opened].title,
      hint: masks
        ? "These are the scores of a head. Guess which are hidden, and press Play. Then open " +
          "or close cells of the framed row."
        : "These are the scores of a head. Guess which word gets most of the framed row, " +
          "and press Play. Then drag the query to another word, or follow another row.",
      label: "A table of words that look at words, and the query among the keys",
    });
    const { attention } = OPENINGS[opened];
    Object.assign(this, { attention, row: ATTENTIONS[attention].row });
    this.masks = masks;
    this.addControls();
    legend(this.panels, [
      ["role-query", "query; below 0"], ["role-mistake", "above 0"],
      ["role-key", "key, as large as its weight"], ["role-weight", "weight"],
    ]);
    elastic(this, (drawing, room) => this.drawTable(drawing, room));
    this.addPicture((drawing) => this.drawPlane(drawing));
    this.addPicture((drawing) => this.drawMixture(drawing));
    dragPoints(this, 0.25, () => this.now.query);
    this.begin();
    this.now = this.computed();
  }

  addControls() {
    const { controls } = this;
    const written = (/** @type {string[]} */ src) =>
      src.slice(0, -1).join(" ").replace(/ (?=[.?])/, "");
    const sentences = HEADS.sentences.map(({ src }, at) => [at, written(src)]);
    choice(controls, "sentence", "sentence", /** @type {[number, string][]} */ (sentences));
    choice(controls, "attention", "head", options(ATTENTIONS));
    if (this.masks) choice(controls, "rule", "mask", options(RULES));
    if (this.masks) toggle(controls, "padded", "filled up with <pad>");
    html(controls.place, "span", { style: "flex-basis: 100%" }); // a row of its own
    this.addStages(LAST);
    pushButton(controls, "as in the model", () => {
      const { row } = ATTENTIONS[this.attention];
      Object.assign(this, { rule: "right", padded: false, row });
      this.begin();
    });
  }

  /** @param {unknown} name */
  changed(name) {
    super.changed(name);
    if (name === "at" || name === undefined) return;
    if (name !== "padded") this.row = ATTENTIONS[this.attention].row;
    if (this.rule === "thorough") Object.assign(this, { padded: true, row: Infinity });
    this.begin();
  }

  /** Query and mask as the model, or the chosen rule, has them. */
  begin() {
    const { rows, cols } = this.head;
    const { rule } = RULES[this.rule];
    const [asks, real] = [rows, cols].map((all) => all.map((token) => token !== "<pad>"));
    this.mask = rows.map((_, t) =>
      cols.map((_, s) => {
        const ahead = this.attention === "decoder" ? s - t : 0; // elsewhere all is past
        return rule({ ahead, real: real[s], asks: asks[t] });
      }),
    );
    this.moved = null;
    this.row = Math.min(this.row, rows.length - 1);
  }

  /** The tokens and the numbers, with padding if it is wanted. */
  get head() {
    return headOf(this.sentence, this.attention, this.padded);
  }

  /** All that is shown, from the scores to the mixture. */
  computed() {
    const { rows, cols, numbers: [queries, keys, values] } = this.head;
    const own = Array.from(queries.row(this.row));
    const axes = planeOf(own, keys.toRows());
    const query = this.moved ?? [Math.hypot(...own), 0];
    queries.row(this.row).set(own.map((_, i) => query[0] * axes[0][i] + query[1] * axes[1][i]));
    const mask = Uint8Array.from(this.mask.flat(), Number);
    const found = scaledDotProductAttention(queries, keys, values, mask);
    const scores = timesTransposed(queries, keys).toRows();
    const scaled = scores.map((row) => row.map((score) => score / Math.sqrt(HEADS.width)));
    const places = keys.toRows().map((key) => axes.map((axis) => dot(key, axis)));
    return { rows, cols, query, places, values, scores, scaled, ...found };
  }

  update() {
    this.now = this.computed();
    super.update();
  }

  /** @param {string} key */
  press(key) {
    const [what, number] = key.split("-");
    const at = Number(number);
    if (what === "row") Object.assign(this, { row: at, moved: null });
    if (what !== "cell") return;
    this.mask[this.row][at] = !this.mask[this.row][at];
    // Before, no one would see what it does.
    if (this.at < MASKED) Object.assign(this, { at: MASKED, goal: MASKED });
  }

  /** @param {string} _query the only one that can be dragged @param {number[]} to */
  move(_query, to) {
    const { to: reach } = this.plane;
    this.moved = to.map((number) => Math.max(-reach, Math.min(reach, number)));
    this.update();
  }

  tell() {
    const { row, now: { scores, scaled, output } } = this;
    const [rows, cols] = [this.now.rows, this.now.cols].map((all) =>
      all.map((token) => `“${token}”`),
    );
    const weights = Array.from(this.now.weights.row(row));
    const name = rows[row] + (this.moved ? " (moved)" : "");
    const best = scores[row].indexOf(Math.max(...scores[row]));
    const closed = cols.filter((_, s) => !this.mask[row][s]);
    const shares = cols.map((col, s) => [weights[s], `${fixed(weights[s])} to ${col}`]);
    shares.sort(([a], [b]) => Number(b) - Number(a));
    const most = shares.slice(0, 3).map(([, text]) => text).join(", ");
    return [
      `The query of ${name} and the key of each word are ${HEADS.width} numbers each.`,
      `Highest for ${name}: ${cols[best]}, ${fixed(scores[row][best])} ÷ √${HEADS.width} = ` +
        `${fixed(scaled[row][best])}.`,
      closed.length
        ? `Hidden from ${name}: ${closed.join(", ")}. Their scores become −∞.`
        : `Nothing is hidden from ${name}.`,
      closed.length === cols.length
        ? `Everything is hidden from ${name}, so it gets zeros.`
        : `Of the attention of ${name}, ${most}; all weights together are 1.`,
      `The output of ${name} is the sum of the values, each times its weight; its first ` +
        `number is ${fixed(output.row(row)[0])}.`,
    ][Math.ceil(this.at)];
  }

  /** @param {SVGElement} drawing @param {number} room @returns {number} its height */
  drawTable(drawing, room) {
    const { row, at, now: { rows, cols } } = this;
    const [left, top] = [86, 92];
    const side = Math.min(46, (room - left - 12) / cols.length);
    write(drawing, 0, 14, STAGES[Math.ceil(at)], "title");
    cols.forEach((col, s) => {
      const [x, y] = [left + side * (s + 0.6), top - 6];
      write(drawing, x, y, col, { transform: `rotate(-50 ${x} ${y})` });
    });
    const frame = [left - 84, top + HIGH * row, 84 + side * cols.length, HIGH];
    rows.forEach((word, t) => {
      const y = top + HIGH * t;
      const label = touchable(drawing, `row-${t}`, `follow ${word}`, t === row);
      rect(label, [left - 84, y + 1, 80, HIGH - 2], "ground");
      write(label, left - 8, y + 18, word, t === row ? "end title" : "end");
      // One row after the other reaches the next stage.
      const stage = Math.floor(at + (rows.length - t) / (rows.length + 1));
      cols.forEach((_, s) => {
        this.drawCell(drawing, [left + side * s + 1, y + 1, side - 2, HIGH - 2], t, s, stage);
      });
    });
    const look = { rx: 3, stroke: "var(--role-query)", "stroke-width": 3 };
    rect(drawing, frame, { class: "name", fill: "none", ...look });
    return top + HIGH * rows.length;
  }

  /**
   * @param {SVGElement} drawing @param {number[]} box
   * @param {number} t @param {number} s @param {number} stage
   */
  drawCell(drawing, box, t, s, stage) {
    const { mask, masks, row, now: { rows, cols, scaled, weights } } = this;
    const open = mask[t][s];
    const highest = Math.max(...scaled.flat().map(Math.abs));
    const [score, weight] = [scaled[t][s], weights.row(t)[s]];
    const narrow = box[2] < 32;
    const share = !open || (box[2] < 24 && weight < 0.05) ? "" : fixed(weight, narrow ? 1 : 2);
    const [text, fill] =
      stage === 0 ? ["", "var(--field)"]
      : stage > 2 ? [share, shade(open ? weight : 0)]
      : stage === 2 && !open ? ["−∞", "var(--field)"]
      : [fixed(score, narrow ? 0 : 1), signed((0.8 * score) / highest)];
    const state = `${rows[t]} looks at ${cols[s]}: ${open ? "open" : "closed"}`;
    const dashes = open || stage < 2 ? undefined : "2 3";
    const look = { rx: 3, fill, stroke: "var(--line)", "stroke-dasharray": dashes };
    const [group, key] =
      masks && t === row
        ? [touchable(drawing, `cell-${s}`, state, open), `cell-${s}`]
        : [drawing, `row-${t}`];
    cell(group, box, text, { ...look, "data-key": key }, "number name small");
  }

  /** @param {SVGElement} drawing */
  drawPlane(drawing) {
    const { row, at, now: { rows, cols, query, places, weights } } = this;
    const numbers = [...places.flat(), Math.hypot(...query)].map(Math.abs);
    const reach = Math.max(this.moved ? this.plane.to : 0, 1.15 * Math.max(...numbers));
    const plane = new Plane(SIDE, -reach, reach);
    this.plane = plane;
    const size = plane.draw(drawing, `the query of ${rows[row]}, and the keys`);
    places.forEach((place, s) => {
      const share = at > 2 ? weights.row(row)[s] : 0.2;
      const look = { fill: "var(--role-key)", stroke: "var(--ink)" };
      circle(drawing, plane.placed(place), 3 + 6 * share, look);
    });
    drawArrow(drawing, plane, query, { key: "query", role: "query", label: "the query" });
    writeNames(drawing, plane, cols.map((col, s) => [col, places[s]]));
    const [x, y] = plane.placed(query);
    write(drawing, Math.min(x, SIDE - 24), y - 13, "query", "middle");
    return size;
  }

  /**
   * Each value as a strip of colors, faded to its share, and their sum.
   * @param {SVGElement} drawing
   */
  drawMixture(drawing) {
    const { row, at, now: { cols, values, weights, output } } = this;
    const mixed = Math.max(0, at - (LAST - 1)); // how far the mixture has come
    const [left, side] = [134, 5.7];
    const highest = Math.max(...values.data.map(Math.abs));
    write(drawing, 0, 14, `the values${mixed ? ", each times its weight" : ""}`, "title");
    /** @param {string} name @param {ArrayLike<number>} numbers @param {number} share */
    const strip = (name, numbers, share, line = 0) => {
      const y = 24 + 19 * line;
      write(drawing, 78, y + 14, name, "end");
      Array.from(numbers).forEach((number, i) => {
        const fill = signed((1.5 * share * number) / highest);
        rect(drawing, [left + side * i, y + 2, side, 15], { fill });
      });
      rect(drawing, [left, y + 2, side * HEADS.width, 15], "line");
    };
    cols.forEach((col, s) => {
      const weight = weights.row(row)[s];
      strip(col, values.row(s), 1 + mixed * (weight - 1), s);
      if (at >= 3) write(drawing, left - 8, 38 + 19 * s, fixed(weight), "number end");
    });
    strip("output", output.row(row), mixed, cols.length + 0.4);
    return [left + side * HEADS.width + 1, 54 + 19 * cols.length];
  }
}

export const mount = mounting(Sentence);
