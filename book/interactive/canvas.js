// Drawings that fit the element they stand in, and answer to mouse, touch and keyboard.

import { setAll, svg } from "./draw.js";

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
    const used = draw(drawing, Math.max(least, drawnAt - edge));
    const [width, height] = [Math.ceil(used.width), Math.ceil(used.height)];
    setAll(drawing, { viewBox: `0 0 ${width} ${height}`, width, height });
    if (focused !== undefined) findKey(drawing, focused)?.focus();
  };
  new ResizeObserver(() => {
    if (box.clientWidth !== drawnAt) redraw();
  }).observe(box);
  return { drawing, redraw };
}

/**
 * The key of what can be touched there, if anything can.
 * @param {EventTarget | null} target
 * @returns {string | undefined}
 */
function keyOf(target) {
  if (!(target instanceof Element)) return undefined;
  return target.closest("[data-key]")?.getAttribute("data-key") ?? undefined;
}

/**
 * @param {Element} picture
 * @param {string} key
 * @returns {SVGElement | null}
 */
function findKey(picture, key) {
  return picture.querySelector(`[data-key="${CSS.escape(key)}"]`);
}

/**
 * Call `act(key)` where something with a key is clicked, or chosen with Enter or Space.
 * @param {SVGElement} picture
 * @param {(key: string) => void} act
 */
export function onPress(picture, act) {
  picture.addEventListener("click", (event) => {
    const key = keyOf(event.target);
    if (key !== undefined) act(key);
  });
  picture.addEventListener("keydown", (event) => {
    const key = keyOf(event.target);
    if (key === undefined || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    act(key);
  });
}

/**
 * Let what has a key be dragged: `drag(key, x, y)` gets pixels of the drawing, and
 * `nudge(key, right, down)` one step of an arrow key.
 * @param {SVGElement} picture
 * @param {(key: string, x: number, y: number) => void} drag
 * @param {(key: string, right: number, down: number) => void} nudge
 */
export function onDrag(picture, drag, nudge) {
  /** @type {string | undefined} */
  let held;
  picture.addEventListener("pointerdown", (event) => {
    if (!isDragged(event.target)) return; // what is pressed is not captured
    held = keyOf(event.target);
    if (held === undefined) return;
    picture.setPointerCapture(event.pointerId); // the drawing below it changes
    findKey(picture, held)?.focus();
    event.preventDefault();
  });
  // A finger on what is dragged must not scroll the page. The rule `touch-action` alone
  // is forgotten with the element, which the first move draws anew.
  picture.addEventListener(
    "touchstart",
    (event) => {
      if (isDragged(event.target)) event.preventDefault();
    },
    { passive: false },
  );
  picture.addEventListener("pointermove", (event) => {
    if (held === undefined) return;
    const box = picture.getBoundingClientRect();
    drag(held, event.clientX - box.left, event.clientY - box.top);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    picture.addEventListener(end, () => {
      held = undefined;
    });
  }
  picture.addEventListener("keydown", (event) => {
    const key = keyOf(event.target);
    const right = Number(event.key === "ArrowRight") - Number(event.key === "ArrowLeft");
    const down = Number(event.key === "ArrowDown") - Number(event.key === "ArrowUp");
    if (key === undefined || (!right && !down)) return;
    event.preventDefault();
    nudge(key, right, down);
  });
}

/** Whether it is part of what can be dragged. @param {EventTarget | null} target */
export function isDragged(target) {
  return target instanceof Element && target.closest("[data-drag]") !== null;
}
