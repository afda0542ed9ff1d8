// What the comparison with lib does not reach: a reader without the mask, the ε of a
// norm, the ends and the limits of decoding.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Matrix } from "../../book/interactive/arrays.js";
import { LayerNorm } from "../../book/interactive/layers.js";
import { Transformer } from "../../book/interactive/model.js";
import { BeamSearch, Reader } from "../../book/interactive/search.js";
import { CONFIG, ENDS, near, randomArrays } from "./helpers.js";

const model = () => new Transformer(CONFIG, randomArrays());
const SRC = [4, 5, 6, 2];
const started = (each) => new Reader(each, each.encode(SRC));
const row = (...values) => Matrix.fromRows([values]);

test("a reader without the mask has read the whole beginning again", () => {
  const each = model();
  each.switches.withoutCausalMask = true;
  const { logProbabilities, attention } = started(each).read(1, []).reader.read(4, []);
  const logits = each.decode([1, 4], each.encode(SRC)).row(1);
  const shift = logits[0] - logProbabilities[0];
  near(logits.map((logit) => logit - shift), logProbabilities);
  assert.equal(attention["decoder.layers.0.self_attention"][0].rows, 2);
});

test("a norm of equal numbers is its shift: ε keeps the root away from zero", () => {
  const norm = new LayerNorm({ "n.weight": row(2, 3), "n.bias": row(10, 20) }, "n");
  assert.deepEqual(norm.forward(row(5, 5)).toRows(), [[10, 20]]);
});

test("after <eos>, or at the limit, there is no further step", () => {
  const greedy = (src = SRC, each = model()) =>
    new BeamSearch(each, src, { ...ENDS, beamSize: 1 });
  const ended = greedy();
  ended.step(() => [ENDS.eosId]);
  assert.throws(() => ended.step(), /has ended/);
  const endless = greedy();
  while (!endless.done) endless.step(() => [4]);
  assert.equal(endless.best()[0].ids.length, CONFIG.max_len);
  const long = new Transformer({ ...CONFIG, max_len: 128 }, randomArrays());
  assert.equal(greedy(SRC, long).limit, SRC.length + 50);
});
