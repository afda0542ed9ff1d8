// Work beside the page: a figure's script runs a second time, in a worker, so that the
// page stays awake while a model computes.
//
// A figure's module exports `work` as well, which hands `serve` an object; the page makes
// a `Remote` and calls the object's methods by name. A worker made of text needs no file
// of its own: it works where the page was opened from a folder, and in a notebook.

/** The page's side: calls go to the worker, and answers come back in their order. */
export class Remote {
  /** @param {Function} script the whole script of the figure, which `mount` gets */
  constructor(script) {
    const text = new Blob([`(${script})(true);`], { type: "text/javascript" });
    /** What to do with each answer that is not there yet.
     * @type {((reply: { answer?: any, problem?: string }) => void)[]} */
    this.waiting = [];
    this.worker = new Worker(URL.createObjectURL(text));
    this.worker.onmessage = ({ data }) => this.waiting.shift()?.(data);
    this.worker.onerror = ({ message }) => this.waiting.shift()?.({ problem: message });
  }

  /**
   * Call a method of what is served there.
   * @param {string} name
   * @param {unknown[]} values
   * @returns {Promise<any>}
   */
  call(name, ...values) {
    this.worker.postMessage([name, values]);
    return new Promise((resolve, reject) => {
      this.waiting.push(({ answer, problem }) =>
        problem === undefined ? resolve(answer) : reject(new Error(problem)),
      );
    });
  }
}

/**
 * The worker's side: one call after the other is answered.
 * @param {Record<string, (...values: any[]) => unknown>} served
 */
export function serve(served) {
  let last = Promise.resolve();
  globalThis.onmessage = ({ data: [name, values] }) => {
    last = last.then(async () => {
      try {
        postMessage({ answer: await served[name](...values) });
      } catch (error) {
        postMessage({ problem: error instanceof Error ? error.message : String(error) });
      }
    });
  };
}
