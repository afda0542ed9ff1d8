// The translator in a chapter: type, step, overrule, and see where it looks.

import { mountTranslator } from "../translate/page.js";

/** @param {HTMLElement} root */
export function mount(root) {
  mountTranslator(root, true);
}
