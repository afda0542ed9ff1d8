// Chapter 4: a mask to click together, and what each position can still hear through it.

import { choice, onPress, panel, slider, svg } from "../draw.js";

const WORDS = ["<sos>", "el", "gato", "duerme", "<pad>"];
const PADDING = 4; // the place of <pad>

/** @typedef {boolean[][]} Mask rows are queries, columns are keys; true: may look */

/** @type {Record<string, {label: string, rule: (query: number, key: number) => boolean}>} */
const RULES = {
  none: { label: "no mask (forgotten)", rule: () => true },
  causal: { label: "causal", rule: (query, key) => key <= query },
  padding: { label: "padding", rule: (query, key) => key !== PADDING },
  both: {
    label: "causal and padding",
    rule: (query, key) => key <= query && key !== PADDING,
  },
  inverted: {
    label: "inverted (a mistake)",
    rule: (query, key) => !(key <= query && key !== PADDING),
  },
  shifted: {
    label: "off by one (a mistake)",
    rule: (query, key) => key <= query + 1 && key !== PADDING,
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

/** @param {HTMLElement} root */
export function mount(root) {
  let mask = maskOf("both");
  let layers = 1;
  let row = 3;
  const { controls, picture, redraw, say } = panel(root, {
    title: "Click a mask together",
    hint: "Each row is a word that looks, each column a word to look at. Press a cell to open or close it.",
    label: "A mask of five words by five",
    draw,
  });
  choice(controls, {
    label: "start from",
    options: Object.entries(RULES).map(([value, { label }]) => ({ value, label })),
    value: "both",
    change: (name) => {
      mask = maskOf(name);
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
    const reach = heard(mask, layers)[row];
    const names = WORDS.filter((_, key) => reach[key]);
    const closed = mask[row].every((open) => !open);
    say(
      `${WORDS[row]} hears ${names.join(", ")} after ${layers} ${layers === 1 ? "layer" : "layers"}.` +
        (closed ? " It may look at nothing: the softmax of this row has no numbers left." : ""),
    );
  }

  /**
   * @param {SVGElement} drawing
   * @param {number} width
   */
  function draw(drawing, width) {
    const left = 62;
    const top = 26;
    const side = Math.min(54, (width - left) / WORDS.length);
    const reach = heard(mask, layers);
    WORDS.forEach((word, place) => {
      const middle = top + side * (place + 0.5) + 5;
      svg(drawing, "text", { x: left - 8, y: middle, "text-anchor": "end" }, word);
      const center = left + side * (place + 0.5);
      svg(drawing, "text", { x: center, y: top - 8, "text-anchor": "middle" }, word);
    });
    mask.forEach((line, query) =>
      line.forEach((open, key) => {
        const cell = svg(drawing, "g", {
          key: `${query}-${key}`,
          role: "button",
          "aria-pressed": String(open),
          "aria-label": `${WORDS[query]} looks at ${WORDS[key]}: ${open ? "open" : "closed"}`,
        });
        const [x, y] = [left + side * key, top + side * query];
        svg(cell, "rect", {
          x: x + 1,
          y: y + 1,
          width: side - 2,
          height: side - 2,
          rx: 3,
          fill: open ? "var(--role-key)" : "var(--field)",
          stroke: "var(--line)",
        });
        if (!open && reach[query][key]) {
          // Closed, and yet it gets through: by way of another word, or by the residual.
          const [cx, cy] = [x + side / 2, y + side / 2];
          svg(cell, "circle", { cx, cy, r: side / 7, fill: "var(--role-key)" });
        }
      }),
    );
    return top + side * WORDS.length + 6;
  }
}
