// Take a piece of the model away, and see what it was good for.

import { choice, Controls, row, toggle } from "../controls.js";
import { html } from "../draw.js";
import { attentionName, numbered } from "./heads.js";

/** @typedef {import("./studio.js").Studio} Studio */

/** @type {{ name: keyof import("../config.js").Switches, label: string }[]} */
const SWITCHES = [
  { name: "withoutPositions", label: "without positions (chapter 2)" },
  { name: "withoutScale", label: "without √d_k (chapter 3)" },
  { name: "withoutCausalMask", label: "without the causal mask (chapter 4)" },
];
/** @type {[import("./heads.js").Kind, string][]} */
const ATTENTIONS = [
  ["encoder", "encoder"], ["decoder", "decoder"], ["cross", "cross-attention"],
];

/**
 * @param {HTMLElement} parent
 * @param {Studio} studio
 */
export function addSwitches(parent, studio) {
  const { settings, config } = studio.session;
  html(parent, "p", { class: "translate-name" }, "Take a piece away, and compare.");
  const controls = new Controls(row(parent), settings.switches, () => studio.again());
  for (const { name, label } of SWITCHES) toggle(controls, name, label);
  const heads = headOptions(config);
  choice(controls, "silencedHeads", "without a head (chapter 14)", [[[], "none"], ...heads]);
}

/**
 * Every head of the model.
 * @param {import("../config.js").Config} config
 * @returns {[string[], string][]} what is silenced, and what it is called
 */
function headOptions({ n_layers: layers, n_heads: heads }) {
  return ATTENTIONS.flatMap(([kind, name]) =>
    numbered(layers).flatMap(([layer, nth]) =>
      numbered(heads).map(([head, number]) => /** @type {[string[], string]} */ ([
        [`${attentionName({ kind, layer })}.${head}`],
        `${name}, layer ${nth}, head ${number}`,
      ])),
    ),
  );
}
