// Chapter 7: the model, opened at the cross-attention of a decoder layer.

import { mountOpened } from "./architecture.js";

/** @param {HTMLElement} root */
export function mount(root) {
  const layer = "decoder.layers.0";
  mountOpened(root, ["decoder", layer], `${layer}.cross_attention`, "0");
}
