// Sub-words as rows of boxes, and the likeliest next ones as bars.

import { html } from "../draw.js";

/**
 * @typedef {import("./session.js").Candidate} Candidate
 * @typedef {import("./session.js").Session} Session
 */

const DOUBT = "The translator is unsure here: look twice.";

/** A probability as readers meet it. @param {number} probability */
export function percent(probability) {
  const share = 100 * probability;
  if (share >= 10) return `${share.toFixed(0)}%`;
  return share < 0.05 ? "<0.1%" : `${share.toFixed(1)}%`;
}

/**
 * What is written as text, and under each sentence that is doubted a word of doubt.
 * @param {HTMLElement} parent emptied first
 * @param {Session} session
 */
export function showText(parent, session) {
  parent.replaceChildren();
  for (const { text, unsure } of session.parts()) {
    showWords(html(parent, "span", { lang: "es" }), text, session, unsure);
    if (unsure) html(parent, "small", { class: "translate-doubt" }, DOUBT);
  }
}

/**
 * A sentence; the words of the one that is at work are pressed, and where it is doubted,
 * the least sure of them are underlined.
 * @param {HTMLElement} parent
 * @param {string} text
 * @param {Session} session
 * @param {boolean} unsure
 */
function showWords(parent, text, session, unsure) {
  const words = session.words();
  const isHere = text.trim() === session.own() && words.length > 0;
  if (!isHere) return parent.append(text.trim() ? text : "… ");
  const least = Math.min(...words.map(({ logProbability }) => logProbability));
  for (const { word, place, logProbability } of words) {
    const doubted = unsure && logProbability <= Math.max(least, Math.log(0.5));
    const look = `translate-word${doubted ? " translate-least" : ""}`;
    html(parent, "button", { type: "button", class: look, "data-key": place }, word);
    parent.append(" ");
  }
}

/**
 * The pieces of the source.
 * @param {HTMLElement} parent emptied first
 * @param {Session} session
 * @param {boolean} withIds
 */
export function showPieces(parent, session, withIds) {
  parent.replaceChildren();
  for (const id of session.source) {
    const chip = html(parent, "li", { class: "translate-chip" });
    html(chip, "span", {}, session.vocabulary.tokens[id]);
    if (withIds) html(chip, "small", {}, String(id));
  }
}

/**
 * What is written, a button for each token.
 * @param {HTMLElement} parent emptied first
 * @param {Session} session
 * @param {boolean} withIds
 */
export function showWritten(parent, session, withIds) {
  const { place, forced, vocabulary } = session;
  const steps = session.path();
  const focused = parent.contains(document.activeElement);
  parent.replaceChildren();
  steps.forEach(({ token, logProbability }, number) => {
    const chip = html(html(parent, "li"), "button", {
      type: "button",
      class: `translate-chip${forced.has(number) ? " translate-forced" : ""}`,
      "aria-pressed": String(number === place),
      "aria-label":
        `step ${number + 1}: ${vocabulary.tokens[token]}, ` +
        `${percent(Math.exp(logProbability))}${forced.has(number) ? ", overruled" : ""}`,
      "data-key": number,
    });
    html(chip, "span", { lang: "es" }, vocabulary.tokens[token]);
    if (withIds) html(chip, "small", {}, String(token));
    if (focused && number === place) chip.focus();
  });
}

/**
 * The likeliest tokens of the step that is looked at.
 * @param {HTMLElement} parent emptied first
 * @param {Session} session
 */
export function showCandidates(parent, session) {
  const focused = parent.contains(document.activeElement);
  parent.replaceChildren();
  for (const { token, probability, taken } of session.candidates(session.place)) {
    const name = session.vocabulary.tokens[token];
    const row = html(html(parent, "li"), "button", {
      type: "button",
      class: "translate-candidate",
      "aria-pressed": String(taken),
      "aria-label": `${name}, ${percent(probability)}${taken ? ", taken" : ""}`,
      "data-key": token,
    });
    html(row, "span", { lang: "es" }, name);
    const bar = html(row, "span", { class: "translate-bar" });
    html(bar, "span", { style: `width: ${(100 * probability).toFixed(1)}%` });
    html(row, "span", { class: "translate-percent" }, percent(probability));
    html(row, "span", { class: "translate-taken" }, taken ? "taken" : "");
    if (focused && taken) row.focus();
  }
}
