// What flows through a Transformer for one sentence, part by part; and its parts.
//
// The numbers are computed by the model's own parts, each called where `forward` would.

import { Matrix } from "./arrays.js";
import { causalMask } from "./masks.js";
import { shapes, Transformer } from "./model.js";
import { SMALL } from "./small_model.js";

/**
 * @typedef {import("./attention.js").MultiHeadAttention} MultiHeadAttention
 * @typedef {import("./layers.js").Residual} Residual
 * @typedef {import("./masks.js").Mask} Mask
 * @typedef {{ input: Matrix, output: Matrix, weights: Matrix[], from: string }} Flow
 *   what goes into a part, what comes out, where its heads look (rows are queries), and
 *   where the keys come from: "src" or "tgt"
 * @typedef {{ name: string, label: string, side: string, text: string,
 *   children: Part[] }} Part
 */

/** The arrays of the small model, by their names. @returns {Record<string, Matrix>} */
export function smallArrays() {
  const bytes = Int8Array.from(atob(SMALL.bytes), (letter) => letter.charCodeAt(0));
  const wanted = shapes(SMALL.config);
  /** @type {Record<string, Matrix>} */
  const arrays = {};
  let at = 0;
  for (const name of Object.keys(wanted).sort()) {
    const [rows, cols] = wanted[name];
    const numbers = bytes.subarray(at, at + rows * cols);
    arrays[name] = new Matrix(rows, cols, Float32Array.from(numbers, (n) => n / 32));
    at += rows * cols;
  }
  return arrays;
}

/** The small model. @returns {Transformer} */
export function smallModel() {
  return new Transformer(SMALL.config, smallArrays());
}

/**
 * How many numbers a part learns.
 * @param {Record<string, Matrix>} arrays
 * @param {string} name the part's; "" for the whole model
 */
export function countParameters(arrays, name) {
  return Object.entries(arrays)
    .filter(([key]) => !name || key.startsWith(`${name}.`))
    .reduce((sum, [, matrix]) => sum + matrix.data.length, 0);
}

/**
 * What goes into each part and comes out of it.
 * @param {Transformer} model
 * @param {number[]} src token ids (S)
 * @param {number[]} tgt token ids (T), beginning with <sos>
 * @returns {Record<string, Flow>}
 */
export function flows(model, src, tgt) {
  /** @type {Record<string, Flow>} */
  const found = {};
  const note = (
    /** @type {string} */ name, /** @type {Matrix} */ input,
    /** @type {Matrix} */ output, /** @type {Matrix[]} */ weights = [], from = "src",
  ) => {
    found[name] = { input, output, weights, from };
    return output;
  };
  const enter = (/** @type {string} */ side, /** @type {number[]} */ ids) => {
    const embedding = side === "src" ? model.srcEmbedding : model.tgtEmbedding;
    const column = new Matrix(ids.length, 1, Float32Array.from(ids));
    const x = note(`${side}_embedding`, column, embedding.forward(ids));
    return note(`${side}_positions`, x, model.positions.forward(x));
  };
  const sublayer = (
    /** @type {string} */ name, /** @type {Matrix} */ x, /** @type {Matrix} */ output,
    /** @type {Residual} */ residual, /** @type {Matrix[]} */ weights = [],
    from = "src",
  ) => {
    note(name, x, output, weights, from);
    return note(`${name}_residual`, x, residual.forward(x, () => output));
  };
  const listen = (
    /** @type {string} */ name, /** @type {MultiHeadAttention} */ attention,
    /** @type {Residual} */ residual, /** @type {Matrix} */ x,
    /** @type {Matrix} */ keys, /** @type {Mask | null} */ mask, from = "src",
  ) => {
    const heard = attention.forward(x, attention.keep(keys), mask);
    return sublayer(name, x, heard, residual, attention.lastWeights, from);
  };

  const read = enter("src", src);
  let x = read;
  model.encoder.layers.forEach((each, n) => {
    const [name, before] = [`encoder.layers.${n}`, x];
    const own = `${name}.self_attention`;
    x = listen(own, each.selfAttention, each.selfAttentionResidual, x, x, null);
    const thought = each.feedForward.forward(x);
    x = sublayer(`${name}.feed_forward`, x, thought, each.feedForwardResidual);
    note(name, before, x);
  });
  const memory = note("encoder", read, x);
  const mask = causalMask(tgt.length);
  const written = enter("tgt", tgt);
  x = written;
  model.decoder.layers.forEach((each, n) => {
    const [name, before] = [`decoder.layers.${n}`, x];
    const own = `${name}.self_attention`;
    x = listen(own, each.selfAttention, each.selfAttentionResidual, x, x, mask, "tgt");
    const cross = `${name}.cross_attention`;
    const residual = each.crossAttentionResidual;
    x = listen(cross, each.crossAttention, residual, x, memory, null);
    const thought = each.feedForward.forward(x);
    x = sublayer(`${name}.feed_forward`, x, thought, each.feedForwardResidual);
    note(name, before, x);
  });
  note("decoder", written, x);
  note("output_proj", x, model.outputProj.forward(x));
  return found;
}

/**
 * The parts of the model: what each is called, and what it does in a sentence.
 * @returns {{ src: Part[], tgt: Part[] }} the two columns, from below
 */
export function parts() {
  /** @returns {Part} */
  const part = (
    /** @type {string} */ name, /** @type {string} */ label, /** @type {string} */ text,
    /** @type {Part[]} */ children = [],
  ) => {
    const side = /^(src|encoder)/.test(name) ? "src" : "tgt";
    return { name, label, side, text, children };
  };
  const entrance = (/** @type {string} */ side) => [
    part(
      `${side}_embedding`, "embedding",
      "The id of each token picks its row of a table; the row is multiplied by √6.",
    ),
    part(
      `${side}_positions`, "add positions",
      "The row of its position is added to each token: sines and cosines, not learned.",
    ),
  ];
  const sublayer = (
    /** @type {string} */ name, /** @type {string} */ label, /** @type {string} */ text,
  ) => [
    part(name, label, text),
    part(
      `${name}_residual`, "add and norm",
      `What was there before is added to what the ${label} gives; then each token ` +
        "is normed by itself.",
    ),
  ];
  const feedForward = (/** @type {string} */ name) =>
    sublayer(
      `${name}.feed_forward`, "feed-forward",
      "Each token by itself: six numbers become twelve, the ReLU, and six again.",
    );
  const encoderLayer = (/** @type {number} */ n) => {
    const name = `encoder.layers.${n}`;
    const text = "The tokens listen to one another, then think.";
    return part(name, `layer ${n + 1}`, text, [
      ...sublayer(
        `${name}.self_attention`, "self-attention",
        "Each token looks at all source tokens and takes in a mixture of their values.",
      ),
      ...feedForward(name),
    ]);
  };
  const decoderLayer = (/** @type {number} */ n) => {
    const name = `decoder.layers.${n}`;
    const text = "Listen to the words so far, read the memory, think.";
    return part(name, `layer ${n + 1}`, text, [
      ...sublayer(
        `${name}.self_attention`, "self-attention",
        "Each token looks at itself and at those before it, never at a later one.",
      ),
      ...sublayer(
        `${name}.cross_attention`, "cross-attention",
        "Queries come from the decoder, keys and values from the memory: each place " +
          "looks at the source.",
      ),
      ...feedForward(name),
    ]);
  };
  const encoderText =
    "It reads the source. What leaves it is the memory: writing does not change it.";
  const decoderText =
    "It writes the target. Each of its layers reads the same memory.";
  const outputText = "One score for each of the 20 Spanish tokens: the logits.";
  return {
    src: [
      ...entrance("src"),
      part("encoder", "encoder", encoderText, [encoderLayer(0), encoderLayer(1)]),
    ],
    tgt: [
      ...entrance("tgt"),
      part("decoder", "decoder", decoderText, [decoderLayer(0), decoderLayer(1)]),
      part("output_proj", "linear", outputText),
    ],
  };
}
