// What the tests share: nearly equal numbers, random matrices, a small model.

import assert from "node:assert/strict";
import { Matrix } from "../../book/interactive/arrays.js";

export const CONFIG = {
  src_vocab_size: 11,
  tgt_vocab_size: 13,
  d_model: 8,
  n_heads: 2,
  n_layers: 2,
  d_ff: 12,
  max_len: 20,
  pad_id: 0,
  norm_first: true,
  tie_embeddings: false,
};
export const ENDS = { sosId: 1, eosId: 2 };

/** Numbers between −1 and 1, the same ones for the same seed. */
export function numbers(seed) {
  let state = seed + 1;
  return () => {
    state = (state * 48271) % 2147483647;
    return (2 * state) / 2147483647 - 1;
  };
}

export function randomMatrix(rows, cols, seed = 0) {
  const next = numbers(seed);
  return new Matrix(rows, cols, Float32Array.from({ length: rows * cols }, next));
}

/** Random weights for every name that a model of these sizes asks for. */
export function randomArrays(config = CONFIG, seed = 0) {
  const next = numbers(seed);
  const arrays = {};
  const put = (name, rows, cols) => {
    const data = Float32Array.from({ length: rows * cols }, next);
    arrays[name] = new Matrix(rows, cols, data);
  };
  const linear = (name, out, width) => {
    put(`${name}.weight`, out, width);
    put(`${name}.bias`, 1, out);
  };
  const d = config.d_model;
  put("src_embedding.table.weight", config.src_vocab_size, d);
  put("tgt_embedding.table.weight", config.tgt_vocab_size, d);
  linear("output_proj", config.tgt_vocab_size, d);
  for (const stack of ["encoder", "decoder"]) {
    if (config.norm_first) linear(`${stack}.norm`, 1, d);
    if (config.norm_first) put(`${stack}.norm.bias`, 1, d);
    for (let n = 0; n < config.n_layers; n++) {
      const layer = `${stack}.layers.${n}`;
      const names = ["self_attention", "feed_forward"];
      if (stack === "decoder") names.push("cross_attention");
      for (const name of names) {
        put(`${layer}.${name}_residual.norm.weight`, 1, d);
        put(`${layer}.${name}_residual.norm.bias`, 1, d);
        for (const map of ["query", "key", "value", "output"]) {
          if (name !== "feed_forward") linear(`${layer}.${name}.${map}_proj`, d, d);
        }
      }
      linear(`${layer}.feed_forward.inner`, config.d_ff, d);
      linear(`${layer}.feed_forward.outer`, d, config.d_ff);
    }
  }
  return arrays;
}

/** Two lists of numbers, or of lists of them, agree to the last digits that count. */
export function near(found, expected, margin = 1e-5) {
  const flat = (value) =>
    value instanceof Matrix ? [...value.data] : [...value].flat(Infinity);
  const [left, right] = [flat(found), flat(expected)];
  assert.equal(left.length, right.length);
  left.forEach((number, i) => {
    const same = number === right[i] || Math.abs(number - right[i]) <= margin;
    assert.ok(same, `number ${i} is ${number}, not ${right[i]}`);
  });
}
