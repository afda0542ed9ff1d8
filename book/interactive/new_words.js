// What is new in a text, word by word.

import { html } from "./draw.js";

/**
 * Write a text, the words that another one lacks marked.
 * @param {Element} place
 * @param {string} text
 * @param {string} other
 * @param {string} [tag] of the new words
 */
export function writeNew(place, text, other, tag = "mark") {
  const words = text.split(" ");
  newWords(words, other.split(" ")).forEach((isNew, at) => {
    html(place, isNew ? tag : "span", {}, words[at]);
    place.append(" ");
  });
}

/**
 * Which words of a text the other one lacks, in order.
 * @param {string[]} words
 * @param {string[]} others
 * @returns {boolean[]} true where a word is new
 */
export function newWords(words, others) {
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
  let j = 0;
  return words.map((word, i) => {
    while (j < others.length && word !== others[j]) {
      if (lengths[i][j + 1] < lengths[i + 1][j]) return true;
      j += 1;
    }
    j += 1;
    return j > others.length;
  });
}
