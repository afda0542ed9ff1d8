// A figure that is one drawing, as wide as its place.

import { canvas } from "./canvas.js";
import { Panels } from "./panels.js";

export class Figure extends Panels {
  /**
   * @param {HTMLElement} root
   * @param {{title: string, hint: string, label: string}} texts
   */
  constructor(root, texts) {
    super(root, texts);
    const { redraw } = canvas(this.panels, [0, 280], (empty, width) => {
      return { width, height: this.draw(empty, width) };
    });
    this.fills.push(redraw);
  }

  /**
   * Draw the figure.
   * @param {SVGElement} _drawing empty
   * @param {number} _width
   * @returns {number} the height it used
   */
  draw(_drawing, _width) {
    return 0;
  }
}
