// Chapter 12: a translation to corrupt, its BLEU and chrF, and the runs that count.

import { button, choice, fixed, html, onPress, panel, shade, svg } from "../draw.js";
import { textField, toggle } from "../draw.js";

const ORDERS = [1, 2, 3, 4]; // runs of so many words
const LETTERS = [1, 2, 3, 4, 5, 6]; // runs of so many letters, for chrF
const ROW = 30;
const PARTS = new Map([
  [0.5, "½"],
  [0.25, "¼"],
  [0.125, "⅛"],
]); // what smoothing counts

/** @type {Record<string, {label: string, reference: string, candidate: string}>} */
const EXAMPLES = {
  dog: {
    label: "the example of the text",
    reference: "el perro negro muerde al hombre viejo",
    candidate: "el perro negro muerde el el hombre viejo",
  },
  home: {
    label: "another right answer",
    reference: "Voy a casa ahora mismo.",
    candidate: "Me voy a casa ahora.",
  },
  book: {
    label: "one letter wrong",
    reference: "El viejo profesor les dio un libro a los niños.",
    candidate: "El viejo profesor le dio un libro a los niños.",
  },
};

/**
 * Cut a sentence into words as sacreBLEU does by default ("13a").
 * @param {string} text
 * @returns {string[]}
 */
export function words(text) {
  const cut = ` ${text} `
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, "&")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/([{-~[-` -&(-+:-@/])/gu, " $1 ")
    .replace(/([^0-9])([.,])/gu, "$1 $2 ")
    .replace(/([.,])([^0-9])/gu, " $1 $2")
    .replace(/([0-9])(-)/gu, "$1 $2 ");
  return cut.split(/\s+/u).filter((word) => word);
}

/**
 * All runs of n words or letters, in order.
 * @param {string[]} parts
 * @param {number} n
 */
export function ngrams(parts, n) {
  const count = Math.max(0, parts.length - n + 1);
  return Array.from({ length: count }, (_, at) => parts.slice(at, at + n).join("\n"));
}

/** @typedef {"right" | "clipped" | "wrong"} Verdict */

/**
 * Which runs of the candidate count: each as often as the reference has it, no more.
 * @param {string[]} candidate
 * @param {string[]} reference
 * @param {number} n
 * @returns {Verdict[]}
 */
export function verdicts(candidate, reference, n) {
  const left = new Map();
  for (const gram of ngrams(reference, n)) left.set(gram, (left.get(gram) ?? 0) + 1);
  return ngrams(candidate, n).map((gram) => {
    const more = left.get(gram);
    if (more === undefined) return "wrong";
    left.set(gram, more - 1);
    return more > 0 ? "right" : "clipped";
  });
}

/** @param {Verdict[]} found */
function right(found) {
  return found.filter((verdict) => verdict === "right").length;
}

/**
 * BLEU of one sentence with one reference, and all that it is made of. `smoothed` fills
 * in for lengths of which no run is right, as sacreBLEU does: half a run for the first
 * of them, a quarter for the next.
 * @param {string[]} candidate
 * @param {string[]} reference
 * @param {boolean} smoothed
 */
export function bleu(candidate, reference, smoothed) {
  const penalty =
    candidate.length >= reference.length
      ? 1
      : candidate.length && Math.exp(1 - reference.length / candidate.length);
  let part = 1;
  const any = right(verdicts(candidate, reference, 1)) > 0;
  const orders = ORDERS.map((n) => {
    const found = verdicts(candidate, reference, n);
    let counts = right(found);
    if (smoothed && any && counts === 0 && found.length) counts = part /= 2;
    const precision = found.length ? counts / found.length : 0;
    return { n, found, counts, precision };
  });
  const product = orders.reduce((all, { precision }) => all * precision, 1);
  const mean = product ** (1 / ORDERS.length);
  return { orders, mean, penalty, value: 100 * penalty * mean };
}

/**
 * chrF of one sentence with one reference: recall counts for twice as much.
 * @param {string[]} candidate letters
 * @param {string[]} reference letters
 */
export function chrf(candidate, reference) {
  let [precision, recall, orders] = [0, 0, 0];
  for (const n of LETTERS) {
    const found = verdicts(candidate, reference, n);
    const wanted = ngrams(reference, n).length;
    if (!found.length || !wanted) continue; // too short for such long runs
    precision += right(found) / found.length;
    recall += right(found) / wanted;
    orders++;
  }
  if (!precision) return { precision: 0, recall: 0, value: 0 };
  const [p, r] = [precision / orders, recall / orders];
  return { precision: p, recall: r, value: (100 * 5 * p * r) / (4 * p + r) };
}

/**
 * For each letter, the share of the runs through it that count.
 * @param {string[]} candidate
 * @param {string[]} reference
 */
export function litLetters(candidate, reference) {
  const lit = candidate.map(() => ({ right: 0, all: 0 }));
  for (const n of LETTERS) {
    verdicts(candidate, reference, n).forEach((verdict, at) => {
      for (const letter of lit.slice(at, at + n)) {
        letter.all++;
        if (verdict === "right") letter.right++;
      }
    });
  }
  return lit.map(({ right: good, all }) => good / all);
}

/** @param {string} text */
function letters(text) {
  return [...text.replace(/\s/gu, "")];
}

/** @param {HTMLElement} root */
export function mount(root) {
  let example = "dog";
  let written = EXAMPLES[example].candidate;
  let smoothed = true;
  let place = 4;
  const { controls, picture, redraw, say } = panel(root, {
    title: "Corrupt a translation",
    hint:
      "Write over it, or press a word below and use a button. A full bar is a run " +
      "that counts, a dashed one is clipped.",
    label: "The words of a translation and the runs that they are in",
    draw,
  });
  choice(controls, {
    label: "sentence",
    options: Object.entries(EXAMPLES).map(([value, { label }]) => ({ value, label })),
    value: example,
    change: (name) => {
      example = name;
      write(EXAMPLES[name].candidate);
    },
  });
  toggle(controls, {
    label: "smoothing",
    value: smoothed,
    change: (value) => {
      smoothed = value;
      update();
    },
  });
  const wanted = html(controls, "p", { style: "flex-basis: 100%" });
  const field = textField(controls, {
    label: "translation",
    value: written,
    maxLength: 80,
    lang: "es",
    change: (text) => {
      written = text;
      update();
    },
  });
  field.parentElement?.style.setProperty("flex-basis", "100%");
  const change = (/** @type {(all: string[]) => unknown} */ edit) => () => {
    const all = words(written);
    edit(all);
    write(all.join(" "));
  };
  button(controls, "delete the word", change((all) => all.splice(place, 1)));
  button(
    controls,
    "swap with the next",
    change((all) => {
      if (place + 1 < all.length) all.splice(place, 2, all[place + 1], all[place]);
    }),
  );
  button(controls, "say it twice", change((all) => all.splice(place, 0, all[place])));
  button(controls, "the right answer", () => write(EXAMPLES[example].reference));
  onPress(picture, (key) => {
    place = Number(key);
    update();
  });
  update();

  /** @param {string} text */
  function write(text) {
    written = text.slice(0, 80);
    field.value = written;
    update();
  }

  function update() {
    const { reference } = EXAMPLES[example];
    wanted.textContent = `right answer: ${reference}`;
    place = Math.max(0, Math.min(place, words(written).length - 1));
    redraw();
    const score = bleu(words(written), words(reference), smoothed);
    const none = score.orders.filter(({ found }) => !right(found)).map(({ n }) => n);
    const second = chrf(letters(written), letters(reference)).value;
    say(
      `BLEU ${fixed(score.value)}, chrF ${fixed(second)}. ` +
        (none.length ? missing(none, score) : selected(score)),
    );
  }

  /** @param {ReturnType<typeof bleu>} score */
  function selected(score) {
    const word = words(written)[place];
    const touching = score.orders.flatMap(({ n, found }) =>
      found.filter((_, at) => at <= place && place < at + n),
    );
    const count = `of which ${right(touching)} count`;
    return `“${word}” is in ${touching.length} runs of words, ${count}.`;
  }

  /**
   * @param {number[]} none the lengths of which no run is right
   * @param {ReturnType<typeof bleu>} score
   */
  function missing(none, score) {
    const lengths = `No run of ${none.join(" or ")} words is right: `;
    if (score.value > 0) return `${lengths}smoothing counts a part of one instead.`;
    return `${lengths}a product with a zero is zero.`;
  }

  /**
   * @param {SVGElement} drawing
   * @param {number} width
   */
  function draw(drawing, width) {
    const { reference } = EXAMPLES[example];
    const candidate = words(written);
    const score = bleu(candidate, words(reference), smoothed);
    const bar = Math.max(12, Math.min(26, (width - 180) / 14));
    const widths = ORDERS.map((n) => Math.max(40, n * (bar + 4)));
    const bars = widths.reduce((sum, each) => sum + each + 8, 0);
    const first = Math.min(width - bars, 220);
    heads(drawing, widths, first);
    candidate.forEach((word, at) => {
      const y = 30 + ROW * at;
      const cell = svg(drawing, "g", {
        key: at,
        role: "button",
        "aria-pressed": String(at === place),
        "aria-label": `${word}, word ${at + 1}`,
      });
      svg(cell, "rect", {
        x: 1,
        y: y + 1,
        width: first - 10,
        height: ROW - 2,
        rx: 4,
        fill: "var(--field)",
        stroke: at === place ? "var(--accent)" : "transparent",
        "stroke-width": 2,
      });
      svg(cell, "text", { x: 8, y: y + 20, lang: "es" }, shortened(word, first - 24));
    });
    let x = first;
    for (const [k, { n, found }] of score.orders.entries()) {
      found.forEach((verdict, at) => {
        const lane = x + (widths[k] - n * (bar + 4)) / 2 + (at % n) * (bar + 4);
        const holds = at <= place && place < at + n;
        svg(drawing, "rect", {
          x: lane + 2,
          y: 33 + ROW * at,
          width: bar,
          height: ROW * n - 6,
          rx: 4,
          fill: verdict === "right" ? "var(--role-word)" : "var(--field)",
          stroke: verdict === "clipped" ? "var(--role-mistake)" : "var(--line)",
          "stroke-dasharray": verdict === "clipped" ? "4 3" : undefined,
          "stroke-width": holds ? 2.5 : 1,
        });
      });
      x += widths[k] + 8;
    }
    const below = 30 + ROW * candidate.length + 20;
    sums(drawing, score, widths, first, below);
    return chrfLines(drawing, width, below + 116, letters(written), letters(reference));
  }
}

/**
 * @param {SVGElement} drawing
 * @param {number[]} widths
 * @param {number} first
 */
function heads(drawing, widths, first) {
  svg(drawing, "text", { x: 2, y: 18, class: "soft" }, "runs of");
  let x = first;
  for (const [k, n] of ORDERS.entries()) {
    const middle = { x: x + widths[k] / 2, y: 18, "text-anchor": "middle" };
    svg(drawing, "text", middle, String(n));
    x += widths[k] + 8;
  }
}

/**
 * The lines below the bars: what counts, its share, and BLEU.
 * @param {SVGElement} drawing
 * @param {ReturnType<typeof bleu>} score
 * @param {number[]} widths
 * @param {number} first
 * @param {number} y
 */
function sums(drawing, score, widths, first, y) {
  svg(drawing, "text", { x: 2, y, class: "soft" }, "count");
  svg(drawing, "text", { x: 2, y: y + 22, class: "soft" }, "share");
  let x = first;
  for (const [k, { counts, found, precision }] of score.orders.entries()) {
    const middle = { x: x + widths[k] / 2, "text-anchor": "middle", class: "number" };
    const whole = PARTS.get(counts) ?? String(counts);
    const style = Number.isInteger(counts) ? undefined : "font-weight: 600";
    svg(drawing, "text", { ...middle, y, style }, `${whole} of ${found.length}`);
    svg(drawing, "text", { ...middle, y: y + 22 }, fixed(precision, 3));
    x += widths[k] + 8;
  }
  const penalty = fixed(score.penalty, 3);
  const steps = `mean ${fixed(score.mean, 4)} × penalty ${penalty} × 100 =`;
  svg(drawing, "text", { x: 2, y: y + 50, class: "number" }, steps);
  const style = "font-size: 18px; font-weight: 600";
  svg(drawing, "text", { x: 2, y: y + 74, style }, `BLEU ${fixed(score.value)}`);
}

/**
 * chrF, each letter the stronger the more of the runs through it count.
 * @param {SVGElement} drawing
 * @param {number} width
 * @param {number} top
 * @param {string[]} written
 * @param {string[]} reference
 * @returns {number} where the drawing ends
 */
function chrfLines(drawing, width, top, written, reference) {
  const heading = "letters, the stronger the more of the runs through them count";
  const title = width < 400 ? "letters" : heading;
  svg(drawing, "text", { x: 2, y: top - 10, class: "soft" }, title);
  const side = 17;
  const across = Math.max(1, Math.floor(width / side));
  litLetters(written, reference).forEach((lit, at) => {
    const [x, y] = [side * (at % across), top + 26 * Math.floor(at / across)];
    const fill = shade(lit, "word");
    svg(drawing, "rect", { x, y, width: side - 1, height: 24, fill });
    const middle = { x: x + side / 2, y: y + 17, "text-anchor": "middle" };
    svg(drawing, "text", middle, written[at]);
  });
  const { precision, recall, value } = chrf(written, reference);
  const y = top + 26 * Math.ceil(written.length / across) + 20;
  const steps = `precision ${fixed(precision, 3)}, recall ${fixed(recall, 3)}`;
  svg(drawing, "text", { x: 2, y, class: "number" }, steps);
  const style = "font-size: 18px; font-weight: 600";
  svg(drawing, "text", { x: 2, y: y + 24, style }, `chrF ${fixed(value)}`);
  return y + 34;
}

/**
 * @param {string} word
 * @param {number} room in pixels
 */
function shortened(word, room) {
  const most = Math.floor(room / 8);
  return word.length > most ? `${word.slice(0, Math.max(1, most - 1))}…` : word;
}
