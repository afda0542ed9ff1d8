// The ends and the limits of decoding; that it writes what lib writes is compared in
// test_interactive_model.py.

import assert from "node:assert/strict";
import { test } from "node:test";
import { lengthNorm } from "../../book/interactive/beam.js";
import { Greedy } from "../../book/interactive/greedy.js";
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
  const endless = new Greedy(model, SRC, ENDS);
  while (!endless.done) endless.step(4);
  assert.equal(endless.ids.length, CONFIG.max_len);
});

test("limits and the length penalty by hand", () => {
  assert.equal(lengthNorm(7, 1), 2);
  assert.equal(lengthNorm(7, 0), 1);
  assert.equal(lengthLimit(model, SRC), 20);
  assert.equal(lengthLimit({ config: { max_len: 128 } }, SRC), 54);
});
