// Config: the sizes of a model, as its config.json holds them, the arrays they ask for,
// and what may be taken away from it.

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
 *   "decoder.layers.0.cross_attention.3" (chapter 14).
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

/**
 * The shape of every array that a model of these sizes needs.
 * @param {Config} config
 * @returns {Record<string, [number, number]>}
 */
export function shapes(config) {
  const { d_model: d, d_ff: dFf, norm_first: normFirst } = config;
  /** @type {Record<string, [number, number]>} */
  const found = {
    "src_embedding.table.weight": [config.src_vocab_size, d],
    "tgt_embedding.table.weight": [config.tgt_vocab_size, d],
  };
  const linear = (
    /** @type {string} */ name, /** @type {number} */ out, /** @type {number} */ width,
  ) => {
    found[`${name}.weight`] = [out, width];
    found[`${name}.bias`] = [1, out];
  };
  const norm = (/** @type {string} */ name) => {
    found[`${name}.weight`] = found[`${name}.bias`] = [1, d];
  };
  linear("output_proj", config.tgt_vocab_size, d);
  for (const stack of ["encoder", "decoder"]) {
    if (normFirst) norm(`${stack}.norm`);
    const attentions = ["self_attention"];
    if (stack === "decoder") attentions.push("cross_attention");
    for (let n = 0; n < config.n_layers; n++) {
      const layer = `${stack}.layers.${n}`;
      for (const attention of attentions) {
        for (const map of ["query", "key", "value", "output"]) {
          linear(`${layer}.${attention}.${map}_proj`, d, d);
        }
        norm(`${layer}.${attention}_residual.norm`);
      }
      linear(`${layer}.feed_forward.inner`, dFf, d);
      linear(`${layer}.feed_forward.outer`, d, dFf);
      norm(`${layer}.feed_forward_residual.norm`);
    }
  }
  return found;
}
