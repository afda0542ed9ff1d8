// A drawing that may be wider than its page: then it scrolls in a box of its own.

import { canvas, onPress } from "../canvas.js";
import { html, widthOf } from "../draw.js";

const PADDING = 3; // of the box, as the style has it: room for the ring of the focus

/** How wide the widest of some texts is. @param {string[]} texts */
export function widest(texts) {
  return Math.max(0, ...texts.map(widthOf));
}

/**
 * @param {Element} parent
 * @param {(drawing: SVGElement, width: number) => {width: number, height: number}} draw
 *   gets an empty drawing and the room there is; gives back what it used
 * @param {(key: string) => void} press
 * @returns {{ redraw: (label: string) => void, toEnd: () => void }}
 */
export function picture(parent, draw, press) {
  const box = html(parent, "div", { class: "translate-scroll" });
  const { drawing, redraw } = canvas(box, [2 * PADDING, 260], draw);
  onPress(box, press);
  return {
    redraw: (label) => {
      drawing.setAttribute("aria-label", label);
      redraw();
    },
    toEnd: () => {
      box.scrollLeft = box.scrollWidth;
    },
  };
}
