// Masks: who may attend to whom.
//
// The convention of the whole book: 1 means "may be attended to". Rows are queries,
// columns are keys.

/**
 * A mask of rows × cols; one of a single row serves every query.
 * @typedef {{ rows: number, cols: number, data: Uint8Array }} Mask
 */

/**
 * Let each position attend to itself and to those before it (§3.2.3).
 * @param {number} length number of tokens, T
 * @returns {Mask} (T, T)
 */
export function causalMask(length) {
  if (length < 1) throw new RangeError(`length must be at least 1, but is ${length}.`);
  const data = new Uint8Array(length * length);
  for (let query = 0; query < length; query++) {
    data.fill(1, query * length, query * length + query + 1);
  }
  return { rows: length, cols: length, data };
}

/**
 * Let every query attend to the real tokens, and to no padding.
 * @param {number[]} ids one padded sentence
 * @param {number} padId the token id of padding
 * @returns {Mask} (1, S)
 */
export function paddingMask(ids, padId) {
  const data = Uint8Array.from(ids, (id) => Number(id !== padId));
  return { rows: 1, cols: ids.length, data };
}
