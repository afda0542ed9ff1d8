// Chapter 6: the model, opened at the feed-forward block of an encoder layer.

import { mountOpened } from "./architecture.js";

/** @param {HTMLElement} root */
export function mount(root) {
  const layer = "encoder.layers.0";
  mountOpened(root, ["encoder", layer], `${layer}.feed_forward`);
}
