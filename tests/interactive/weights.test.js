import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import {
  crc32, halfFloats, ModelParts, PARTS, unpacked,
} from "../../book/interactive/weights.js";

const bytesOf = (text) => new TextEncoder().encode(text);

test("16-bit floats: ordinary, tiny, the largest, and no numbers", () => {
  const bits = Uint16Array.of(
    0x3c00, 0xc000, 0x3555, 0x0001, 0x8000, 0x7bff, 0x7c00, 0x7e00,
  );
  const found = [...halfFloats(bits.buffer)];
  const exact = [1, -2, 0.333251953125, 2 ** -24, -0, 65504, Infinity, NaN];
  assert.deepEqual(found, exact);
});

/** A model of no matrix, in parts. */
function pieces(word) {
  const head = bytesOf(JSON.stringify({ config: { word }, arrays: [] }));
  const length = new Uint8Array(Uint32Array.of(head.length).buffer);
  const all = deflateSync(Buffer.concat([length, head]));
  const size = Math.ceil(all.length / PARTS);
  return Array.from({ length: PARTS }, (_, i) => {
    const piece = all.subarray(i * size, (i + 1) * size);
    return [i + 1, btoa(String.fromCharCode(...piece)), crc32(piece)];
  });
}

test("a damaged part is noticed, and asked for again; parts come in any order", async () => {
  const parts = new ModelParts();
  const all = pieces("config");
  const [number, text, checksum] = all[2];
  const other = text[0] === "A" ? "B" : "A";
  for (const piece of all.toReversed()) if (piece !== all[2]) parts.part(...piece);
  assert.equal(parts.part(number, other + text.slice(1), checksum), false);
  assert.equal(parts.part(number, text.slice(0, -1) + "?", checksum), false);
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
  const known = Object.getOwnPropertyDescriptor(globalThis, "DecompressionStream");
  context.after(() => Object.defineProperty(globalThis, "DecompressionStream", known));
  delete globalThis.DecompressionStream;
  await assert.rejects(unpacked([]), /too old to unpack the model/);
});
