// The page "Translate", and its small form in a chapter: from the stored translation to
// the translator itself.

import { button } from "../controls.js";
import { html } from "../draw.js";
import { entitle } from "../frame.js";
import { SubwordVocabulary } from "../subwords.js";
import { Remote } from "../worker.js";
import { SITE } from "./address.js";
import { loadModel } from "./loading.js";
import { Session } from "./session.js";
import { Studio } from "./studio.js";
import { playTrace } from "./trace.js";

const TITLE = "A translator in this page, English to Spanish";

/**
 * Build the translator in an empty place of a page.
 * @param {HTMLElement} root
 * @param {Function} script what runs in the worker
 * @param {boolean} small without beam, switches and sliders
 */
export function mountTranslator(root, script, small) {
  entitle(root, TITLE);
  root.classList.add("translate");
  const { model, page = `${SITE}/book/translate.html` } = root.dataset;
  if (model === undefined) {
    const line = html(root, "p", {}, "This figure needs the whole translator, which is ");
    line.append("too large for a notebook; it runs on ");
    html(line, "a", { href: page }, "the page Translate of the book’s site");
    line.append(".");
    html(root, "p", { "aria-live": "polite" });
    return;
  }
  offer(root, async (parts) => {
    const remote = new Remote(script);
    const { config, tokenizer, reading } = await remote.call("load", parts);
    const vocabulary = SubwordVocabulary.fromMerges(tokenizer);
    const [own, untouched] = ["own", "untouched"].map(
      (name) => new Session(engine(remote, name, vocabulary), vocabulary, config, reading),
    );
    return () => new Studio(root, own, untouched, small ? page : null);
  });
}

/**
 * One translation of the worker.
 * @param {Remote} remote
 * @param {string} name what the worker calls it
 * @param {import("./engine.js").Ends} ends
 * @returns {import("./session.js").Engine}
 */
function engine(remote, name, { sosId, eosId }) {
  return {
    begin: (...all) => remote.call("begin", name, ...all, { sosId, eosId }),
    step: () => remote.call("step", name),
    overrule: (...all) => remote.call("overrule", name, ...all),
  };
}

/**
 * A stored translation, the button that fetches the translator, and what happens then.
 * @param {HTMLElement} root
 * @param {(parts: Uint8Array<ArrayBuffer>[]) => Promise<() => void>} prepare gives what
 *   takes the place of all this
 */
function offer(root, prepare) {
  const { model = "", version = "", size = "0", trace = "" } = root.dataset;
  const megabytes = (Number(size) / 1e6).toFixed(1);
  const place = html(root, "div");
  const { controls, stop } = playTrace(place, JSON.parse(trace));
  const press = button(controls, `Try your own (${megabytes} MB)`, load);
  press.classList.add("translate-main");
  const said = html(
    place, "p", { "aria-live": "polite", class: "interactive-hint" },
    "The translator is fetched once, from where this page came from. What you type " +
      "never leaves the page.",
  );
  const bar = /** @type {HTMLProgressElement} */ (
    html(place, "progress", { "aria-label": "parts of the translator", hidden: "" })
  );

  async function load() {
    press.disabled = true;
    bar.hidden = false;
    try {
      const parts = await loadModel(model, version, (arrived, all) => {
        bar.max = all;
        bar.value = arrived;
        said.textContent = `${arrived} of ${all} parts are here.`;
      });
      const begin = await prepare(parts);
      stop();
      place.remove();
      begin();
    } catch (error) {
      said.textContent = error instanceof Error ? error.message : String(error);
      bar.hidden = true;
      press.textContent = "Try again";
      press.disabled = false;
      press.focus();
    }
  }
}
