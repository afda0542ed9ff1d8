// A whole training in small: sentences of the grammar, steps, and what is written now.

import { Adam } from "./descent.js";
import { Matrix } from "./arrays.js";
import { shapes } from "./config.js";
import { Transformer } from "./model.js";
import { FEW } from "./small_pairs.js";
import { mapped, withGradient } from "./tape.js";

/**
 * @typedef {import("./config.js").Config} Config
 * @typedef {{src: number[], tgt: number[]}} Example a target has both its ends
 * @typedef {Partial<import("./config.js").Switches>} Missing
 * @typedef {{rate: number, missing: Missing}} Orders
 * @typedef {{learned: number, kept: number, written: string[]}} Marks
 * @typedef {{steps: number, loss: number, marks?: Marks}} Report
 */

const [SOS, EOS] = [1, 2];
const BATCH = 16;
const LONGEST = 12; // tokens that it may write
const [TOLD, MARKED] = [10, 50]; // steps between two losses, and between two marks

const ENGLISH = FEW.english.split(" ");
const SPANISH = FEW.spanish.split(" ");

/** All pairs, read from a byte for each token. @returns {Example[]} */
function examples() {
  const bytes = Array.from(atob(FEW.bytes), (letter) => letter.charCodeAt(0));
  const found = [];
  while (bytes.length) {
    const src = bytes.splice(0, bytes.indexOf(EOS) + 1);
    found.push({ src, tgt: [SOS, ...bytes.splice(0, bytes.indexOf(EOS) + 1)] });
  }
  return found;
}

export const EXAMPLES = examples();
/** Every seventh pair is kept apart, the others are learned from. */
export const isKept = (/** @type {number} */ n) => n % 7 === 0;
const LEARNED = EXAMPLES.filter((_, n) => !isKept(n));
/** The sentences that a reader sees, those first that are learned from. */
export const SHOWN = [9, 67, 93, 112, 119, 28, 168, 7];

export const SIZES = {
  src_vocab_size: ENGLISH.length,
  tgt_vocab_size: SPANISH.length,
  d_model: 16,
  n_heads: 2,
  n_layers: 1,
  d_ff: 32,
  max_len: 16,
  pad_id: 0,
  norm_first: false,
  tie_embeddings: false,
};

/** A model on its way, with its optimizer: of chapter 10, if not told otherwise. */
export class Training {
  steps = 0;
  adam = new Adam(0);

  /** @param {Config} sizes @param {Example[]} learned */
  constructor(sizes = SIZES, learned = LEARNED, seed = 1) {
    this.sizes = sizes;
    this.learned = learned;
    let state = seed;
    this.random = () => {
      state = (state * 48271) % 2147483647;
      return (2 * state) / 2147483647 - 1;
    };
    this.numbers = untrained(sizes, this.random);
  }

  /**
   * One step on some of the sentences, or on all if they are few.
   * @param {Orders} orders
   * @returns {number} the loss before it
   */
  step({ rate, missing }) {
    const { learned, sizes } = this;
    const drawn = () => learned[Math.floor(((this.random() + 1) / 2) * learned.length)];
    const batch = learned.length > BATCH ? Array.from({ length: BATCH }, drawn) : learned;
    const { loss, gradient } = measured(sizes, this.numbers, batch, missing);
    this.adam.rate = rate;
    this.numbers = this.adam.step(this.numbers, gradient);
    this.steps += 1;
    return loss;
  }

  /**
   * What it writes, always the best next word.
   * @param {number[][]} src
   * @param {Orders} orders
   * @returns {number[][]}
   */
  write(src, { missing }) {
    const model = lacking(this.sizes, this.numbers, missing);
    return src.map((ids) => {
      const memory = model.encode(ids);
      const tgt = [SOS];
      while (tgt.length <= LONGEST && tgt.at(-1) !== EOS) {
        const last = model.decode(tgt, memory).row(tgt.length - 1);
        tgt.push(last.indexOf(Math.max(...last)));
      }
      return tgt;
    });
  }

  /**
   * How many sentences are right, and what it writes for those shown.
   * @param {Orders} orders
   * @returns {Marks}
   */
  mark(orders) {
    const texts = this.write(EXAMPLES.map(({ src }) => src), orders).map(spanish);
    const right = texts.map((text, n) => text === spanish(EXAMPLES[n].tgt));
    const count = (/** @type {boolean} */ kept) =>
      right.filter((good, n) => good && isKept(n) === kept).length;
    const written = SHOWN.map((n) => texts[n]);
    return { learned: count(false), kept: count(true), written };
  }
}

/**
 * The numbers before training: as large as lib draws them, the biases zero.
 * @param {Config} config
 * @param {() => number} random numbers between -1 and 1
 */
function untrained(config, random) {
  return mapped(shapes(config), ([rows, cols], name) => {
    const flat = name.endsWith("bias") ? 0 : 1;
    const reach = name.includes("embedding")
      ? Math.sqrt(3 / cols) // a deviation of 1 / √D
      : Math.sqrt(6 / (rows + cols));
    const draw = () => (name.includes("norm") ? flat : flat * reach * random());
    return new Matrix(rows, cols, Float32Array.from({ length: rows * cols }, draw));
  });
}

/**
 * A model of these numbers, some of its pieces taken away.
 * @param {Config} config
 * @param {import("./tape.js").Numbers} numbers
 * @param {Missing} missing
 */
function lacking(config, numbers, missing) {
  const model = new Transformer(config, numbers);
  Object.assign(model.switches, missing);
  return model;
}

/**
 * The loss of a batch, and its gradient: each target is fed without its end, and asked
 * without its start.
 * @param {Config} config
 * @param {import("./tape.js").Numbers} numbers
 * @param {Example[]} batch
 * @param {Missing} [missing]
 */
export function measured(config, numbers, batch, missing = {}) {
  return withGradient(numbers, batch, (copies) => {
    const model = lacking(config, copies, missing);
    return ({ src, tgt }) => {
      const scores = model.decode(tgt.slice(0, -1), model.encode(src));
      return { scores, labels: tgt.slice(1) };
    };
  });
}

/** The words of a source. @param {number[]} src */
export function english(src) {
  return sentence(src, ENGLISH);
}

/** The words of a target, between both its ends. @param {number[]} tgt */
export function spanish(tgt) {
  return sentence(tgt.slice(1), SPANISH);
}

/** The words up to the end. @param {number[]} ids @param {string[]} tokens */
export function sentence(ids, tokens) {
  const end = ids.indexOf(EOS);
  const words = ids.slice(0, end < 0 ? ids.length : end).map((id) => tokens[id]);
  return words.join(" ").replace(" .", ".");
}

let training = new Training();

/** What the worker does when it is asked to. */
export const served = {
  /** Forget all. */
  restart() {
    training = new Training();
  },

  /** Some steps, and how they went. @param {Orders} orders @returns {Report} */
  train(orders) {
    let loss = 0;
    for (let n = 0; n < TOLD; n++) loss += training.step(orders) / TOLD;
    const { steps } = training;
    return { steps, loss, marks: steps % MARKED ? undefined : training.mark(orders) };
  },

  /** What it writes under other orders. @param {Orders} orders */
  mark: (orders) => training.mark(orders),
};
