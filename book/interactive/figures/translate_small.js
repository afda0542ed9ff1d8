// The translator in a chapter: type, step, overrule, and see where it looks.

import { serveTranslations } from "../translate/engine.js";
import { mountTranslator } from "../translate/page.js";

/** @param {HTMLElement} root @param {Function} script */
export function mount(root, script) {
  mountTranslator(root, script, true);
}

/** What the script does in a worker. */
export function work() {
  serveTranslations();
}
