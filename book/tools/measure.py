"""From a training run to a translator that is shipped, with all that was measured.

    measure.py translator RUN FOLDER    choose the average, score, write the card
    measure.py record RUN FILE          keep a benchmark's settings and scores

What is chosen is chosen on the validation part. The test part is translated once, at
the end. Only counts and scores are written, never a sentence of the corpus.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import platform
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
from sacrebleu.metrics.bleu import BLEU
from safetensors.torch import load_file

from lib import corpora
from lib.corpora import Corpus, references
from lib.evaluation.mistakes import KINDS, group_by, kinds_of_mistakes
from lib.evaluation.scores import compare_with_all
from lib.files import read_json, write_json, write_whole
from lib.model import Transformer, count_parameters
from lib.training import TrainingSettings
from lib.training.averaging import average_weights, epoch_files
from lib.training.folders import LOG, SETTINGS
from lib.training.logs import read_log
from lib.translator import Translator
from lib.translator.card import write_card
from lib.vocabulary import tokenize
from lib.vocabulary.subwords import SubwordVocabulary

BEAM, PENALTY = 4, 0.6
BEAMS = ((1, PENALTY), (2, PENALTY), (4, PENALTY), (8, PENALTY))
PENALTIES = ((BEAM, 0.0), (BEAM, 1.0), (BEAM, 1.4))
AVERAGES = (2, 4, 8)
LENGTHS = (1, 4, 6, 8, 10, 13)
COUNTS = (0, 1, 5, 20, 100, 500)


def main(arguments: Sequence[str] | None = None) -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    what = parser.add_subparsers(required=True)
    ship = what.add_parser("translator", help="make a folder to ship out of a run")
    ship.add_argument("run", type=Path)
    ship.add_argument("folder", type=Path)
    ship.add_argument("--corpus", default="tatoeba-en-es", choices=corpora.names())
    ship.add_argument("--limit", type=int, help="sources of each part, for a trial")
    ship.add_argument("--machine", default=machine(), help="(%(default)s)")
    ship.set_defaults(do=make_translator)
    record = what.add_parser("record", help="keep what a benchmark's run gave")
    record.add_argument("run", type=Path)
    record.add_argument("file", type=Path)
    record.set_defaults(do=keep_record)
    options = parser.parse_args(arguments)
    options.do(options)


def machine() -> str:
    """Say what this is, without the name of the machine."""
    cores = f"{os.cpu_count()} cores of a {platform.machine()} processor"
    return f"{cores}, PyTorch {torch.__version__}"


# --- a translator ---------------------------------------------------------------------


def make_translator(options: argparse.Namespace) -> None:
    """Average, choose, measure, and write the folder."""
    corpus = corpora.load(options.corpus)
    folder = options.folder
    run = Run(options.run, corpus)
    tried, average = choose_average(run, options.limit)
    translator = run.translator(average)
    translator.save(folder, half=True)
    translator = Translator.load(folder)  # as everybody will use it, in 16 bits
    write_json(folder / "tried.json", tried)
    write_json(folder / "beams.json", search(translator, corpus, options.limit))
    scores, errors, counts = grade(translator, corpus, options.limit)
    write_json(folder / "errors.json", errors)
    write_whole(folder / "ngram_counts.csv", counts)
    report = run.report(average, options.machine, scores)
    write_json(folder / "scores.json", report)
    write_whole(folder / LOG, (options.run / LOG).read_text("utf-8"))
    write_card(folder, report)
    print((folder / "README.md").read_text("utf-8"))


class Run:
    """The folder of a run that has ended, or stands at the end of an epoch.

    Args:
        folder: where it is.
        corpus: what it was trained on.
    """

    def __init__(self, folder: Path, corpus: Corpus) -> None:
        self.folder, self.corpus = folder, corpus
        self.told = read_json(folder / SETTINGS)
        names = [field.name for field in dataclasses.fields(TrainingSettings)]
        self.settings = TrainingSettings(
            **{name: self.told[name] for name in names if name in self.told}
        )
        self.log = read_log(folder / LOG)
        texts = (text for pair in corpus.splits["train"] for text in pair)
        self.vocabulary = SubwordVocabulary.build(texts, self.settings.vocab_size)
        self.files = epoch_files(folder)

    def translator(self, average: int, last: int | None = None) -> Translator:
        """Return the mean of so many epochs, up to the last, or to another one."""
        numbers = [int(file.stem.partition("-")[2]) for file in self.files]
        end = len(numbers) if last is None else numbers.index(last) + 1
        states = [load_file(file) for file in self.files[end - average : end]]
        size = len(self.vocabulary)
        model = Transformer(self.settings.model_config(size, size))
        model.load_state_dict(average_weights(states), strict=False)
        return Translator(model, self.vocabulary, self.vocabulary)

    def report(
        self, average: int, machine: str, scores: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the contents of ``scores.json``."""
        settings = dataclasses.replace(self.settings, average=average)
        defaults = dataclasses.asdict(TrainingSettings())
        changed = [
            f"--set {name}={str(value).lower() if value is True else value}"
            for name, value in dataclasses.asdict(settings).items()
            if value != defaults[name]
        ]
        corpus = self.corpus
        command = f"python -m lib train --corpus {corpus.name} {' '.join(changed)}"
        return {
            "command": command,
            "name": corpus.name,
            "corpus": corpus.name,
            "settings": dataclasses.asdict(settings),
            "parameters": count_parameters(self.translator(1).model),
            "train_pairs": self.told["pairs"]["train"],
            "pairs": self.told["pairs"],
            "attribution": corpus.attribution,
            "machine": machine,
            "seconds": round(sum(float(row["seconds"]) for row in self.log)),
            "scores": scores,
        }


def validate(
    translator: Translator, corpus: Corpus, limit: int | None, *how: Any
) -> dict[str, Any]:
    """Score on the validation part, and say how much computing that took."""
    answers = dict(list(references(corpus.splits["validation"]).items())[:limit])
    start = time.process_time()  # other programs do not count
    written = translator.translate(answers, 64, *how)
    seconds = time.process_time() - start
    found = compare_with_all(written, list(answers.values()))
    first = sum(len(tokenize(right[0])) for right in answers.values())
    return {
        "bleu": found["bleu"],
        "chrf": found["chrf"],
        "sentences": found["sentences"],
        "length": round(sum(len(tokenize(text)) for text in written) / first, 4),
        "seconds": round(seconds, 2),
    }


def choose_average(run: Run, limit: int | None) -> tuple[list[dict[str, Any]], int]:
    """Score the kept epochs alone and averaged, greedily; return the best number."""
    count = len(run.files)
    epochs = [int(file.stem.partition("-")[2]) for file in run.files]
    rows = []
    for epoch in sorted({epochs[0], epochs[count // 2], epochs[-1]}):
        found = validate(run.translator(1, epoch), run.corpus, limit)
        rows.append({"epoch": epoch, "average": 1, **found})
        print(rows[-1], flush=True)
    for average in (number for number in AVERAGES if number <= count):
        found = validate(run.translator(average), run.corpus, limit)
        rows.append({"epoch": epochs[-1], "average": average, **found})
        print(rows[-1], flush=True)
    last = [row for row in rows if row["epoch"] == epochs[-1]]
    return rows, max(last, key=lambda row: row["bleu"])["average"]


def search(
    translator: Translator, corpus: Corpus, limit: int | None
) -> list[dict[str, Any]]:
    """Score beams of several widths and length penalties on the validation part."""
    rows = []
    for beam, penalty in (*BEAMS, *PENALTIES):
        found = validate(translator, corpus, limit, beam, penalty)
        rows.append({"beam": beam, "length_penalty": penalty, **found})
        print(rows[-1], flush=True)
    return rows


def grade(
    translator: Translator, corpus: Corpus, limit: int | None
) -> tuple[dict[str, Any], dict[str, Any], str]:
    """Translate the test part once; return scores, mistakes, and counts for BLEU."""
    answers = dict(list(references(corpus.splits["test"]).items())[:limit])
    written = translator.translate(answers, 64, BEAM, PENALTY)
    how = {"beam_size": BEAM, "length_penalty": PENALTY}
    result = {**compare_with_all(written, list(answers.values())), **how}
    errors = count_errors(answers, written, corpus)
    return {"test": result}, errors, ngram_counts(answers.values(), written)


def ngram_counts(answers: Iterable[list[str]], written: Iterable[str]) -> str:
    """Return what BLEU counts in each sentence, as CSV: from these sums it follows."""
    head = [f"{kind}{n}" for kind in ("right", "all") for n in range(1, 5)]
    lines = [",".join([*head, "written", "reference"])]
    metric = BLEU()
    for right, text in zip(answers, written, strict=True):
        found = metric.corpus_score([text], [[answer] for answer in right])
        row = [*found.counts, *found.totals, found.sys_len, found.ref_len]
        lines.append(",".join(map(str, row)))
    return "\n".join(lines) + "\n"


def count_errors(
    answers: dict[str, list[str]], written: Sequence[str], corpus: Corpus
) -> dict[str, Any]:
    """Count the kinds of mistakes, and score by length and by the rarest word."""
    train = corpus.splits["train"]
    spanish = {word for _, target in train for word in words(target)}
    english = Counter(word for source in references(train) for word in words(source))
    kinds = Counter(
        kind
        for (source, right), text in zip(answers.items(), written, strict=True)
        for kind in kinds_of_mistakes(source, text, right, spanish)
    )
    right = list(answers.values())
    exact = sum(text in r for text, r in zip(written, right, strict=True))
    lengths = [len(tokenize(source)) for source in answers]
    rarest = [min(english[word] for word in words(source)) for source in answers]
    return {
        "part": "test",
        "sentences": len(written),
        "exact": exact,
        "kinds": {kind: kinds[kind] for kind in KINDS},
        "by_length": by_group(group_by(lengths, LENGTHS), written, right),
        "by_rarest_word": by_group(group_by(rarest, COUNTS), written, right),
    }


def words(sentence: str) -> list[str]:
    """Return the words in lower case, without the marks."""
    return [token.lower() for token in tokenize(sentence) if token[0].isalnum()]


def by_group(
    groups: Sequence[tuple[str, list[int]]],
    written: Sequence[str],
    right: Sequence[list[str]],
) -> list[dict[str, Any]]:
    """Score each group of sentences by itself."""
    rows = []
    for name, members in groups:
        if members:
            found = compare_with_all(
                [written[i] for i in members], [right[i] for i in members]
            )
            wanted = ("sentences", "bleu", "chrf", "exact_match")
            rows.append({"group": name, **{key: found[key] for key in wanted}})
    return rows


# --- a benchmark ----------------------------------------------------------------------


def keep_record(options: argparse.Namespace) -> None:
    """Copy what a run's folder says about itself, with its validation scores."""
    report = read_json(options.run / "scores.json")
    report["log"] = [
        {name: float(row[name]) for name in ("epoch", "validation_bleu", "seconds")}
        for row in read_log(options.run / LOG)
    ]
    write_json(options.file, report)
    print(f"{options.file}: {', '.join(report['scores'])}")


if __name__ == "__main__":
    main()
