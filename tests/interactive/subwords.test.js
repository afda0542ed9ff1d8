import assert from "node:assert/strict";
import { test } from "node:test";
import { readSource, SubwordVocabulary } from "../../book/interactive/subwords.js";

const vocabulary = SubwordVocabulary.fromMerges({
  characters: ["<pad>", "<sos>", "<eos>", "<unk>", ..."elnostw.▁é'"],
  merges: ["▁ l", "▁l o", "e w", "s t", "▁lo w"].join("\n"),
});

test("merges are made in the order in which they were learned", () => {
  assert.deepEqual(vocabulary.mergeSteps("▁lowest"), [
    [..."▁lowest"],
    ["▁l", "o", "w", "e", "s", "t"],
    ["▁lo", "w", "e", "s", "t"],
    ["▁lo", "w", "e", "st"],
    ["▁low", "e", "st"],
  ]);
  assert.deepEqual(vocabulary.subwords("low new"), ["▁low", "▁", "n", "ew"]);
});

test("text goes to ids and back", () => {
  const ids = vocabulary.encode("low lowest tone.");
  assert.equal(vocabulary.decode(ids), "low lowest tone.");
  assert.equal(vocabulary.decode([1, ...ids, 2, 5, 0]), "low lowest tone.");
  assert.deepEqual(vocabulary.encode(""), []);
});

test("one form for each letter, apostrophe and space", () => {
  assert.equal(vocabulary.normalize("  e\u0301’s\u00a0\t▁n "), "▁é's▁n");
  assert.deepEqual(vocabulary.words("lo's ... low!"), ["▁lo's", "▁...", "▁low", "!"]);
});

test("unknown characters side by side are one <unk>, and are named", () => {
  const ids = vocabulary.encode("x木l木");
  const pieces = ids.map((id) => vocabulary.tokens[id]);
  assert.deepEqual(pieces, ["▁", "<unk>", "l", "<unk>"]);
  assert.deepEqual(vocabulary.unknownCharacters("x木 low x"), ["x", "木"]);
  assert.deepEqual(vocabulary.encode("\ud800"), vocabulary.encode("\ufffd"));
});

test("a special token that is typed is plain text", () => {
  assert.ok(!vocabulary.encode("<eos>").includes(vocabulary.eosId));
  assert.throws(() => new SubwordVocabulary(["a"], []), /<pad> is missing/);
});

test("a source ends with <eos>; nothing and too much are refused", () => {
  assert.deepEqual(readSource("  low \n low ", vocabulary, 9).ids.at(-1), 2);
  assert.equal(readSource("  low \n low ", vocabulary, 9).text, "low low");
  for (const nothing of ["", "  ", "?!", "…"]) {
    assert.throws(() => readSource(nothing, vocabulary, 9), /nothing to translate/);
  }
  assert.throws(() => readSource("low low low", vocabulary, 3), /at most 2/);
});
