import assert from "node:assert/strict";
import { test } from "node:test";
import { Matrix } from "../../book/interactive/arrays.js";
import {
  MultiHeadAttention, scaledDotProductAttention,
} from "../../book/interactive/attention.js";
import { noSwitches } from "../../book/interactive/config.js";
import { causalMask, paddingMask } from "../../book/interactive/masks.js";
import { sinusoidalEncoding } from "../../book/interactive/positions.js";
import { near, randomArrays, randomMatrix } from "./helpers.js";

const NAME = "decoder.layers.0.self_attention";
const attention = (switches = noSwitches()) =>
  new MultiHeadAttention(randomArrays(), NAME, 2, switches);

test("chapter 3's two words", () => {
  const words = Matrix.fromRows([[1, 0], [0, 1]]);
  const { output, weights } = scaledDotProductAttention(words, words, words);
  near(weights, [[0.66976, 0.33024], [0.33024, 0.66976]]);
  near(output, weights);
  const unscaled = scaledDotProductAttention(words, words, words, null, 1).weights;
  near(unscaled.row(0), [Math.E / (Math.E + 1), 1 / (Math.E + 1)]);
});

test("what is masked has no weight, and all masked gives zeros", () => {
  const x = randomMatrix(3, 4);
  const weights = scaledDotProductAttention(x, x, x, causalMask(3)).weights;
  assert.deepEqual([...weights.row(0)], [1, 0, 0]);
  assert.equal(weights.row(1)[2], 0);
  const nothing = { rows: 1, cols: 3, data: new Uint8Array(3) };
  near(scaledDotProductAttention(x, x, x, nothing).output, new Matrix(3, 4));
  const padded = scaledDotProductAttention(x, x, x, paddingMask([7, 7, 0], 0)).weights;
  for (let t = 0; t < 3; t++) assert.equal(padded.row(t)[2], 0);
});

test("masks by hand", () => {
  assert.deepEqual([...causalMask(3).data], [1, 0, 0, 1, 1, 0, 1, 1, 1]);
  assert.deepEqual([...paddingMask([5, 7, 0], 0).data], [1, 1, 0]);
  assert.throws(() => causalMask(0), /at least 1, but is 0/);
});

test("positions by hand", () => {
  const table = [[0, 1], [0.8414710, 0.5403023], [0.9092974, -0.4161468]];
  near(sinusoidalEncoding(3, 2), table);
  const row = sinusoidalEncoding(6, 4).row(5);
  near(row, [Math.sin(5), Math.cos(5), Math.sin(0.05), Math.cos(0.05)]);
  assert.throws(() => sinusoidalEncoding(3, 5), /even and at least 2/);
});

test("heads are cut and joined again", () => {
  const x = randomMatrix(5, 8);
  const heads = attention().splitHeads(x);
  assert.deepEqual(heads.map(({ rows, cols }) => [rows, cols]), [[5, 4], [5, 4]]);
  near(attention().mergeHeads(heads), x, 0);
});

test("token by token with kept keys equals all at once under the mask", () => {
  const x = randomMatrix(5, 8);
  const whole = attention();
  const expected = whole.forward(x, whole.keep(x), causalMask(5));
  const stepwise = attention();
  let kept = null;
  for (let t = 0; t < 5; t++) {
    const token = new Matrix(1, 8, x.row(t));
    const before = kept;
    kept = stepwise.keep(token, kept);
    near(stepwise.forward(token, kept), expected.row(t));
    if (before) assert.equal(before.keys[0].rows, t, "what was kept has not changed");
    stepwise.lastWeights.forEach((weights, head) => {
      near(weights, whole.lastWeights[head].row(t).subarray(0, t + 1));
    });
  }
});

test("a silenced head adds nothing, and the other stays", () => {
  const x = randomMatrix(3, 8);
  const one = attention({ ...noSwitches(), silencedHeads: [`${NAME}.1`] });
  const found = one.forward(x, one.keep(x));
  // Without the columns of the second head, the output map cannot hear it.
  const deaf = attention();
  const weight = deaf.outputProj.weight;
  for (let row = 0; row < 8; row++) weight.row(row).fill(0, 4);
  near(found, deaf.forward(x, deaf.keep(x)));
  const both = attention();
  assert.notDeepEqual(found.toRows(), both.forward(x, both.keep(x)).toRows());
});

test("without the scale the weights are sharper", () => {
  const x = randomMatrix(3, 8);
  const plain = attention();
  const sharp = attention({ ...noSwitches(), withoutScale: true });
  for (const each of [plain, sharp]) each.forward(x, each.keep(x));
  const largest = ({ lastWeights }) => Math.max(...lastWeights[0].data);
  assert.ok(largest(sharp) > largest(plain));
});
