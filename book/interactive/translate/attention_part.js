// Where the model looks: choose an attention, a layer and a head; see lines and heat maps.

import { choice, Controls, row } from "../controls.js";
import { fixed, html } from "../draw.js";
import { drawHeat, drawLines } from "./attend.js";
import { attentionOf, numbered, strongest } from "./heads.js";
import { picture } from "./pictures.js";

/**
 * @typedef {import("./studio.js").Studio} Studio
 * @typedef {import("./heads.js").Kind} Kind
 */

/** @type {[Kind, string][]} */
const KINDS = [
  ["cross", "cross: Spanish looks at English"],
  ["encoder", "encoder: English looks at English"],
  ["decoder", "decoder: Spanish looks at Spanish"],
];
/** The names of the columns. @type {Record<Kind, [string, string]>} */
const SIDES = {
  cross: ["it read", "it wrote"],
  encoder: ["looked at", "looks"],
  decoder: ["looked at", "looks"],
};

export class AttentionPart {
  /**
   * @param {HTMLElement} parent
   * @param {Studio} studio
   */
  constructor(parent, studio) {
    this.studio = studio;
    const { n_layers: layers, n_heads: heads } = studio.session.config;
    /** @type {import("./heads.js").View} */
    this.view = { kind: "cross", layer: layers - 1, head: "mean" };
    /** The row that is looked at in the encoder, which has no steps. */
    this.row = -1;
    html(parent, "p", { class: "translate-name" }, "Where it looks.");
    this.controls = new Controls(row(parent), this.view, () => this.show({}));
    choice(this.controls, "kind", "attention", KINDS);
    choice(this.controls, "layer", "layer", numbered(layers));
    choice(this.controls, "head", "head", [
      ["mean", "mean of all"],
      ["each", "each"],
      ...numbered(heads),
    ]);
    this.line = html(parent, "p", { class: "interactive-hint" });
    const both = html(parent, "div", { class: "translate-both" });
    const press = (/** @type {string} */ key) => this.press(key);
    this.lines = picture(
      html(both, "div"),
      (drawing, room) =>
        drawLines(drawing, room, this.attention, this.place, SIDES[this.view.kind]),
      press,
    );
    this.heat = picture(
      html(both, "div"),
      (drawing, room) => drawHeat(drawing, room, this.attention, this.place),
      press,
    );
    this.attention = attentionOf(studio.session, this.view);
  }

  /** @param {Partial<import("./heads.js").View>} change */
  show(change) {
    Object.assign(this.view, change);
    this.controls.show();
    this.row = -1;
    this.update();
  }

  /** @param {string} key */
  press(key) {
    const [what, number] = key.split("-");
    if (what === "head") this.show({ head: Number(number) });
    else if (this.view.kind === "encoder") {
      this.row = this.row === Number(number) ? -1 : Number(number);
      this.update();
    } else {
      this.studio.select(Number(number));
    }
  }

  get place() {
    return this.view.kind === "encoder" ? this.row : this.studio.session.place;
  }

  update() {
    const { kind, layer, head } = this.view;
    this.attention = attentionOf(this.studio.session, this.view);
    const which =
      typeof head === "number"
        ? `head ${head + 1}`
        : { mean: "mean of all heads", each: "each head" }[head];
    const name = KINDS.find(([value]) => value === kind)?.[1];
    const label = `${name}, layer ${layer + 1}, ${which}`;
    this.lines.redraw(`${label}, as lines`);
    this.heat.redraw(`${label}, as a heat map`);
    this.line.textContent = this.sentence();
  }

  /** What the row that is looked at sees. */
  sentence() {
    const { place, attention } = this;
    const most = strongest(attention, place);
    if (!most) return "Press a token on the right to see where it looks.";
    const how = this.view.head === "each" ? ", on average" : "";
    const who = { cross: "To write", encoder: "", decoder: "After reading" }[this.view.kind];
    const start = who ? `${who} ${attention.queries[place]} it` : attention.queries[place];
    return `${start} looked most at ${most.key}: ${fixed(most.weight)} of 1${how}.`;
  }
}
