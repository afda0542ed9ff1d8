// The page "Translate": the book's translator, run and looked into.

import { mountTranslator } from "../translate/page.js";

/** @param {HTMLElement} root */
export function mount(root) {
  mountTranslator(root, false);
}
