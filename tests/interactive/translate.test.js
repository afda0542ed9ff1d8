// The translation in the making: steps, overruling, beams, draws and notes, without a page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SubwordVocabulary } from "../../book/interactive/subwords.js";
import { attentionOf } from "../../book/interactive/translate/heads.js";
import { languageNote, notesOn } from "../../book/interactive/translate/notes.js";
import { draw, newWords, Session } from "../../book/interactive/translate/session.js";
import { finished, keptOnes, treeNodes } from "../../book/interactive/translate/tree.js";
import { CONFIG, randomArrays } from "./helpers.js";

const CHARACTERS = ["<pad>", "<sos>", "<eos>", "<unk>", "▁", "a", "b", "c"];
const MERGES = "▁ a\n▁ b\na b\n▁a b\n▁b a";
const VOCABULARY = SubwordVocabulary.fromMerges({
  characters: CHARACTERS, merges: MERGES,
});

function session(random) {
  const config = { ...CONFIG, src_vocab_size: 13, tgt_vocab_size: 13 };
  const made = new Session(
    { config, arrays: randomArrays(config, 3) }, VOCABULARY, random,
  );
  made.read("ab c ba");
  return made;
}

function toEnd(made) {
  while (!made.atEnd) made.forward();
  return made.ids();
}

test("a session goes forwards and back over the same steps", () => {
  const made = session();
  const ids = toEnd(made);
  assert.ok(ids.length > 1);
  made.back();
  assert.deepEqual(made.ids(), ids.slice(0, -1));
  made.forward();
  assert.deepEqual(made.ids(), ids);
  made.shown = 0;
  assert.deepEqual(made.ids(), []);
  assert.equal(made.place, -1);
  assert.deepEqual(made.candidates(made.place), []);
});

test("an overruled step stays, what came before too, what came after goes", () => {
  const made = session();
  const ids = toEnd(made);
  const other = made.candidates(1).find(({ taken }) => !taken);
  made.overrule(1, other.token);
  assert.deepEqual(made.ids(), [ids[0], other.token]);
  assert.ok(made.touched);
  assert.deepEqual([...made.forced], [1]);
  const likeliest = made.candidates(1).toSorted((a, b) => b.probability - a.probability);
  made.overrule(1, likeliest[0].token);
  assert.ok(!made.touched);
  assert.deepEqual(toEnd(made), ids);
});

test("the token that was taken is among the candidates, however unlikely", () => {
  const made = session();
  made.forward();
  const unlikely = 4 + made
    .path()[0]
    .logProbabilities.slice(4)
    .reduce((least, x, i, all) => (x < all[least] ? i : least), 0);
  made.overrule(0, unlikely);
  const taken = made.candidates(0).filter((each) => each.taken);
  assert.deepEqual(taken.map(({ token }) => token), [unlikely]);
  assert.equal(made.candidates(0).length, 6);
});

test("a beam makes a tree; its path is a hypothesis of it", () => {
  const made = session();
  Object.assign(made.settings, { way: "beam", beamSize: 3 });
  made.begin();
  made.forward();
  made.forward();
  const nodes = treeNodes(made);
  assert.equal(nodes.filter(({ column }) => column === 2).length >= 3, true);
  for (const { hypothesis, column } of nodes) assert.equal(hypothesis.ids.length, column);
  const kept = keptOnes(made);
  for (const { hypothesis } of nodes) {
    if (kept.has(hypothesis) && hypothesis.parent) assert.ok(kept.has(hypothesis.parent));
  }
  toEnd(made);
  const best = made.search.best()[0];
  assert.deepEqual(made.ids(), best.ids);
  assert.equal(finished(made)[0].text, VOCABULARY.decode(best.ids));
  const sum = made.path().reduce((all, step) => all + step.logProbability, 0);
  assert.ok(Math.abs(sum - best.score) < 1e-3);
  made.overrule(0, made.candidates(0)[1].token);
  assert.equal(made.settings.way, "greedy");
});

test("an overruled path of a beam begins with what stood before it", () => {
  const made = session();
  Object.assign(made.settings, { way: "beam", beamSize: 2 });
  made.begin();
  const ids = toEnd(made);
  const other = made.candidates(1).find(({ taken }) => !taken);
  made.overrule(1, other.token);
  assert.deepEqual(made.ids(), [ids[0], other.token]);
});

test("tokens are drawn as often as their probability says", () => {
  const logs = Float32Array.from([0.5, 0, 0.25, 0.25], Math.log);
  assert.deepEqual([0, 0.49, 0.51, 0.74, 0.76, 0.9999999].map((r) => draw(logs, r)), [
    0, 0, 2, 2, 3, 3,
  ]);
  const made = session(() => 0.999999);
  made.settings.way = "drawn";
  made.begin();
  made.forward();
  assert.ok(made.touched);
  assert.equal(made.ids()[0], VOCABULARY.tokens.length - 1);
});

test("attention has a row for each step and sums to one", () => {
  const made = session();
  for (const withoutCausalMask of [false, true]) {
    made.settings.switches.withoutCausalMask = withoutCausalMask;
    made.begin();
    made.forward();
    made.forward();
    made.forward();
    const shapes = { cross: [3, made.source.length], decoder: [3, 3] };
    shapes.encoder = [made.source.length, made.source.length];
    for (const [kind, [rows, cols]] of Object.entries(shapes)) {
      const { queries, keys, heads } = attentionOf(made, { kind, layer: 1, head: "mean" });
      assert.deepEqual([queries.length, keys.length], [rows, cols]);
      for (const row of heads[0].weights.toRows()) {
        assert.ok(Math.abs(row.reduce((a, b) => a + b, 0) - 1) < 1e-5);
      }
      if (kind !== "decoder") continue;
      assert.equal(heads[0].weights.row(0)[2] > 0, withoutCausalMask);
    }
  }
});

test("words that the other translation lacks are marked", () => {
  const marked = (a, b) => newWords(a.split(" "), b.split(" "));
  assert.deepEqual(marked("a b c", "a b c"), [false, false, false]);
  assert.deepEqual(marked("a b c", "a c"), [false, true, false]);
  assert.deepEqual(marked("a b", "b a"), [false, true]);
  assert.deepEqual(marked("x y", ""), [true, true]);
});

test("a sentence without its capital letter or its mark is told so", () => {
  const told = (text) => notesOn(text, VOCABULARY).join(" ").includes("whole sentences");
  for (const text of ["hello there", "Where is it", "the cat.", "HELLO WORLD!"]) {
    assert.ok(told(text), text);
  }
  for (const text of ["I am here.", "Where is it?", '"Yes," she said.', "I am 4!"]) {
    assert.ok(!told(text), text);
  }
});

test("a note names what is unknown, and how it was told", () => {
  assert.match(notesOn("ab 日", VOCABULARY)[0], /never seen 日/);
  assert.match(languageNote("La casa es blanca", VOCABULARY), /Spanish.*la, es/);
  assert.match(languageNote("abc abc abc", VOCABULARY), /none of the commonest/);
  assert.equal(languageNote("He's at the old house, isn't she?", VOCABULARY), "");
  assert.equal(languageNote("Good morning", VOCABULARY), "");
});
