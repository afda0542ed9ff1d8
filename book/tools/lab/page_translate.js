// Translate with the code of the page, without a page: for tests and measurements.
//
//     node page_translate.js JOB.json
//
// The job names a folder (of a translator, or of the page's parts), sentences, a beam
// (0 writes greedily) and perhaps `warm`, sentences to translate before the clock runs.
// The answer, JSON too: of each translation the ids, a list for each sentence, and the
// text; and seconds.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runInThisContext } from "node:vm";
import { BeamSearch } from "../../interactive/beam.js";
import { Greedy } from "../../interactive/greedy.js";
import { Transformer } from "../../interactive/model.js";
import { inKind } from "../../interactive/raw.js";
import { joined, readText, SubwordVocabulary } from "../../interactive/subwords.js";
import { ModelParts, readSafetensors, unpacked } from "../../interactive/weights.js";

const job = JSON.parse(readFileSync(process.argv[2], "utf-8"));
const { model, vocabulary, reading } = await load(job.folder);
(job.warm ?? []).forEach(translate);
const before = process.cpuUsage();
const found = job.sentences.map(translate);
// The time of the processor: what else runs on the machine does not count.
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ found, processor_seconds: (user + system) / 1e6 }));

function translate(/** @type {string} */ sentence) {
  const began = performance.now();
  const sources = readText(sentence, vocabulary, model.config.max_len, reading.prose);
  const ends = { sosId: vocabulary.sosId, eosId: vocabulary.eosId };
  let first = 0; // seconds to the first word
  const ids = sources.map(({ ids: src }) => {
    if (job.beam) {
      const search = new BeamSearch(model, src, { ...ends, beamSize: job.beam });
      while (!search.done) search.step();
      return search.best()[0].ids;
    }
    const greedy = new Greedy(model, src, ends);
    greedy.step();
    first ||= (performance.now() - began) / 1000;
    while (!greedy.done) greedy.step();
    return greedy.ids;
  });
  const texts = sources.map(({ form }, i) => inKind(vocabulary.decode(ids[i]), form));
  return { ids, text: joined(sources, texts), first };
}

async function load(/** @type {string} */ folder) {
  const scripts = readdirSync(folder).filter((name) => /^model-\d+\.js$/.test(name));
  if (scripts.length) {
    const parts = new ModelParts();
    Object.assign(globalThis, { bookModel: parts });
    for (const name of scripts) {
      runInThisContext(readFileSync(join(folder, name), "utf-8"));
    }
    const { config, arrays, tokenizer, reading } = await unpacked(parts.all());
    return {
      model: new Transformer(config, arrays),
      vocabulary: SubwordVocabulary.fromMerges(tokenizer),
      reading,
    };
  }
  const json = (/** @type {string} */ name) =>
    JSON.parse(readFileSync(join(folder, name), "utf-8"));
  const bytes = readFileSync(join(folder, "model.safetensors"));
  const arrays = readSafetensors(new Uint8Array(bytes).buffer);
  return {
    model: new Transformer(json("config.json").model, arrays),
    vocabulary: SubwordVocabulary.fromTokenizer(json("tokenizer.json")),
    reading: { prose: json("config.json").prose ?? false },
  };
}
