// Weights: files to matrices.

import { Matrix } from "./arrays.js";

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
  for (const [name, { dtype, shape, data_offsets: [start, end] }] of Object.entries(table)) {
    const bytes = buffer.slice(8 + length + start, 8 + length + end);
    const [rows, cols] = shape.length === 2 ? shape : [1, shape[0]];
    if (dtype !== "F16" && dtype !== "F32") {
      throw new Error(`The array ${name} holds ${dtype}, not 16 or 32-bit floats.`);
    }
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
