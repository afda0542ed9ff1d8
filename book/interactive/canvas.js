// Drawings that fit the element they stand in, and answer to mouse, touch and keyboard.

import { html, size, svg } from "./draw.js";

/**
 * A drawing as wide as the box that it stands in, drawn again when that changes.
 * @param {HTMLElement} box
 * @param {[edge: number, least: number]} room what of the width is no room, and the
 *   least room there is
 * @param {(empty: SVGElement, room: number) => {width: number, height: number}} draw
 *   gives back what it used
 */
export function canvas(box, [edge, least], draw) {
  const drawing = svg(box, "svg", { class: "interactive-picture", role: "group" });
  let drawnAt = 0;
  const redraw = () => {
    const { activeElement } = document;
    const focused = drawing.contains(activeElement) ? keyOf(activeElement) : undefined;
    drawnAt = box.clientWidth;
    drawing.replaceChildren();
    const letters = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const used = draw(drawing, Math.max(least, (16 * drawnAt) / letters - edge));
    size(drawing, Math.ceil(used.width), Math.ceil(used.height));
    if (focused !== undefined) keyed(drawing, focused)?.focus();
  };
  new ResizeObserver(() => {
    if (box.clientWidth !== drawnAt) redraw();
  }).observe(box);
  return { drawing, redraw };
}

/**
 * A panel of a figure that is as wide as its place, for what would be cut or shortened at
 * one size: `draw` gets the width, and gives back the height.
 * @param {import("./panels.js").Panels} figure
 * @param {(drawing: SVGElement, width: number) => number} draw
 */
export function elastic(figure, draw) {
  const box = html(figure.panels, "div", { class: "interactive-elastic" });
  const { redraw } = canvas(box, [0, 278], (drawing, width) => {
    return { width, height: draw(drawing, width) };
  });
  figure.fills.push(redraw);
}

/**
 * The key of what can be touched there, if anything can.
 * @param {EventTarget | null} target
 * @param {string} [among] a selector, where not all that has a key counts
 * @returns {string | undefined}
 */
export function keyOf(target, among = "[data-key]") {
  const found = target instanceof Element ? target.closest(among) : null;
  return found?.getAttribute("data-key") ?? undefined;
}

/**
 * What has a key.
 * @param {Element} place
 * @param {string} key
 * @returns {HTMLElement | SVGElement | null}
 */
export function keyed(place, key) {
  return place.querySelector(`[data-key="${CSS.escape(key)}"]`);
}

/**
 * Call `act(key)` where something with a key is clicked, or chosen with Enter or Space.
 * @param {HTMLElement} place
 * @param {(key: string) => void} act
 */
export function onPress(place, act) {
  place.addEventListener("click", (event) => {
    const key = keyOf(event.target);
    if (key !== undefined) act(key);
  });
  place.addEventListener("keydown", (event) => {
    const key = keyOf(event.target);
    if (key === undefined || (event.key !== "Enter" && event.key !== " ")) return;
    if (event.target instanceof HTMLButtonElement) return; // it clicks by itself
    event.preventDefault();
    act(key);
  });
}
