// Take a piece of the model away, and see what it was good for.

import { choice, Controls, row, toggle } from "../controls.js";
import { html } from "../draw.js";

/** @typedef {import("./studio.js").Studio} Studio */

/** @type {{ name: keyof import("../config.js").Switches, label: string }[]} */
const SWITCHES = [
  { name: "withoutPositions", label: "without positions (chapter 2)" },
  { name: "withoutScale", label: "without √d_k (chapter 3)" },
  { name: "withoutCausalMask", label: "without the causal mask (chapter 4)" },
];
const ATTENTIONS = [
  ["encoder", "self_attention", "encoder"],
  ["decoder", "self_attention", "decoder"],
  ["decoder", "cross_attention", "cross-attention"],
];

export class SwitchesPart {
  /**
   * @param {HTMLElement} parent
   * @param {Studio} studio
   */
  constructor(parent, studio) {
    const { settings, config } = studio.session;
    html(
      parent, "p", { class: "translate-name" },
      "Take a piece away, and compare with what the untouched translator writes.",
    );
    const controls = new Controls(row(parent), settings.switches, () => studio.again());
    for (const { name, label } of SWITCHES) toggle(controls, name, label);
    const heads = headOptions(config);
    choice(controls, "silencedHeads", "without a head (chapter 14)", [[[], "none"], ...heads]);
    this.beside = html(parent, "p", { class: "translate-beside" });
  }

  /** Nothing else of it changes with the steps. */
  update() {}
}

/**
 * Every head of the model.
 * @param {import("../config.js").Config} config
 * @returns {[string[], string][]} what is silenced, and how it is called
 */
function headOptions({ n_layers: layers, n_heads: heads }) {
  /** @type {[string[], string][]} */
  const options = [];
  for (const [stack, attention, name] of ATTENTIONS) {
    for (let layer = 0; layer < layers; layer++) {
      for (let head = 0; head < heads; head++) {
        const silenced = `${stack}.layers.${layer}.${attention}.${head}`;
        options.push([[silenced], `${name}, layer ${layer + 1}, head ${head + 1}`]);
      }
    }
  }
  return options;
}
