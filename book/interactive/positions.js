// Position encoding: the order of the words, written into their vectors.

import { Matrix } from "./arrays.js";
import { add } from "./tape.js";

/**
 * The table of sines and cosines of §3.5, one row for each position: column 2i holds
 * sin(pos / 10000^(2i/D)), column 2i + 1 the cosine of the same angle.
 * @param {number} maxLen number of positions
 * @param {number} dModel numbers for each position, D; even
 * @param {number} base what the paper sets to 10000
 * @returns {Matrix} (maxLen, D)
 */
export function sinusoidalEncoding(maxLen, dModel, base = 10000) {
  const table = new Matrix(maxLen, dModel);
  for (let position = 0; position < maxLen; position++) {
    const row = table.row(position);
    for (let even = 0; even < dModel; even += 2) {
      const angle = position / base ** (even / dModel);
      row[even] = Math.sin(angle);
      row[even + 1] = Math.cos(angle);
    }
  }
  return table;
}

/** Add to each token's vector the row of its position (§3.5). */
export class PositionalEncoding {
  /**
   * @param {number} dModel numbers in the vector of one token, D
   * @param {number} maxLen longest sentence in tokens
   */
  constructor(dModel, maxLen) {
    this.table = sinusoidalEncoding(maxLen, dModel);
  }

  /**
   * @param {Matrix} x (T, D)
   * @param {number} first the position of the first row
   * @returns {Matrix} (T, D)
   */
  forward(x, first = 0) {
    const { cols, data } = this.table;
    const used = data.subarray(first * cols, (first + x.rows) * cols);
    return add(x, new Matrix(x.rows, cols, used));
  }
}
