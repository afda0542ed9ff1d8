// Take a piece of the model away, and see what it was good for.

import { choice, html, toggle } from "../draw.js";

/** @typedef {import("./studio.js").Studio} Studio */

/** @type {{ name: "withoutPositions" | "withoutCausalMask" | "withoutScale", label: string }[]} */
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
    const { settings, model } = studio.session;
    html(
      parent, "p", { class: "translate-name" },
      "Take a piece away, and compare with what the untouched translator writes.",
    );
    const controls = html(parent, "div", { class: "interactive-controls" });
    for (const { name, label } of SWITCHES) {
      toggle(controls, {
        label,
        value: false,
        change: (on) => {
          settings.switches[name] = on;
          studio.again();
        },
      });
    }
    choice(controls, {
      label: "without a head (chapter 13)",
      options: [{ label: "none", value: "" }, ...headOptions(model.config)],
      value: "",
      change: (head) => {
        settings.switches.silencedHeads = head ? [head] : [];
        studio.again();
      },
    });
    this.beside = html(parent, "p", { class: "translate-beside" });
  }

  /** Nothing else of it changes with the steps. */
  update() {}
}

/**
 * Every head of the model.
 * @param {import("../config.js").Config} config
 * @returns {{ label: string, value: string }[]}
 */
function headOptions({ n_layers: layers, n_heads: heads }) {
  const options = [];
  for (const [stack, attention, name] of ATTENTIONS) {
    for (let layer = 0; layer < layers; layer++) {
      for (let head = 0; head < heads; head++) {
        options.push({
          label: `${name}, layer ${layer + 1}, head ${head + 1}`,
          value: `${stack}.layers.${layer}.${attention}.${head}`,
        });
      }
    }
  }
  return options;
}
