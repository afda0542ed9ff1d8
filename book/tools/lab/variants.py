"""Train translators that differ in one thing and in their seeds, and score each.

    variants.py sizes FILE --seeds 0 1 2      ninety minutes of one core, for chapter 16
    variants.py precision FILE --seeds 0 1 2  in 32 bits and with bf16-mixed; an hour

All of one kind see the same sentences, every fourth of the training part. What stands
in FILE already is kept, so that an interrupted run can go on.
"""

from __future__ import annotations

import argparse
import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from book.tools.lab.record import begun
from lib import corpora
from lib.corpora import Corpus
from lib.evaluation.scores import score, unseen_parts
from lib.model import count_parameters
from lib.text import Vocabulary
from lib.text.files import write_json
from lib.text.subwords import SubwordVocabulary
from lib.training import TrainingSettings, train
from lib.translator import Translator
from lib.translator.card import machine

EVERY = 4
VARIANTS: dict[str, dict[str, dict[str, Any]]] = {
    "sizes": {
        "base": {},
        "wider, fewer layers": {"d_model": 256, "d_ff": 1024, "n_layers": 2},
        "narrower, more layers": {"d_model": 160, "d_ff": 640, "n_layers": 5},
    },
    "precision": {"32-true": {}, "bf16-mixed": {"precision": "bf16-mixed"}},
}
CORPORA = {"sizes": "tatoeba-en-es", "precision": "grammar"}
SETTINGS = {
    "sizes": TrainingSettings(
        d_model=192,
        n_layers=3,
        d_ff=768,
        dropout=0.1,
        tie_embeddings=True,
        vocab_size=6000,
        epochs=4,
        max_tokens=2048,
        learning_rate=0.0015,
        warmup_steps=300,
        label_smoothing=0.1,
    ),
    "precision": TrainingSettings(epochs=3),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Train what is asked for and not there yet."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kind", choices=VARIANTS)
    parser.add_argument("file", type=Path)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    options = parser.parse_args(arguments)
    corpus, settings = corpora.load(CORPORA[options.kind]), SETTINGS[options.kind]
    head = {"corpus": corpus.name, "every": EVERY}
    record = begun(options.file, {**head, "settings": dataclasses.asdict(settings)})
    runs, order = record.setdefault("runs", []), list(VARIANTS[options.kind])
    for seed in options.seeds:
        for name, changed in VARIANTS[options.kind].items():
            run = {"name": name, "seed": seed, "changed": changed}
            if not any(run.items() <= each.items() for each in runs):
                mine = dataclasses.replace(settings, **changed, seed=seed)
                runs.append({**run, **measure(corpus, mine)})
                runs.sort(key=lambda each: (order.index(each["name"]), each["seed"]))
                write_json(options.file, record)
                print(run, flush=True)
    return 0


def measure(corpus: Corpus, settings: TrainingSettings) -> dict[str, Any]:
    """Train on some pairs of the training part, and score what was not seen.

    The grammar is scored on its unseen parts, which no choice rests on; real sentences
    on the validation part, with all references.
    """
    part = corpus.splits["train"][::EVERY]  # they are sorted by length
    if corpus.generated:
        src, tgt = (Vocabulary.build(side) for side in zip(*part, strict=True))
        scored = unseen_parts(corpus.splits)
    else:
        texts = (text for pair in part for text in pair)
        src = tgt = SubwordVocabulary.build(texts, settings.vocab_size)
        scored = ["validation"]
    splits = {"train": part, "validation": corpus.splits["validation"][:100]}
    start = time.process_time()  # of all cores, whatever else the machine does
    model = train(splits, src, tgt, settings).model
    seconds = time.process_time() - start
    translator = Translator(model, src, tgt)
    scores = {name: score(translator, corpus.splits[name])[0] for name in scored}
    return {
        "pairs": len(part),
        "parameters": count_parameters(model),
        "seconds": round(seconds),
        **scores.get("validation", {"scores": scores}),
        "machine": machine(),
    }


if __name__ == "__main__":
    raise SystemExit(main())
