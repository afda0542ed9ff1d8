// The page "Translate", and its small form in a chapter: from the stored translation to
// the translator itself.

import { entitle } from "../controls.js";
import { html, shortened } from "../draw.js";
import { SubwordVocabulary } from "../subwords.js";
import { Remote } from "../worker.js";
import { addressed, SITE } from "./address.js";
import { elsewhere, offer } from "./loading.js";
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
  const { model, page = `${SITE}/book/translate.html`, trace = "" } = root.dataset;
  if (model === undefined) {
    elsewhere(root, "translator", page, "the page Translate of the book’s site");
    return;
  }
  const place = html(root, "div");
  const { controls, stop } = playTrace(place, JSON.parse(trace));
  const asked = shortened(addressed(), 80);
  const hint =
    (asked && `The address of this page asks for “${asked}”: press to translate it. `) +
    "The translator is fetched once, from where this page came from. What you type " +
    "never leaves the page.";
  offer(controls, place, root.dataset, "Try your own", hint, async (parts) => {
    const remote = new Remote(script);
    const { config, tokenizer, unsureAbove } = await remote.call("load", parts);
    const vocabulary = SubwordVocabulary.fromMerges(tokenizer);
    const [own, untouched] = ["own", "untouched"].map(
      (name) => new Session(engine(remote, name, vocabulary), vocabulary, config, unsureAbove),
    );
    return () => {
      stop();
      place.remove();
      new Studio(root, own, untouched, page, small);
    };
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
