"""From a training run to a translator that is shipped, with all that was measured.

    measure.py FOLDER --run RUN    take over what it ended with, score, write the card
    measure.py FOLDER              score it again; weights and card stay its own

The test part is translated once, at the end. Only counts and scores are written, never
a sentence of the corpus.
"""

import argparse
import dataclasses
import shlex
import shutil
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from book.tools.lab.doubt import BEAM, PENALTY, measure_doubt
from book.tools.lab.scoring import counts_table, grade
from lib import corpora
from lib.corpora import Corpus, Pair, references
from lib.corpora.own import with_more
from lib.evaluation.intervals import Counts, paired_bootstrap, sentence_counts
from lib.evaluation.scores import compare_with_all
from lib.evaluation.strangers import TYPED, score_strangers
from lib.text import tokenize
from lib.text.files import read_json, to_toml, write_json, write_whole
from lib.training import TrainingSettings
from lib.training.folders import LOG
from lib.translator import Translator
from lib.translator.folder import REPORT_FILE, SETTINGS_FILE, write_card

SEARCHES = [(beam, PENALTY) for beam in (1, 2, 4, 8)]
SEARCHES += [(BEAM, penalty) for penalty in (0.0, 1.0, 2.0, 3.0)]
OWN = Path(corpora.__file__).parent  # where the book's own pairs lie


def main(arguments: Sequence[str] | None = None) -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--run", type=Path, help="make the folder out of this run")
    options = parser.parse_args(arguments)
    if options.run:
        take_over(options.run, options.folder)
    report = read_json(options.folder / REPORT_FILE)
    corpus = corpora.load(report["corpus"])
    measure(options.folder, corpus, report)


def take_over(run: Path, folder: Path) -> None:
    """Write the translator of a run that has ended into the folder, with its report."""
    Translator.load(run).save(folder, half=True)
    shutil.copyfile(run / LOG, folder / LOG)
    report = read_json(run / REPORT_FILE)
    names = [field.name for field in dataclasses.fields(TrainingSettings)]
    settings = {name: report["settings"][name] for name in names}
    write_json(folder / REPORT_FILE, {**report, "settings": settings})


def measure(folder: Path, corpus: Corpus, report: dict[str, Any]) -> None:
    """Search on the validation part, translate the test part, and write it all."""
    translator = Translator.load(folder)  # as everybody will use it, in 16 bits
    beams, counts = search(translator, corpus)
    write_json(folder / "beams.json", beams)
    write_whole(folder / "validation_counts.csv", counts)
    answers = references(corpus.splits["test"])
    written = translator.translate(answers, 64, BEAM, PENALTY)
    graded = grade(answers, written, corpus, learned_from(corpus, report["command"]))
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


def learned_from(corpus: Corpus, command: str) -> Sequence[Pair]:
    """Return the training part of a corpus, with what a command adds to it."""
    words = pairwise(shlex.split(command))
    more = [[OWN / file] for option, file in words if option == "--also"]
    return with_more(corpus, more, attribution="").splits["train"]


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
