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
  steps.forEach(({ word, kind }, at) => {
    const beside = [steps.slice(0, at).reverse(), steps.slice(at)].map(
      (side) => side.find((step) => step.kind !== "lost")?.kind,
    );
    if (kind === "lost" && (!lost || beside.includes("new"))) return;
    html(place, { new: tag, lost, kept: "span" }[kind], {}, word);
    place.append(" ");
  });
}

/**
 * The words of a text and of another one, in order: new in the text, kept, or lost.
 * @param {string[]} words
 * @param {string[]} others
 */
export function compared(words, others) {
  // lengths[i][j]: the longest common row of words behind places i and j.
  const lengths = Array.from({ length: words.length + 1 }, () =>
    new Array(others.length + 1).fill(0),
  );
  for (let i = words.length - 1; i >= 0; i--) {
    for (let j = others.length - 1; j >= 0; j--) {
      lengths[i][j] =
        words[i] === others[j]
          ? lengths[i + 1][j + 1] + 1
          : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  /** @type {{ word: string, kind: "new" | "kept" | "lost" }[]} */
  const found = [];
  for (let i = 0, j = 0; i < words.length || j < others.length; ) {
    const same = words[i] === others[j];
    const isLost = j < others.length && (i === words.length || lengths[i][j + 1] >= lengths[i + 1][j]);
    const kind = same ? "kept" : isLost ? "lost" : "new";
    found.push({ word: kind === "lost" ? others[j] : words[i], kind });
    if (kind !== "lost") i += 1;
    if (kind !== "new") j += 1;
  }
  return found;
}
