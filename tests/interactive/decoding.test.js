import assert from "node:assert/strict";
import { test } from "node:test";
import { BeamSearch, beamSearch, lengthNorm } from "../../book/interactive/beam.js";
import { Greedy, greedyDecode } from "../../book/interactive/greedy.js";
import { Transformer } from "../../book/interactive/model.js";
import { lengthLimit, Reader } from "../../book/interactive/steps.js";
import { CONFIG, ENDS, near, randomArrays } from "./helpers.js";

const SRC = [4, 5, 6, 2];
const models = [0, 1, 2, 3].map(
  (seed) => new Transformer(CONFIG, randomArrays(CONFIG, seed)),
);
const model = models[0];

/** Log-probabilities of the next token, all read again from the start. */
function next(ids, each = model) {
  const reader = ids.reduce(
    (before, id) => before.read(id, []).reader, Reader.open(each, SRC),
  );
  return reader;
}

test("greedy takes the likeliest token at each step, and stops at <eos>", () => {
  for (const each of models) {
    const ids = greedyDecode(each, SRC, ENDS);
    ids.forEach((id, t) => {
      const before = next([1, ...ids.slice(0, t)].slice(0, -1), each);
      const last = t ? ids[t - 1] : 1;
      const list = before.read(last, [0, 1]).logProbabilities;
      assert.equal(id, list.indexOf(Math.max(...list)));
    });
    assert.ok(ids.length === 20 || ids.at(-1) === 2);
    assert.ok(!ids.includes(0) && !ids.includes(1));
  }
});

test("a step tells its probabilities and what each head looked at", () => {
  const greedy = new Greedy(model, SRC, ENDS);
  greedy.step();
  const { logProbabilities, attention, token, logProbability } = greedy.step();
  near([logProbabilities.reduce((sum, x) => sum + Math.exp(x), 0)], [1]);
  assert.equal(logProbability, logProbabilities[token]);
  assert.equal(attention["decoder.layers.1.self_attention"][0].cols, 2);
  assert.equal(attention["decoder.layers.1.cross_attention"][1].cols, 4);
});

test("an overruled step is followed by what follows from it", () => {
  const greedy = new Greedy(model, SRC, ENDS);
  greedy.step();
  const second = greedy.step();
  greedy.rewind(0);
  greedy.step(9);
  const other = greedy.step();
  assert.deepEqual(greedy.ids, [9, other.token]);
  near(other.logProbabilities, next([1]).read(9, [0, 1]).logProbabilities, 0);
  greedy.rewind(0);
  greedy.step();
  near(greedy.step().logProbabilities, second.logProbabilities, 0);
});

test("after <eos>, or at the limit, there is no further step", () => {
  const greedy = new Greedy(model, SRC, ENDS);
  greedy.step(2);
  assert.ok(greedy.done);
  assert.throws(() => greedy.step(), /rewind/);
  assert.equal(greedyDecode(models[1], SRC, { ...ENDS, maxLen: 1 }).length, 1);
});

test("a temperature flattens or sharpens, and never changes the order", () => {
  const list = (temperature) =>
    new Greedy(model, SRC, { ...ENDS, temperature }).step().logProbabilities;
  const [cold, plain, hot] = [list(0.5), list(1), list(2)];
  assert.ok(Math.max(...cold) > Math.max(...plain));
  assert.ok(Math.max(...plain) > Math.max(...hot));
  assert.equal(cold.indexOf(Math.max(...cold)), hot.indexOf(Math.max(...hot)));
});

test("limits and the length penalty by hand", () => {
  assert.equal(lengthNorm(7, 1), 2);
  assert.equal(lengthNorm(7, 0), 1);
  assert.equal(lengthLimit(model, SRC), 20);
  assert.equal(lengthLimit({ config: { max_len: 128 } }, SRC), 54);
  assert.equal(lengthLimit(model, SRC, 3), 3);
  assert.throws(() => lengthLimit(model, SRC, 21), /20 positions, but it is 21/);
});

test("a wide beam finds what trying everything finds", () => {
  for (const each of models) {
    // Every translation of up to three tokens, with its rank.
    const all = [];
    const grow = (reader, ids, score) => {
      const list = reader.read(ids.at(-1) ?? 1, [0, 1]);
      list.logProbabilities.forEach((logProbability, id) => {
        if (logProbability === -Infinity) return;
        const written = [...ids, id];
        const total = score + logProbability;
        if (id === 2 || written.length === 3) {
          all.push({ ids: written, rank: total / lengthNorm(written.length, 0.6) });
        } else grow(list.reader, written, total);
      });
    };
    grow(Reader.open(each, SRC), [], 0);
    all.sort((a, b) => b.rank - a.rank);
    const options = { ...ENDS, maxLen: 3, beamSize: 13, nBest: 3 };
    const found = beamSearch(each, SRC, options);
    assert.deepEqual(found[0].ids, all[0].ids);
    near([found[0].rank], [all[0].rank]);
  }
});

test("a beam of one without a penalty is greedy", () => {
  for (const each of models) {
    const found = beamSearch(each, SRC, { ...ENDS, beamSize: 1, lengthPenalty: 0 });
    assert.deepEqual(found[0].ids, greedyDecode(each, SRC, ENDS));
  }
});

test("hypotheses make a tree: each is its parent and one token", () => {
  const search = new BeamSearch(models[1], SRC, { ...ENDS, beamSize: 3 });
  while (!search.done) {
    const { living, ended } = search.step();
    for (const each of [...living, ...ended]) {
      assert.deepEqual(each.ids, [...each.parent.ids, each.token]);
      assert.ok(each.score <= each.parent.score);
    }
    for (const each of ended) {
      near([each.rank], [each.score / lengthNorm(each.ids.length, 0.6)], 0);
    }
    assert.ok(living.length <= 3);
  }
  assert.deepEqual(search.best()[0].rank, Math.max(...search.ended.map((e) => e.rank)));
  assert.throws(() => search.step(), /has ended/);
});

test("impossible sizes are refused in one sentence", () => {
  const search = (options) => () => new BeamSearch(model, SRC, { ...ENDS, ...options });
  assert.throws(search({ beamSize: 0 }), /between 1 and the vocabulary's 13/);
  assert.throws(search({ beamSize: 2, nBest: 3 }), /between 1 and beamSize = 2/);
  assert.throws(search({ lengthPenalty: -1 }), /must not be below 0, but is -1/);
});
