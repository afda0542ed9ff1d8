// Fetching the model: scripts, one after the other, and only those that are missing.

import { button } from "../controls.js";
import { html } from "../draw.js";
import { ModelParts, PARTS } from "../weights.js";

const AT_ONCE = 3; // scripts on their way at the same time
const PATIENCE = 90_000; // milliseconds until a part counts as lost

/**
 * Fetch what is missing of the model.
 * @param {string} folder the address of the folder of the parts, with its slash
 * @param {string} version of the parts; part of their address, so that no old copy is used
 * @param {(arrived: number, all: number) => void} progress
 * @returns {Promise<Uint8Array<ArrayBuffer>[]>} all parts, in their order
 * @throws {Error} with a sentence for the reader, if the model is not whole
 */
async function loadModel(folder, version, progress) {
  const shared = /** @type {{ bookModel?: ModelParts }} */ (globalThis);
  const model = (shared.bookModel ??= new ModelParts());
  const wanted = model.missing();
  progress(PARTS - wanted.length, PARTS);
  const worker = async () => {
    for (;;) {
      const number = wanted.shift();
      if (number === undefined) return;
      await runScript(`${folder}${fileOf(number)}?v=${version}`);
      progress(PARTS - model.missing().length, PARTS);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const lost = model.missing();
  if (lost.length) {
    const missed =
      lost.length === PARTS
        ? `None of the ${PARTS} parts arrived.`
        : `${lost.length} of the ${PARTS} parts did not arrive whole; the others are kept.`;
    throw new Error(`${missed} ${await whatArrives(folder, lost[0])}`);
  }
  return model.all();
}

/**
 * What stands in a notebook, which cannot hold a model: where the figure runs.
 * @param {HTMLElement} root
 * @param {string} model what it needs
 * @param {string} page the address of the page
 * @param {string} name of that page
 */
export function elsewhere(root, model, page, name) {
  const line = html(root, "p", {}, `This figure needs the whole ${model}, which is `);
  line.append("too large for a notebook; it runs on ");
  html(line, "a", { href: page }, name);
  line.append(".");
  html(root, "p", { "aria-live": "polite" });
}

/**
 * The button that fetches the model, how far it is, and what happens then.
 * @param {Element} controls the row of the button
 * @param {Element} place what else is shown goes to its end
 * @param {DOMStringMap} data of the place of the figure
 * @param {string} label of the button
 * @param {string} hint
 * @param {(parts: Uint8Array<ArrayBuffer>[]) => Promise<() => void>} prepare gives what
 *   is done when all went well
 */
export function offer(controls, place, data, label, hint, prepare) {
  const { model = "", version = "", size = "0" } = data;
  const megabytes = (Number(size) / 1e6).toFixed(1);
  const press = button(controls, `${label} (${megabytes} MB)`, load);
  press.classList.add("interactive-main");
  const said = html(
    place, "p", { "aria-live": "polite", class: "interactive-hint" }, hint,
  );
  const bar = /** @type {HTMLProgressElement} */ (
    html(place, "progress", { "aria-label": "parts of the model", hidden: "" })
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
      for (const each of [press, said, bar]) each.remove();
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

/** @param {number} number from 1 on */
function fileOf(number) {
  return `model-${String(number).padStart(2, "0")}.js`;
}

/**
 * What comes in place of a part: a script that fails does not say.
 * @param {string} folder
 * @param {number} number
 * @returns {Promise<string>} a sentence, or nothing if the part is there now
 */
async function whatArrives(folder, number) {
  const name = fileOf(number);
  if (!location.protocol.startsWith("http")) {
    return `Is ${name} still in its place beside this page, and unchanged?`;
  }
  try {
    const answer = await fetch(`${folder}${name}?again`, { cache: "no-store" });
    const found = await answer.blob();
    const start = "bookModel.part(";
    if (answer.ok && (await found.slice(0, start.length).text()) === start) return "";
    return (
      `In place of ${name} came ${found.size.toLocaleString("en")} bytes that are no ` +
      `part of the model (status ${answer.status}).`
    );
  } catch {
    return "Nothing comes through: the network is off, or the site cannot be reached.";
  }
}

let scriptsRun = 0;

/**
 * Run a script; one that fails or never comes ends too.
 * @param {string} address
 * @returns {Promise<void>}
 */
function runScript(address) {
  return new Promise((resolve) => {
    const script = document.createElement("script");
    const end = () => {
      clearTimeout(timer);
      script.remove();
      resolve();
    };
    const timer = setTimeout(end, PATIENCE);
    script.onload = end;
    script.onerror = end;
    // Asked for again, a damaged copy must not come out of the browser's store.
    script.src = scriptsRun++ < PARTS ? address : `${address}&again=${scriptsRun}`;
    document.head.append(script);
  });
}
