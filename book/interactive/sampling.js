// Drawing the next token: what `draw` of lib/decoding/sampling.py does. `dialed` makes
// shares of scores, as temperature, top-k and top-p want it, and `drawn` draws by them.

import { softmax } from "./arrays.js";

/** @typedef {{ ids: number[], shares: number[] }} Shares the likeliest first */

/**
 * What may be drawn, and how often.
 * @param {Float32Array} logits
 * @param {{ temperature?: number, topK?: number, topP?: number }} dials a temperature of
 *   0 takes the likeliest
 * @returns {Shares}
 */
export function dialed(logits, { temperature = 1, topK = Infinity, topP = Infinity }) {
  const ordered = [...logits.keys()].sort((a, b) => logits[b] - logits[a]);
  const ids = ordered.slice(0, temperature === 0 ? 1 : topK);
  const heat = temperature || 1;
  const shares = softmax(Float32Array.from(ids, (id) => logits[id] / heat));
  let [kept, sum] = [0, 0];
  while (shares[kept] > 0 && sum < topP) sum += shares[kept++];
  const of = (/** @type {number} */ share) => share / sum;
  return { ids: ids.slice(0, kept), shares: Array.from(shares.slice(0, kept), of) };
}

/** Draw one of them. @param {Shares} found @param {number} random from 0 up to 1 */
export function drawn({ ids, shares }, random) {
  let sum = 0;
  return ids[shares.findIndex((share) => (sum += share) >= random)] ?? ids[0];
}
