// Masks: who may attend to whom.
//
// The convention of the whole book: 1 means "may be attended to". Rows are queries,
// columns are keys.

/** @typedef {Uint8Array} Mask row after row, as the numbers of a matrix */

/**
 * Let each position attend to itself and to those before it (§3.2.3).
 * @param {number} length number of tokens, T
 * @returns {Mask} (T, T)
 */
export function causalMask(length) {
  const mask = new Uint8Array(length * length);
  for (let query = 0; query < length; query++) {
    mask.fill(1, query * length, query * length + query + 1);
  }
  return mask;
}
