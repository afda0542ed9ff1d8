"""From a training run to a translator that is shipped, with all that was measured.

    measure.py FOLDER --run RUN    choose the average, score, write the card
    measure.py FOLDER              score it again; weights and card stay its own

The record of a benchmark, as multi30k.json, is the scores.json of its run.

What is chosen is chosen on the validation part. The test part is translated once, at
the end. Only counts and scores are written, never a sentence of the corpus.
"""

import argparse
import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from safetensors.torch import load_file

from book.tools.lab.doubt import BEAM, PENALTY, measure_doubt
from book.tools.lab.scoring import counts_table, grade
from lib import corpora
from lib.corpora import Corpus, references
from lib.evaluation.intervals import Counts, paired_bootstrap, sentence_counts
from lib.evaluation.scores import compare_with_all, held_out_fingerprint
from lib.evaluation.strangers import TYPED, score_strangers
from lib.model import count_parameters
from lib.text import tokenize
from lib.text.files import read_json, to_toml, write_json, write_whole
from lib.text.subwords import SubwordVocabulary
from lib.training import TrainingSettings
from lib.training.averaging import average_weights, copied_weights, epoch_files
from lib.training.folders import LOG, SETTINGS
from lib.training.logs import read_log, write_log
from lib.training.task import TranslationTask
from lib.training.words import with_words
from lib.translator import Translator
from lib.translator.card import EARLIER, REPORT_FILE, SETTINGS_FILE, machine, write_card

SEARCHES = [(beam, PENALTY) for beam in (1, 2, 4, 8)]
SEARCHES += [(BEAM, penalty) for penalty in (0.0, 1.0, 2.0, 3.0)]
AVERAGES = (2, 4, 8)
TRIED = "tried.json"
WEIGHTS = "model.safetensors"  # those that a run ends with


def main(arguments: Sequence[str] | None = None) -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--run", type=Path, help="make the folder out of this run")
    parser.add_argument("--corpus", default="tatoeba-en-es", choices=corpora.names())
    told = "folder of the translator that the run began with"
    parser.add_argument("--from", dest="start", type=Path, help=told)
    parser.add_argument("--machine", default=machine(), help="(%(default)s)")
    options = parser.parse_args(arguments)
    folder = options.folder
    if options.run:
        report = make_translator(options)
    else:
        report = read_json(folder / REPORT_FILE)
    measure(folder, corpora.load(report["corpus"]), report)


def make_translator(options: argparse.Namespace) -> dict[str, Any]:
    """Average, choose, and write the folder; its report, but for the scores."""
    folder, corpus = options.folder, corpora.load(options.corpus)
    run = Run(options.run, corpus, options.start)
    tried, chosen = choose_average(run)
    run.translator(*chosen).save(folder, half=True)
    write_json(folder / TRIED, [*run.tried, *tried])
    write_log(folder / LOG, run.log)
    for name, earlier in zip(EARLIER, run.earlier, strict=False):
        write_whole(folder / f"{name}.toml", to_toml(earlier["settings"]))
    return run.report(*chosen, options.machine)


def measure(folder: Path, corpus: Corpus, report: dict[str, Any]) -> None:
    """Search on the validation part, translate the test part, and write it all."""
    translator = Translator.load(folder)  # as everybody will use it, in 16 bits
    beams, counts = search(translator, corpus)
    write_json(folder / "beams.json", beams)
    write_whole(folder / "validation_counts.csv", counts)
    answers = references(corpus.splits["test"])
    written = translator.translate(answers, 64, BEAM, PENALTY)
    graded = grade(answers, written, corpus)
    write_json(folder / "errors.json", graded.errors)
    write_whole(folder / "ngram_counts.csv", graded.counts)
    how = {"beam_size": BEAM, "length_penalty": PENALTY}
    scores = {part: {**found, **how} for part, found in graded.scores.items()}
    report = {**report, "far": graded.far, "scores": scores}
    report["winner"] = try_winner(beams, translator, answers, written)
    if (corpus.source_language, corpus.target_language) == ("en", "es"):
        report["strangers"], _ = score_strangers(translator, BEAM, PENALTY)
        report["typed"] = {
            name: score_strangers(translator, BEAM, PENALTY, part=part)[0]
            for name, part in TYPED.items()
            if name != "strangers"
        }
        report["doubt"] = measure_doubt(folder, translator, corpus)
    write_json(folder / REPORT_FILE, report)
    write_whole(folder / SETTINGS_FILE, to_toml(report["settings"]))
    write_card(folder, report)
    print((folder / "README.md").read_text("utf-8"))


def try_winner(
    beams: list[dict[str, Any]],
    translator: Translator,
    answers: dict[str, list[str]],
    written: list[str],
) -> dict[str, Any]:
    """What the best search of the validation part gains there, and on the test part.

    The scores in the tables keep the setting that was fixed beforehand.
    """
    best = max(beams, key=lambda row: float(row["bleu"]))
    other = translator.translate(answers, 64, best["beam"], best["length_penalty"])
    right = list(answers.values())
    gain = difference(sentence_counts(other, right), sentence_counts(written, right))
    found = compare_with_all(other, right)
    return {
        **{name: best[name] for name in ("beam", "length_penalty", "difference")},
        "test_difference": gain,
        "test": {name: found[name] for name in ("bleu", "chrf")},
    }


class Run:
    """The folder of a run that has ended, or stands at the end of an epoch.

    Args:
        folder: where it is.
        corpus: what it was trained on.
        start: the folder of the translator that it began with, if it began with one.

    Raises:
        ValueError: if that translator had more runs than a card can tell of.
    """

    def __init__(self, folder: Path, corpus: Corpus, start: Path | None = None) -> None:
        self.folder, self.corpus = folder, corpus
        self.told = read_json(folder / SETTINGS)
        names = [field.name for field in dataclasses.fields(TrainingSettings)]
        self.settings = TrainingSettings(**{name: self.told[name] for name in names})
        self.earlier, self.commands = earlier_runs(start) if start else ([], [])
        self.start = Translator.load(start) if start else None
        self.log = read_log(start / LOG) if start else []
        self.tried = read_json(start / TRIED) if start else []
        self.before = len(self.log)  # epochs of earlier runs
        self.log += [
            {**row, "epoch": str(self.before + int(row["epoch"]))}
            for row in read_log(folder / LOG)
        ]
        self.vocabulary = SubwordVocabulary.load(folder / "tokenizer.json")
        kept = epoch_files(folder)
        self.files = {int(file.stem.removeprefix("epoch-")): file for file in kept}
        self.files = self.files or {len(self.log) - self.before: folder / WEIGHTS}

    @property
    def both_copy(self) -> bool:
        """Whether the run and what it began with learned to copy, or neither did."""
        began = self.earlier[-1]["settings"]["copying"] if self.earlier else 0
        return bool(began) == bool(self.settings.copying)

    def translator(
        self, average: int, runs: int = 1, last: int | None = None
    ) -> Translator:
        """Return the mean of so many epochs, up to the last, or to another one.

        With two runs it is the mean of that and of what the run began with; with none
        it is what the run began with.
        """
        epochs = [epoch for epoch in self.files if last is None or epoch <= last]
        states = [load_file(self.files[epoch]) for epoch in epochs[-average:]]
        words = self.vocabulary, self.vocabulary
        if runs != 1 and self.start:
            began = copied_weights(with_words(self.start, words))
            states = [average_weights(states), began] if runs else [began]
        model = TranslationTask(self.settings, *words).model
        model.load_state_dict(average_weights(states), strict=False)
        return Translator(model, *words, prose=self.corpus.prose)

    def report(self, average: int, runs: int, machine: str) -> dict[str, Any]:
        """Return the contents of ``scores.json``, but for the scores."""
        settings = dataclasses.replace(self.settings, average=average)
        corpus = self.corpus
        return {
            "command": "\n".join([*self.commands, self.command()]),
            "name": corpus.name,
            "corpus": corpus.name,
            "generated": corpus.generated,
            "settings": dataclasses.asdict(settings),
            **({"earlier": self.earlier} if self.earlier else {}),
            "averaged_runs": runs,
            "parameters": count_parameters(self.translator(1).model),
            "train_pairs": self.told["pairs"]["train"],
            "pairs": self.told["pairs"],
            "held_out": held_out_fingerprint(corpus.splits),
            "attribution": corpus.attribution,
            "machine": machine,
            "seconds": round(sum(float(row["seconds"]) for row in self.log)),
        }

    def command(self) -> str:
        """Return the command that makes such a run."""
        line = f"python -m lib train --corpus {self.corpus.name}"
        line += f" --settings {SETTINGS_FILE}"
        if self.earlier:
            size = self.earlier[-1]["settings"]["vocab_size"]
            line += f" --from {EARLIER[len(self.earlier) - 1]}"
            line += " --new-words" * (size != self.settings.vocab_size)
        pairs = self.told["pairs"]["train"]
        return line + f" --limit {pairs}" * (pairs < len(self.corpus.splits["train"]))


def earlier_runs(folder: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the runs that a translator was made by, and the commands for them."""
    report = read_json(folder / REPORT_FILE)
    runs = [*report.get("earlier", []), report]
    if len(runs) > len(EARLIER):
        raise ValueError(
            f"{folder} had {len(runs)} runs, but a card can tell of {len(EARLIER)} "
            "before the last."
        )
    *commands, last = report["command"].splitlines()
    name = EARLIER[len(commands)]
    last = last.replace(SETTINGS_FILE, f"{name}.toml") + f" --out {name}"
    found = [
        {
            # Whole, also if a setting is younger than the run.
            "settings": dataclasses.asdict(TrainingSettings(**run["settings"])),
            "averaged_runs": run["averaged_runs"],
        }
        for run in runs
    ]
    return found, [*commands, last]


def validate(
    translator: Translator, corpus: Corpus, beam: int, penalty: float
) -> tuple[dict[str, Any], Counts]:
    """Score on the validation part; return what BLEU counted in each sentence, too."""
    answers = references(corpus.splits["validation"])
    start = time.process_time()  # other programs do not count
    written = translator.translate(answers, 64, beam, penalty)
    seconds = time.process_time() - start
    right = list(answers.values())
    found = compare_with_all(written, right)
    first = sum(len(tokenize(answer[0])) for answer in right)
    row = {name: found[name] for name in ("bleu", "chrf", "sentences")}
    row["length"] = round(sum(len(tokenize(text)) for text in written) / first, 4)
    row["seconds"] = round(seconds, 2)
    return row, sentence_counts(written, right)


def difference(counts: Counts, baseline: Counts) -> list[float]:
    """Return by how much BLEU differs, and the interval, from a paired bootstrap."""
    return [round(number, 2) for number in paired_bootstrap(counts, baseline)]


def choose_average(run: Run) -> tuple[list[dict[str, Any]], tuple[int, int]]:
    """Score the kept epochs alone and averaged; return the best numbers.

    They are found with the search that the scores use. The first is that of the epochs
    in the mean, the second that of the runs.
    """
    epochs, count = list(run.files), len(run.files)
    alone = sorted({epochs[0], epochs[count // 2], epochs[-1]})
    tried = [(epoch, 1, 1) for epoch in alone]
    tried += [(epochs[-1], average, 1) for average in AVERAGES if average <= count]
    if run.start:
        tried.append((0, 1, 0))
    if run.start and run.both_copy:  # else the mean forgets how to copy
        tried.append((epochs[-1], 1, 2))
    rows, counts = [], []
    for epoch, average, runs in tried:
        translator = run.translator(average, runs, epoch)
        found, counted = validate(translator, run.corpus, BEAM, PENALTY)
        made = {"epoch": run.before + epoch, "average": average, "runs": runs}
        rows.append({**made, **found})
        counts.append(counted)
        print(rows[-1], flush=True)
    last_alone = counts[tried.index((epochs[-1], 1, 1))]
    for row, counted in zip(rows, counts, strict=True):
        row["difference"] = difference(counted, last_alone)
    last = [row for row in rows if row["epoch"] == run.before + epochs[-1]]
    best = max(last, key=lambda row: float(row["bleu"]))
    return rows, (best["average"], best["runs"])


def search(translator: Translator, corpus: Corpus) -> tuple[list[dict[str, Any]], str]:
    """Score beams on the validation part; return the counts of two of them as well."""
    rows, counts = [], {}
    for beam, penalty in SEARCHES:
        found, counts[beam, penalty] = validate(translator, corpus, beam, penalty)
        rows.append({"beam": beam, "length_penalty": penalty, **found})
        print(rows[-1], flush=True)
    kept = counts[BEAM, PENALTY]
    for row in rows:
        row["difference"] = difference(counts[row["beam"], row["length_penalty"]], kept)
    both = {"greedy_": counts[1, PENALTY].tolist(), "beam_": kept.tolist()}
    return rows, counts_table(both)


if __name__ == "__main__":
    main()
