// A drawing that may be wider than its page: then it scrolls in a box of its own.

import { html, onPress, svg } from "../draw.js";

const PADDING = 3; // of the box, as the style has it: room for the ring of the focus
/** @type {CanvasRenderingContext2D | null} */
let pen = null;

/** How wide a text in a drawing is, in pixels. @param {string} text */
export function widthOf(text) {
  pen ??= document.createElement("canvas").getContext("2d");
  if (!pen) return 8 * text.length;
  pen.font = "14px system-ui, sans-serif";
  return pen.measureText(text).width;
}

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
  const drawing = svg(box, "svg", { class: "interactive-picture", role: "group" });
  let label = "";
  let drawnAt = 0;
  const redraw = () => {
    const active = document.activeElement;
    const key = drawing.contains(active) ? active?.getAttribute("data-key") : null;
    drawnAt = box.clientWidth;
    const room = Math.max(260, drawnAt - 2 * PADDING);
    drawing.replaceChildren();
    drawing.setAttribute("aria-label", label);
    const used = draw(drawing, room);
    const [width, height] = [Math.ceil(used.width), Math.ceil(used.height)];
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawing.setAttribute("width", String(width));
    drawing.setAttribute("height", String(height));
    if (key) {
      const again = drawing.querySelector(`[data-key="${CSS.escape(key)}"]`);
      /** @type {SVGElement | null} */ (again)?.focus();
    }
  };
  onPress(drawing, press);
  new ResizeObserver(() => {
    if (box.clientWidth !== drawnAt) redraw();
  }).observe(box);
  return {
    redraw: (text) => {
      label = text;
      redraw();
    },
    toEnd: () => {
      box.scrollLeft = box.scrollWidth;
    },
  };
}
