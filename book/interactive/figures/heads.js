// Chapter 5: heads split and put back as blocks that move; the faulty way beside it.

import { button, choice, onPress, panel, shade, slider, svg } from "../draw.js";

const WORDS = ["dog", "bites", "man"];
const WIDTH = 4; // numbers of a word, D
const BLOCK = 28;
const GAP = 7;

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
  const order = x.order.map((_, place) => {
    const within = place % width;
    const row = Math.floor(place / width) % rows;
    const col = Math.floor(place / width / rows);
    return x.order[(row * cols + col) * width + within];
  });
  return { order, shape: [b, cols, rows, width], code };
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
 * Where the block at some place of a tensor is drawn, heads below one another.
 * @param {number[]} shape
 * @param {number} place
 * @param {number} heads
 * @returns {{x: number, y: number, row: number, head: number | undefined}}
 */
function spot(shape, place, heads) {
  const width = shape[shape.length - 1];
  const within = place % width;
  const line = Math.floor(place / width);
  if (shape.length === 3) {
    return { x: BLOCK * within, y: BLOCK * line, row: line, head: undefined };
  }
  if (inHeads(shape, heads)) {
    const row = line % WORDS.length;
    const head = Math.floor(line / WORDS.length);
    return { x: BLOCK * within, y: headTop(head) + BLOCK * row, row, head };
  }
  const row = Math.floor(line / heads);
  const head = line % heads;
  const x = (BLOCK * width + GAP) * head + BLOCK * within;
  return { x, y: BLOCK * row, row, head };
}

/** @param {number[]} shape @param {number} heads never as many as there are words */
function inHeads(shape, heads) {
  return shape.length === 4 && shape[1] === heads;
}

/** @param {number} head @returns {number} how far down a head's rows begin */
function headTop(head) {
  return head * (BLOCK * WORDS.length + 26);
}

/** @param {number} entry @returns {number} the word whose number it is */
function wordOf(entry) {
  return Math.floor(entry / WIDTH);
}

/** @param {HTMLElement} root */
export function mount(root) {
  let heads = 2;
  let mistake = "merge";
  let at = 0; // the stage, with fractions while blocks move
  let goal = 0;
  let moving = false;
  let chosen = 6;
  const { controls, picture, redraw, say } = panel(root, {
    title: "Split the heads, and put them back",
    hint:
      "Press Next, or move the slider slowly and watch the blocks. Press a block to " +
      "follow it. Framed in red: a number in the row of another word.",
    label: "The numbers of three words on their way into the heads and back, twice",
    draw,
  });
  const back = button(controls, "Back", () => go(goal - 1));
  const next = button(controls, "Next", () => go(goal + 1));
  const bar = slider(controls, {
    label: "step",
    min: 0,
    max: 4,
    step: 0.125,
    value: 0,
    show: (value) => String(Math.round(value)),
    change: (value) => {
      at = value;
      goal = Math.round(value);
      update();
    },
  });
  choice(controls, {
    label: "without transpose",
    options: [
      { value: "merge", label: "when put back" },
      { value: "split", label: "when split, too" },
    ],
    value: mistake,
    change: (value) => {
      mistake = value;
      update();
    },
  });
  choice(controls, {
    label: "heads",
    options: ["1", "2", "4"].map((value) => ({ value, label: value })),
    value: "2",
    change: (value) => {
      heads = Number(value);
      update();
    },
  });
  onPress(picture, (key) => {
    chosen = Number(key.split("-")[1]);
    update();
  });
  update();

  /** @param {number} stage */
  function go(stage) {
    goal = Math.min(4, Math.max(0, stage));
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) at = goal;
    if (!moving) advance();
  }

  function advance() {
    const left = goal - at;
    at = Math.abs(left) < 0.04 ? goal : at + Math.sign(left) * 0.04;
    bar.set(at);
    update();
    moving = at !== goal;
    if (moving) requestAnimationFrame(advance);
  }

  function update() {
    redraw();
    back.disabled = goal === 0;
    next.disabled = goal === 4;
    if (at === goal) say(told());
  }

  /** @returns {string} where the chosen number stands, in both */
  function told() {
    const { right, faulty } = stages(heads, mistake);
    const [good, bad] = [right[goal], faulty[goal]].map((tensor) => {
      const place = tensor.order.indexOf(chosen);
      const { row, head } = spot(tensor.shape, place, heads);
      return `${head === undefined ? "" : `head ${head}, `}row of ${WORDS[row]}`;
    });
    const strangers = misplaced(faulty[goal]);
    const end =
      goal === 4 && mistake === "split" && heads > 1
        ? " What went in came out, and yet the heads compared pieces of single words."
        : "";
    return (
      `${chosen} is a number of ${WORDS[wordOf(chosen)]}. Right: ${good}. ` +
      `Without transpose: ${bad}; ${strangers} of ${WORDS.length * WIDTH} numbers ` +
      `stand in the row of another word.${end}`
    );
  }

  /** @param {Tensor} tensor @returns {number} how many stand with another word */
  function misplaced(tensor) {
    return tensor.order.filter(
      (entry, place) => spot(tensor.shape, place, heads).row !== wordOf(entry),
    ).length;
  }

  /** @param {SVGElement} drawing @param {number} width */
  function draw(drawing, width) {
    const both = stages(heads, mistake);
    const scale = width >= 560 ? 1.3 : 1;
    const half = Math.floor(width / scale / 2);
    const all = svg(drawing, "g", { transform: `scale(${scale})` });
    drawWay(all, 0, half, { name: "right", tensors: both.right });
    drawWay(all, half + 4, half, { name: "faulty", tensors: both.faulty });
    return scale * (98 + headTop(heads - 1) + BLOCK * WORDS.length);
  }

  /**
   * @param {SVGElement} drawing @param {number} from @param {number} width
   * @param {{name: string, tensors: Tensor[]}} way
   */
  function drawWay(drawing, from, width, { name, tensors }) {
    const now = tensors[Math.round(at)];
    const title = name === "right" ? "right" : "without transpose";
    svg(drawing, "text", { x: from, y: 14, "font-weight": 600 }, title);
    const code = { x: from, y: 34, style: "font-family: monospace; font-size: 12px" };
    svg(drawing, "text", code, now.code);
    const shape = `(${now.shape.join(", ")})`;
    svg(drawing, "text", { x: from, y: 54, class: "soft" }, shape);
    const left = from + Math.min(60, Math.max(38, (width - WIDTH * BLOCK) / 3));
    const top = 86;
    drawLabels(drawing, left, top, now.shape);
    const [before, after] = [Math.floor(at), Math.ceil(at)];
    const share = at - before;
    for (const entry of tensors[0].order) {
      const [a, b] = [before, after].map((stage) => {
        const tensor = tensors[stage];
        return spot(tensor.shape, tensor.order.indexOf(entry), heads);
      });
      const x = left + a.x + share * (b.x - a.x);
      const y = top + a.y + share * (b.y - a.y);
      const wrong = (share < 0.5 ? a : b).row !== wordOf(entry);
      drawBlock(drawing, { x, y, key: `${name}-${entry}`, entry, wrong });
    }
  }

  /**
   * @param {SVGElement} drawing @param {number} left @param {number} top
   * @param {number[]} shape
   */
  function drawLabels(drawing, left, top, shape) {
    if (at !== Math.round(at)) return; // while blocks move, no name is true
    const stacked = inHeads(shape, heads);
    const groups = stacked ? heads : 1;
    for (let group = 0; group < groups; group++) {
      const first = top + headTop(group);
      if (stacked) {
        svg(drawing, "text", { x: left, y: first - 8, class: "soft" }, `head ${group}`);
      }
      WORDS.forEach((word, row) => {
        const y = first + BLOCK * (row + 0.5) + 5;
        svg(drawing, "text", { x: left - 5, y, "text-anchor": "end" }, word);
      });
    }
  }

  /**
   * @param {SVGElement} drawing
   * @param {{x: number, y: number, key: string, entry: number, wrong: boolean}} block
   */
  function drawBlock(drawing, { x, y, key, entry, wrong }) {
    const word = WORDS[wordOf(entry)];
    const cell = svg(drawing, "g", {
      key,
      role: "button",
      "aria-pressed": String(entry === chosen),
      "aria-label": `${entry}, of ${word}${wrong ? ", with another word" : ""}`,
    });
    const side = { width: BLOCK - 3, height: BLOCK - 3 };
    svg(cell, "rect", {
      x: x + 1.5,
      y: y + 1.5,
      ...side,
      rx: 3,
      fill: shade([0.15, 0.5, 0.9][wordOf(entry)], "word"),
      stroke: wrong ? "var(--role-mistake)" : "var(--line)",
      "stroke-width": wrong ? 3 : 1,
    });
    svg(cell, "rect", { x, y, width: BLOCK, height: BLOCK, fill: "transparent" });
    const look = { "text-anchor": "middle", class: "number" };
    const bold = entry === chosen ? { "font-weight": 700 } : {};
    const line = entry === chosen ? { "text-decoration": "underline" } : {};
    const middle = { x: x + BLOCK / 2, y: y + BLOCK / 2 + 5 };
    svg(cell, "text", { ...middle, ...look, ...bold, ...line }, String(entry));
  }
}
