// A beam as a growing tree: a column for each step, the best beginning on top.

import { edge, fixed, rect, svg, touchable, write } from "../draw.js";
import { lineOf } from "./session.js";

/**
 * @typedef {import("./session.js").Hypothesis} Hypothesis
 * @typedef {import("./session.js").Session} Session
 * @typedef {{ hypothesis: Hypothesis, row: number }} Node its column is its length
 */

const [COLUMN, ROW, WIDE, TALL] = [118, 48, 96, 40];

/**
 * All hypotheses of the steps in sight, each with its place.
 * @param {Session} session
 * @returns {Node[]}
 */
export function treeNodes({ seen }) {
  return seen.flatMap(({ living, ended }) => {
    const all = [...living, ...ended].sort((a, b) => b.score - a.score);
    return all.map((hypothesis, row) => ({ hypothesis, row }));
  });
}

/**
 * Which hypotheses lead to one that still lives or has ended; the others were dropped.
 * @param {Session} session
 * @returns {Set<Hypothesis>}
 */
export function keptOnes({ seen }) {
  const tips = [...(seen.at(-1)?.living ?? []), ...seen.flatMap(({ ended }) => ended)];
  return new Set(tips.flatMap(lineOf));
}

/** @param {number} column */
function leftOf(column) {
  return column ? 4 + COLUMN * column - 40 : 4;
}

/** @param {number} row */
function topOf(row) {
  return 4 + ROW * row;
}

/**
 * @param {SVGElement} drawing
 * @param {Session} session
 * @returns {{ width: number, height: number }}
 */
export function drawTree(drawing, session) {
  const nodes = treeNodes(session);
  const kept = keptOnes(session);
  const path = session.path();
  const places = new Map(nodes.map(({ hypothesis, row }) => [hypothesis, row]));
  const looks = nodes.map(({ hypothesis }) => {
    const dashes = kept.has(hypothesis) ? undefined : "3 4";
    return { fill: "none", "stroke-dasharray": dashes, ...edge(path.includes(hypothesis)) };
  });
  nodes.forEach(({ hypothesis: { ids, parent }, row }, number) => {
    const column = ids.length;
    const x1 = leftOf(column - 1) + (column === 1 ? 56 : WIDE);
    const y1 = topOf((parent && places.get(parent)) ?? 0) + TALL / 2;
    const [x2, y2] = [leftOf(column), topOf(row) + TALL / 2];
    const bend = (x1 + x2) / 2;
    const d = `M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}`;
    svg(drawing, "path", { d, ...looks[number] });
  });
  write(drawing, 4, topOf(0) + 25, "<sos>", { class: "soft" });
  nodes.forEach(({ hypothesis, row }, number) => {
    const { ids, token, score, rank } = hypothesis;
    const isKept = kept.has(hypothesis);
    const state = rank !== null ? "ended" : isKept ? "kept" : "dropped later";
    const name = session.vocabulary.tokens[token];
    const shown = fixed(rank ?? score);
    const label = `step ${ids.length}: ${name}, score ${shown}, ${state}`;
    const pressed = session.chosen === hypothesis;
    const group = touchable(drawing, `node-${number}`, label, pressed);
    const [x, y, soft] = [leftOf(ids.length), topOf(row), isKept ? "" : "soft"];
    const fill = rank !== null ? "var(--field)" : "var(--paper)";
    rect(group, [x, y, WIDE, TALL], { rx: 5, ...looks[number], fill });
    write(group, x + 8, y + 17, name, { class: soft, lang: "es" });
    const text = rank !== null ? `= ${shown}` : shown;
    write(group, x + 8, y + 34, text, { class: `number ${soft}` });
  });
  const rows = Math.max(1, ...nodes.map(({ row }) => row + 1));
  return { width: leftOf(session.seen.length) + WIDE + 4, height: topOf(rows) };
}
