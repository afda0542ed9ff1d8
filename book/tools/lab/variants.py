"""Train the translator in other sizes, in short runs, and keep what each scored.

    variants.py FILE                      every size, seed 0; half an hour of one core
    variants.py FILE --seeds 0 1 2        with three seeds; ninety minutes
    variants.py FILE base                 this one alone
    variants.py FILE --every 16 …         on a smaller part of the sentences

All see the same sentences, every fourth of the training part, in runs that differ in
their sizes and seeds alone. They are scored on the validation part, greedily, with all
references. What stands in FILE already is kept, so that an interrupted run can go on.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from book.tools.lab.measure import machine, validate
from lib import corpora
from lib.corpora import Corpus
from lib.model import count_parameters
from lib.text.files import read_json, write_json
from lib.text.subwords import SubwordVocabulary
from lib.training import TrainingSettings, train
from lib.translator import Translator

CORPUS, EVERY = "tatoeba-en-es", 4
BASE = TrainingSettings(
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
)
VARIANTS: dict[str, dict[str, Any]] = {
    "base": {},
    "wider, fewer layers": {"d_model": 256, "d_ff": 1024, "n_layers": 2},
    "narrower, more layers": {"d_model": 160, "d_ff": 640, "n_layers": 5},
}
Key = tuple[str, int]  # a variant and a seed


def main(arguments: Sequence[str] | None = None) -> int:
    """Train what is asked for and not there yet; 2 if a name is unknown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(VARIANTS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--every", type=int, default=EVERY, help="(%(default)s)")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in VARIANTS]
    if unknown:
        names = ", ".join(VARIANTS)
        print(f"There is no variant {unknown[0]!r}; they are {names}.", file=sys.stderr)
        return 2
    if options.every < 1:
        print(
            f"--every must be at least 1, but it is {options.every}.", file=sys.stderr
        )
        return 2
    corpus = corpora.load(CORPUS)
    record = Record(options.file, options.every)
    for seed in options.seeds:
        for name in options.names or VARIANTS:
            if (name, seed) not in record.runs:
                run = measure_variant(corpus, name, seed, options.every)
                record.add(run)
                print(run, flush=True)
    return 0


class Record:
    """The file of all runs.

    Args:
        file: where the runs stand; those measured in another way are left out.
        every: each how many-th pair of the training part is read.
    """

    def __init__(self, file: Path, every: int) -> None:
        self.file = file
        self.head = {
            "corpus": CORPUS,
            "every": every,
            "settings": dataclasses.asdict(BASE),
        }
        self.runs: dict[Key, dict[str, Any]] = {}
        found = read_json(file) if file.is_file() else {}
        if found and self._is_of_this_kind(found):
            self.runs = {(run["name"], run["seed"]): run for run in found["runs"]}

    def _is_of_this_kind(self, found: dict[str, Any]) -> bool:
        # A setting that came later had its default in an older file.
        told = dataclasses.asdict(TrainingSettings()) | found.get("settings", {})
        return all(
            {**found, "settings": told}.get(k) == v for k, v in self.head.items()
        )

    def add(self, run: dict[str, Any]) -> None:
        """Keep a run, and write the file."""
        self.runs[run["name"], run["seed"]] = run
        order = list(VARIANTS)
        keys = sorted(self.runs, key=lambda key: (order.index(key[0]), key[1]))
        write_json(self.file, {**self.head, "runs": [self.runs[key] for key in keys]})


def measure_variant(corpus: Corpus, name: str, seed: int, every: int) -> dict[str, Any]:
    """Train one variant on some pairs of the training part, and score it."""
    changed = VARIANTS[name]
    settings = dataclasses.replace(BASE, **changed, seed=seed)
    part = corpus.splits["train"][::every]  # they are sorted by length
    texts = (text for pair in part for text in pair)
    vocabulary = SubwordVocabulary.build(texts, settings.vocab_size)
    splits = {"train": part, "validation": corpus.splits["validation"][:100]}
    start = time.process_time()  # of all cores, whatever else the machine does
    model = train(splits, vocabulary, vocabulary, settings).model
    seconds = time.process_time() - start
    found, _ = validate(Translator(model, vocabulary, vocabulary), corpus, None)
    return {
        "name": name,
        "seed": seed,
        "changed": changed,
        "pairs": len(part),
        "parameters": count_parameters(model),
        "seconds": round(seconds),
        **{key: found[key] for key in ("bleu", "chrf", "sentences")},
        "machine": machine(),
    }


if __name__ == "__main__":
    raise SystemExit(main())
