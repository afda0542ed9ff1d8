// What the drawings of the book are made of: elements, letters, boxes, colors, numbers.
//
// Whatever has a `key` can be touched: it is reached by Tab, and keeps the focus when its
// figure is drawn again. panels.js holds what stands around a drawing.

const NAMESPACE = "http://www.w3.org/2000/svg";

/** @typedef {Record<string, string | number | boolean | undefined>} Attributes */
/** @typedef {string | Attributes} Look classes of the style sheet, or attributes */
/** @typedef {number[]} Point two numbers */
/** @typedef {number[]} Box x, y, width and height */

/** Letters that stand around their place, or end there. */
export const MIDDLE = { "text-anchor": "middle" };
export const END = { "text-anchor": "end" };

/**
 * Make an element of HTML inside another.
 * @param {Element} parent
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {string} [text]
 */
export function html(parent, tag, attributes = {}, text = "") {
  return put(parent, document.createElement(tag), attributes, text);
}

/**
 * Make an element of SVG inside another; a `key` makes it reachable by touch and Tab.
 * @param {Element} parent
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {string | number} [text]
 * @returns {SVGElement}
 */
export function svg(parent, tag, { key, ...attributes } = {}, text = "") {
  const made = document.createElementNS(NAMESPACE, tag);
  if (key !== undefined) setAll(made, { "data-key": key, tabindex: 0 });
  return put(parent, made, attributes, text);
}

/**
 * @template {Element} E
 * @param {Element} parent
 * @param {E} made
 * @param {Attributes} attributes
 * @param {string | number} text
 */
function put(parent, made, attributes, text) {
  setAll(made, attributes);
  if (text !== "") made.textContent = String(text);
  parent.append(made);
  return made;
}

/**
 * @param {Element} element
 * @param {Attributes} attributes undefined and false ones are left out
 */
export function setAll(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
}

/**
 * A box with letters in its middle.
 * @param {Element} parent
 * @param {Box} box
 * @param {string | number} text
 * @param {Look} look of the box
 * @param {string} [letters] the classes of the text
 */
export function cell(parent, box, text, look, letters = "") {
  const [x, y, width, height] = box;
  rect(parent, box, look);
  write(parent, x + width / 2, y + height / 2 + 5, text, `middle ${letters}`);
}

/**
 * A group that is pressed as a whole.
 * @param {Element} parent
 * @param {string | number} key
 * @param {string} label what a screen reader says
 * @param {boolean} [pressed] left out where pressing does not choose
 */
export function touchable(parent, key, label, pressed) {
  const spoken = { "aria-pressed": pressed?.toString(), "aria-label": label };
  return svg(parent, "g", { key, role: "button", ...spoken });
}

/** How wide a text in a drawing is, in pixels. @param {string} text */
export function widthOf(text) {
  const drawing = document.createElement("canvas").getContext("2d");
  const pen = /** @type {CanvasRenderingContext2D} */ (drawing);
  pen.font = "14px system-ui, sans-serif";
  return pen.measureText(text).width;
}

/**
 * @param {Element} parent
 * @param {number} x
 * @param {number} y where the letters stand
 * @param {string | number} text
 * @param {Look} [look]
 */
export function write(parent, x, y, text, look) {
  return svg(parent, "text", { x, y, ...attributesOf(look) }, text);
}

/**
 * @param {Element} parent
 * @param {Box} box
 * @param {Look} look
 */
export function rect(parent, [x, y, width, height], look) {
  return svg(parent, "rect", { x, y, width, height, ...attributesOf(look) });
}

/**
 * @param {Element} parent
 * @param {Point} middle
 * @param {number} r
 * @param {Look} look
 */
export function circle(parent, [cx, cy], r, look) {
  return svg(parent, "circle", { cx, cy, r, ...attributesOf(look) });
}

/**
 * @param {Element} parent
 * @param {Point} from
 * @param {Point} to
 * @param {Look} look
 */
export function segment(parent, [x1, y1], [x2, y2], look) {
  return svg(parent, "line", { x1, y1, x2, y2, ...attributesOf(look) });
}

/**
 * A line through several points, or around them.
 * @param {Element} parent
 * @param {"polyline" | "polygon"} tag
 * @param {Point[]} points
 * @param {Look} look
 */
export function through(parent, tag, points, look) {
  return svg(parent, tag, { points: points.join(" "), ...attributesOf(look) });
}

/** @param {Look} [look] */
function attributesOf(look) {
  return typeof look === "string" ? { class: look } : look;
}

/**
 * The edge of what may be chosen.
 * @param {boolean} chosen
 * @returns {Attributes}
 */
export function edge(chosen) {
  return { stroke: `var(--${chosen ? "accent" : "line"})`, "stroke-width": chosen ? 3 : 1 };
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
 * A number as a page shows it: the minus of typographers, a fixed number of digits.
 * @param {number} value
 * @param {number} [digits]
 * @returns {string}
 */
export function fixed(value, digits = 2) {
  const text = Math.abs(value).toFixed(digits).replace("Infinity", "∞");
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/**
 * Give a drawing its size, in units of which a letter has 14: all grow with the reader's
 * letters.
 * @param {Element} drawing
 * @param {number} width
 * @param {number} height
 */
export function size(drawing, width, height) {
  const [wide, high] = [width, height].map((units) => `${units / 16}rem`);
  setAll(drawing, { viewBox: `0 0 ${width} ${height}`, width: wide, height: high });
}

/** So many of something: one step, two steps. @param {number} count @param {string} of */
export function counted(count, of) {
  return `${count} ${of}${count === 1 ? "" : "s"}`;
}

/** Whether the reader wants nothing to move by itself. */
export function still() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * @param {string} word
 * @param {number} most how many letters there is room for
 */
export function shortened(word, most) {
  return word.length > most ? `${word.slice(0, Math.max(1, most - 1))}…` : word;
}
