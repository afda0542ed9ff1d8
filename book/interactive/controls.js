// Controls under a figure: each shows a value of some object by its name, and sets it.

import { html, setAll } from "./draw.js";

/** @typedef {import("./draw.js").Attributes} Attributes */

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

/** A row for controls. @param {Element} parent */
export function row(parent) {
  return html(parent, "div", { class: "interactive-controls" });
}

/**
 * What the marks of a figure mean: each in its color, with its name.
 * @param {Element} parent
 * @param {[color: string, name: string][]} marks colors as variables, or as CSS has them
 */
export function legend(parent, marks) {
  const list = html(parent, "p", { class: "interactive-legend" });
  for (const [color, name] of marks) {
    const mark = color.includes("(") ? color : `var(--${color})`;
    html(list, "span", { style: `--mark: ${mark}` }, name);
  }
}

/**
 * A part that is folded away until a reader looks inside.
 * @param {Element} parent
 * @param {string} [name]
 */
export function inside(parent, name = "Look inside") {
  const fold = html(parent, "details", { class: "interactive-inside" });
  html(fold, "summary", {}, name);
  return fold;
}

/**
 * A row of controls, each tied to a value of one object.
 * @template T
 */
export class Controls {
  /**
   * @param {Element} place the row
   * @param {T} target whose values they show, and set
   * @param {(name?: keyof T) => void} changed called with the name of the value that the
   *   reader has set, or with none after a button
   */
  constructor(place, target, changed) {
    this.place = place;
    this.target = /** @type {any} */ (target);
    this.changed = changed;
    /** What brings the controls up to date. @type {(() => void)[]} */
    this.shows = [];
  }

  /** Show the values as they are now. */
  show() {
    for (const show of this.shows) show();
  }

  /**
   * @param {Element} input
   * @param {string} event
   * @param {keyof T} name
   * @param {() => unknown} read what the input says
   * @param {(value: any) => void} write let it say that
   */
  tie(input, event, name, read, write) {
    const show = () => write(this.target[name]);
    input.addEventListener(event, () => {
      this.target[name] = read();
      this.changed(name);
      show();
    });
    this.shows.push(show);
    show();
  }

  /**
   * An element behind its name.
   * @param {string} label
   * @param {string} tag
   * @param {Attributes} [attributes]
   */
  labelled(label, tag, attributes) {
    const box = html(this.place, "div", { class: "interactive-control" });
    return { box, element: html(html(box, "label", {}, label), tag, attributes) };
  }
}

/**
 * A slider with its value.
 * @template T
 * @param {Controls<T>} controls
 * @param {keyof T} name
 * @param {string} label
 * @param {number[]} range the least, the largest, and the step if it is not 1
 * @param {(value: number) => string} [format]
 */
export function slider(controls, name, label, [min, max, step = 1], format = String) {
  const made = controls.labelled(label, "input", { type: "range", min, max, step });
  const input = /** @type {HTMLInputElement} */ (made.element);
  const output = html(made.box, "output");
  // Room for its longest value, or what stands behind it would jump.
  let longest = 0;
  for (let at = min; at <= max; at += step) longest = Math.max(longest, format(at).length);
  output.style.minWidth = `${longest}ch`;
  controls.tie(input, "input", name, () => input.valueAsNumber, (value) => {
    input.value = value;
    output.textContent = format(input.valueAsNumber);
    input.setAttribute("aria-valuetext", output.textContent);
  });
}

/**
 * A choice of one among several.
 * @template T
 * @param {Controls<T>} controls
 * @param {keyof T} name
 * @param {string} label
 * @param {(string | number | [value: unknown, label: string])[]} offered
 */
export function choice(controls, name, label, offered) {
  const made = controls.labelled(label, "select");
  const select = /** @type {HTMLSelectElement} */ (made.element);
  const pairs = offered.map((each) => (Array.isArray(each) ? each : [each, each]));
  for (const [value, text] of pairs) {
    html(select, "option", { value: String(value) }, String(text));
  }
  const read = () => pairs[select.selectedIndex][0];
  controls.tie(select, "change", name, read, (value) => {
    select.value = value;
  });
}

/**
 * A switch that is on or off.
 * @template T
 * @param {Controls<T>} controls
 * @param {keyof T} name
 * @param {string} label
 */
export function toggle(controls, name, label) {
  const box = html(controls.place, "label", { class: "interactive-control" });
  const made = html(box, "input", { type: "checkbox" });
  const input = /** @type {HTMLInputElement} */ (made);
  html(box, "span", {}, label);
  controls.tie(input, "change", name, () => input.checked, (value) => {
    input.checked = value;
  });
}

/**
 * A line to write in; every letter counts.
 * @template T
 * @param {Controls<T>} controls
 * @param {keyof T} name
 * @param {string} label
 * @param {Attributes} attributes such as lang and maxlength
 */
export function textField(controls, name, label, attributes) {
  const all = { type: "text", autocomplete: "off", spellcheck: "false", ...attributes };
  const made = controls.labelled(label, "input", all);
  made.box.classList.add("interactive-text");
  const input = /** @type {HTMLInputElement} */ (made.element);
  controls.tie(input, "input", name, () => input.value, (value) => {
    if (input.value !== value) input.value = value; // or the cursor would jump
  });
  return input;
}

/**
 * A button of a row; what its `act` changes is shown.
 * @template T
 * @param {Controls<T>} controls
 * @param {string | (() => string)} label a function if it changes
 * @param {() => void} act
 * @param {() => boolean} [off] whether there is nothing to press it for
 */
export function pushButton(controls, label, act, off = () => false) {
  const changes = typeof label === "function";
  const made = button(controls.place, changes ? "" : label, () => {
    act();
    controls.changed();
  });
  controls.shows.push(() => {
    if (changes) made.textContent = label();
    made.disabled = off();
  });
  return made;
}

/**
 * The button that a figure asks to press: the one that is filled.
 * @template T
 * @param {Controls<T>} controls
 * @param {string | (() => string)} label
 * @param {() => void} act
 * @param {() => boolean} [off]
 */
export function mainButton(controls, label, act, off) {
  const made = pushButton(controls, label, act, off);
  made.classList.add("interactive-main");
  return made;
}

/**
 * A button that stands alone.
 * @param {Element} parent
 * @param {string} label
 * @param {() => void} act
 * @returns {HTMLButtonElement}
 */
export function button(parent, label, act) {
  const made = /** @type {HTMLButtonElement} */ (
    html(parent, "button", { type: "button" }, label)
  );
  made.addEventListener("click", act);
  return made;
}

/**
 * Options of a choice from a table of what may be chosen.
 * @param {Record<string, {label: string}>} table
 * @returns {[string, string][]}
 */
export function options(table) {
  return Object.entries(table).map(([value, { label }]) => [value, label]);
}
