// What to draw of attention: one table of weights for each head that was asked for.

/**
 * @typedef {import("./session.js").Session} Session
 * @typedef {"cross" | "encoder" | "decoder"} Kind
 * @typedef {{ kind: Kind, layer: number, head: "each" | "mean" | number }} View head:
 *   all of them, or the number of one, from 0 on
 * @typedef {{ name: string, color: string, weights: number[][] }} Head
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
  const { vocabulary, source, config } = session;
  const name = attentionName(view);
  const read = source.map((id) => vocabulary.tokens[id]);
  if (view.kind === "encoder") {
    return inView(read, read, session.encoderAttention[name] ?? [], view.head);
  }
  const steps = session.path();
  const written = steps.map(({ token }) => vocabulary.tokens[token]);
  const before = [vocabulary.tokens[vocabulary.sosId], ...written].slice(0, steps.length);
  const [queries, keys] = view.kind === "cross" ? [written, read] : [before, before];
  const heads = Array.from({ length: config.n_heads }, (_, head) => {
    const tables = steps.map(({ attention }) => attention[name][head]);
    // Without the causal mask earlier tokens look again in every step.
    const last = tables.at(-1) ?? [];
    return tables.map((rows, t) => {
      const row = last[t + last.length - tables.length] ?? rows[0];
      return keys.map((_, key) => row[key] ?? 0); // what came later was not seen
    });
  });
  return inView(queries, keys, heads, view.head);
}

/**
 * @param {string[]} queries
 * @param {string[]} keys
 * @param {number[][][]} all the weights of each head
 * @param {View["head"]} wanted
 * @returns {Attention}
 */
function inView(queries, keys, all, wanted) {
  const heads = all.map((weights, head) => ({
    name: `head ${head + 1}`,
    color: COLORS[head % COLORS.length],
    weights,
  }));
  const each = { queries, keys, heads };
  if (wanted === "each" || !all.length) return each;
  if (wanted !== "mean") return { queries, keys, heads: [heads[wanted]] };
  const weights = queries.map((_, row) => looked(each, row));
  return { queries, keys, heads: [{ name: "mean of all heads", color: "weight", weights }] };
}

/**
 * How much a row looks at each key, on average over the heads in sight; nothing if there
 * is no such row.
 * @param {Attention} attention
 * @param {number} row
 */
export function looked({ queries, keys, heads }, row) {
  if (!heads.length || !(row in queries)) return [];
  return keys.map(
    (_, key) =>
      heads.reduce((sum, { weights }) => sum + weights[row][key], 0) / heads.length,
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
