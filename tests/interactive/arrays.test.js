import assert from "node:assert/strict";
import { test } from "node:test";
import {
  largestPlaces, logSoftmax, softmax, timesTransposed,
} from "../../book/interactive/arrays.js";
import { near, randomMatrix } from "./helpers.js";

test("every number of rows gives the sums of a plain loop", () => {
  for (let rows = 1; rows < 10; rows++) {
    const [a, b] = [randomMatrix(3, 7, rows), randomMatrix(rows, 7, rows + 50)];
    const plain = a.toRows().map((x) =>
      b.toRows().map((y) => x.reduce((sum, value, i) => sum + value * y[i], 0)),
    );
    near(timesTransposed(a, b), plain);
  }
});

test("the softmax by hand, of large numbers, and of nothing to choose from", () => {
  near(softmax(Float32Array.of(0, Math.log(3))), [0.25, 0.75], 1e-7);
  near(softmax(Float32Array.of(1000, 1000)), [0.5, 0.5]);
  assert.deepEqual([...softmax(Float32Array.of(-Infinity, 7))], [0, 1]);
  assert.deepEqual([...softmax(Float32Array.of(-Infinity, -Infinity))], [0, 0]);
  near(logSoftmax(Float32Array.of(0, Math.log(3))), [Math.log(0.25), Math.log(0.75)]);
  assert.equal(logSoftmax(Float32Array.of(-Infinity, 0))[0], -Infinity);
});

test("the largest places, and the first of equal ones", () => {
  const list = Float32Array.of(1, 5, 3, 5, -Infinity);
  assert.deepEqual(largestPlaces(list, 3), [1, 3, 2]);
  assert.deepEqual(largestPlaces(list, 1), [1]);
  assert.deepEqual(largestPlaces(list, 9), [1, 3, 2, 0, 4]);
});
