"""Train small variants of the shipped translator and keep what each of them scored.

    variants.py FILE                    every variant; about an hour on two cores
    variants.py FILE base "no dropout"  these alone

All see the same sentences, every fourth of the training part, in short runs that differ
in one thing. They are scored on the validation part, greedily, with all references.
What stands in FILE already is kept, so that an interrupted run can go on.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # the working tree, whatever else is installed

from measure import machine, validate  # noqa: E402

from lib import corpora  # noqa: E402
from lib.corpora import Corpus  # noqa: E402
from lib.files import read_json, write_json  # noqa: E402
from lib.model import count_parameters  # noqa: E402
from lib.training import TrainingSettings, train  # noqa: E402
from lib.translator import Translator  # noqa: E402
from lib.vocabulary.subwords import SubwordVocabulary  # noqa: E402

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
    "another seed": {"seed": 1},
    "fewer pieces": {"vocab_size": 2000},
    "wider, fewer layers": {"d_model": 256, "d_ff": 1024, "n_layers": 2},
    "narrower, more layers": {"d_model": 160, "d_ff": 640, "n_layers": 5},
    "no dropout": {"dropout": 0.0},
    "no label smoothing": {"label_smoothing": 0.0},
    "post-norm": {"norm_first": False},
    "twice as long": {"epochs": 8},
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Train what is asked for and not there yet; 2 if a name is unknown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(VARIANTS))
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in VARIANTS]
    if unknown:
        names = ", ".join(VARIANTS)
        print(f"There is no variant {unknown[0]!r}; they are {names}.", file=sys.stderr)
        return 2
    corpus = corpora.load(CORPUS)
    head = {
        "corpus": CORPUS,
        "every": EVERY,
        "settings": dataclasses.asdict(BASE),
        "machine": machine(),
    }
    rows = _earlier(options.file, head)
    for name in options.names or VARIANTS:
        if name not in rows:
            rows[name] = measure_variant(corpus, name)
            print(rows[name], flush=True)
        ordered = [rows[name] for name in VARIANTS if name in rows]
        write_json(options.file, {**head, "rows": ordered})
    return 0


def _earlier(file: Path, head: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the rows of the file, if they were measured in the same way."""
    if not file.is_file():
        return {}
    found = read_json(file)
    if any(found.get(key) != value for key, value in head.items()):
        return {}
    return {row["name"]: row for row in found["rows"]}


def measure_variant(corpus: Corpus, name: str) -> dict[str, Any]:
    """Train one variant on some pairs of the training part, and score it."""
    changed = VARIANTS[name]
    settings = dataclasses.replace(BASE, **changed)
    part = corpus.splits["train"][::EVERY]  # they are sorted by length
    texts = (text for pair in part for text in pair)
    vocabulary = SubwordVocabulary.build(texts, settings.vocab_size)
    splits = {"train": part, "validation": corpus.splits["validation"][:100]}
    start = time.perf_counter()
    model = train(splits, vocabulary, vocabulary, settings).model
    seconds = time.perf_counter() - start
    translator = Translator(model, vocabulary, vocabulary)
    found = validate(translator, corpus, None)
    return {
        "name": name,
        "changed": changed,
        "pairs": len(part),
        "parameters": count_parameters(model),
        "seconds": round(seconds),
        **{key: found[key] for key in ("bleu", "chrf", "sentences")},
    }


if __name__ == "__main__":
    raise SystemExit(main())
