"""Train the grammar's translator in 32 bits and with bf16-mixed, and score what is new.

    precision.py FILE                 three seeds of each; an hour of one core
    precision.py FILE --epochs 1 --every 16     a short try

Both see the same sentences in the same order, from the same first weights; they differ
in `precision` alone. Each is scored greedily on the sentences and on the combinations
that it never saw. What stands in FILE already is kept: an interrupted run can go on.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lib import corpora
from lib.corpora import Corpus
from lib.evaluation.scores import score, unseen_parts
from lib.text import Vocabulary
from lib.text.files import read_json, write_json
from lib.training import TrainingSettings, train
from lib.translator import Translator
from lib.translator.card import machine

PRECISIONS = ("32-true", "bf16-mixed")


def main(arguments: Sequence[str] | None = None) -> int:
    """Train what is not there yet."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--epochs", type=int, default=3, help="(%(default)s)")
    parser.add_argument("--every", type=int, default=4, help="(%(default)s)")
    options = parser.parse_args(arguments)
    settings = TrainingSettings(epochs=options.epochs)
    head = {"every": options.every, "settings": dataclasses.asdict(settings)}
    record = read_json(options.file) if options.file.is_file() else {**head, "runs": []}
    if {name: record.get(name) for name in head} != head:
        print(f"{options.file} holds runs of other settings; name another file.")
        return 2
    corpus = corpora.load("grammar")
    for seed in options.seeds:
        for precision in PRECISIONS:
            run = {"precision": precision, "seed": seed}
            if not any(run.items() <= each.items() for each in record["runs"]):
                mine = dataclasses.replace(settings, precision=precision, seed=seed)
                record["runs"].append({**run, **measure(corpus, mine, options.every)})
                write_json(options.file, record)
                print(record["runs"][-1], flush=True)
    return 0


def measure(corpus: Corpus, settings: TrainingSettings, every: int) -> dict[str, Any]:
    """Train on each how many-th pair of the training part, and score."""
    part = corpus.splits["train"][::every]
    splits = {"train": part, "validation": corpus.splits["validation"][:200]}
    src_vocab, tgt_vocab = (Vocabulary.build(side) for side in zip(*part, strict=True))
    model = train(splits, src_vocab, tgt_vocab, settings).model
    translator = Translator(model, src_vocab, tgt_vocab)
    scores = {
        name: score(translator, corpus.splits[name])[0]
        for name in unseen_parts(corpus.splits)
    }
    return {"pairs": len(part), "scores": scores, "machine": machine()}


if __name__ == "__main__":
    raise SystemExit(main())
