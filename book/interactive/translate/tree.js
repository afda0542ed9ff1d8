// A beam as a growing tree: a column for each step, the best beginning on top.

import { fixed, svg } from "../draw.js";
import { lengthNorm } from "../beam.js";

/**
 * @typedef {import("../beam.js").Hypothesis} Hypothesis
 * @typedef {import("./session.js").Session} Session
 * @typedef {{ hypothesis: Hypothesis, column: number, row: number, ended: boolean }} Node
 */

const [COLUMN, ROW, WIDE, TALL] = [118, 48, 96, 40];

/**
 * All hypotheses of the steps in sight, each with its place.
 * @param {Session} session
 * @returns {Node[]}
 */
export function treeNodes({ frames, shown }) {
  return frames.slice(0, shown).flatMap(({ living, ended }, step) => {
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
export function keptOnes({ frames, shown }) {
  const seen = frames.slice(0, shown);
  const tips = [...(seen.at(-1)?.living ?? []), ...seen.flatMap(({ ended }) => ended)];
  return new Set(tips.flatMap(lineOf));
}

/**
 * A hypothesis and all that it grew from.
 * @param {Hypothesis} hypothesis
 * @returns {Hypothesis[]}
 */
function lineOf(hypothesis) {
  const line = [];
  /** @type {Hypothesis | null} */
  let each = hypothesis;
  for (; each; each = each.parent) line.push(each);
  return line;
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
  const onPath = (/** @type {Hypothesis} */ { ids: own }) =>
    own.length <= ids.length && own.every((id, i) => id === ids[i]);
  const places = new Map(nodes.map((node) => [node.hypothesis, node]));
  const x = (/** @type {number} */ column) => 4 + COLUMN * column - (column ? 40 : 0);
  const y = (/** @type {number} */ row) => 4 + ROW * row;
  for (const { hypothesis, column, row } of nodes) {
    const parent = hypothesis.parent && places.get(hypothesis.parent);
    const [x1, y1] = [
      x(column - 1) + (column === 1 ? 56 : WIDE), y(parent?.row ?? 0) + TALL / 2,
    ];
    const [x2, y2] = [x(column), y(row) + TALL / 2];
    const bend = (x1 + x2) / 2;
    svg(drawing, "path", {
      d: `M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}`,
      fill: "none",
      stroke: onPath(hypothesis) ? "var(--accent)" : "var(--line)",
      "stroke-width": onPath(hypothesis) ? 3 : 1,
      "stroke-dasharray": kept.has(hypothesis) ? undefined : "3 4",
    });
  }
  svg(drawing, "text", { x: 4, y: y(0) + 25, class: "soft" }, "<sos>");
  nodes.forEach((node, number) => drawNode(drawing, session, node, number, x, y, {
    path: onPath(node.hypothesis), kept: kept.has(node.hypothesis),
  }));
  const rows = Math.max(1, ...nodes.map(({ row }) => row + 1));
  const columns = Math.max(0, ...nodes.map(({ column }) => column));
  return { width: x(columns) + WIDE + 4, height: y(rows) };
}

/**
 * @param {SVGElement} drawing
 * @param {Session} session
 * @param {Node} node
 * @param {number} number
 * @param {(column: number) => number} x
 * @param {(row: number) => number} y
 * @param {{ path: boolean, kept: boolean }} looks
 */
function drawNode(drawing, session, node, number, x, y, { path, kept }) {
  const { hypothesis, column, row, ended } = node;
  const name = session.vocabulary.tokens[hypothesis.token];
  const score = ended ? `= ${fixed(hypothesis.rank ?? 0)}` : fixed(hypothesis.score);
  const state = ended ? "ended" : kept ? "kept" : "dropped later";
  const group = svg(drawing, "g", {
    key: `node-${number}`,
    role: "button",
    "aria-pressed": String(session.chosen === hypothesis),
    "aria-label": `step ${column}: ${name}, score ${score.replace("= ", "")}, ${state}`,
  });
  svg(group, "rect", {
    x: x(column),
    y: y(row),
    width: WIDE,
    height: TALL,
    rx: 5,
    fill: ended ? "var(--field)" : "var(--paper)",
    stroke: path ? "var(--accent)" : "var(--line)",
    "stroke-width": path ? 3 : 1,
    "stroke-dasharray": kept ? undefined : "3 4",
  });
  const looks = kept ? "" : "soft";
  svg(group, "text", { x: x(column) + 8, y: y(row) + 17, class: looks, lang: "es" }, name);
  svg(group, "text", { x: x(column) + 8, y: y(row) + 34, class: `number ${looks}` }, score);
}

/**
 * The finished translations in sight, the best first.
 * @param {Session} session
 * @returns {{ text: string, sum: string }[]}
 */
export function finished(session) {
  const { frames, shown, vocabulary, settings } = session;
  return frames
    .slice(0, shown)
    .flatMap(({ ended }) => ended)
    .sort((a, b) => (b.rank ?? 0) - (a.rank ?? 0))
    .map(({ ids, score, rank }) => ({
      text: vocabulary.decode(ids),
      sum:
        `${fixed(score)} ÷ ${fixed(lengthNorm(ids.length, settings.lengthPenalty))} = ` +
        fixed(rank ?? 0),
    }));
}
