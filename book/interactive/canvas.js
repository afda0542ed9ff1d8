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
 * @returns {string | undefined}
 */
export function keyOf(target) {
  if (!(target instanceof Element)) return undefined;
  return target.closest("[data-key]")?.getAttribute("data-key") ?? undefined;
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

/**
 * Let what has a key be dragged: `drag(key, x, y)` gets pixels of its drawing, and
 * `nudge(key, right, down)` one step of an arrow key.
 * @param {HTMLElement} place
 * @param {(key: string, x: number, y: number) => void} drag
 * @param {(key: string, right: number, down: number) => void} nudge
 */
export function onDrag(place, drag, nudge) {
  /** @type {string | undefined} */
  let held;
  /** @type {SVGSVGElement | null} */
  let picture = null;
  place.addEventListener("pointerdown", (event) => {
    if (!isDragged(event.target)) return; // what is pressed is not captured
    held = keyOf(event.target);
    if (held === undefined) return;
    picture = /** @type {Element} */ (event.target).closest("svg");
    picture?.setPointerCapture(event.pointerId); // what is in it changes
    keyed(place, held)?.focus();
    event.preventDefault();
  });
  // A finger on what is dragged must not scroll the page. The rule `touch-action` alone
  // is forgotten with the element, which the first move draws anew.
  place.addEventListener(
    "touchstart",
    (event) => {
      if (isDragged(event.target)) event.preventDefault();
    },
    { passive: false },
  );
  place.addEventListener("pointermove", (event) => {
    if (held === undefined || !picture) return;
    const box = picture.getBoundingClientRect();
    const scale = picture.viewBox.baseVal.width / box.width; // drawn smaller on a phone
    drag(held, scale * (event.clientX - box.left), scale * (event.clientY - box.top));
  });
  for (const end of ["pointerup", "pointercancel"]) {
    place.addEventListener(end, () => {
      held = undefined;
    });
  }
  place.addEventListener("keydown", (event) => {
    const key = keyOf(event.target);
    const right = Number(event.key === "ArrowRight") - Number(event.key === "ArrowLeft");
    const down = Number(event.key === "ArrowDown") - Number(event.key === "ArrowUp");
    if (key === undefined || (!right && !down)) return;
    event.preventDefault();
    nudge(key, right, down);
  });
}

/** Whether it is part of what can be dragged. @param {EventTarget | null} target */
function isDragged(target) {
  return target instanceof Element && target.closest("[data-drag]") !== null;
}
