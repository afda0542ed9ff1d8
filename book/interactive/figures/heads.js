// Chapter 6: heads split and put back as blocks that move; the faulty way beside it.

import { choice, legend } from "../controls.js";
import { cell, rect, shade, touchable, write } from "../draw.js";
import { MovingFigure } from "../moving.js";
import { mounting } from "../panels.js";

const WORDS = ["dog", "bites", "man"];
const WIDTH = 4; // numbers of a word, D
const DEPTHS = [0.15, 0.5, 0.9]; // of a word's color
const BLOCK = 28;
const GAP = 7;
const [WAY, TOP] = [166, 86]; // the width of one of the two ways, and where blocks begin

/** @typedef {{order: number[], shape: number[], code: string}} Tensor
 *   its numbers in the order in which they are read, and where its brackets stand */

/**
 * Move the brackets; the order of the numbers stays.
 * @param {Tensor} x
 * @param {number[]} shape
 * @param {string} code
 * @returns {Tensor}
 */
export function reshape(x, shape, code) {
  return { order: x.order, shape, code };
}

/**
 * Swap the second and the third of four dimensions: the order of the numbers changes.
 * @param {Tensor} x
 * @param {string} code
 * @returns {Tensor}
 */
export function transpose(x, code) {
  const [b, rows, cols, width] = x.shape;
  const order = Array.from({ length: cols * rows }, (_, line) => {
    const from = width * (cols * (line % rows) + Math.floor(line / rows));
    return x.order.slice(from, from + width);
  });
  return { order: order.flat(), shape: [b, cols, rows, width], code };
}

/**
 * The stages from words to heads and back: the right way, and one without a transpose.
 * @param {number} heads
 * @param {string} mistake where it is made: "split" or "merge"
 * @returns {{right: Tensor[], faulty: Tensor[]}}
 */
export function stages(heads, mistake) {
  const words = WORDS.length;
  const width = WIDTH / heads;
  const whole = [1, words, WIDTH];
  const split = [1, heads, words, width];
  const cut = [1, words, heads, width];
  const order = Array.from({ length: words * WIDTH }, (_, entry) => entry);
  const start = { order, shape: whole, code: "x" };
  const pieces = reshape(start, cut, `.unflatten(-1, (${heads}, -1))`);
  const byHead = transpose(pieces, ".transpose(1, 2)");
  const back = transpose(byHead, ".transpose(1, 2)");
  const right = [start, pieces, byHead, back, reshape(back, whole, ".flatten(-2)")];
  const wrong = `.reshape(1, ${words}, ${WIDTH})`;
  if (mistake === "merge") {
    const left = { ...byHead, code: "(no transpose)" };
    const joined = reshape(byHead, whole, wrong);
    return { right, faulty: [start, pieces, byHead, left, joined] };
  }
  const recut = reshape(start, split, `.reshape(${split.join(", ")})`);
  const same = { ...recut, code: "(no transpose)" };
  return { right, faulty: [start, recut, same, same, reshape(recut, whole, wrong)] };
}

/**
 * Where the block at some place of a tensor is drawn: the heads of a sentence below one
 * another, those of a word side by side.
 * @param {number[]} shape in which there are never as many heads as words
 * @param {number} place
 */
function spot(shape, place) {
  const [across, width] = shape.slice(-2);
  const x = BLOCK * (place % width);
  const line = Math.floor(place / width);
  const [outer, inner] = [Math.floor(line / across), line % across];
  return across === WORDS.length
    ? { x, y: headTop(outer) + BLOCK * inner, row: inner, head: outer }
    : { x: x + (BLOCK * width + GAP) * inner, y: BLOCK * outer, row: outer, head: inner };
}

/** @param {number} head @returns {number} how far down a head's rows begin */
function headTop(head) {
  return head * (BLOCK * WORDS.length + 26);
}

/** @param {number} entry @returns {number} the word whose number it is */
function wordOf(entry) {
  return Math.floor(entry / WIDTH);
}

class Heads extends MovingFigure {
  heads = 2;
  mistake = "merge";
  at = 2; // up to here, both ways are one
  goal = 2;
  chosen = 6;

  /** @param {HTMLElement} root */
  constructor(root) {
    super(root, {
      title: "One transpose forgotten: who gets whose numbers?",
      hint:
        "The heads are about to be put back: once rightly, once without transpose. Guess " +
        "where 6, a number of bites, will stand; then press Play. Any block can be followed.",
      label: "The numbers of three words on their way into the heads and back, twice",
    });
    const { controls } = this;
    this.addStages(4);
    choice(controls, "mistake", "without transpose", [
      ["merge", "when put back"],
      ["split", "when split, too"],
    ]);
    choice(controls, "heads", "heads", [1, 2, 4]);
    /** @type {[string, string][]} */
    const marks = WORDS.map((word, row) => [shade(DEPTHS[row], "word"), word]);
    legend(this.panels, [...marks, ["role-mistake", "in the row of another word"]]);
    this.addPicture((drawing) => this.draw(drawing));
  }

  /** @param {string} key */
  press(key) {
    this.chosen = Number(key.split("-")[1]);
  }

  /** Where the chosen number stands, in both; nothing new while blocks move. */
  tell() {
    const { heads, at: goal, chosen } = this;
    if (!Number.isInteger(goal)) return this.said.textContent ?? "";
    const { right, faulty } = stages(heads, this.mistake);
    const [good, bad] = [right[goal], faulty[goal]].map(({ shape, order }) => {
      const { row, head } = spot(shape, order.indexOf(chosen));
      return `${shape.length === 3 ? "" : `head ${head}, `}row of ${WORDS[row]}`;
    });
    const { shape, order } = faulty[goal];
    const strangers = order.filter((entry, place) => spot(shape, place).row !== wordOf(entry));
    const end =
      goal === 4 && this.mistake === "split" && heads > 1
        ? " What went in came out, and yet the heads compared pieces of single words."
        : "";
    return (
      `${chosen} is a number of ${WORDS[wordOf(chosen)]}. Right: ${good}. ` +
      `Without transpose: ${bad}; ${strangers.length} of ${WORDS.length * WIDTH} numbers ` +
      `stand in the row of another word.${end}`
    );
  }

  /** @param {SVGElement} drawing */
  draw(drawing) {
    const { right, faulty } = stages(this.heads, this.mistake);
    this.drawWay(drawing, 0, "right", "right", right);
    this.drawWay(drawing, WAY, "faulty", "without transpose", faulty);
    return [2 * WAY, TOP + 12 + headTop(this.heads - 1) + BLOCK * WORDS.length];
  }

  /**
   * @param {SVGElement} drawing @param {number} from
   * @param {string} key @param {string} title @param {Tensor[]} tensors
   */
  drawWay(drawing, from, key, title, tensors) {
    const { at } = this;
    const [before, after] = [tensors[Math.floor(at)], tensors[Math.ceil(at)]];
    const { code, shape } = tensors[Math.round(at)];
    write(drawing, from, 14, title, "title");
    write(drawing, from, 34, code, "code");
    write(drawing, from, 54, `(${shape.join(", ")})`, "soft");
    const left = from + 38;
    if (before === after) drawLabels(drawing, left, shape);
    const share = at - Math.floor(at);
    for (const entry of tensors[0].order) {
      const [a, b] = [before, after].map((each) => spot(each.shape, each.order.indexOf(entry)));
      const x = left + a.x + share * (b.x - a.x);
      const y = TOP + a.y + share * (b.y - a.y);
      const wrong = (share < 0.5 ? a : b).row !== wordOf(entry);
      this.drawBlock(drawing, [x, y, BLOCK, BLOCK], `${key}-${entry}`, entry, wrong);
    }
  }

  /**
   * @param {SVGElement} drawing @param {number[]} box
   * @param {string} key @param {number} entry @param {boolean} wrong
   */
  drawBlock(drawing, box, key, entry, wrong) {
    const [x, y] = box;
    const chosen = entry === this.chosen;
    const label = `${entry}, of ${WORDS[wordOf(entry)]}${wrong ? ", with another word" : ""}`;
    const group = touchable(drawing, key, label, chosen);
    rect(group, [x + 1.5, y + 1.5, BLOCK - 3, BLOCK - 3], {
      rx: 3,
      fill: shade(DEPTHS[wordOf(entry)], "word"),
      stroke: wrong ? "var(--role-mistake)" : "var(--line)",
      "stroke-width": wrong ? 3 : 1,
    });
    // All of its ground can be pressed.
    cell(group, box, entry, "ground", chosen ? "number followed" : "number");
  }
}

/**
 * The names of words and heads; while blocks move, none would be true.
 * @param {SVGElement} drawing @param {number} left @param {number[]} shape
 */
function drawLabels(drawing, left, shape) {
  const stacked = shape.length === 4 && shape[2] === WORDS.length;
  for (let head = 0; head < (stacked ? shape[1] : 1); head++) {
    const first = TOP + headTop(head);
    if (stacked) write(drawing, left, first - 8, `head ${head}`, "soft");
    WORDS.forEach((word, row) => {
      write(drawing, left - 5, first + BLOCK * (row + 0.5) + 5, word, "end");
    });
  }
}

export const mount = mounting(Heads);
