// Answer the questions that tests/interactive/test_interactive_model.py compares with lib's
// answers.
//
//     node ask.js QUESTION.json
//
// "subwords": the ids and the text of sentences. "logits": of pairs, under switches.
// "parts": the numbers that the page's scripts hold.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runInThisContext } from "node:vm";
import { Transformer } from "../../book/interactive/model.js";
import { inKind } from "../../book/interactive/raw.js";
import { readSource, readText, SubwordVocabulary } from "../../book/interactive/subwords.js";
import { ModelParts, readSafetensors, unpacked } from "../../book/interactive/weights.js";

const json = (file) => JSON.parse(readFileSync(file, "utf-8"));
const question = json(process.argv[2]);

const answers = {
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
    return texts.map((text) =>
      readText(text, vocabulary, 10_000, true).map((source) => [
        source.text, source.ids, source.space, inKind(source.text, source.form),
      ]),
    );
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

  async parts({ folder, names }) {
    globalThis.bookModel = new ModelParts();
    for (const name of readdirSync(folder)) {
      runInThisContext(readFileSync(join(folder, name), "utf-8"));
    }
    const { config, arrays, tokenizer } = await unpacked(globalThis.bookModel.all());
    const { tokens, ranks } = SubwordVocabulary.fromMerges(tokenizer);
    const rows = (name) => arrays[name].toRows();
    const found = Object.fromEntries(names.map((name) => [name, rows(name)]));
    const shapes = Object.entries(arrays).map(([name, a]) => [name, a.rows, a.cols]);
    return { config, tokens, merges: [...ranks.keys()], shapes, found };
  },
};

console.log(JSON.stringify(await answers[question.kind](question)));
