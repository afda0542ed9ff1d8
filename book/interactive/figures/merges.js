// Chapter 11: sub-words, merge by merge, for words of one's own.

import { choice, mainButton, options, pushButton, textField } from "../controls.js";
import { counted, html, shade } from "../draw.js";
import { mounting, Panels } from "../panels.js";
import { SubwordVocabulary } from "../subwords.js";

const SPECIAL = ["<pad>", "<sos>", "<eos>", "<unk>"];
const COUNTS = {
  "▁habla": 6,
  "▁hablan": 4,
  "▁hablamos": 3,
  "▁canta": 5,
  "▁cantan": 3,
  "▁la": 9,
};
/** @type {Record<string, {label: string, example: string}>} */
const LISTS = {
  chapter: { label: "the ten of this chapter", example: "hablamos hablas canto la" },
  own: {
    label: "learned from your text",
    example: "la casa, las casas, la cosa, las cosas",
  },
  shipped: {
    label: "the translator's first 2,000",
    example: "The anesthesiologist smiled.",
  },
};

/** @typedef {{pair: [string, string], count?: number}} Rule */
/** @typedef {{characters: string, merges: string}} Shipped the characters that the
 *   translator's vocabulary knows, and its first merges: `▁ t|▁ a|e r` … */

/**
 * Learn merges by counting: again and again the most frequent pair of neighbors; of
 * equally frequent ones the first in the alphabet. A pair that stands once is no rule.
 * @param {Record<string, number>} counts how often each word occurs
 * @param {number} most how many merges
 * @returns {Rule[]}
 */
export function learnMerges(counts, most) {
  /** @type {Rule[]} */
  const rules = [];
  while (rules.length < most) {
    const vocabulary = new SubwordVocabulary([], rules.map(({ pair }) => pair));
    /** @type {Record<string, number>} */
    const found = {};
    for (const [word, count] of Object.entries(counts)) {
      vocabulary.merge(word).forEach((right, i, pieces) => {
        const pair = `${pieces[i - 1]} ${right}`;
        if (i) found[pair] = (found[pair] ?? 0) + count;
      });
    }
    const order = Object.entries(found).sort(
      ([a, many], [b, often]) => often - many || (a < b ? -1 : 1),
    );
    if (!order.length || order[0][1] < 2) break;
    const [left, right] = order[0][0].split(" ");
    rules.push({ pair: [left, right], count: order[0][1] });
  }
  return rules;
}

/**
 * The words of a text after each merge that changes one of them; single characters
 * come first.
 * @param {SubwordVocabulary} vocabulary
 * @param {string} text
 * @returns {{rule: number, words: string[][]}[]} the rule by its number, from 0
 */
export function stepsOf(vocabulary, text) {
  const ways = vocabulary.words(text).map((word) => {
    const cuts = [[...word]];
    /** @type {number[]} */
    const rules = [];
    vocabulary.merge(word, (cut, rule) => {
      cuts.push(cut);
      rules.push(rule);
    });
    return { cuts, rules };
  });
  const applied = new Set(ways.flatMap(({ rules }) => rules).sort((a, b) => a - b));
  return [-1, ...applied].map((rule) => ({
    rule,
    words: ways.map(({ cuts, rules }) => cuts[rules.filter((r) => r <= rule).length]),
  }));
}

/**
 * The rules of a list, and the vocabulary that applies them.
 * @param {string} list
 * @param {string} text
 * @param {Shipped} shipped
 */
export function rulesOf(list, text, shipped) {
  /** @type {Rule[]} */
  let rules;
  let characters;
  if (list === "shipped") {
    characters = [...shipped.characters];
    rules = shipped.merges.split("|").map((line) => {
      const [left, right] = line.split(" ");
      return { pair: [left, right] };
    });
  } else {
    const counts = list === "own" ? countsOf(text) : COUNTS;
    characters = new Set(Object.keys(counts).join(""));
    rules = learnMerges(counts, list === "own" ? 200 : 10);
  }
  const pairs = rules.map(({ pair }) => pair);
  const vocabulary = new SubwordVocabulary([...SPECIAL, ...characters], pairs);
  return { rules, vocabulary };
}

/** How often each word of a text occurs. @param {string} text */
function countsOf(text) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const word of new SubwordVocabulary(SPECIAL, []).words(text)) {
    counts[word] = (counts[word] ?? 0) + 1;
  }
  return counts;
}

class Merges extends Panels {
  text = LISTS.chapter.example;
  list = "chapter";
  /** The list whose example was shown last. */
  before = "chapter";
  step = 0;

  /** @param {HTMLElement} root @param {Shipped} shipped */
  constructor(root, shipped) {
    super(root, {
      title: "Sub-words, merge by merge",
      hint:
        "Write words of your own. " +
        "Each step applies the next merge of the list that finds its pair.",
      label: "Words cut into pieces",
    });
    this.shipped = shipped;
    this.now = this.merged();
    const { controls } = this;
    textField(controls, "text", "text", { maxlength: 80 });
    choice(controls, "list", "merges", options(LISTS));
    const to = (/** @type {number} */ step) => () => {
      this.step = step;
    };
    pushButton(controls, "letters", to(0));
    pushButton(controls, "◀ back", () => this.step--);
    mainButton(controls, "next ▶", () => this.step++);
    pushButton(controls, "all", to(Infinity));
    const words = html(this.panels, "div", { class: "interactive-words" });
    this.addPanel(words, (empty) => this.showWords(empty));
    const list = html(this.panels, "div", { class: "interactive-list" });
    this.addPanel(list, (empty) => this.showRules(empty));
  }

  /** @param {string} key */
  press(key) {
    this.step = Number(key);
  }

  /** @param {unknown} name */
  changed(name) {
    if (name) this.step = 0;
    if (name !== "list") return;
    if (this.text === LISTS[this.before].example) this.text = LISTS[this.list].example;
    this.before = this.list;
  }

  /** The rules, the vocabulary that applies them, and what they do to the text. */
  merged() {
    const { rules, vocabulary } = rulesOf(this.list, this.text, this.shipped);
    const steps = stepsOf(vocabulary, this.text);
    this.step = Math.max(0, Math.min(this.step, steps.length - 1));
    return { rules, vocabulary, steps };
  }

  update() {
    this.now = this.merged();
    super.update();
  }

  tell() {
    const { rules, vocabulary, steps } = this.now;
    const { words, rule } = steps[this.step];
    const pieces = words.flat().length;
    if (pieces === 0) return "Write a word.";
    const unknown = vocabulary.unknownCharacters(this.text);
    const lacking = unknown.length
      ? ` Unknown to this list, so <unk>: ${unknown.join(" ")}.`
      : "";
    if (this.step === 0) {
      return `Single characters, ▁ where a word begins: ${pieces} pieces.${lacking}`;
    }
    const { pair, count } = rules[rule];
    const often = count ? `, which stood side by side ${count} times in the text that was learned from` : "";
    const number = (rule + 1).toLocaleString("en");
    const last = this.step === steps.length - 1;
    const end = last ? " No other merge of the list applies." : "";
    return (
      `Merge ${number} joins ${pair[0]} and ${pair[1]}${often}: ${counted(pieces, "piece")}.` +
      `${end}${lacking}`
    );
  }

  /** The pieces of each word; the one that was just joined is filled. @param {Element} empty */
  showWords(empty) {
    const { rules, vocabulary, steps } = this.now;
    const { rule, words } = steps[this.step];
    const joined = this.step ? rules[rule].pair.join("") : "";
    for (const word of words) {
      const whole = html(empty, "span");
      for (const piece of word) {
        const known = piece.length > 1 || vocabulary.ids.has(piece);
        const style = piece === joined && `background: ${shade(0.8, "word")}`;
        html(whole, "span", { class: `piece translate-chip${known ? "" : " unknown"}`, style }, piece);
      }
    }
  }

  /** The merges that apply, the present one marked. @param {Element} empty */
  showRules(empty) {
    const { steps, rules } = this.now;
    const first = Math.max(1, Math.min(this.step - 3, steps.length - 8));
    const title = `the merges of the list that apply here (${steps.length - 1})`;
    html(empty, "span", { class: "interactive-hint" }, title);
    steps.slice(first, first + 8).forEach(({ rule }, i) => {
      const at = first + i;
      const { pair, count } = rules[rule];
      const often = count ? `  (${count} times)` : "";
      const name = `${(rule + 1).toLocaleString("en")}. ${pair[0]} + ${pair[1]}${often}`;
      const style = at <= this.step && `background: ${shade(0.25, "word")}`;
      const now = String(at === this.step);
      const look = { "data-key": at, "aria-label": `merge ${name}`, "aria-pressed": now, style };
      html(empty, "button", { type: "button", ...look }, name);
    });
  }
}

export const mount = mounting(Merges);
