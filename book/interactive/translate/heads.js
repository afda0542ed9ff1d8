// What to draw of attention: one table of weights for each head that was asked for.

import { Matrix } from "../arrays.js";

/**
 * @typedef {import("./session.js").Session} Session
 * @typedef {"cross" | "encoder" | "decoder"} Kind
 * @typedef {{ kind: Kind, layer: number, head: "each" | "mean" | number }} View head:
 *   all of them, or the number of one, from 0 on
 * @typedef {{ name: string, color: string, weights: Matrix }} Head
 * @typedef {{ queries: string[], keys: string[], heads: Head[] }} Attention
 */

const COLORS = ["query", "key", "value", "word", "position", "mistake"];

/** The name of an attention among the model's.
 * @param {Pick<View, "kind" | "layer">} view */
export function attentionName({ kind, layer }) {
  const part = kind === "encoder" ? "encoder" : "decoder";
  const which = kind === "cross" ? "cross_attention" : "self_attention";
  return `${part}.layers.${layer}.${which}`;
}

/** As many options, counted from 1. @param {number} count @returns {[number, string][]} */
export function numbered(count) {
  return Array.from({ length: count }, (_, n) => [n, String(n + 1)]);
}

/**
 * The tables of one view, and what stands at their sides.
 * @param {Session} session
 * @param {View} view
 * @returns {Attention}
 */
export function attentionOf(session, view) {
  const { vocabulary, source } = session;
  const name = attentionName(view);
  const read = source.map((id) => vocabulary.tokens[id]);
  if (view.kind === "encoder") {
    const all = session.encoderAttention[name] ?? [];
    return { queries: read, keys: read, heads: chosenHeads(all, view.head) };
  }
  const steps = session.path();
  const written = steps.map(({ token }) => vocabulary.tokens[token]);
  const before = [vocabulary.tokens[vocabulary.sosId], ...written].slice(0, steps.length);
  const keys = view.kind === "cross" ? read : before;
  const count = session.config.n_heads;
  const all = Array.from({ length: count }, (_, head) =>
    rowsOf(steps.map(({ attention }) => attention[name][head]), keys.length),
  );
  const queries = view.kind === "cross" ? written : before;
  return { queries, keys, heads: chosenHeads(all, view.head) };
}

/**
 * One table of what each step looked at: the newest row of each. Without the causal
 * mask earlier tokens look again in every step; then the last step has them all.
 * @param {Matrix[]} matrices one a step
 * @param {number} width
 */
function rowsOf(matrices, width) {
  const table = new Matrix(matrices.length, width);
  const last = matrices.at(-1);
  if (last && matrices.length > 1 && last.rows === matrices.length) {
    last.toRows().forEach((row, t) => table.row(t).set(row));
  } else {
    matrices.forEach((each, t) => table.row(t).set(each.row(each.rows - 1)));
  }
  return table;
}

/**
 * @param {Matrix[]} all
 * @param {View["head"]} wanted
 * @returns {Head[]}
 */
function chosenHeads(all, wanted) {
  const heads = all.map((weights, head) => ({
    name: `head ${head + 1}`,
    color: COLORS[head % COLORS.length],
    weights,
  }));
  if (wanted === "each" || !all.length) return heads;
  if (wanted !== "mean") return [heads[wanted]];
  const mean = new Matrix(all[0].rows, all[0].cols);
  for (const { data } of all) data.forEach((x, i) => (mean.data[i] += x / all.length));
  return [{ name: "mean of all heads", color: "weight", weights: mean }];
}

/**
 * How much a row looks at each key, on average over the heads in sight; nothing if there
 * is no such row.
 * @param {Attention} attention
 * @param {number} row
 */
export function looked({ keys, heads }, row) {
  if (!heads.length || row < 0 || row >= heads[0].weights.rows) return [];
  return keys.map(
    (_, key) =>
      heads.reduce((sum, { weights }) => sum + weights.row(row)[key], 0) / heads.length,
  );
}

/**
 * Where a row looks most.
 * @param {Attention} attention
 * @param {number} row
 * @returns {{ key: string, weight: number } | null}
 */
export function strongest(attention, row) {
  const shares = looked(attention, row);
  const best = shares.indexOf(Math.max(...shares));
  return best < 0 ? null : { key: attention.keys[best], weight: shares[best] };
}
