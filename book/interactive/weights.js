// Weights: files to matrices.
//
// `readSafetensors(buffer)` reads the file that `lib` ships. A page cannot always fetch
// a file, but it can always run a script: book/tools/site/page_model.py writes the model in
// PARTS scripts, each a call `bookModel.part(number, text, checksum)`. The page
// makes `globalThis.bookModel = new ModelParts()`, runs the scripts, asks again for
// what `missing()` names, and hands what `all()` gives to `unpacked`, in a worker.

import { Matrix } from "./arrays.js";

/** @typedef {{ characters: string[], merges: string }} Tokenizer */

/**
 * Read a safetensors file: eight bytes that tell the length of a table in JSON, the
 * table, then all numbers. Each array becomes a matrix; a plain list becomes one row.
 * @param {ArrayBuffer} buffer
 * @returns {Record<string, Matrix>}
 */
export function readSafetensors(buffer) {
  const length = Number(new DataView(buffer).getBigUint64(0, true));
  const table = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  delete table.__metadata__;
  /** @type {Record<string, Matrix>} */
  const arrays = {};
  for (const [name, { dtype, shape, data_offsets }] of Object.entries(table)) {
    const [start, end] = data_offsets;
    const bytes = buffer.slice(8 + length + start, 8 + length + end);
    const [rows, cols] = shape.length === 2 ? shape : [1, shape[0]];
    const data = dtype === "F32" ? new Float32Array(bytes) : halfFloats(bytes);
    arrays[name] = new Matrix(rows, cols, data);
  }
  return arrays;
}

/**
 * 16-bit floats to 32-bit ones: one bit of sign, five of exponent, ten of fraction.
 * @param {ArrayBuffer} bytes
 * @returns {Float32Array}
 */
export function halfFloats(bytes) {
  const halves = new Uint16Array(bytes);
  const floats = new Float32Array(halves.length);
  halves.forEach((bits, i) => {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    if (exponent === 0) floats[i] = sign * 2 ** -24 * fraction;
    else if (exponent < 31) floats[i] = sign * 2 ** (exponent - 25) * (1024 + fraction);
    else floats[i] = fraction ? NaN : sign * Infinity;
  });
  return floats;
}

/** In how many scripts the page's model comes. */
export const PARTS = 16;

/** The parts of the page's model, as they come in, and the model that they make. */
export class ModelParts {
  constructor() {
    /** By number, from 1 on. @type {Map<number, Uint8Array<ArrayBuffer>>} */
    this.parts = new Map();
  }

  /**
   * Take a part in; a damaged one is left out and stays missing.
   * @param {number} number from 1 on
   * @param {string} text its bytes in base64
   * @param {string} checksum the CRC-32 of its bytes, eight hexadecimal digits
   * @returns {boolean} whether it is whole
   */
  part(number, text, checksum) {
    const bytes = fromBase64(text);
    if (!bytes || crc32(bytes) !== checksum) return false;
    this.parts.set(number, bytes);
    return true;
  }

  /** The numbers of the parts that are not there. */
  missing() {
    const numbers = Array.from({ length: PARTS }, (_, i) => i + 1);
    return numbers.filter((number) => !this.parts.has(number));
  }

  /** All of them in order, once none is missing; they are handed on, and not kept. */
  all() {
    const parts = [...this.parts].sort(([a], [b]) => a - b).map(([, bytes]) => bytes);
    this.parts.clear();
    return parts;
  }
}

/**
 * The model that all parts together make.
 * @param {Uint8Array<ArrayBuffer>[]} parts
 * @returns {Promise<{
 *   config: import("./config.js").Config, arrays: Record<string, Matrix>,
 *   tokenizer: Tokenizer, unsureAbove: number
 * }>} and from which doubt on a translator says so
 */
export async function unpacked(parts) {
  const bytes = await decompressed(parts);
  const length = new DataView(bytes).getUint32(0, true);
  const text = new TextDecoder().decode(new Uint8Array(bytes, 4, length));
  const { arrays, ...head } = JSON.parse(text);
  return { ...head, arrays: unpack(arrays, bytes.slice(4 + length)) };
}

/** @param {string} text @returns {Uint8Array<ArrayBuffer> | null} null if it is no base64 */
function fromBase64(text) {
  try {
    const characters = atob(text);
    const bytes = new Uint8Array(characters.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
    return bytes;
  } catch {
    return null;
  }
}

/**
 * What zlib compressed.
 * @param {Uint8Array<ArrayBuffer>[]} parts
 * @throws {Error} with a sentence for the reader
 */
async function decompressed(parts) {
  if (!("DecompressionStream" in globalThis)) {
    throw new Error("This browser is too old to unpack the model: it takes one of 2023.");
  }
  const bytes = new Blob(parts).stream().pipeThrough(new DecompressionStream("deflate"));
  try {
    return await new Response(bytes).arrayBuffer(); // zlib wrote a checksum behind it
  } catch {
    // Parts of two models: each is whole, but not together.
    throw new Error("The parts of the model do not belong together: load it again.");
  }
}

/**
 * A matrix of whole numbers has a scale for each row, the lists are 16-bit floats.
 * @param {[string, number, number, string][]} arrays name, rows, columns and kind of
 *   each, in the order in which they lie in the data
 * @param {ArrayBuffer} data
 */
function unpack(arrays, data) {
  let start = 0;
  const next = (/** @type {number} */ size) => data.slice(start, (start += size));
  /** @type {Record<string, Matrix>} */
  const found = {};
  for (const [name, rows, cols, kind] of arrays) {
    const numbers =
      kind === "F16"
        ? halfFloats(next(2 * rows * cols))
        : scaled(new Float32Array(next(4 * rows)), new Int8Array(next(rows * cols)));
    found[name] = new Matrix(rows, cols, numbers);
  }
  return found;
}

/**
 * Each row of small whole numbers times its scale.
 * @param {Float32Array} scales (N)
 * @param {Int8Array} numbers (N × M)
 * @returns {Float32Array} (N × M)
 */
function scaled(scales, numbers) {
  const cols = numbers.length / scales.length;
  const result = new Float32Array(numbers);
  scales.forEach((scale, n) => {
    for (let i = n * cols; i < (n + 1) * cols; i++) result[i] *= scale;
  });
  return result;
}

/**
 * The checksum CRC-32, as zlib reckons it.
 * @param {Uint8Array} bytes
 * @returns {string} eight hexadecimal digits
 */
export function crc32(bytes) {
  const table = Int32Array.from({ length: 256 }, (_, byte) => {
    let rest = byte;
    for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0);
    return rest;
  });
  let sum = -1;
  for (let i = 0; i < bytes.length; i++) {
    sum = (sum >>> 8) ^ table[(sum ^ bytes[i]) & 255];
  }
  return ((sum ^ -1) >>> 0).toString(16).padStart(8, "0");
}
