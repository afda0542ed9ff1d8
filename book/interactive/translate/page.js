// The page "Translate", and its small form in a chapter: from the first press to the end.

import { button } from "../controls.js";
import { html } from "../draw.js";
import { entitle } from "../frame.js";
import { SubwordVocabulary } from "../subwords.js";
import { SITE } from "./address.js";
import { loadModel } from "./loading.js";
import { Session } from "./session.js";
import { Studio } from "./studio.js";

const TITLE = "A translator in this page, English to Spanish";

/**
 * Build the translator in an empty place of a page.
 * @param {HTMLElement} root
 * @param {boolean} small without beam, switches and sliders
 */
export function mountTranslator(root, small) {
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
  offer(root, (loaded) => {
    const vocabulary = SubwordVocabulary.fromMerges(loaded.tokenizer);
    const sessions = [new Session(loaded, vocabulary), new Session(loaded, vocabulary)];
    root.classList.add("translate-ready");
    new Studio(root, sessions[0], sessions[1], small ? page : null);
  });
}

/**
 * The button that loads, and what happens while it does.
 * @param {HTMLElement} root
 * @param {(loaded: Awaited<ReturnType<typeof loadModel>>) => void} ready
 */
function offer(root, ready) {
  const { model = "", version = "", size = "0" } = root.dataset;
  const megabytes = (Number(size) / 1e6).toFixed(1);
  const place = html(root, "div", { class: "translate-load" });
  html(
    place, "p", {},
    "The translator that comes with this book can run right here. It is fetched once, " +
      "from where this page came from. What you type never leaves the page.",
  );
  const press = button(place, `Load the translator (${megabytes} MB)`, load);
  press.classList.add("translate-main");
  const said = html(place, "p", { "aria-live": "polite" });
  const bar = /** @type {HTMLProgressElement} */ (
    html(place, "progress", { "aria-label": "parts of the translator", hidden: "" })
  );

  async function load() {
    press.disabled = true;
    bar.hidden = false;
    try {
      const loaded = await loadModel(model, version, (arrived, all) => {
        bar.max = all;
        bar.value = arrived;
        said.textContent = `${arrived} of ${all} parts are here.`;
      });
      ready(loaded);
      place.remove();
    } catch (error) {
      said.textContent = error instanceof Error ? error.message : String(error);
      press.textContent = "Try again";
      press.disabled = false;
      press.focus();
    }
  }
}
