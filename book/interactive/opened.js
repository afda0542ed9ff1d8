// What flows through a Transformer for one sentence, part by part; and its parts.
//
// The model's own parts note what they get and give, while it runs as always.

import { Matrix } from "./arrays.js";
import { shapes } from "./config.js";
import { DecoderLayer } from "./layers.js";
import { SMALL } from "./small_model.js";

/**
 * @typedef {{ input: Matrix, output: Matrix, weights: Matrix[], from: string }} Flow
 *   what goes into a part, what comes out, where its heads look (rows are queries), and
 *   where the keys come from: "src" or "tgt"
 * @typedef {{ name: string, label: string, side: string, text: string, opens: boolean,
 *   depth: number }} Part whether there are parts in it, and how many it is in itself
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
 * Let a model note what goes into each of its parts and comes out of it.
 * @param {import("./model.js").Transformer} model
 * @returns {(src: number[], tgt: number[]) => Record<string, Flow>} what flows for the
 *   token ids of a source, and of a target that begins with <sos>
 */
export function recorder(model) {
  /** @type {Record<string, Flow>} */
  let found = {};
  let side = "src";
  /** @param {any} part @param {() => string} name @param {string} [from] */
  const watch = (part, name, from = "src") => {
    const forward = part.forward.bind(part);
    part.forward = (/** @type {Matrix | number[]} */ x, /** @type {any[]} */ ...rest) => {
      const output = forward(x, ...rest);
      const input = x instanceof Matrix ? x : Matrix.fromRows(x.map((id) => [id]));
      found[name()] = { input, output, weights: part.lastWeights ?? [], from };
      return output;
    };
  };
  watch(model.srcEmbedding, () => "src_embedding");
  watch(model.tgtEmbedding, () => "tgt_embedding");
  watch(model.positions, () => `${side}_positions`);
  watch(model.outputProj, () => "output_proj");
  watch(model.encoder, () => "encoder");
  watch(model.decoder, () => "decoder");
  for (const layer of [...model.encoder.layers, ...model.decoder.layers]) {
    const own = layer instanceof DecoderLayer ? "tgt" : "src";
    watch(layer, () => layer.name);
    for (const [part, object] of Object.entries(layer)) {
      if (!object.forward) continue;
      const name = part.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      watch(object, () => `${layer.name}.${name}`, part === "selfAttention" ? own : "src");
    }
  }
  return (src, tgt) => {
    [found, side] = [{}, "src"];
    const memory = model.encode(src);
    side = "tgt";
    model.decode(tgt, memory);
    return found;
  };
}

/** @type {Record<string, string>} */
const TEXTS = {
  embedding:
    "The id of each token picks its row of a table; the row is multiplied by √6.",
  positions:
    "The row of its position is added to each token: sines and cosines, not learned.",
  encoder:
    "It reads the source. What leaves it is the memory: writing does not change it.",
  decoder: "It writes the target. Each of its layers reads the same memory.",
  encoderLayer: "The tokens listen to one another, then think.",
  decoderLayer: "The tokens so far listen to one another, read the memory, then think.",
  encoderSelf:
    "Each token looks at all source tokens and takes in a mixture of their values.",
  decoderSelf:
    "Each token looks at itself and at those before it, never at a later one.",
  cross:
    "Queries come from the decoder, keys and values from the memory: each place " +
    "looks at the source.",
  residual:
    "What was there before is added to what the … gives; then each token is normed by " +
    "itself.",
  feedForward:
    "Each token by itself: six numbers become twelve, the ReLU, and six again.",
  output: "One score for each of the 20 Spanish tokens: the logits.",
};

/**
 * The parts of the model, from below, each after those that are in it: what each is
 * called, and what it does in a sentence.
 * @returns {Part[]}
 */
export function parts() {
  return ["src", "tgt"].flatMap((side) => {
    const stack = side === "src" ? "encoder" : "decoder";
    /** @param {string} name @param {string} label @param {string} text */
    const part = (name, label, text, opens = false) => {
      return { name, label, side, text, opens, depth: name.split(".").length >> 1 };
    };
    const sublayers = [
      ["self_attention", "self-attention", TEXTS[`${stack}Self`]],
      ...(side === "tgt" ? [["cross_attention", "cross-attention", TEXTS.cross]] : []),
      ["feed_forward", "feed-forward", TEXTS.feedForward],
    ];
    const layers = [0, 1].flatMap((n) => {
      const layer = `${stack}.layers.${n}`;
      const inside = sublayers.flatMap(([name, label, text]) => [
        part(`${layer}.${name}`, label, text),
        part(`${layer}.${name}_residual`, "add and norm", TEXTS.residual.replace("…", label)),
      ]);
      return [...inside, part(layer, `layer ${n + 1}`, TEXTS[`${stack}Layer`], true)];
    });
    return [
      part(`${side}_embedding`, "embedding", TEXTS.embedding),
      part(`${side}_positions`, "add positions", TEXTS.positions),
      ...layers,
      part(stack, stack, TEXTS[stack], true),
      ...(side === "tgt" ? [part("output_proj", "linear", TEXTS.output)] : []),
    ];
  });
}
