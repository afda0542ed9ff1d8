// Answer the question that comes in: the tests compare the answer with lib's.
//
// "exports": the constants of a module. "subwords": the ids and the text of sentences.
// "texts": their parts, and what is given back in kind. "logits": of pairs, under
// switches. "gradient": of the loss of a batch. "smallest": what chapter 5's model begins
// with and learns. "training": how many sentences are right after some steps. "rates":
// those of chapter 12's steps. "writing": what the language model writes. "parts": the
// numbers that the page's scripts hold.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runInThisContext } from "node:vm";
import { rateAt } from "../../book/interactive/figures/rate.js";
import { Adam } from "../../book/interactive/descent.js";
import { LanguageModel, Text } from "../../book/interactive/language_model.js";
import { dialed, drawn } from "../../book/interactive/sampling.js";
import { gradientOf, untrained } from "../../book/interactive/smallest.js";
import { Matrix } from "../../book/interactive/arrays.js";
import { mapped } from "../../book/interactive/tape.js";
import { measured, Training } from "../../book/interactive/training.js";
import { Transformer } from "../../book/interactive/model.js";
import { inKind } from "../../book/interactive/raw.js";
import {
  joined, readSource, readText, SubwordVocabulary,
} from "../../book/interactive/subwords.js";
import { ModelParts, readSafetensors, unpacked } from "../../book/interactive/weights.js";

const json = (file) => JSON.parse(readFileSync(file, "utf-8"));
const question = json(0);

const answers = {
  exports: ({ module }) => import(`../../book/interactive/${module}`),

  subwords({ tokenizer, sentences }) {
    const vocabulary = SubwordVocabulary.fromTokenizer(json(tokenizer));
    const source = (sentence) => {
      try {
        return readSource(sentence, vocabulary, 128);
      } catch (error) {
        return { refused: error.message };
      }
    };
    return sentences.map((sentence) => {
      const ids = vocabulary.encode(sentence);
      return { ids, text: vocabulary.decode(ids), source: source(sentence) };
    });
  },

  texts({ tokenizer, texts }) {
    const vocabulary = SubwordVocabulary.fromTokenizer(json(tokenizer));
    return texts.map((text) => {
      const read = readText(text, vocabulary, 10_000, true);
      const back = read.map((source) => inKind(source.text, source.form));
      const rows = read.map(({ text: one, ids, space, said }) => [one, ids, space, said]);
      return [rows, back, joined(read, back)];
    });
  },

  logits({ folder, config, pairs, switches }) {
    const bytes = readFileSync(join(folder, "model.safetensors"));
    const arrays = readSafetensors(new Uint8Array(bytes).buffer);
    const model = new Transformer(config, arrays);
    Object.assign(model.switches, switches);
    return pairs.map(([src, tgt]) => {
      const logits = model.decode(tgt, model.encode(src)).toRows();
      const weights = Object.entries(model.attentionWeights()).map(
        ([name, heads]) => [name, heads.map((head) => head.toRows())],
      );
      return { logits, weights: Object.fromEntries(weights) };
    });
  },

  gradient({ config, weights, batch }) {
    const { loss, gradient } = measured(config, mapped(weights, Matrix.fromRows), batch);
    return { loss, gradient: mapped(gradient, (matrix) => matrix.toRows()) };
  },

  smallest({ steps }) {
    const adam = new Adam(0.1);
    const seen = [];
    let numbers = untrained();
    for (let step = 0; step < steps; step++) {
      seen.push(gradientOf(numbers));
      numbers = adam.step(numbers, seen[step].gradient);
    }
    const first = mapped(seen[0].gradient, (matrix) => [...matrix.data]);
    return { first, losses: seen.map(({ loss }) => loss) };
  },

  rates: ({ warmup }) => Array.from({ length: 60 }, (_, step) => rateAt(1, warmup, step)),

  training({ steps, missing, marked }) {
    const training = new Training();
    for (let n = 0; n < steps; n++) training.step({ rate: 0.01, missing });
    return marked.map((each) => training.mark({ rate: 0, missing: each }));
  },

  async writing({ folder, typed, dials, numbers }) {
    const { config, arrays, tokenizer } = await model(folder);
    const vocabulary = SubwordVocabulary.fromMerges(tokenizer);
    const text = new Text(new LanguageModel(config, arrays), vocabulary);
    return typed.map((each, n) => {
      text.begin(each);
      for (let step = text.typed - 1; text.open; step++) {
        text.write(drawn(dialed(text.logits, dials), numbers[step][n]));
      }
      return text.ids;
    });
  },

  async parts({ folder, names }) {
    const { config, arrays, tokenizer } = await model(folder);
    const { tokens, ranks } = SubwordVocabulary.fromMerges(tokenizer);
    const rows = (name) => arrays[name].toRows();
    const found = Object.fromEntries(names.map((name) => [name, rows(name)]));
    const shapes = Object.entries(arrays).map(([name, a]) => [name, a.rows, a.cols]);
    return { config, tokens, merges: [...ranks.keys()], shapes, found };
  },
};

/** What the scripts in a folder make. */
async function model(folder) {
  globalThis.bookModel = new ModelParts();
  for (const name of readdirSync(folder)) {
    runInThisContext(readFileSync(join(folder, name), "utf-8"));
  }
  return unpacked(globalThis.bookModel.all());
}

console.log(JSON.stringify(await answers[question.kind](question)));
