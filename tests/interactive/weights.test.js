import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import {
  crc32, halfFloats, ModelParts, PARTS, unpacked,
} from "../../book/interactive/weights.js";
import { near } from "./helpers.js";

const bytesOf = (text) => new TextEncoder().encode(text);

test("16-bit floats: ordinary, tiny, the largest, and no numbers", () => {
  const bits = Uint16Array.of(
    0x3c00, 0xc000, 0x3555, 0x0001, 0x8000, 0x7bff, 0x7c00, 0x7e00,
  );
  const found = [...halfFloats(bits.buffer)];
  const exact = [1, -2, 0.333251953125, 2 ** -24, -0, 65504, Infinity, NaN];
  assert.deepEqual(found, exact);
});

/** A model of one matrix and one list, in parts. */
function pieces(word = "config") {
  const data = new Uint8Array(8 + 4 + 4);
  data.set(new Uint8Array(Float32Array.of(0.5, 2).buffer));
  data.set(new Uint8Array(Int8Array.of(127, -1, 0, -127).buffer), 8);
  data.set(new Uint8Array(Uint16Array.of(0x3c00, 0xc000).buffer), 12);
  const head = bytesOf(JSON.stringify({
    config: { word },
    tokenizer: {},
    arrays: [["w", 2, 2, "I8"], ["b", 1, 2, "F16"]],
  }));
  const length = new Uint8Array(Uint32Array.of(head.length).buffer);
  const all = deflateSync(Buffer.concat([length, head, data]));
  const size = Math.ceil(all.length / PARTS);
  return Array.from({ length: PARTS }, (_, i) => {
    const piece = all.subarray(i * size, (i + 1) * size);
    return [i + 1, PARTS, btoa(String.fromCharCode(...piece)), crc32(piece)];
  });
}

test("parts in any order make the model", async () => {
  const parts = new ModelParts();
  for (const piece of pieces().reverse()) assert.ok(parts.part(...piece));
  const { config, arrays } = await unpacked(parts.all());
  assert.deepEqual(config, { word: "config" });
  near(arrays.w, [[63.5, -0.5], [0, -254]], 0);
  near(arrays.b, [1, -2], 0);
});

test("a missing or damaged part is noticed, and may be asked for again", async () => {
  const parts = new ModelParts();
  const all = pieces();
  const [number, count, text, checksum] = all[2];
  const other = text[0] === "A" ? "B" : "A";
  for (const piece of all.filter((_, i) => i !== 2)) parts.part(...piece);
  assert.equal(parts.part(number, count, other + text.slice(1), checksum), false);
  assert.equal(parts.part(number, count, text.slice(0, 5), checksum), false);
  assert.equal(parts.part(number, count + 1, text, checksum), false);
  assert.equal(parts.part(PARTS + 1, count, text, checksum), false);
  assert.deepEqual(parts.missing(), [3]);
  assert.ok(parts.part(...all[2]));
  assert.deepEqual(parts.missing(), []);
  assert.equal((await unpacked(parts.all())).config.word, "config");
});

test("parts of two models do not pass for one", async () => {
  const parts = new ModelParts();
  const [old, fresh] = [pieces("one"), pieces("another")];
  fresh.forEach((piece, i) => parts.part(...(i < 9 ? piece : old[i])));
  await assert.rejects(unpacked(parts.all()), /do not belong together/);
  assert.equal(parts.missing().length, PARTS, "all of them are to be asked for again");
});

test("a browser that cannot unpack the model is told so", async (context) => {
  const parts = new ModelParts();
  for (const piece of pieces()) parts.part(...piece);
  const known = Object.getOwnPropertyDescriptor(globalThis, "DecompressionStream");
  context.after(() => Object.defineProperty(globalThis, "DecompressionStream", known));
  delete globalThis.DecompressionStream;
  await assert.rejects(unpacked(parts.all()), /too old to unpack the model/);
});
