// Chapter 13: a translation to corrupt, its BLEU and chrF, and the runs that count.

import { elastic } from "../canvas.js";
import { choice, options, pushButton, textField, toggle } from "../controls.js";
import { fixed, html, rect, shade, shortened, touchable, write } from "../draw.js";
import { mounting, Panels } from "../panels.js";

const ORDERS = [1, 2, 3, 4]; // runs of so many words
const LETTERS = [1, 2, 3, 4, 5, 6]; // runs of so many letters, for chrF
const ROW = 30;
const PARTS = new Map([[0.5, "½"], [0.25, "¼"], [0.125, "⅛"]]); // what smoothing counts

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
 * chrF of one sentence with one reference: recall weighs four to one.
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

class Scores extends Panels {
  example = "dog";
  written = EXAMPLES.dog.candidate;
  smoothed = true;
  place = 4;

  /** @param {HTMLElement} root */
  constructor(root) {
    super(root, {
      title: "Corrupt a translation",
      hint:
        "Write over it, or press a word below and use a button. A full bar is a run " +
        "that counts, a dashed one is clipped.",
      label: "The words of a translation and the runs that they are in",
    });
    const { controls } = this;
    choice(controls, "example", "sentence", options(EXAMPLES));
    toggle(controls, "smoothed", "smoothing");
    this.wanted = html(controls.place, "p", { style: "flex-basis: 100%" });
    textField(controls, "written", "translation", { lang: "es", maxlength: 80 });
    this.editing("delete the word", (all, at) => all.splice(at, 1));
    this.editing("swap with the next", (all, at) => {
      if (at + 1 < all.length) all.splice(at, 2, all[at + 1], all[at]);
    });
    this.editing("say it twice", (all, at) => all.splice(at, 0, all[at]));
    pushButton(controls, "the right answer", () => {
      this.written = EXAMPLES[this.example].reference;
    });
    elastic(this, (drawing, width) => this.draw(drawing, width));
    const place = html(this.panels, "div", { style: "flex: 1 1 100%" });
    this.addPanel(place, (empty) => this.showLetters(empty));
  }

  /** @param {string} key */
  press(key) {
    this.place = Number(key);
  }

  /**
   * A button that changes the words.
   * @param {string} label
   * @param {(all: string[], place: number) => unknown} edit
   */
  editing(label, edit) {
    pushButton(this.controls, label, () => {
      const all = words(this.written);
      edit(all, this.place);
      this.written = all.join(" ").slice(0, 80);
    });
  }

  /** @param {unknown} name */
  changed(name) {
    if (name === "example") this.written = EXAMPLES[this.example].candidate;
  }

  get reference() {
    return EXAMPLES[this.example].reference;
  }

  get score() {
    return bleu(words(this.written), words(this.reference), this.smoothed);
  }

  update() {
    this.wanted.textContent = `right answer: ${this.reference}`;
    this.place = Math.max(0, Math.min(this.place, words(this.written).length - 1));
    super.update();
  }

  tell() {
    const { score, place } = this;
    const none = score.orders.filter(({ found }) => !right(found)).map(({ n }) => n);
    const second = chrf(letters(this.written), letters(this.reference)).value;
    const scores = `BLEU ${fixed(score.value)}, chrF ${fixed(second)}.`;
    if (none.length) {
      const why =
        score.value > 0
          ? "smoothing counts a part of one instead"
          : "a product with a zero is zero";
      return `${scores} Of the runs of ${none.join(" or ")} words none is right: ${why}.`;
    }
    const touching = score.orders.flatMap(({ n, found }) =>
      found.filter((_, at) => at <= place && place < at + n),
    );
    const word = `“${words(this.written)[place]}”`;
    const runs = `${touching.length} runs of words, of which ${right(touching)} count`;
    return `${scores} ${word} is in ${runs}.`;
  }

  /** @param {SVGElement} drawing @param {number} width */
  draw(drawing, width) {
    const candidate = words(this.written);
    const bar = Math.max(12, Math.min(26, (width - 180) / 14));
    const widths = ORDERS.map((n) => Math.max(40, n * (bar + 4)));
    const bars = widths.reduce((sum, each) => sum + each + 8, 0);
    const first = Math.min(width - bars, 220);
    this.drawWords(drawing, candidate, first);
    write(drawing, 2, 18, "runs of", "soft");
    const below = 30 + ROW * candidate.length + 20;
    write(drawing, 2, below, "count", "soft");
    write(drawing, 2, below + 22, "share", "soft");
    let x = first;
    for (const [k, order] of this.score.orders.entries()) {
      const middle = x + widths[k] / 2;
      write(drawing, middle, 18, order.n, "middle");
      this.drawRuns(drawing, order, middle - (order.n * (bar + 4)) / 2, bar);
      drawCounts(drawing, order, middle, below);
      x += widths[k] + 8;
    }
    const { mean, penalty, value } = this.score;
    const product = `mean ${fixed(mean, 4)} × penalty ${fixed(penalty, 3)} × 100 =`;
    write(drawing, 2, below + 50, product, "number");
    write(drawing, 2, below + 74, `BLEU ${fixed(value)}`, "title large");
    return below + 84;
  }

  /** chrF, each letter the stronger the more of the runs through it count. @param {Element} empty */
  showLetters(empty) {
    const [written, reference] = [letters(this.written), letters(this.reference)];
    const heading = "letters, the stronger the more of the runs through them count";
    html(empty, "p", { class: "interactive-hint" }, heading);
    const line = html(empty, "p", { class: "interactive-letters" });
    litLetters(written, reference).forEach((lit, at) => {
      html(line, "span", { style: `background: ${shade(lit, "word")}` }, written[at]);
    });
    const { precision, recall, value } = chrf(written, reference);
    html(empty, "p", {}, `precision ${fixed(precision, 3)}, recall ${fixed(recall, 3)}`);
    html(empty, "p", { style: "font-size: 1.2em; font-weight: 600" }, `chrF ${fixed(value)}`);
  }

  /** @param {SVGElement} drawing @param {string[]} candidate @param {number} room */
  drawWords(drawing, candidate, room) {
    candidate.forEach((word, at) => {
      const y = 30 + ROW * at;
      const chosen = at === this.place;
      const line = touchable(drawing, at, `${word}, word ${at + 1}`, chosen);
      const stroke = chosen ? "var(--accent)" : "transparent";
      const look = { rx: 4, fill: "var(--field)", stroke, "stroke-width": 2 };
      rect(line, [1, y + 1, room - 10, ROW - 2], look);
      const text = shortened(word, Math.floor((room - 24) / 8));
      write(line, 8, y + 20, text, { lang: "es" });
    });
  }

  /**
   * The runs of one length, side by side.
   * @param {SVGElement} drawing
   * @param {{n: number, found: Verdict[]}} order
   * @param {number} left
   * @param {number} bar the width of one
   */
  drawRuns(drawing, { n, found }, left, bar) {
    found.forEach((verdict, at) => {
      const box = [left + (at % n) * (bar + 4) + 2, 33 + ROW * at, bar, ROW * n - 6];
      const clipped = verdict === "clipped";
      rect(drawing, box, {
        rx: 4,
        fill: verdict === "right" ? "var(--role-word)" : "var(--field)",
        stroke: clipped ? "var(--role-mistake)" : "var(--line)",
        "stroke-dasharray": clipped ? "4 3" : undefined,
        "stroke-width": at <= this.place && this.place < at + n ? 2.5 : 1,
      });
    });
  }
}

/**
 * How many runs of one length count, and their share.
 * @param {SVGElement} drawing
 * @param {{counts: number, found: Verdict[], precision: number}} order
 * @param {number} x
 * @param {number} y
 */
function drawCounts(drawing, { counts, found, precision }, x, y) {
  const look = "number middle";
  const whole = `${PARTS.get(counts) ?? counts} of ${found.length}`;
  write(drawing, x, y, whole, Number.isInteger(counts) ? look : `${look} title`);
  write(drawing, x, y + 22, fixed(precision, 3), look);
}

export const mount = mounting(Scores);
