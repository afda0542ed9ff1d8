// What is new in a text, and what it lost, word by word.

import { html } from "./draw.js";

/**
 * Write a text, the words that another one lacks marked, and those struck out that it
 * lost with nothing in their place.
 * @param {Element} place
 * @param {string} text
 * @param {string} other
 * @param {{tag?: string, lost?: string}} [tags] of the new words, and of the lost ones;
 *   without a tag these are left out
 */
export function writeNew(place, text, other, { tag = "mark", lost = "del" } = {}) {
  const steps = compared(text.split(" "), other.split(" "));
  // Words that are lost beside new ones had those put in their place.
  const seen = steps.map(({ kind }) => kind[0]).join("").replace(/l(?=l*n)|(?<=nl*)l/g, "-");
  steps.forEach(({ word }, at) => {
    const as = { n: tag, l: lost, k: "span" }[seen[at]];
    if (as) html(place, as, {}, word).after(" ");
  });
}

/**
 * The words of a text and of another one, in order: new in the text, kept, or lost.
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
  /** @type {{ word: string, kind: "new" | "kept" | "lost" }[]} */
  const all = [];
  for (let i = 0, j = 0; i < words.length || j < others.length; ) {
    const kind =
      words[i] === others[j] ? "kept"
      : lengths[i][j + 1] >= lengths[i + 1][j] ? "lost"
      : "new";
    if (kind === "kept") j += 1;
    all.push({ kind, word: kind === "lost" ? others[j++] : words[i++] });
  }
  return all;
}
