// A beam as a growing tree: a column for each step, the best beginning on top.

import { edge, fixed, rect, svg, touchable, write } from "../draw.js";
import { lineOf } from "./session.js";

/**
 * @typedef {import("./session.js").Hypothesis} Hypothesis
 * @typedef {import("./session.js").Session} Session
 * @typedef {{ hypothesis: Hypothesis, column: number, row: number, ended: boolean }} Node
 */

const [COLUMN, ROW, WIDE, TALL] = [118, 48, 96, 40];

/**
 * All hypotheses of the steps in sight, each with its place.
 * @param {Session} session
 * @returns {Node[]}
 */
export function treeNodes({ seen }) {
  return seen.flatMap(({ living, ended }, step) => {
    const all = [...living, ...ended].sort((a, b) => b.score - a.score);
    return all.map((hypothesis, row) => {
      return { hypothesis, column: step + 1, row, ended: ended.includes(hypothesis) };
    });
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
  const ids = session.ids();
  const places = new Map(nodes.map((node) => [node.hypothesis, node]));
  const looks = nodes.map(({ hypothesis }) => {
    const own = hypothesis.ids;
    const path = own.length <= ids.length && own.every((id, i) => id === ids[i]);
    const dashes = kept.has(hypothesis) ? undefined : "3 4";
    return { fill: "none", "stroke-dasharray": dashes, ...edge(path) };
  });
  nodes.forEach(({ hypothesis, column, row }, number) => {
    const parent = hypothesis.parent && places.get(hypothesis.parent);
    const x1 = leftOf(column - 1) + (column === 1 ? 56 : WIDE);
    const y1 = topOf(parent?.row ?? 0) + TALL / 2;
    const [x2, y2] = [leftOf(column), topOf(row) + TALL / 2];
    const bend = (x1 + x2) / 2;
    const d = `M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}`;
    svg(drawing, "path", { d, ...looks[number] });
  });
  write(drawing, 4, topOf(0) + 25, "<sos>", { class: "soft" });
  nodes.forEach((node, number) => {
    const state = node.ended ? "ended" : kept.has(node.hypothesis) ? "kept" : "dropped later";
    const soft = kept.has(node.hypothesis) ? "" : "soft";
    drawNode(drawing, session, node, number, state, looks[number], soft);
  });
  const rows = Math.max(1, ...nodes.map(({ row }) => row + 1));
  const columns = Math.max(0, ...nodes.map(({ column }) => column));
  return { width: leftOf(columns) + WIDE + 4, height: topOf(rows) };
}

/**
 * @param {SVGElement} drawing
 * @param {Session} session
 * @param {Node} node
 * @param {number} number
 * @param {string} state
 * @param {import("../draw.js").Attributes} look of its box
 * @param {string} soft the class of its letters
 */
function drawNode(drawing, session, node, number, state, look, soft) {
  const { hypothesis, column, row, ended } = node;
  const name = session.vocabulary.tokens[hypothesis.token];
  const score = fixed((ended ? hypothesis.rank : hypothesis.score) ?? 0);
  const label = `step ${column}: ${name}, score ${score}, ${state}`;
  const group = touchable(drawing, `node-${number}`, label, session.chosen === hypothesis);
  const [x, y] = [leftOf(column), topOf(row)];
  const fill = ended ? "var(--field)" : "var(--paper)";
  rect(group, [x, y, WIDE, TALL], { rx: 5, ...look, fill });
  write(group, x + 8, y + 17, name, { class: soft, lang: "es" });
  const text = ended ? `= ${score}` : score;
  write(group, x + 8, y + 34, text, { class: `number ${soft}` });
}
