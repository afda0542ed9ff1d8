// Chapters 6 to 8: the whole model, each part to be opened, and what flows there.

import { largestPlaces, softmax } from "../arrays.js";
import { button, choice, fixed, onPress, panel, shade, signed, svg } from "../draw.js";
import { countParameters, flows, parts, smallArrays, smallModel } from "../opened.js";
import { SMALL } from "../small_model.js";

/** @typedef {import("../opened.js").Part} Part */

const ROW = 40; // from one box to the next
const BOX = 32;
const GAP = 26; // between the two columns
const FILLS = [
  ["embedding", shade(0.3, "word")],
  ["positions", shade(0.4, "position")],
  ["attention", shade(0.3, "weight")],
];

/** @param {HTMLElement} root */
export function mount(root) {
  mountOpened(root, [], "encoder");
}

/**
 * The figure, some of its parts open.
 * @param {HTMLElement} root
 * @param {string[]} opened names of the stacks and layers that are open
 * @param {string} selected the part whose numbers are shown
 * @param {string} [view] "output", "input", or the number of a head
 */
export function mountOpened(root, opened, selected, view = "output") {
  const arrays = smallArrays();
  const model = smallModel();
  const [sos, eos] = ["<sos>", "<eos>"].map((word) => SMALL.tgtWords.indexOf(word));
  const columns = parts();
  const open = new Set(opened);
  let sentence = SMALL.sentences[1];
  let tgt = [sos];
  let flow = flows(model, ids(), tgt);

  const { controls, picture, redraw, say } = panel(root, {
    title: "Open the model",
    hint:
      "Press a part to open it, once more to close it. Then write the next word, and " +
      "see which numbers change.",
    label: "The encoder on the left and the decoder on the right, read upwards",
    draw,
  });
  choice(controls, {
    label: "sentence",
    options: SMALL.sentences.map((text) => ({ value: text, label: text })),
    value: sentence,
    change: (text) => {
      sentence = text;
      tgt = [sos];
      update();
    },
  });
  const writer = button(controls, "write the next word", () => {
    tgt = [...tgt, largestPlaces(flow.output_proj.output.row(tgt.length - 1), 1)[0]];
    update();
  });
  button(controls, "start again", () => {
    tgt = [sos];
    update();
  });
  choice(controls, {
    label: "show",
    options: [
      { value: "output", label: "what comes out" },
      { value: "input", label: "what goes in" },
      { value: "0", label: "where head 1 looks" },
      { value: "1", label: "where head 2 looks" },
    ],
    value: view,
    change: (value) => {
      view = value;
      update();
    },
  });
  onPress(picture, (name) => {
    const part = find(name);
    if (part.children.length && !open.delete(name)) open.add(name);
    selected = name;
    update();
  });
  update();

  function ids() {
    return sentence.split(" ").map((word) => SMALL.srcWords.indexOf(word));
  }

  /** @param {string} name @returns {Part} */
  function find(name) {
    const all = [...columns.src, ...columns.tgt].flatMap(within);
    return all.find((part) => part.name === name) ?? columns.src[0];
  }

  function update() {
    flow = flows(model, ids(), tgt);
    const done = tgt.at(-1) === eos;
    writer.disabled = done;
    redraw();
    const { text, name } = find(selected);
    const chances = softmax(flow.output_proj.output.row(tgt.length - 1));
    const next = largestPlaces(chances, 1)[0];
    const count = countParameters(arrays, name);
    const written = targetWords().join(" ");
    say(
      `${text} It holds ${count.toLocaleString("en")} of the model's ` +
        `${countParameters(arrays, "").toLocaleString("en")} numbers. ` +
        (done
          ? `The translation is finished: ${written}.`
          : `The decoder has read ${written}; likeliest next: ` +
            `${SMALL.tgtWords[next]}, ${fixed(chances[next])}.`),
    );
  }

  /**
   * @param {SVGElement} drawing
   * @param {number} width
   */
  function draw(drawing, width) {
    const wide = width >= 660;
    const column = Math.min(165, ((wide ? 356 : width) - GAP) / 2);
    const height = diagram(drawing, column);
    const left = wide ? 2 * column + GAP + 30 : 0;
    const top = wide ? 0 : height + 14;
    return Math.max(height, numbers(drawing, left, top, width - left));
  }

  /**
   * The boxes of both columns, from below; returns the height.
   * @param {SVGElement} drawing
   * @param {number} column
   */
  function diagram(drawing, column) {
    const lists = [columns.src, columns.tgt].map((list) =>
      list.flatMap((part) => rows(part, 0)),
    );
    const height = ROW * (Math.max(...lists.map((list) => list.length)) + 1.3);
    /** @type {Map<string, number>} */
    const middles = new Map();
    lists.forEach((list, side) => {
      const left = side * (column + GAP);
      list.forEach(({ part, depth, size }, place) => {
        const y = height - ROW * (place + 1.6);
        middles.set(part.name, y + BOX / 2);
        const x = left + 5 * depth;
        if (size) {
          const [wide, tall] = [column - 10 * depth, ROW * size + BOX + 4];
          const line = { fill: "none", stroke: "var(--line)" };
          svg(drawing, "rect", { x, y, width: wide, height: tall, rx: 5, ...line });
        } else if (place + 1 < list.length) {
          arrow(drawing, `M${left + column / 2} ${y} v${BOX - ROW}`);
        }
        box(drawing, part, x, y, column - 10 * depth);
      });
      const names = side ? targetWords() : sentence.split(" ");
      const text = `${names.length} ${names.length > 1 ? "tokens" : "token"}`;
      const middle = { x: left + column / 2, y: height - 8, "text-anchor": "middle" };
      svg(drawing, "text", { ...middle, class: "soft" }, text);
    });
    memory(drawing, column, middles);
    return height;
  }

  /**
   * The way of the memory, to all parts in sight that read it.
   * @param {SVGElement} drawing
   * @param {number} column
   * @param {Map<string, number>} middles
   */
  function memory(drawing, column, middles) {
    const start = /** @type {number} */ (middles.get("encoder"));
    const readers = readersIn(columns.tgt[2]);
    const x = column + GAP / 2;
    for (const { name, depth } of readers) {
      const y = /** @type {number} */ (middles.get(name));
      const end = column + GAP + 5 * depth;
      arrow(drawing, `M${column} ${start} H${x} V${y} H${end}`);
      svg(drawing, "path", { d: `M${end} ${y} l-7 -4 v8 z`, fill: "var(--ink)" });
    }
    const place = { x: column / 2, y: start - BOX / 2 - 8, "text-anchor": "middle" };
    svg(drawing, "text", { ...place, class: "soft" }, "memory →");
  }

  /**
   * The innermost parts in sight that read the memory.
   * @param {Part} part
   * @param {number} [depth]
   * @returns {{ name: string, depth: number }[]}
   */
  function readersIn(part, depth = 0) {
    if (!open.has(part.name)) {
      const reads = !part.children.length && !part.name.endsWith("cross_attention");
      return reads ? [] : [{ name: part.name, depth }];
    }
    return part.children.flatMap((child) => readersIn(child, depth + 1));
  }

  /**
   * A part in sight, after its children: its depth, and the rows of its children.
   * @param {Part} part
   * @param {number} depth
   * @returns {{ part: Part, depth: number, size: number }[]}
   */
  function rows(part, depth) {
    const inside = open.has(part.name)
      ? part.children.flatMap((child) => rows(child, depth + 1))
      : [];
    return [...inside, { part, depth, size: inside.length }];
  }

  /**
   * @param {SVGElement} drawing
   * @param {Part} part
   * @param {number} x
   * @param {number} y
   * @param {number} width
   */
  function box(drawing, part, x, y, width) {
    const composite = part.children.length > 0;
    const chosen = part.name === selected;
    const cell = svg(drawing, "g", {
      key: part.name,
      role: "button",
      "aria-expanded": composite ? String(open.has(part.name)) : undefined,
      "aria-pressed": composite ? undefined : String(chosen),
      "aria-label": `${part.label}, ${part.side === "src" ? "source" : "target"} side`,
    });
    const fill = FILLS.find(([end]) => part.name.endsWith(end))?.[1] ?? "var(--field)";
    svg(cell, "rect", {
      x,
      y,
      width,
      height: BOX,
      rx: 4,
      fill,
      stroke: chosen ? "var(--accent)" : "var(--line)",
      "stroke-width": chosen ? 3 : 1,
    });
    const sign = composite ? (open.has(part.name) ? "▾ " : "▸ ") : "";
    const middle = { x: x + width / 2, y: y + 21, "text-anchor": "middle" };
    svg(cell, "text", middle, sign + part.label);
  }

  /**
   * The numbers of the chosen part; returns where they end.
   * @param {SVGElement} drawing
   * @param {number} left
   * @param {number} top
   * @param {number} width
   */
  function numbers(drawing, left, top, width) {
    const part = find(selected);
    const { input, output, weights, from } = flow[selected];
    const words = part.side === "src" ? sentence.split(" ") : targetWords();
    const layer = /layers\.(\d)/.exec(selected);
    const inside = layer && !part.children.length;
    const where = inside ? `, layer ${Number(layer[1]) + 1}` : "";
    const side = part.side === "src" ? "encoder" : "decoder";
    const whose = part.children.length && !layer ? "" : ` (${side}${where})`;
    const title = { x: left, y: top + 14, style: "font-weight: 600" };
    svg(drawing, "text", title, `${part.label}${whose}`);
    const sizes = `(${input.rows}, ${input.cols}) → (${output.rows}, ${output.cols})`;
    const count = countParameters(arrays, selected).toLocaleString("en");
    const line = { x: left, y: top + 35, class: "number" };
    svg(drawing, "text", line, `${sizes}, ${count} parameters`);
    const head = weights[Number(view)];
    const below = top + 46;
    if (head) {
      const keys = from === "src" ? sentence.split(" ") : targetWords();
      return map(drawing, head, words, keys, left, below, width, (n) => shade(n));
    }
    if (view !== "input" && selected === "output_proj") {
      return best(drawing, words, left, below, width);
    }
    const shown = view === "input" ? input : output;
    /** @param {number} n */
    const color = (n) => (shown.cols > 1 ? signed(n / 3) : "none");
    return map(drawing, shown, words, [], left, below, width, color);
  }

  function targetWords() {
    return tgt.map((id) => SMALL.tgtWords[id]);
  }

  /**
   * For each place the three likeliest next tokens, and their logits.
   * @param {SVGElement} drawing
   * @param {string[]} words
   * @param {number} left
   * @param {number} top
   * @param {number} width
   */
  function best(drawing, words, left, top, width) {
    words.forEach((word, t) => {
      const y = top + 22 * (t + 1);
      const logits = flow.output_proj.output.row(t);
      svg(drawing, "text", { x: left, y }, word);
      largestPlaces(logits, 3).forEach((id, place) => {
        const x = left + 66 + (place * (width - 66)) / 3;
        const text = `${SMALL.tgtWords[id]} ${fixed(logits[id], 1)}`;
        const style = place ? undefined : "font-weight: 600";
        svg(drawing, "text", { x, y, class: "number", style }, text);
      });
    });
    return top + 22 * words.length + 10;
  }
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
 * @param {import("../arrays.js").Matrix} matrix
 * @param {string[]} rows
 * @param {string[]} cols names of the columns; none for the numbers of vectors
 * @param {number} left
 * @param {number} top
 * @param {number} width
 * @param {(value: number) => string} color
 */
function map(drawing, matrix, rows, cols, left, top, width, color) {
  const labels = 62;
  const side = Math.min(52, (width - labels) / matrix.cols);
  const first = top + (cols.length ? 46 : 4);
  cols.forEach((word, col) => {
    const [x, y] = [left + labels + side * (col + 0.5), first - 6];
    const turned = { x, y, transform: `rotate(-40 ${x} ${y})` };
    svg(drawing, "text", turned, word);
  });
  rows.forEach((word, row) => {
    const y = first + 26 * row;
    svg(drawing, "text", { x: left, y: y + 18 }, word);
    matrix.row(row).forEach((value, col) => {
      const x = left + labels + side * col;
      const box = { x: x + 1, y: y + 1, width: side - 2, height: 24, rx: 2 };
      svg(drawing, "rect", { ...box, fill: color(value), stroke: "var(--line)" });
      const digits = matrix.cols === 1 ? 0 : 2;
      const middle = { x: x + side / 2, y: y + 18, "text-anchor": "middle" };
      const style = side < 44 ? "font-size: 12.5px" : undefined;
      svg(drawing, "text", { ...middle, class: "number", style }, fixed(value, digits));
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
