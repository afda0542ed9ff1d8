import assert from "node:assert/strict";
import { test } from "node:test";
import { Matrix } from "../../book/interactive/arrays.js";
import {
  LayerNorm, PositionwiseFeedForward, Residual, TokenEmbedding,
} from "../../book/interactive/layers.js";
import { near } from "./helpers.js";

const row = (...values) => Matrix.fromRows([values]);
const NORM = { "norm.weight": row(2, 3), "norm.bias": row(10, 20) };

test("an embedding is scaled by the root of its width", () => {
  const embedding = new TokenEmbedding(Matrix.fromRows([[0, 0, 0, 0], [1, 2, 3, 4]]));
  assert.deepEqual(embedding.forward([1, 0]).toRows(), [[2, 4, 6, 8], [0, 0, 0, 0]]);
  assert.throws(() => embedding.forward([2]), /between 0 and 1, but one is 2/);
  assert.throws(() => embedding.forward([0.5]), /but one is 0.5/);
});

test("a norm by hand", () => {
  near(new LayerNorm(NORM, "norm").forward(row(1, 3)), [10 - 2, 20 + 3], 1e-4);
});

test("a norm of equal numbers is its shift: ε keeps the root away from zero", () => {
  assert.deepEqual(new LayerNorm(NORM, "norm").forward(row(5, 5)).toRows(), [[10, 20]]);
});

test("a feed-forward by hand: the ReLU cuts what is below zero", () => {
  const arrays = {
    "ff.inner.weight": Matrix.fromRows([[1, 1], [-1, -1], [2, 0]]),
    "ff.inner.bias": row(0, 0, 1),
    "ff.outer.weight": Matrix.fromRows([[1, 100, 1], [0, 100, 2]]),
    "ff.outer.bias": row(0.5, 0),
  };
  const found = new PositionwiseFeedForward(arrays, "ff").forward(row(1, 2));
  assert.deepEqual(found.toRows(), [[3 + 3 + 0.5, 6]]);
});

test("the norm stands before the sublayer, or after the sum", () => {
  const arrays = { "r.norm.weight": row(1, 1), "r.norm.bias": row(0, 0) };
  const double = (x) => new Matrix(1, 2, x.data.map((value) => 2 * value));
  const x = row(1, 3);
  near(new Residual(arrays, "r", true).forward(x, double), [1 - 2, 3 + 2], 1e-4);
  near(new Residual(arrays, "r", false).forward(x, double), [-1, 1], 1e-4);
});
