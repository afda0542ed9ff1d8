// The page "Translate": the book's translator, run and looked into.

import { serveTranslations } from "../translate/engine.js";
import { mountTranslator } from "../translate/page.js";

/** @param {HTMLElement} root @param {Function} script */
export function mount(root, script) {
  mountTranslator(root, script, false);
}

/** What the script does in a worker. */
export function work() {
  serveTranslations();
}
