// Translate with the code of the page, without a page.
//
//     node translate_lines.js JOB.json
//
// The job names a translator's folder, sentences, and a beam (0 writes greedily). The
// answer, JSON too: the translations.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BeamSearch } from "../../book/interactive/search.js";
import { Transformer } from "../../book/interactive/model.js";
import { inKind } from "../../book/interactive/raw.js";
import { joined, readText, SubwordVocabulary } from "../../book/interactive/subwords.js";
import { readSafetensors } from "../../book/interactive/weights.js";

const job = JSON.parse(readFileSync(process.argv[2], "utf-8"));
const json = (/** @type {string} */ name) =>
  JSON.parse(readFileSync(join(job.folder, name), "utf-8"));
const bytes = readFileSync(join(job.folder, "model.safetensors"));
const arrays = readSafetensors(new Uint8Array(bytes).buffer);
const { model: sizes } = json("config.json");
const model = new Transformer(sizes, arrays);
const vocabulary = SubwordVocabulary.fromTokenizer(json("tokenizer.json"));
console.log(JSON.stringify(job.sentences.map(translate)));

function translate(/** @type {string} */ sentence) {
  const sources = readText(sentence, vocabulary, model.config.max_len);
  const ends = { sosId: vocabulary.sosId, eosId: vocabulary.eosId };
  const texts = sources.map(({ ids: src, form }) => {
    const search = new BeamSearch(model, src, { ...ends, beamSize: job.beam || 1 });
    while (!search.done) search.step();
    return inKind(vocabulary.decode(search.best()[0].ids), form);
  });
  return joined(sources, texts);
}
