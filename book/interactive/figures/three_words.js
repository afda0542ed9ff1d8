// Chapter 3: one word's way through attention, step by step, with numbers of one's own.

import { Matrix, timesTransposed } from "../arrays.js";
import { scaledDotProductAttention } from "../attention.js";
import { onPress } from "../canvas.js";
import { choice, pushButton } from "../controls.js";
import {
  cell, fixed, html, MIDDLE, rect, segment, shade, touchable, write,
} from "../draw.js";
import { Figure, mounting } from "../frame.js";

const WORDS = ["dog", "bites", "man"];
const ROLES = ["query", "key", "value"];
const MOST = 5; // the largest number that can be written into the table

/** @typedef {number[][]} Rows a row for each word */
/** @typedef {Record<string, Rows>} Roles the rows of queries, of keys and of values */

/** @returns {Roles} the numbers of the chapter */
function numbersOfTheText() {
  return {
    query: [[-2, 0], [1, 1], [-2, 0]],
    key: [[1, 2], [-1, 0], [1, 0]],
    value: [[3, 0], [-1, -1], [0, 3]],
  };
}

/**
 * What each step gives, for all words.
 * @param {Roles} roles
 * @returns {{scores: Rows, scaled: Rows, weights: Rows, output: Rows}}
 */
export function steps(roles) {
  const [q, k, v] = ROLES.map((role) => Matrix.fromRows(roles[role]));
  const scores = timesTransposed(q, k).toRows();
  const scaled = scores.map((row) => row.map((score) => score / Math.sqrt(q.cols)));
  const { output, weights } = scaledDotProductAttention(q, k, v);
  return { scores, scaled, weights: weights.toRows(), output: output.toRows() };
}

/** @type {{name: string, matrix: keyof ReturnType<typeof steps>}[]} */
const STEPS = [
  { name: "the words", matrix: "scores" },
  { name: "1. compare: query times key", matrix: "scores" },
  { name: "1. compare: divided by √2", matrix: "scaled" },
  { name: "2. share out: softmax", matrix: "weights" },
  { name: "3. mix: the weighted sum", matrix: "output" },
];

/** @param {number} number @returns {string} as short as a column of a phone needs */
function short(number) {
  return Math.abs(number) < 10_000 ? fixed(number) : number.toExponential(1);
}

/** @param {number} number @returns {string} without zeros at the end */
function plain(number) {
  return String(number).replace("-", "−");
}

/** @param {number[]} vector @returns {string} */
function pair(vector) {
  return `(${vector.map(plain).join(", ")})`;
}

class ThreeWords extends Figure {
  roles = numbersOfTheText();
  word = 1;
  step = 0;

  /** @param {HTMLElement} root */
  constructor(root) {
    super(root, {
      title: "One word's way, step by step",
      hint: "Press Next. Then follow another word, or write other numbers in the table.",
      label: "The steps of attention for one word",
    });
    const { controls } = this;
    this.addTable(html(controls.place, "div", { style: "flex: 1 0 100%" }));
    choice(controls, "word", "follow", WORDS.map((word, at) => [at, word]));
    pushButton(controls, "Back", () => this.step--, () => this.step === 0);
    pushButton(controls, "Next", () => this.step++, () => this.step === STEPS.length - 1);
    pushButton(controls, "as in the text", () => {
      this.roles = numbersOfTheText();
    });
    onPress(this.picture, (key) => {
      this.word = Number(key);
      this.update();
    });
  }

  /** The numbers to change: a row for each word, two for each role. @param {Element} box */
  addTable(box) {
    const table = html(box, "table", { style: "border-collapse: collapse; margin: 0" });
    const look = "border: 0; padding: 1px 2px; text-align: left; font-weight: normal";
    const row = { style: "background: none; border: 0" };
    const head = html(table, "tr", row);
    html(head, "td", { style: look });
    for (const role of ROLES) {
      const style = `${look}; border-bottom: 4px solid var(--role-${role})`;
      html(head, "th", { scope: "col", colspan: 2, style }, role);
    }
    WORDS.forEach((word, at) => {
      const cells = html(table, "tr", row);
      html(cells, "th", { scope: "row", style: look }, word);
      for (const role of ROLES) {
        this.addNumber(html(cells, "td", { style: look }), role, at, 0);
        this.addNumber(html(cells, "td", { style: look }), role, at, 1);
      }
    });
  }

  /**
   * @param {Element} box @param {string} role @param {number} row
   * @param {number} column
   */
  addNumber(box, role, row, column) {
    const input = /** @type {HTMLInputElement} */ (
      html(box, "input", {
        type: "number", min: -MOST, max: MOST, step: 0.5,
        "aria-label": `${role} of ${WORDS[row]}, number ${column + 1}`,
        style: "box-sizing: border-box; padding: 2px 1px 2px 5px; width: 43px",
      })
    );
    input.addEventListener("input", () => {
      if (!(Math.abs(input.valueAsNumber) <= MOST)) return;
      this.roles[role][row][column] = input.valueAsNumber;
      this.update();
    });
    let shown = this.roles;
    const show = () => {
      input.value = String(this.roles[role][row][column]);
    };
    this.controls.shows.push(() => {
      if (shown !== this.roles) show(); // other numbers: what is being written stays
      shown = this.roles;
    });
    show();
  }

  /** What the present step did, for the word that is followed. */
  tell() {
    const { word } = this;
    const found = steps(this.roles);
    /** @param {number[]} row */
    const list = (row) => row.map((number) => short(number)).join(", ");
    const largest = found.weights[word].indexOf(Math.max(...found.weights[word]));
    return [
      `${WORDS[word]} comes with the query ${pair(this.roles.query[word])}.`,
      `Its query times each key, number by number: ${list(found.scores[word])}.`,
      `Divided by √2: ${list(found.scaled[word])}.`,
      `Its weights, which sum to 1: ${list(found.weights[word])}. ` +
        `The most goes to ${WORDS[largest]}.`,
      `Its output, the sum of the shares: (${list(found.output[word])}).`,
    ][this.step];
  }

  /** @param {SVGElement} drawing @param {number} width */
  draw(drawing, width) {
    const wide = width >= 560;
    const way = new Way(drawing, wide ? width - 260 : width, this);
    const height = way.draw();
    const [left, top] = wide ? [width - 220, 0] : [0, height + 16];
    return Math.max(height, drawAll(drawing, left, top, this)) + 4;
  }
}

/** The way of one word: a column for each key, a line for each step done so far. */
class Way {
  /**
   * @param {SVGElement} drawing
   * @param {number} width
   * @param {ThreeWords} figure
   */
  constructor(drawing, width, figure) {
    this.drawing = drawing;
    this.figure = figure;
    this.left = 84;
    this.each = (width - this.left) / WORDS.length;
    this.y = 18;
  }

  /**
   * @param {string} name
   * @param {(key: number) => string} text
   * @param {string} [role] whose color the boxes have
   * @param {(key: number) => number} [share] how much of it
   */
  line(name, text, role, share = () => 0.3) {
    const { drawing, y, each } = this;
    write(drawing, 0, y, name);
    WORDS.forEach((_, key) => {
      const box = [this.left + each * key + 2, y - 17, each - 4, 24];
      const look = { rx: 3, fill: shade(share(key), role), stroke: `var(--role-${role})` };
      if (role) rect(drawing, box, look);
      const middle = box[0] + box[2] / 2;
      write(drawing, middle, y, text(key), { ...MIDDLE, class: "number" });
    });
    this.y += 28;
  }

  /** @returns {number} how far down it went */
  draw() {
    const { drawing, left, figure } = this;
    const { word, step, roles } = figure;
    const query = roles.query[word];
    const found = steps(roles);
    const [scores, scaled, weights] = [
      found.scores[word], found.scaled[word], found.weights[word],
    ];
    write(drawing, 0, this.y, `query of ${WORDS[word]}: ${pair(query)}`);
    const under = { "stroke-width": 3, stroke: "var(--role-query)" };
    segment(drawing, [0, this.y + 7], [left + 70, this.y + 7], under);
    this.y += 32;
    this.line("", (key) => WORDS[key]);
    this.line("key", (key) => pair(roles.key[key]), "key");
    if (step >= 1) {
      const part = (/** @type {number} */ at) => (/** @type {number} */ key) =>
        `${at ? "+ " : ""}${plain(query[at])} × ${plain(roles.key[key][at])}`;
      this.line("query", part(0));
      this.y -= 6;
      this.line("× key", part(1));
      this.line("score", (key) => short(scores[key]), "key");
    }
    if (step >= 2) this.line("÷ √2", (key) => short(scaled[key]), "key");
    if (step >= 3) {
      const powers = scaled.map(Math.exp);
      const sum = powers.reduce((a, b) => a + b, 0);
      this.line("e to that", (key) => short(powers[key]));
      const share = (/** @type {number} */ key) => weights[key];
      this.line(`÷ ${short(sum)}`, (key) => short(weights[key]), "weight", share);
    }
    if (step >= 4) this.drawMix(weights, found.output[word]);
    return this.y - 8;
  }

  /** @param {number[]} weights @param {number[]} output */
  drawMix(weights, output) {
    const { value } = this.figure.roles;
    this.line("value", (key) => pair(value[key]), "value");
    for (const column of [0, 1]) {
      const part = (/** @type {number} */ key) => short(weights[key] * value[key][column]);
      this.line(column ? "" : "share of it", part);
      this.y -= 6;
    }
    this.y += 6;
    write(this.drawing, 0, this.y, "sum");
    const box = [this.left + 2, this.y - 17, 3 * this.each - 4, 24];
    const fill = shade(0.3, "value");
    const look = { rx: 3, fill, stroke: "var(--role-value)", "stroke-width": 2 };
    const numbers = output.map((number) => short(number)).join(", ");
    cell(this.drawing, box, `output (${numbers})`, look);
    this.y += 28;
  }
}

/**
 * The same step for all words, as a matrix; a row is pressed to follow its word.
 * @param {SVGElement} drawing @param {number} left @param {number} top
 * @param {ThreeWords} figure
 * @returns {number} how far down it went
 */
function drawAll(drawing, left, top, { roles, word, step }) {
  if (step === 0) return top;
  const { name, matrix } = STEPS[step];
  const rows = steps(roles)[matrix];
  const role = matrix === "weights" ? "weight" : matrix === "output" ? "value" : "key";
  write(drawing, left, top + 16, "all three words:", { class: "soft" });
  write(drawing, left, top + 36, name.slice(3));
  if (matrix !== "output") {
    WORDS.forEach((key, at) => {
      write(drawing, left + 48 + 56 * (at + 0.5), top + 60, key, MIDDLE);
    });
  }
  rows.forEach((row, at) => {
    const y = top + 68 + 38 * at;
    const label = `follow ${WORDS[at]}: ${row.map((n) => short(n)).join(", ")}`;
    const group = touchable(drawing, at, label, at === word);
    write(group, left + 4, y + 24, WORDS[at]);
    row.forEach((number, column) => {
      const fill = shade(matrix === "weights" ? number : 0.15, role);
      const box = [left + 48 + 56 * column, y, 54, 36];
      cell(group, box, short(number), { rx: 3, fill }, { class: "number" });
    });
    const stroke = at === word ? "var(--role-query)" : "transparent";
    const frame = { rx: 3, fill: "transparent", stroke, "stroke-width": 3 };
    rect(group, [left, y, 48 + 56 * row.length, 36], frame);
  });
  return top + 68 + 38 * WORDS.length + 4;
}

export const mount = mounting(ThreeWords);
