// Chapters 7 to 9: the whole model, each part to be opened, and what flows there.

import { largestPlaces, softmax } from "../arrays.js";
import { choice, pushButton } from "../controls.js";
import {
  BOLD, cell, edge, fixed, MIDDLE, rect, shade, signed, svg, touchable, write,
} from "../draw.js";
import { Figure } from "../frame.js";
import { mounting } from "../panels.js";
import { Transformer } from "../model.js";
import { countParameters, parts, recorder, smallArrays } from "../opened.js";
import { SMALL } from "../small_model.js";

/**
 * @typedef {import("../arrays.js").Matrix} Matrix
 * @typedef {import("../opened.js").Part} Part
 * @typedef {{rows: string[], left: number, top: number, width: number}} Place where
 *   numbers are drawn, and the names of their rows
 */

const ROW = 40; // from one box to the next
const BOX = 32;
const GAP = 26; // between the two columns
const [SOS, EOS] = ["<sos>", "<eos>"].map((word) => SMALL.tgtWords.indexOf(word));
const FILLS = [
  ["embedding", shade(0.3, "word")],
  ["positions", shade(0.4, "position")],
  ["attention", shade(0.3, "weight")],
];

/** @typedef {{title: string, open: string[], selected: string, view?: string}} Opening
 *   what is open, and the part whose numbers are shown */
/** @type {Record<string, Opening>} */
const OPENINGS = {
  model: { title: "Open the model", open: [], selected: "encoder" },
  encoder_layer: {
    title: "Open an encoder layer", open: ["encoder", "encoder.layers.0"],
    selected: "encoder.layers.0.feed_forward",
  },
  decoder_layer: {
    title: "Open a decoder layer", open: ["decoder", "decoder.layers.0"],
    selected: "decoder.layers.0.cross_attention", view: "0",
  },
};

/** The model, some of its parts open. */
class Architecture extends Figure {
  arrays = smallArrays();
  record = recorder(new Transformer(SMALL.config, this.arrays));
  columns = parts();
  sentence = SMALL.sentences[1];
  tgt = [SOS];
  flow = this.flows();
  /** @param {HTMLElement} root */
  constructor(root) {
    const { title, open, selected, view } = OPENINGS[root.dataset.opened ?? "model"];
    super(root, {
      title,
      hint:
        "Press a part to open it, once more to close it. Then write the next word, and " +
        "see which numbers change.",
      label: "The encoder on the left and the decoder on the right, read upwards",
    });
    /** Names of the stacks and layers that are open. */
    this.open = new Set(open);
    this.selected = selected;
    /** What is shown of it: "output", "input", or the number of a head. */
    this.view = view ?? "output";
    const { controls } = this;
    choice(controls, "sentence", "sentence", SMALL.sentences);
    pushButton(controls, "write the next word", () => this.tgt.push(this.next()), () => this.done);
    pushButton(controls, "start again", () => {
      this.tgt = [SOS];
    });
    choice(controls, "view", "show", [
      ["output", "what comes out"],
      ["input", "what goes in"],
      ["0", "where head 1 looks"],
      ["1", "where head 2 looks"],
    ]);
  }

  /** @param {string} name */
  press(name) {
    if (this.find(name).children.length && !this.open.delete(name)) this.open.add(name);
    this.selected = name;
  }

  /** @param {unknown} name */
  changed(name) {
    if (name === "sentence") this.tgt = [SOS];
  }

  update() {
    this.flow = this.flows();
    super.update();
  }

  flows() {
    const src = this.sentence.split(" ").map((word) => SMALL.srcWords.indexOf(word));
    return this.record(src, this.tgt);
  }

  get done() {
    return this.tgt.at(-1) === EOS;
  }

  /** The words of one side. @param {string} side */
  words(side) {
    if (side === "src") return this.sentence.split(" ");
    return this.tgt.map((id) => SMALL.tgtWords[id]);
  }

  /** The likeliest next token. */
  next() {
    return largestPlaces(this.flow.output_proj.output.row(this.tgt.length - 1), 1)[0];
  }

  /** @param {string} name @returns {Part} */
  find(name) {
    const all = [...this.columns.src, ...this.columns.tgt].flatMap(within);
    return all.find((part) => part.name === name) ?? all[0];
  }

  tell() {
    const { text, name } = this.find(this.selected);
    const [count, whole] = [name, ""].map((part) => this.count(part));
    const chances = softmax(this.flow.output_proj.output.row(this.tgt.length - 1));
    const written = this.words("tgt").join(" ");
    const next = this.next();
    return (
      `${text} It holds ${count} of the model's ${whole} numbers. ` +
      (this.done
        ? `The translation is finished: ${written}.`
        : `The decoder has read ${written}; likeliest next: ` +
          `${SMALL.tgtWords[next]}, ${fixed(chances[next])}.`)
    );
  }

  /** How many numbers a part learns. @param {string} name */
  count(name) {
    return countParameters(this.arrays, name).toLocaleString("en");
  }

  /** @param {SVGElement} drawing @param {number} width */
  draw(drawing, width) {
    const wide = width >= 660;
    const column = Math.min(165, ((wide ? 326 : width) - GAP) / 2);
    const height = this.drawDiagram(drawing, column);
    const left = wide ? 2 * column + GAP + 30 : 0;
    const top = wide ? 0 : height + 14;
    return Math.max(height, this.drawNumbers(drawing, left, top, width - left));
  }

  /**
   * The boxes of both columns, from below; returns the height.
   * @param {SVGElement} drawing
   * @param {number} column
   */
  drawDiagram(drawing, column) {
    const { src, tgt } = this.columns;
    const lists = [src, tgt].map((list) => list.flatMap((part) => this.rows(part, 0)));
    const height = ROW * (Math.max(...lists.map((list) => list.length)) + 1.3);
    /** @type {Map<string, number>} */
    const middles = new Map();
    lists.forEach((list, side) => {
      const left = side * (column + GAP);
      list.forEach(({ part, depth, size }, place) => {
        const y = height - ROW * (place + 1.6);
        const [x, width] = [left + 5 * depth, column - 10 * depth];
        middles.set(part.name, y + BOX / 2);
        if (size) {
          const around = { rx: 5, fill: "none", stroke: "var(--line)" };
          rect(drawing, [x, y, width, ROW * size + BOX + 4], around);
        } else if (place + 1 < list.length) {
          arrow(drawing, `M${left + column / 2} ${y} v${BOX - ROW}`);
        }
        this.drawBox(drawing, part, [x, y, width, BOX]);
      });
      const count = this.words(side ? "tgt" : "src").length;
      const text = `${count} ${count > 1 ? "tokens" : "token"}`;
      write(drawing, left + column / 2, height - 8, text, { ...MIDDLE, class: "soft" });
    });
    this.drawMemory(drawing, column, middles);
    return height;
  }

  /**
   * The way of the memory, to all parts in sight that read it.
   * @param {SVGElement} drawing
   * @param {number} column
   * @param {Map<string, number>} middles
   */
  drawMemory(drawing, column, middles) {
    const start = /** @type {number} */ (middles.get("encoder"));
    const x = column + GAP / 2;
    for (const { name, depth } of this.readers(this.columns.tgt[2])) {
      const y = /** @type {number} */ (middles.get(name));
      const end = column + GAP + 5 * depth;
      arrow(drawing, `M${column} ${start} H${x} V${y} H${end}`);
      svg(drawing, "path", { d: `M${end} ${y} l-7 -4 v8 z`, fill: "var(--ink)" });
    }
    const look = { ...MIDDLE, class: "soft" };
    write(drawing, column / 2, start - BOX / 2 - 8, "memory →", look);
  }

  /**
   * The innermost parts in sight that read the memory.
   * @param {Part} part
   * @param {number} [depth]
   * @returns {{ name: string, depth: number }[]}
   */
  readers(part, depth = 0) {
    if (!this.open.has(part.name)) {
      const reads = part.children.length || part.name.endsWith("cross_attention");
      return reads ? [{ name: part.name, depth }] : [];
    }
    return part.children.flatMap((child) => this.readers(child, depth + 1));
  }

  /**
   * A part in sight, after its children: its depth, and the rows of its children.
   * @param {Part} part
   * @param {number} depth
   * @returns {{ part: Part, depth: number, size: number }[]}
   */
  rows(part, depth) {
    const inside = this.open.has(part.name)
      ? part.children.flatMap((child) => this.rows(child, depth + 1))
      : [];
    return [...inside, { part, depth, size: inside.length }];
  }

  /** @param {SVGElement} drawing @param {Part} part @param {number[]} box */
  drawBox(drawing, { name, label, side, children }, box) {
    const chosen = name === this.selected;
    const spoken = `${label}, ${side === "src" ? "source" : "target"} side`;
    const opens = children.length > 0;
    const open = this.open.has(name);
    const group = touchable(drawing, name, spoken, opens ? undefined : chosen);
    if (opens) group.setAttribute("aria-expanded", String(open));
    const fill = FILLS.find(([end]) => name.endsWith(end))?.[1] ?? "var(--field)";
    const sign = opens ? (open ? "▾ " : "▸ ") : "";
    cell(group, box, sign + label, { rx: 4, fill, ...edge(chosen) });
  }

  /**
   * The numbers of the chosen part; returns where they end.
   * @param {SVGElement} drawing
   * @param {number} left
   * @param {number} top
   * @param {number} width
   */
  drawNumbers(drawing, left, top, width) {
    const { selected, view } = this;
    const part = this.find(selected);
    const { input, output, weights, from } = this.flow[selected];
    const layer = /layers\.(\d)/.exec(selected);
    const inside = layer && !part.children.length;
    const where = inside ? `, layer ${Number(layer[1]) + 1}` : "";
    const side = part.side === "src" ? "encoder" : "decoder";
    const whose = part.children.length && !layer ? "" : ` (${side}${where})`;
    write(drawing, left, top + 14, `${part.label}${whose}`, BOLD);
    const sizes = `(${input.rows}, ${input.cols}) → (${output.rows}, ${output.cols})`;
    const count = `${sizes}, ${this.count(selected)} parameters`;
    write(drawing, left, top + 35, count, { class: "number" });
    const place = { rows: this.words(part.side), left, top: top + 46, width };
    const head = weights[Number(view)];
    if (head) return drawMatrix(drawing, head, this.words(from), place, (n) => shade(n));
    if (view !== "input" && selected === "output_proj") {
      return drawBest(drawing, output, place);
    }
    const shown = view === "input" ? input : output;
    const color = (/** @type {number} */ n) => (shown.cols > 1 ? signed(n / 3) : "none");
    return drawMatrix(drawing, shown, [], place, color);
  }
}

/**
 * For each place the three likeliest next tokens, and their logits.
 * @param {SVGElement} drawing
 * @param {Matrix} output
 * @param {Place} place
 */
function drawBest(drawing, output, { rows, left, top, width }) {
  rows.forEach((word, t) => {
    const y = top + 22 * (t + 1);
    const logits = output.row(t);
    write(drawing, left, y, word);
    largestPlaces(logits, 3).forEach((id, place) => {
      const x = left + 66 + (place * (width - 66)) / 3;
      const look = { class: "number", ...(place ? {} : BOLD) };
      write(drawing, x, y, `${SMALL.tgtWords[id]} ${fixed(logits[id], 1)}`, look);
    });
  });
  return top + 22 * rows.length + 10;
}

/**
 * A part and all that is inside it.
 * @param {Part} part
 * @returns {Part[]}
 */
function within(part) {
  return [part, ...part.children.flatMap(within)];
}

/**
 * A matrix with its numbers; returns where it ends.
 * @param {SVGElement} drawing
 * @param {Matrix} matrix
 * @param {string[]} cols names of the columns; none for the numbers of vectors
 * @param {Place} place
 * @param {(value: number) => string} color
 */
function drawMatrix(drawing, matrix, cols, { rows, left, top, width }, color) {
  const labels = 56;
  const side = Math.min(52, (width - labels) / matrix.cols);
  const first = top + (cols.length ? 46 : 4);
  cols.forEach((word, col) => {
    const [x, y] = [left + labels + side * (col + 0.5), first - 6];
    write(drawing, x, y, word, { transform: `rotate(-40 ${x} ${y})` });
  });
  const style = side < 44 ? "font-size: 12.5px" : undefined;
  const digits = matrix.cols === 1 ? 0 : 2;
  rows.forEach((word, row) => {
    const y = first + 26 * row;
    write(drawing, left, y + 18, word);
    matrix.row(row).forEach((value, col) => {
      const box = [left + labels + side * col + 1, y + 1, side - 2, 24];
      const look = { rx: 2, fill: color(value), stroke: "var(--line)" };
      cell(drawing, box, fixed(value, digits), look, { class: "number", style });
    });
  });
  return first + 26 * rows.length + 8;
}

/**
 * @param {SVGElement} drawing
 * @param {string} d the way of the line
 */
function arrow(drawing, d) {
  svg(drawing, "path", { d, fill: "none", stroke: "var(--ink)", "stroke-width": 1.5 });
}

export const mount = mounting(Architecture);
