// What stands around every figure of the book, and its panels.
//
// A figure is a class that extends `Panels`. Its fields are what the reader can change;
// its constructor makes the controls, each tied to a field by its name, and the panels:
// pictures, plots and tables. No number in them depends on the page: CSS lays them side by
// side where there is room, and letters keep their size on a phone. Whenever something
// changes, `update` fills the panels again, and `tell` says it in a sentence.

import { keyOf, keyed, onPress } from "./canvas.js";
import { Controls, entitle, row } from "./controls.js";
import {
  circle, fixed, html, segment, shade, shortened, size, svg, through, write,
} from "./draw.js";

/**
 * @typedef {import("./draw.js").Attributes} Attributes
 * @typedef {string | number | Attributes} Cell a text, alone or with its look; one with a
 *   `data-key` is pressed, and its row with it
 * @typedef {{title: string, last: number, unit: string, levels: number[], digits?: number,
 *   curves: number[][][], now?: number[], said?: string}} Plot curves as points, from 0 to
 *   `last` across; the last curve is the one that counts, and `now` a point of it
 */

export class Panels {
  /** @type {(() => void)[]} */
  fills = [];

  /**
   * @param {HTMLElement} root
   * @param {{title: string, hint: string, label: string}} texts the label is that of the
   *   panels
   */
  constructor(root, { title, hint, label }) {
    entitle(root, title);
    this.hint = html(root, "p", { class: "interactive-hint" }, hint);
    /** @type {Controls<this>} */
    this.controls = new Controls(row(root), this, (name) => {
      this.changed(name);
      this.update();
    });
    const about = { class: "interactive-panels", role: "group", "aria-label": label };
    this.panels = html(root, "div", about);
    this.said = html(root, "p", { class: "interactive-said", "aria-live": "polite" });
    onPress(this.panels, (key) => {
      this.press(key);
      this.update();
    });
  }

  /** What the reader's change of a value changes besides. @param {unknown} _name */
  changed(_name) {}

  /** What it changes that something was pressed. @param {string} _key */
  press(_key) {}

  /**
   * @template {Element} E
   * @param {E} made
   * @param {(empty: E) => void} fill
   */
  addPanel(made, fill) {
    this.fills.push(() => {
      made.replaceChildren();
      fill(made);
    });
  }

  /** @param {(empty: SVGElement) => number[]} draw gives back the width and the height */
  addPicture(draw) {
    const made = svg(this.panels, "svg", { class: "interactive-picture", role: "group" });
    this.addPanel(made, (empty) => {
      const [width, height] = draw(empty);
      size(empty, width, height);
    });
  }

  /** The sentence below, which a screen reader announces. */
  tell() {
    return "";
  }

  /** Show what the values are now; what was touched keeps the focus. */
  update() {
    const focused = this.panels.contains(document.activeElement) && keyOf(document.activeElement);
    this.controls.show();
    for (const fill of this.fills) fill();
    if (focused) keyed(this.panels, focused)?.focus();
    const text = this.tell();
    if (this.said.textContent !== text) this.said.textContent = text;
  }
}

/**
 * What a figure's module exports: puts the figure into its place on a page.
 * @param {new (root: HTMLElement, given: any, script: Function) => Panels} Kind
 * @returns {(root: HTMLElement, script: Function, given: any) => void}
 */
export function mounting(Kind) {
  return (root, script, given) => new Kind(root, given, script).update();
}

/**
 * A table; its first row are the heads.
 * @param {Panels} figure
 * @param {() => Cell[][]} rows
 */
export function table(figure, rows) {
  const box = html(figure.panels, "div", { class: "interactive-scroll" });
  figure.addPanel(html(box, "table", { class: "interactive-table" }), (empty) => {
    for (const cells of rows()) {
      const tag = empty.childElementCount ? "td" : "th";
      const line = html(empty, "tr");
      for (const cell of cells) {
        const { text = "", ...look } = typeof cell === "object" ? cell : { text: cell };
        const pressed = "data-key" in look;
        html(pressed ? html(line, tag) : line, pressed ? "button" : tag, look, String(text));
      }
    }
  });
}

/** A cell with a ground. @param {string} text @param {string} color @param {Attributes} [look] */
export function filled(text, color, look) {
  return { text, class: "filled", style: `background: ${color}`, ...look };
}

/** What is written in a model's words; on a ground if it is right. @param {string} text
 * @param {boolean} right @param {Attributes} [look] */
export function written(text, right, look) {
  const style = `background: ${right ? shade(0.4, "key") : "var(--field)"}`;
  return { text: shortened(text, 36) + (right ? " ✓" : ""), style, ...look };
}

/** The look of a cell that is filled to a share of it. @param {number} share */
export function bar(share) {
  return { class: "bar", style: `--share: ${100 * share}%` };
}

/** @param {Panels} figure @param {() => Plot} told */
export function plot(figure, told) {
  figure.addPicture((drawing) => {
    const { title, last, unit, levels, digits = 1, curves, now, said = "" } = told();
    const [from, to] = [levels[0], levels[levels.length - 1]];
    const at = (/** @type {number[]} */ [step, value]) => [
      36 + (252 * step) / last,
      158 - (134 * (Math.min(value, to) - from)) / (to - from),
    ];
    write(drawing, 0, 12, title, "soft");
    for (const level of levels) {
      const left = at([0, level]);
      segment(drawing, left, at([last, level]), "level");
      write(drawing, 30, left[1] + 5, fixed(level, digits), "number end");
    }
    write(drawing, 36, 180, said, "number");
    write(drawing, 288, 180, `${last} ${unit}`, "soft end");
    for (const curve of curves) through(drawing, "polyline", curve.map(at), "curve");
    if (now) circle(drawing, at(now), 6, { fill: "var(--accent)" });
    return [296, 186];
  });
}
