// What the figures of the book share: a drawing that fits its page, controls, and a voice.
//
// A figure is built once, from `panel`, and drawn again whenever something changes: its
// `draw` gets an empty SVG and the width there is, in CSS pixels, so that letters keep
// their size on a phone. What can be touched has a `key`, by which it keeps the focus.

const NAMESPACE = "http://www.w3.org/2000/svg";

/** @typedef {Record<string, string | number | boolean | undefined>} Attributes */
/** @typedef {{label: string, value: string}} Option */

/**
 * Make an element of HTML inside another.
 * @param {Element} parent
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {string} [text]
 * @returns {HTMLElement}
 */
export function html(parent, tag, attributes = {}, text = "") {
  const made = document.createElement(tag);
  setAll(made, attributes);
  if (text) made.textContent = text;
  parent.append(made);
  return made;
}

/**
 * Make an element of SVG inside another; a `key` makes it reachable by touch and Tab.
 * @param {Element} parent
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {string} [text]
 * @returns {SVGElement}
 */
export function svg(parent, tag, attributes = {}, text = "") {
  const made = document.createElementNS(NAMESPACE, tag);
  const { key, ...others } = attributes;
  setAll(made, others);
  if (key !== undefined) setAll(made, { "data-key": key, tabindex: 0 });
  if (text) made.textContent = text;
  parent.append(made);
  return made;
}

/**
 * @param {Element} element
 * @param {Attributes} attributes
 */
function setAll(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
}

/**
 * A figure's frame: a title, a line that says what to do, controls, drawing, a voice.
 *
 * `draw` is called with an empty SVG and its width; it returns the height it used.
 * `say` puts a sentence below the drawing, where a screen reader announces it.
 * @param {Element} root
 * @param {{title: string, hint: string, label: string,
 *   draw: (svg: SVGElement, width: number) => number}} parts
 */
export function panel(root, { title, hint, label, draw }) {
  root.replaceChildren();
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", title);
  html(root, "p", { class: "interactive-title" }, title);
  html(root, "p", { class: "interactive-hint" }, hint);
  const controls = html(root, "div", { class: "interactive-controls" });
  const picture = svg(root, "svg", { class: "interactive-picture", "aria-label": label });
  picture.setAttribute("role", "group");
  const said = html(root, "p", { class: "interactive-said", "aria-live": "polite" });

  const redraw = () => {
    const width = Math.max(280, Math.floor(root.clientWidth) - 26);
    const focused = keyOf(document.activeElement);
    picture.replaceChildren();
    const height = Math.ceil(draw(picture, width));
    setAll(picture, { viewBox: `0 0 ${width} ${height}`, width, height });
    if (focused !== undefined) findKey(picture, focused)?.focus();
  };
  let width = 0;
  new ResizeObserver(() => {
    if (root.clientWidth !== width) redraw();
    width = root.clientWidth;
  }).observe(root);
  return {
    controls,
    picture,
    redraw,
    /** @param {string} text */
    say: (text) => {
      if (said.textContent !== text) said.textContent = text;
    },
  };
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

const ARROWS = new Map([
  ["ArrowLeft", [-1, 0]],
  ["ArrowRight", [1, 0]],
  ["ArrowUp", [0, -1]],
  ["ArrowDown", [0, 1]],
]);

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
      if (event.target instanceof Element && event.target.closest("[data-drag]")) {
        event.preventDefault();
      }
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
    const step = ARROWS.get(event.key);
    if (key === undefined || step === undefined) return;
    event.preventDefault();
    nudge(key, step[0], step[1]);
  });
}

let controlsMade = 0;

/**
 * A slider with its name and its value.
 * @param {Element} parent
 * @param {{label: string, min: number, max: number, step: number, value: number,
 *   show?: (value: number) => string, change: (value: number) => void}} parts
 * @returns {{set: (value: number) => void}}
 */
export function slider(parent, { label, min, max, step, value, show = String, change }) {
  const id = `interactive-control-${++controlsMade}`;
  const box = html(parent, "div", { class: "interactive-control" });
  html(box, "label", { for: id }, label);
  const input = /** @type {HTMLInputElement} */ (
    html(box, "input", { id, type: "range", min, max, step, value })
  );
  const output = html(box, "output", { for: id });
  const write = () => {
    output.textContent = show(input.valueAsNumber);
    input.setAttribute("aria-valuetext", output.textContent);
  };
  input.addEventListener("input", () => {
    write();
    change(input.valueAsNumber);
  });
  write();
  return {
    set: (wanted) => {
      input.value = String(wanted);
      write();
    },
  };
}

/**
 * A choice of one among several.
 * @param {Element} parent
 * @param {{label: string, options: Option[], value: string,
 *   change: (value: string) => void}} parts
 * @returns {{set: (value: string) => void}}
 */
export function choice(parent, { label, options, value, change }) {
  const id = `interactive-control-${++controlsMade}`;
  const box = html(parent, "div", { class: "interactive-control" });
  html(box, "label", { for: id }, label);
  const select = /** @type {HTMLSelectElement} */ (html(box, "select", { id }));
  for (const option of options) {
    html(select, "option", { value: option.value }, option.label);
  }
  select.value = value;
  select.addEventListener("change", () => change(select.value));
  return {
    set: (wanted) => {
      select.value = wanted;
    },
  };
}

/**
 * A switch that is on or off.
 * @param {Element} parent
 * @param {{label: string, value: boolean, change: (value: boolean) => void}} parts
 * @returns {{set: (value: boolean) => void}}
 */
export function toggle(parent, { label, value, change }) {
  const box = html(parent, "label", { class: "interactive-control" });
  const input = /** @type {HTMLInputElement} */ (html(box, "input", { type: "checkbox" }));
  html(box, "span", {}, label);
  input.checked = value;
  input.addEventListener("change", () => change(input.checked));
  return {
    set: (wanted) => {
      input.checked = wanted;
    },
  };
}

/**
 * A button.
 * @param {Element} parent
 * @param {string} label
 * @param {() => void} act
 * @returns {HTMLButtonElement}
 */
export function button(parent, label, act) {
  const made = /** @type {HTMLButtonElement} */ (
    html(parent, "button", { type: "button", class: "interactive-button" }, label)
  );
  made.addEventListener("click", act);
  return made;
}

/**
 * A line to write in; `change` is called at every letter.
 * @param {Element} parent
 * @param {{label: string, value: string, change: (value: string) => void,
 *   maxLength?: number, lang?: string}} parts
 * @returns {HTMLInputElement}
 */
export function textField(parent, { label, value, change, maxLength, lang }) {
  const id = `interactive-control-${++controlsMade}`;
  const box = html(parent, "div", { class: "interactive-control interactive-text" });
  html(box, "label", { for: id }, label);
  const attributes = { id, type: "text", value, maxlength: maxLength, lang };
  const input = /** @type {HTMLInputElement} */ (
    html(box, "input", { ...attributes, autocomplete: "off", spellcheck: "false" })
  );
  input.addEventListener("input", () => change(input.value));
  return input;
}

/**
 * The color of a number between 0 and 1 in a role's shades, the paper's at 0. Letters
 * in the color of ink can be read on all of them.
 * @param {number} value
 * @param {string} [role] a role of `lib.figures`: word, query, key, value, weight …
 * @returns {string}
 */
export function shade(value, role = "weight") {
  const share = Math.round(1000 * Math.min(1, Math.max(0, value))) / 1000;
  return `color-mix(in srgb, var(--role-${role}) calc(${share} * var(--most)), var(--paper))`;
}

/**
 * The color of a signed number: blue below zero, the paper's at zero, orange above.
 * @param {number} value between -1 and 1
 * @returns {string}
 */
export function signed(value) {
  return shade(Math.abs(value), value < 0 ? "query" : "mistake");
}

/**
 * A number as a page shows it: the minus of typographers, a fixed number of digits.
 * @param {number} value
 * @param {number} [digits]
 * @returns {string}
 */
export function fixed(value, digits = 2) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}
