// Chapter 13: beam search as a tree that grows, on tables small enough to read.

import { BeamSearch, lengthNorm } from "../search.js";
import { choice, mainButton, pushButton, slider } from "../controls.js";
import { counted, edge, fixed, rect, segment, shade, touchable, write } from "../draw.js";
import { mounting, Panels, table } from "../panels.js";

const EOS = "<eos>";
const [PAD_ID, SOS_ID, EOS_ID] = [0, 1, 2];
const [ROW, COLUMN, BOX] = [46, 55, 50];

// The tables of the chapter, as JSON: each beginning, and its next words.
export const TABLES = {
  "two words": {
    "": { "A": 0.6, "B": 0.4 },
    "A": { "A": 0.5, "B": 0.5 },
    "B": { "A": 0.1, "B": 0.9 }
  },
  "I'm on my way to your house.": {
    "": { "Ya": 0.66, "Voy": 0.34 },
    "Ya": { "voy": 1.0 },
    "Ya voy": { "para": 0.52, "<eos>": 0.48 },
    "Ya voy para": { "tu": 1.0 },
    "Ya voy para tu": { "casa": 0.9, "cuarto": 0.1 },
    "Voy": { "a": 1.0 },
    "Voy a": { "tu": 1.0 },
    "Voy a tu": { "casa": 0.9, "cuarto": 0.1 }
  }
};

/** @typedef {Record<string, Record<string, number>>} Table */
/** @typedef {import("../search.js").Hypothesis} Hypothesis */
/** @typedef {{name: string, word: string, score: number, children: Node[]}} Node */

/**
 * What may follow a beginning; one that is not in the table has ended.
 * @param {Table} table
 * @param {string} beginning
 * @returns {Record<string, number>}
 */
export function nextWords(table, beginning) {
  return table[beginning] ?? { [EOS]: 1 };
}

/**
 * A table as a model: what beam search asks of a Transformer, answered by looking up.
 * @param {Table} table
 */
export function tableModel(table) {
  const known = new Set(Object.values(table).flatMap((row) => Object.keys(row)));
  known.delete(EOS);
  const words = ["<pad>", "<sos>", EOS, ...known];
  const model = {
    words,
    config: { pad_id: PAD_ID, max_len: 8, tgt_vocab_size: words.length },
    switches: {},
    encode: () => null,
    open: () => [{ written: "" }],
    /**
     * @param {number} id
     * @param {number} _place
     * @param {{written: string}[]} caches
     */
    decodeNext: (id, _place, caches) => {
      const before = caches[0].written;
      const written = id === SOS_ID ? "" : `${before} ${words[id]}`.trim();
      caches[0].written = written;
      const next = nextWords(table, written);
      const logits = Float32Array.from(words, (word) => Math.log(next[word] ?? 0));
      return { rows: 1, row: () => logits };
    },
    attentionWeights: () => ({}),
  };
  return /** @type {any} */ (model);
}

/**
 * Search step by step, and remember what lived after each of them.
 * @param {Table} table
 * @param {number} beamSize
 * @param {number} lengthPenalty
 * @param {number} most steps to make, fewer if the search ends before
 */
export function searched(table, beamSize, lengthPenalty, most) {
  const model = tableModel(table);
  const options = { sosId: SOS_ID, eosId: EOS_ID, beamSize, lengthPenalty };
  const search = new BeamSearch(model, [EOS_ID], options);
  const name = (/** @type {Hypothesis} */ { ids }) =>
    ids.map((id) => model.words[id]).join(" ");
  /** @type {Set<string>} those that were kept at their step */
  const kept = new Set();
  let open = [""];
  /** @type {string[]} those whose children were looked at */
  const grown = [];
  for (let step = 0; step < most && !search.done; step++) {
    grown.push(...open);
    const { living, ended } = search.step();
    open = living.map(name);
    for (const each of [...living, ...ended]) kept.add(name(each));
  }
  return { search, kept, grown, open, name };
}

/**
 * The tree of all beginnings that were looked at.
 * @param {Table} table
 * @param {string[]} grown
 * @param {string} [name]
 * @param {number} [score]
 * @returns {Node}
 */
export function treeOf(table, grown, name = "", score = 0) {
  const children = !grown.includes(name)
    ? []
    : Object.entries(nextWords(table, name)).map(([word, p]) =>
        treeOf(table, grown, `${name} ${word}`.trim(), score + Math.log(p)),
      );
  return { name, word: name.split(" ").at(-1) ?? "", score, children };
}

class Beams extends Panels {
  example = Object.keys(TABLES)[1];
  size = 2;
  alpha = 0;
  /** How many steps are made. */
  made = 3;
  pressed = "";
  now = this.search();

  /** @param {HTMLElement} root */
  constructor(root) {
    super(root, {
      title: "A beam, step by step",
      hint:
        "Which sentence will win? Step until it is done, then change the beam or α. A box " +
        "holds a word, and the probability of all words up to it; filled boxes are kept.",
      label: "A tree of beginnings that grows to the right",
    });
    const { controls } = this;
    choice(controls, "example", "example", Object.keys(TABLES));
    slider(controls, "size", "beam size", [1, 4]);
    slider(controls, "alpha", "length penalty α", [0, 2, 0.1], (value) => fixed(value, 1));
    const done = () => this.now.search.done;
    pushButton(controls, "back", () => this.go(this.made - 1), () => this.made === 0);
    mainButton(controls, "step", () => this.go(this.made + 1), done);
    pushButton(controls, "to the end", () => this.go(99), done);
    this.addPicture((drawing) => this.draw(drawing));
    table(this, () => this.ended());
  }

  /** @param {string} key */
  press(key) {
    this.pressed = key;
  }

  get known() {
    return /** @type {Record<string, Table>} */ (TABLES)[this.example];
  }

  /** @param {unknown} name */
  changed(name) {
    if (name === "example") this.made = 2;
    else if (this.now.search.done) this.made = 99; // another search is shown to its end, too
  }

  /** @param {number} wanted */
  go(wanted) {
    this.made = Math.max(0, wanted);
    this.pressed = "";
  }

  search() {
    const found = searched(this.known, this.size, this.alpha, this.made);
    const { grown } = found;
    const steps = grown.length ? 1 + Math.max(...grown.map(lengthOf)) : 0;
    this.made = Math.min(this.made, steps);
    return found;
  }

  update() {
    this.now = this.search();
    super.update();
  }

  tell() {
    return this.pressed ? this.arithmetic() : this.state();
  }

  /** How the probability of the box that was pressed comes about. */
  arithmetic() {
    const parts = this.pressed.split(" ");
    const shares = parts.map(
      (word, at) => nextWords(this.known, parts.slice(0, at).join(" "))[word],
    );
    const product = shares.reduce((all, share) => all * share, 1);
    const sum = `${shares.join(" × ")} = ${fixed(product, 3)}`;
    return `${this.pressed}: ${sum}, and its logarithm is ${fixed(Math.log(product))}.`;
  }

  state() {
    const { made, size } = this;
    const { search: beam, open, name } = this.now;
    if (!beam.done) {
      const living = open.map((each) => each || "the empty beginning").join(" | ");
      return `After ${counted(made, "step")}, kept: ${living}.`;
    }
    const [winner] = beam.best();
    const reason =
      beam.ended.length < size && beam.ended.length > 0
        ? "no other beginning can win any more"
        : `${beam.ended.length} ${size === 1 ? "has" : "have"} ended`;
    const best = `The best is ${name(winner)}, with a score of ${fixed(winner.rank ?? 0, 3)}.`;
    return `Done after ${counted(made, "step")}: ${reason}. ${best}`;
  }

  /** The tree, growing to the right. @param {SVGElement} drawing */
  draw(drawing) {
    let row = 0;
    /**
     * @param {Node} node
     * @param {number} level
     * @returns {number} the middle of its box
     */
    const place = (node, level) => {
      const below = node.children.map((child) => place(child, level + 1));
      const y = below.length
        ? (below[0] + below[below.length - 1]) / 2
        : ROW * row++ + ROW / 2;
      const x = COLUMN * (level - 1) + 2;
      for (const at of level ? below : []) {
        segment(drawing, [x + BOX, y], [x + COLUMN, at], "line");
      }
      if (level) this.drawBox(drawing, node, x, y);
      return y;
    };
    place(treeOf(this.known, this.now.grown), 0);
    const depth = Math.max(4, ...[...this.now.kept].map(lengthOf));
    return [COLUMN * depth, ROW * row];
  }

  /** @param {SVGElement} drawing @param {Node} node @param {number} x @param {number} y */
  drawBox(drawing, node, x, y) {
    const kept = this.now.kept.has(node.name);
    const value = fixed(Math.exp(node.score), 3);
    const label = `${node.name}: ${value}, ${kept ? "kept" : "not kept"}`;
    const box = touchable(drawing, node.name, label);
    const fill = kept ? shade(0.55, "word") : "var(--paper)";
    const living = this.now.open.includes(node.name);
    rect(box, [x, y - 20, BOX, 40], { rx: 5, fill, ...edge(living) });
    write(box, x + BOX / 2, y - 3, node.word, "middle");
    write(box, x + BOX / 2, y + 14, value, "number middle");
  }

  /** What has ended: its log-probability, what that is divided by, and the score. */
  ended() {
    const { search: beam, name } = this.now;
    const ended = beam.best();
    const heading = ended.length ? "ended, the best first" : "nothing has ended yet";
    const rows = ended.map((each, at) => {
      const look = { class: at === 0 && "title" };
      const norm = lengthNorm(each.ids.length, this.alpha);
      const score = fixed(each.rank ?? 0, 3);
      const sum = `${fixed(each.score, 3)} ÷ ${fixed(norm, 3)} = ${score}`;
      return [{ text: name(each), ...look }, { text: sum, ...look }];
    });
    return [[{ text: heading, colspan: 2 }], ...rows];
  }
}

/** @param {string} name */
function lengthOf(name) {
  return name ? name.split(" ").length : 0;
}

export const mount = mounting(Beams);
