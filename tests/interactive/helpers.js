// What the tests share: nearly equal numbers, random matrices, a small model.

import assert from "node:assert/strict";
import { Matrix } from "../../book/interactive/arrays.js";
import { shapes } from "../../book/interactive/config.js";

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
  const wanted = Object.entries(shapes(config));
  return Object.fromEntries(
    wanted.map(([name, [rows, cols]], at) => [
      name, randomMatrix(rows, cols, 1000 * seed + at),
    ]),
  );
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
