// What stands around every drawing of the book: title, hint, controls, and a voice.
//
// A figure is a class that extends `Figure`. Its fields are what the reader can change,
// its constructor makes the controls, each tied to a field by its name; `draw` draws it,
// and `tell` says it in a sentence. Whenever something changes, `update` draws it again:
// `draw` gets an empty SVG and the room there is, in CSS pixels, so that letters keep
// their size on a phone.

import { canvas } from "./canvas.js";
import { Controls, row } from "./controls.js";
import { html, setAll } from "./draw.js";

/**
 * The place of a figure, emptied, with its title.
 * @param {HTMLElement} root
 * @param {string} title
 */
export function entitle(root, title) {
  root.replaceChildren();
  setAll(root, { role: "group", "aria-label": title });
  html(root, "p", { class: "interactive-title" }, title);
}

/** A figure that answers: what all of them share. */
export class Figure {
  /**
   * @param {HTMLElement} root
   * @param {{title: string, hint: string, label: string}} texts the label is that of the
   *   drawing
   */
  constructor(root, { title, hint, label }) {
    entitle(root, title);
    html(root, "p", { class: "interactive-hint" }, hint);
    /** @type {Controls<this>} */
    this.controls = new Controls(row(root), this, (name) => {
      this.changed(name);
      this.update();
    });
    const { drawing, redraw } = canvas(root, [26, 280], (empty, width) => {
      return { width, height: this.draw(empty, width) };
    });
    drawing.setAttribute("aria-label", label);
    this.picture = drawing;
    this.redraw = redraw;
    this.said = html(root, "p", { class: "interactive-said", "aria-live": "polite" });
  }

  /** What the reader's change of a value changes besides. @param {unknown} _name */
  changed(_name) {}

  /**
   * Draw the figure.
   * @param {SVGElement} _drawing empty
   * @param {number} _width
   * @returns {number} the height it used
   */
  draw(_drawing, _width) {
    return 0;
  }

  /** The sentence below the drawing, which a screen reader announces. */
  tell() {
    return "";
  }

  /** Show what the values are now. */
  update() {
    this.controls.show();
    this.redraw();
    const text = this.tell();
    if (this.said.textContent !== text) this.said.textContent = text;
  }
}

/**
 * What a figure's module exports: puts the figure into its place on a page.
 * @param {new (root: HTMLElement, given: any) => Figure} Kind
 * @returns {(root: HTMLElement, script: Function, given: any) => void}
 */
export function mounting(Kind) {
  return (root, _script, given) => new Kind(root, given).update();
}
