// The translation in the making: steps, overruling, beams, draws and notes, without a page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Transformer } from "../../book/interactive/model.js";
import { dialed, drawn } from "../../book/interactive/sampling.js";
import { SubwordVocabulary } from "../../book/interactive/subwords.js";
import { Decoding } from "../../book/interactive/translate/engine.js";
import { attentionOf } from "../../book/interactive/translate/heads.js";
import { languageNote } from "../../book/interactive/translate/notes.js";
import { compared } from "../../book/interactive/new_words.js";
import { Session } from "../../book/interactive/translate/session.js";
import { keptOnes, treeNodes } from "../../book/interactive/translate/tree.js";
import { CONFIG, ENDS, randomArrays } from "./helpers.js";

const CHARACTERS = ["<pad>", "<sos>", "<eos>", "<unk>", "▁", "a", "b", "c"];
const MERGES = "▁ a\n▁ b\na b\n▁a b\n▁b a";
const VOCABULARY = SubwordVocabulary.fromMerges({
  characters: CHARACTERS, merges: MERGES,
});

/** What a worker answers: copies, and later. */
function engine(model, random) {
  let decoding;
  return {
    async begin(source, settings) {
      decoding = new Decoding(model, source, settings, ENDS, random);
      return structuredClone(decoding.attention);
    },
    step: async () => structuredClone(decoding.step()),
    overrule: async (...all) => structuredClone(decoding.overrule(...all)),
  };
}

function session(random) {
  const config = { ...CONFIG, src_vocab_size: 13, tgt_vocab_size: 13 };
  const model = new Transformer(config, randomArrays(config, 3));
  const made = new Session(engine(model, random), VOCABULARY, config, 0);
  made.read("ab c ba");
  return made;
}

async function forward(made, count = 1) {
  for (let step = 0; step < count; step++) {
    await made.compute();
    made.show(made.shown + 1);
  }
}

async function toEnd(made) {
  while (!made.atEnd) await forward(made);
  return made.ids();
}

test("an overruled step stays, what came before too, what came after goes", async () => {
  const made = session();
  const ids = await toEnd(made);
  const other = made.candidates(1).find(({ taken }) => !taken);
  await made.overrule(1, other.token);
  assert.deepEqual(made.ids(), [ids[0], other.token]);
  assert.ok(made.touched);
  assert.deepEqual([...made.forced], [1]);
  const likeliest = made.candidates(1).toSorted((a, b) => b.probability - a.probability);
  await made.overrule(1, likeliest[0].token);
  assert.ok(!made.touched);
  assert.deepEqual(await toEnd(made), ids);
});

test("the token that was taken is among the candidates, however unlikely", async () => {
  const made = session();
  await forward(made);
  const likely = made.candidates(0).map(({ token }) => token);
  const other = [4, 5, 6, 7, 8, 9, 10].find((token) => !likely.includes(token));
  await made.overrule(0, other);
  const taken = made.candidates(0).filter((each) => each.taken);
  assert.deepEqual(taken.map(({ token }) => token), [other]);
  assert.equal(made.candidates(0).length, 6);
});

test("what was asked for before a new sentence is not taken for its own", async () => {
  const made = session();
  const ids = await toEnd(made);
  made.read("c");
  const late = made.compute();
  made.read("ab c ba");
  await late;
  assert.equal(made.computed, 0);
  assert.deepEqual(await toEnd(made), ids);
});

test("a beam makes a tree; its path is a hypothesis of it", async () => {
  const made = session();
  Object.assign(made.settings, { way: "beam", beamSize: 3 });
  made.begin();
  await forward(made, 2);
  const kept = keptOnes(made);
  const last = treeNodes(made).filter(({ hypothesis }) => hypothesis.ids.length === 2);
  assert.equal(last.length, 3);
  for (const { hypothesis } of last) assert.ok(kept.has(hypothesis.parent));
  await toEnd(made);
  const [best] = made.finished;
  assert.deepEqual(made.ids(), best.ids);
  const sum = made.path().reduce((all, step) => all + step.logProbability, 0);
  assert.ok(Math.abs(sum - best.score) < 1e-3);
  const { token } = made.candidates(1).find(({ taken }) => !taken);
  await made.overrule(1, token);
  assert.deepEqual(made.ids(), [best.ids[0], token]);
  assert.equal(made.settings.way, "greedy");
});

test("tokens are drawn as often as their probability says", async () => {
  const logs = Float32Array.from([0.5, 0, 0.25, 0.25], Math.log);
  const found = dialed(logs, {});
  assert.deepEqual([0, 0.49, 0.51, 0.74, 0.76, 0.9999999].map((r) => drawn(found, r)), [
    0, 0, 2, 2, 3, 3,
  ]);
  const made = session(() => 0.999999);
  made.settings.way = "drawn";
  made.begin();
  await forward(made);
  assert.ok(made.touched);
  const [likeliest] = made.candidates(0);
  assert.ok(likeliest.probability < 0.99 && !likeliest.taken);
});

test("without the mask a token looks at those behind it, and every step is a row", async () => {
  const made = session();
  for (const withoutCausalMask of [false, true]) {
    made.settings.switches.withoutCausalMask = withoutCausalMask;
    made.begin();
    await forward(made, 3);
    const { heads } = attentionOf(made, { kind: "decoder", layer: 1, head: "mean" });
    const rows = heads[0].weights;
    assert.deepEqual(rows.map((row) => row.length), [3, 3, 3]);
    assert.equal(rows[0][2] > 0, withoutCausalMask);
  }
});

test("words are new, kept or lost", () => {
  const kinds = (a, b) => compared(a.split(" "), b.split(" "))
    .map(({ word, sign }) => sign.replace("=", "") + word).join(" ");
  assert.equal(kinds("a b c", "a b c"), "a b c");
  assert.equal(kinds("a b c", "a c"), "a +b c");
  assert.equal(kinds("a c", "a b c d"), "a -b c -d");
  assert.equal(kinds("a b", "b a"), "-b a +b");
  assert.equal(kinds("x b", "y b"), "-y +x b");
});

test("several sentences are translated one after the other, and joined as they were", async () => {
  const made = session();
  made.read("Ab c.  Ba c!\nC a?");
  assert.deepEqual(made.sources.map(({ space }) => space), ["  ", "\n", ""]);
  await toEnd(made);
  assert.equal(made.at, 2);
  assert.match(made.written(), / {2}.*\n/);
  assert.deepEqual(made.parts().map(({ unsure }) => unsure), [true, true, true]);
  const whole = made.written();
  made.open(0);
  while (!made.ended) await forward(made);
  assert.equal(made.written(), whole);
});

test("a note says how a language was told", () => {
  assert.match(languageNote("La casa es blanca"), /Spanish.*la, es/);
  const english = [
    "He's at the old house, isn't she?", "Good morning", "Los Angeles", "abc abc abc",
  ];
  for (const text of english) assert.equal(languageNote(text), "");
});
