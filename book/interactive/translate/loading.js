// Fetching the model: scripts, one after the other, and only those that are missing.

import { ModelParts, PARTS } from "../weights.js";

const AT_ONCE = 3; // scripts on their way at the same time
const PATIENCE = 90_000; // milliseconds until a part counts as lost

/**
 * Fetch what is missing of the model.
 * @param {string} folder the address of the folder of the parts, with its slash
 * @param {string} version of the parts; part of their address, so that no old copy is used
 * @param {(arrived: number, all: number) => void} progress
 * @returns {Promise<ReturnType<ModelParts["whole"]>>}
 * @throws {Error} with a sentence for the reader, if the model is not whole
 */
export async function loadModel(folder, version, progress) {
  const shared = /** @type {{ bookModel?: ModelParts }} */ (globalThis);
  const model = (shared.bookModel ??= new ModelParts());
  const wanted = model.missing();
  progress(PARTS - wanted.length, PARTS);
  const worker = async () => {
    for (;;) {
      const number = wanted.shift();
      if (number === undefined) return;
      await runScript(`${folder}model-${String(number).padStart(2, "0")}.js?v=${version}`);
      progress(PARTS - model.missing().length, PARTS);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const lost = model.missing().length;
  if (lost) {
    throw new Error(
      `${lost} of the ${PARTS} parts did not arrive whole; what did arrive is kept.`,
    );
  }
  return model.whole();
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
