// Chapter 12: beam search as a tree that grows, on tables small enough to read.

import { BeamSearch, lengthNorm } from "../beam.js";
import { button, choice, fixed, onPress, panel, shade, slider, svg } from "../draw.js";

const EOS = "<eos>";
const [PAD_ID, SOS_ID, EOS_ID] = [0, 1, 2];
const ROW = 46;

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
/** @typedef {import("../beam.js").Hypothesis} Hypothesis */
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
    decoder: { open: () => [{ written: "" }] },
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
  const search = new BeamSearch(model, [EOS_ID], { ...options, maxLen: 8 });
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

/** @param {HTMLElement} root */
export function mount(root) {
  const names = Object.keys(TABLES);
  const tables = /** @type {Record<string, Table>} */ (TABLES);
  let example = names[0];
  let [size, alpha, made] = [1, 0, 1];
  let pressed = "";
  let now = search();
  const { controls, picture, redraw, say } = panel(root, {
    title: "A beam, step by step",
    hint:
      "A box holds a word, and the probability of all words up to it. Filled boxes " +
      "are kept.",
    label: "A tree of beginnings that grows to the right",
    draw,
  });
  choice(controls, {
    label: "example",
    options: names.map((value) => ({ value, label: value })),
    value: example,
    change: (name) => {
      example = name;
      made = 1;
      update();
    },
  });
  slider(controls, {
    label: "beam size",
    min: 1,
    max: 4,
    step: 1,
    value: size,
    change: (value) => {
      size = value;
      update();
    },
  });
  slider(controls, {
    label: "length penalty α",
    min: 0,
    max: 2,
    step: 0.1,
    value: alpha,
    show: (value) => fixed(value, 1),
    change: (value) => {
      alpha = value;
      update();
    },
  });
  const back = button(controls, "back", () => go(made - 1));
  const next = button(controls, "step", () => go(made + 1));
  const last = button(controls, "to the end", () => go(99));
  onPress(picture, (key) => {
    pressed = key;
    update();
  });
  update();

  /** @param {number} wanted */
  function go(wanted) {
    made = Math.max(0, wanted);
    pressed = "";
    update();
  }

  function search() {
    const found = searched(tables[example], size, alpha, made);
    made = Math.min(made, Math.max(0, steps(found)));
    return found;
  }

  /** @param {ReturnType<typeof searched>} found */
  function steps({ grown }) {
    return grown.length ? 1 + Math.max(...grown.map(lengthOf)) : 0;
  }

  function update() {
    now = search();
    back.disabled = made === 0;
    next.disabled = last.disabled = now.search.done;
    redraw();
    say(pressed ? arithmetic() : state());
  }

  /** How the probability of the box that was pressed comes about. */
  function arithmetic() {
    const parts = pressed.split(" ");
    const shares = parts.map(
      (word, at) => nextWords(tables[example], parts.slice(0, at).join(" "))[word],
    );
    const product = shares.reduce((all, share) => all * share, 1);
    const sum = `${shares.join(" × ")} = ${fixed(product, 3)}`;
    return `${pressed}: ${sum}, and its logarithm is ${fixed(Math.log(product))}.`;
  }

  function state() {
    const { search: beam, open, name } = now;
    if (!beam.done) {
      const living = open.map((each) => each || "the empty beginning").join(" | ");
      return `After ${made} ${made === 1 ? "step" : "steps"}, kept: ${living}.`;
    }
    const [winner] = beam.best();
    const reason =
      beam.ended.length < size && beam.ended.length > 0
        ? "no other beginning can win any more"
        : `${beam.ended.length} ${size === 1 ? "has" : "have"} ended`;
    const score = fixed(winner.rank ?? 0, 3);
    const best = `The best is ${name(winner)}, with ${score}.`;
    return `Done after ${made} steps: ${reason}. ${best}`;
  }

  /**
   * @param {SVGElement} drawing
   * @param {number} width
   */
  function draw(drawing, width) {
    const tree = treeOf(tables[example], now.grown);
    const depth = Math.max(3, ...[...now.kept].map(lengthOf));
    const column = Math.min(124, width / depth);
    const box = column - (column > 80 ? 26 : 9);
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
      const x = column * (level - 1);
      for (const at of level ? below : []) {
        const points = [[x + box, y], [column * level, at]].map(String).join(" ");
        svg(drawing, "polyline", { points, stroke: "var(--line)", fill: "none" });
      }
      if (level) drawBox(drawing, node, x, y, box);
      return y;
    };
    place(tree, 0);
    return endedLines(drawing, width, ROW * row + 12);
  }

  /**
   * @param {SVGElement} drawing
   * @param {Node} node
   * @param {number} x
   * @param {number} y
   * @param {number} box its width
   */
  function drawBox(drawing, node, x, y, box) {
    const kept = now.kept.has(node.name);
    const living = now.open.includes(node.name);
    const value = Math.exp(node.score);
    const cell = svg(drawing, "g", {
      key: node.name,
      role: "button",
      "aria-label": `${node.name}: ${fixed(value, 3)}, ${kept ? "kept" : "not kept"}`,
    });
    svg(cell, "rect", {
      x,
      y: y - 20,
      width: box,
      height: 40,
      rx: 5,
      fill: kept ? shade(0.55, "word") : "var(--paper)",
      stroke: living ? "var(--accent)" : "var(--line)",
      "stroke-width": living ? 2.5 : 1,
    });
    const middle = { x: x + box / 2, "text-anchor": "middle" };
    svg(cell, "text", { ...middle, y: y - 3 }, node.word);
    svg(cell, "text", { ...middle, y: y + 14, class: "number" }, fixed(value, 3));
  }

  /**
   * What has ended: its log-probability, what that is divided by, and the score.
   * @param {SVGElement} drawing
   * @param {number} width
   * @param {number} top
   */
  function endedLines(drawing, width, top) {
    const { search: beam, name } = now;
    const ended = [...beam.ended].sort((a, b) => (b.rank ?? 0) - (a.rank ?? 0));
    const heading = ended.length ? "ended, the best first" : "nothing has ended yet";
    svg(drawing, "text", { x: 1, y: top + 12, class: "soft" }, heading);
    const high = width < 480 ? 44 : 26;
    ended.forEach((each, at) => {
      const y = top + 36 + high * at;
      const style = at === 0 ? "font-weight: 600" : undefined;
      const norm = lengthNorm(each.ids.length, alpha);
      const score = fixed(each.rank ?? 0, 3);
      const sum = `${fixed(each.score, 3)} ÷ ${fixed(norm, 3)} = ${score}`;
      svg(drawing, "text", { x: 1, y, style }, name(each));
      const right = width < 480 ? { x: 16, y: y + 19 } : { x: 240, y };
      svg(drawing, "text", { ...right, style, class: "number" }, sum);
    });
    return top + 30 + high * Math.max(1, ended.length);
  }
}

/** @param {string} name */
function lengthOf(name) {
  return name ? name.split(" ").length : 0;
}
