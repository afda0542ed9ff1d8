// What is new in a text, and what it lost, word by word.

import { html } from "./draw.js";

/**
 * Write a text, the words that another one lacks marked, and if wanted those struck out
 * that it lost with nothing in their place.
 * @param {Element} place
 * @param {string} text
 * @param {string} other
 * @param {{tag?: string, lost?: string}} [tags] of the new words, and of the lost ones
 */
export function writeNew(place, text, other, { tag = "mark", lost } = {}) {
  const steps = compared(text.split(" "), other.split(" "));
  // Words that are lost beside new ones had those put in their place.
  const signs = steps.map((step) => step.sign).join("")
    .replace(/-*\+[+-]*/g, (run) => run.replace(/-/g, " "));
  steps.forEach(({ word }, at) => {
    const as = { "+": tag, "-": lost, "=": "span" }[signs[at]];
    if (as) html(place, as, {}, word).after(" ");
  });
}

/**
 * The words of a text and of another one, in order: new in the text (+), kept (=) or
 * lost (-).
 * @param {string[]} words
 * @param {string[]} others
 */
export function compared(words, others) {
  // lengths[i][j]: the longest common row of words behind places i and j.
  const lengths = [...words, "", ""].map(() => [...others, ""].map(() => 0));
  for (let i = words.length - 1; i >= 0; i--) {
    for (let j = others.length - 1; j >= 0; j--) {
      lengths[i][j] =
        words[i] === others[j]
          ? lengths[i + 1][j + 1] + 1
          : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  /** @type {{ word: string, sign: "+" | "=" | "-" }[]} */
  const all = [];
  for (let i = 0, j = 0; i < words.length || j < others.length; ) {
    const sign =
      words[i] === others[j] ? "=" : lengths[i][j + 1] >= lengths[i + 1][j] ? "-" : "+";
    if (sign === "=") j += 1;
    all.push({ sign, word: sign === "-" ? others[j++] : words[i++] });
  }
  return all;
}
