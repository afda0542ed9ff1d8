import assert from "node:assert/strict";
import { test } from "node:test";
import { Transformer } from "../../book/interactive/model.js";
import { Reader } from "../../book/interactive/steps.js";
import { CONFIG, near, randomArrays } from "./helpers.js";

const model = () => new Transformer(CONFIG, randomArrays());
const SRC = [4, 5, 6, 2];

test("both norm orders, tied and not, give logits of the right shape", () => {
  for (const norm_first of [true, false]) {
    const config = { ...CONFIG, norm_first };
    const each = new Transformer(config, randomArrays(config));
    const logits = each.decode([1, 4, 7], each.encode(SRC));
    assert.deepEqual([logits.rows, logits.cols], [3, 13]);
    assert.ok(logits.data.every(Number.isFinite));
  }
});

test("one table serves a tied model", () => {
  const config = { ...CONFIG, src_vocab_size: 13, tie_embeddings: true };
  const arrays = randomArrays(config);
  delete arrays["src_embedding.table.weight"];
  delete arrays["tgt_embedding.table.weight"];
  const tied = new Transformer(config, arrays);
  assert.equal(tied.srcEmbedding.table, tied.outputProj.weight);
});

test("weights that are missing, or of another model, are named", () => {
  const arrays = randomArrays();
  delete arrays["encoder.norm.bias"];
  assert.throws(() => new Transformer(CONFIG, arrays), /encoder.norm.bias is missing/);
  const wider = { ...CONFIG, d_ff: 16 };
  assert.throws(() => new Transformer(wider, randomArrays()), /is 12 × 8, not 16 × 8/);
});

test("reading token by token equals reading all at once", () => {
  const each = model();
  const ids = [1, 4, 7, 5];
  const logits = each.decode(ids, each.encode(SRC));
  const caches = each.decoder.open(each.encode(SRC));
  ids.forEach((id, t) => near(each.decodeNext(id, t, caches), logits.row(t)));
});

test("a later token does not move earlier logits, unless the mask is away", () => {
  const each = model();
  const first = (last) => each.decode([1, 4, last], each.encode(SRC)).row(1);
  near(first(7), first(9), 0);
  each.switches.withoutCausalMask = true;
  assert.notDeepEqual([...first(7)], [...first(9)]);
});

test("without positions the order of the source does not count", () => {
  const each = model();
  const logits = (src) => each.decode([1], each.encode(src));
  const moved = [6, 4, 5, 2];
  assert.notDeepEqual(logits(SRC).toRows(), logits(moved).toRows());
  each.switches.withoutPositions = true;
  near(logits(SRC), logits(moved));
});

test("every attention tells what it looked at", () => {
  const each = model();
  each.decode([1, 4], each.encode(SRC));
  const found = each.attentionWeights();
  assert.equal(Object.keys(found).length, 6);
  const cross = found["decoder.layers.1.cross_attention"];
  assert.deepEqual(cross.map(({ rows, cols }) => [rows, cols]), [[2, 4], [2, 4]]);
  for (const weights of Object.values(found).flat()) {
    for (const row of weights.toRows()) near([row.reduce((a, b) => a + b, 0)], [1]);
  }
});

test("a reader may be asked twice: it does not change", () => {
  const { reader } = Reader.open(model(), SRC).read(1, []);
  const once = reader.read(4, []);
  const other = reader.read(5, []);
  near(reader.read(4, []).logProbabilities, once.logProbabilities, 0);
  assert.notDeepEqual([...once.logProbabilities], [...other.logProbabilities]);
  assert.deepEqual(once.reader.ids, [1, 4]);
});

test("a reader without the mask has read the whole beginning again", () => {
  const each = model();
  each.switches.withoutCausalMask = true;
  const { logProbabilities, attention } = Reader.open(each, SRC)
    .read(1, []).reader.read(4, []);
  const logits = each.decode([1, 4], each.encode(SRC)).row(1);
  const shift = logits[0] - logProbabilities[0];
  near(logits.map((logit) => logit - shift), logProbabilities);
  assert.equal(attention["decoder.layers.0.self_attention"][0].rows, 2);
});
