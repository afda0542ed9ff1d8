// Config: the sizes of a model, as its config.json holds them, and what may be taken
// away from it.

/**
 * The sizes of a Transformer, under the names of `lib`.
 * @typedef {{
 *   src_vocab_size: number, tgt_vocab_size: number, d_model: number, n_heads: number,
 *   n_layers: number, d_ff: number, max_len: number, pad_id: number,
 *   norm_first: boolean, tie_embeddings: boolean
 * }} Config
 */

/**
 * What a reader may take away from a trained model, to see what it was good for.
 *
 * - withoutPositions: no position is added to the embeddings (chapter 2);
 * - withoutCausalMask: the decoder's tokens see later ones too (chapter 4);
 * - withoutScale: scores are not divided by √d_k (chapter 3);
 * - silencedHeads: heads whose output is zero, such as
 *   "decoder.layers.0.cross_attention.3" (chapter 13).
 * @typedef {{
 *   withoutPositions: boolean, withoutCausalMask: boolean, withoutScale: boolean,
 *   silencedHeads: string[]
 * }} Switches
 */

/** Nothing taken away: the model as it was trained. @returns {Switches} */
export function noSwitches() {
  return {
    withoutPositions: false,
    withoutCausalMask: false,
    withoutScale: false,
    silencedHeads: [],
  };
}
