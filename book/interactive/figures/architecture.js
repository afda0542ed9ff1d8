// Chapters 7 to 9: the whole model, each part to be opened, and what flows there.

import { largestPlaces, softmax } from "../arrays.js";
import { choice, mainButton, pushButton } from "../controls.js";
import {
  cell, counted, edge, fixed, rect, shade, signed, svg, touchable, write,
} from "../draw.js";
import { Transformer } from "../model.js";
import { countParameters, parts, recorder, smallArrays } from "../opened.js";
import { filled, mounting, Panels, table } from "../panels.js";
import { SMALL } from "../small_model.js";

/**
 * @typedef {import("../arrays.js").Matrix} Matrix
 * @typedef {import("../opened.js").Part} Part
 */

const ROW = 40; // from one box to the next
const BOX = 32;
const [LEFT, COLUMN, GAP] = [2, 140, 26]; // between the two columns is a gap
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
class Architecture extends Panels {
  arrays = smallArrays();
  record = recorder(new Transformer(SMALL.config, this.arrays));
  parts = parts();
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
    mainButton(controls, "write the next word", () => this.tgt.push(this.next()), () => this.done);
    pushButton(controls, "start again", () => {
      this.tgt = [SOS];
    });
    choice(controls, "view", "show", [
      ["output", "what comes out"],
      ["input", "what goes in"],
      ["0", "where head 1 looks"],
      ["1", "where head 2 looks"],
    ]);
    this.addPicture((drawing) => this.drawDiagram(drawing));
    table(this, () => this.numbers());
  }

  /** @param {string} name */
  press(name) {
    if (this.find(name).opens && !this.open.delete(name)) this.open.add(name);
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
    return this.parts.find((part) => part.name === name) ?? this.parts[0];
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

  /** The parts in sight: all that they are in is open. */
  get seen() {
    const closed = this.parts.filter(({ name, opens }) => opens && !this.open.has(name));
    return this.parts.filter((part) => !closed.some((outer) => isIn(part, outer)));
  }

  /** The boxes of both columns, from below. @param {SVGElement} drawing */
  drawDiagram(drawing) {
    const { seen } = this;
    const lists = ["src", "tgt"].map((side) => seen.filter((part) => part.side === side));
    const height = ROW * (Math.max(...lists.map((list) => list.length)) + 1.3);
    /** @type {Map<string, number>} */
    const middles = new Map();
    lists.forEach((list, side) => {
      const left = LEFT + side * (COLUMN + GAP);
      list.forEach((part, place) => {
        const y = height - ROW * (place + 1.6);
        const [x, width] = [left + 5 * part.depth, COLUMN - 10 * part.depth];
        const size = list.filter((other) => isIn(other, part)).length;
        middles.set(part.name, y + BOX / 2);
        if (size) {
          rect(drawing, [x, y, width, ROW * size + BOX + 4], { class: "line", rx: 5 });
        } else if (place + 1 < list.length) {
          arrow(drawing, `M${left + COLUMN / 2} ${y} v${BOX - ROW}`);
        }
        this.drawBox(drawing, part, [x, y, width, BOX]);
      });
      const count = this.words(side ? "tgt" : "src").length;
      write(drawing, left + COLUMN / 2, height - 8, counted(count, "token"), "soft middle");
    });
    // The way of the memory, to all parts in sight that read it.
    const from = LEFT + COLUMN;
    const start = middles.get("encoder") ?? 0;
    for (const { name, depth, opens } of lists[1]) {
      if (opens ? this.open.has(name) : !name.endsWith("cross_attention")) continue;
      const end = from + GAP + 5 * depth;
      arrow(drawing, `M${from} ${start} h${GAP / 2} V${middles.get(name)} H${end}`);
      svg(drawing, "path", { d: `M${end} ${middles.get(name)} l-7 -4 v8 z`, fill: "var(--ink)" });
    }
    write(drawing, from / 2, start - BOX / 2 - 8, "memory →", "soft middle");
    return [2 * (LEFT + COLUMN) + GAP, height];
  }

  /** @param {SVGElement} drawing @param {Part} part @param {number[]} box */
  drawBox(drawing, { name, label, side, opens }, box) {
    const chosen = name === this.selected;
    const spoken = `${label}, ${side === "src" ? "source" : "target"} side`;
    const open = this.open.has(name);
    const group = touchable(drawing, name, spoken, opens ? undefined : chosen);
    if (opens) group.setAttribute("aria-expanded", String(open));
    const fill = FILLS.find(([end]) => name.endsWith(end))?.[1] ?? "var(--field)";
    const sign = opens ? (open ? "▾ " : "▸ ") : "";
    cell(group, box, sign + label, { rx: 4, fill, ...edge(chosen) });
  }

  /** What the chosen part is, its sizes, and its numbers. */
  numbers() {
    const { selected, view } = this;
    const part = this.find(selected);
    const { input, output, weights, from } = this.flow[selected];
    const layer = /layers\.(\d)/.exec(selected);
    const where = layer && !part.opens ? `, layer ${Number(layer[1]) + 1}` : "";
    const side = part.side === "src" ? "encoder" : "decoder";
    const whose = part.opens && !layer ? "" : ` (${side}${where})`;
    const sizes = `(${input.rows}, ${input.cols}) → (${output.rows}, ${output.cols})`;
    const text = `${sizes}, ${this.count(selected)} parameters`;
    const rows = this.rowsOf(view === "input" ? input : output, weights[Number(view)]);
    const colspan = 1 + rows[0].length;
    return [
      [{ text: `${part.label}${whose}`, class: "title", colspan }],
      [{ text, colspan }],
      ...(weights[Number(view)] ? [["", ...this.words(from).map((text) => ({ text, class: "turned" }))]] : []),
      ...this.words(part.side).map((word, t) => [word, ...rows[t]]),
    ];
  }

  /**
   * The cells of each word.
   * @param {Matrix} shown
   * @param {Matrix | undefined} head where it looks, if that is wanted
   */
  rowsOf(shown, head) {
    if (head) return head.toRows().map((row) => row.map((n) => filled(fixed(n), shade(n))));
    const rows = shown.toRows();
    if (shown.cols === 1) return rows.map(([id]) => [filled(fixed(id, 0), "none")]);
    if (this.selected !== "output_proj" || this.view === "input") {
      return rows.map((row) => row.map((n) => filled(fixed(n), signed(n / 3))));
    }
    // The three likeliest next tokens, and their logits.
    return rows.map((logits) =>
      largestPlaces(Float32Array.from(logits), 3).map((id, place) => {
        return { text: `${SMALL.tgtWords[id]} ${fixed(logits[id], 1)}`, class: place ? "" : "title" };
      }),
    );
  }
}

/** Whether a part is in another one. @param {Part} part @param {Part} outer */
function isIn({ name }, outer) {
  return name.startsWith(`${outer.name}.`);
}

/**
 * @param {SVGElement} drawing
 * @param {string} d the way of the line
 */
function arrow(drawing, d) {
  svg(drawing, "path", { d, fill: "none", stroke: "var(--ink)", "stroke-width": 1.5 });
}

export const mount = mounting(Architecture);
