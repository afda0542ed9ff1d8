// The ends and the limits of decoding; that it writes what lib writes is compared in
// test_interactive_model.py.

import assert from "node:assert/strict";
import { test } from "node:test";
import { BeamSearch, lengthNorm } from "../../book/interactive/beam.js";
import { Greedy, greedyDecode } from "../../book/interactive/greedy.js";
import { Transformer } from "../../book/interactive/model.js";
import { lengthLimit } from "../../book/interactive/steps.js";
import { CONFIG, ENDS, randomArrays } from "./helpers.js";

const SRC = [4, 5, 6, 2];
const model = new Transformer(CONFIG, randomArrays());

test("after <eos>, or at the limit, there is no further step", () => {
  const greedy = new Greedy(model, SRC, ENDS);
  greedy.step(2);
  assert.ok(greedy.done);
  assert.throws(() => greedy.step(), /rewind/);
  assert.equal(greedyDecode(model, SRC, { ...ENDS, maxLen: 1 }).length, 1);
});

test("limits and the length penalty by hand", () => {
  assert.equal(lengthNorm(7, 1), 2);
  assert.equal(lengthNorm(7, 0), 1);
  assert.equal(lengthLimit(model, SRC), 20);
  assert.equal(lengthLimit({ config: { max_len: 128 } }, SRC), 54);
  assert.equal(lengthLimit(model, SRC, 3), 3);
  assert.throws(() => lengthLimit(model, SRC, 21), /20 positions, but it is 21/);
});

test("impossible sizes are refused in one sentence", () => {
  const search = (options) => () => new BeamSearch(model, SRC, { ...ENDS, ...options });
  assert.throws(search({ beamSize: 0 }), /between 1 and the vocabulary's 13/);
  assert.throws(search({ beamSize: 2, nBest: 3 }), /between 1 and beamSize = 2/);
  assert.throws(search({ lengthPenalty: -1 }), /must not be below 0, but is -1/);
});
