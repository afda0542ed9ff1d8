"""Choose above which doubt a translator says that it is unsure, and measure that.

    doubt.py FOLDER --ask FILE       write the translations that nobody has judged yet
    doubt.py FOLDER --judged FILE    take up what a person made of them; choose, measure

A line of FILE is a sentence of the corpus' validation part, its translation, and the
verdict, with tabs between: right, wrong (something is false or crooked), or badly wrong
(what was meant is lost). A verdict holds for that translation alone. The folder keeps
it under a fingerprint, for no sentence of the corpus goes in.

What strangers type is judged by what it must carry: their validation sentences help to
choose, and the 300 others measure.
"""

import argparse
import hashlib
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lib import corpora
from lib.corpora import Corpus, references
from lib.evaluation import Interval, Stranger, score_strangers, strangers, what_is_wrong
from lib.text.files import read_json, write_json, write_whole
from lib.translator import Translator
from lib.translator.base import Doubted
from lib.translator.folder import REPORT_FILE, write_card

BEAM, PENALTY = 4, 0.6  # the paper's
JUDGED = "judged.tsv"
SENTENCES = 200  # of the validation part
FALSE_ALARMS = 0.05  # of the right ones; on others it comes out a little higher
VERDICTS = ("right", "wrong", "badly wrong")
_SAMPLES = 1000  # as many draws as for BLEU


class Judged(NamedTuple):
    """How much a translation was doubted, and what it was."""

    doubt: float
    verdict: str


def main(arguments: Sequence[str] | None = None) -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--ask", type=Path, metavar="FILE")
    parser.add_argument("--judged", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    folder = options.folder
    report = read_json(folder / REPORT_FILE)
    corpus, translator = corpora.load(report["corpus"]), Translator.load(folder)
    if options.judged:
        take_up(folder / JUDGED, options.judged.read_text("utf-8"))
    if options.ask:
        rows = judge(folder, translator, corpus)
        asked = [f"{text}\t{one.text}\t\n" for text, one, known in rows if not known]
        write_whole(options.ask, "".join(asked))
        print(f"{len(asked)} translations to judge stand in {options.ask}.")
    else:
        report["strangers"], _ = score_strangers(translator, BEAM, PENALTY)
        report["doubt"] = measure_doubt(folder, translator, corpus)
        write_json(folder / REPORT_FILE, report)
        write_card(folder, report)
        print(report["doubt"])


def take_up(file: Path, text: str) -> None:
    """Add verdicts to those that a folder keeps."""
    known = read_verdicts(file)
    for number, line in enumerate(text.splitlines(), start=1):
        sentence, translation, verdict = line.split("\t")
        if verdict not in VERDICTS:
            raise ValueError(
                f"Line {number}: {verdict!r} is no verdict; those are: "
                f"{', '.join(VERDICTS)}."
            )
        known[fingerprint(sentence, translation)] = verdict
    write_whole(file, "".join(f"{key}\t{known[key]}\n" for key in sorted(known)))


def read_verdicts(file: Path) -> dict[str, str]:
    """Return the verdicts that a folder keeps, none if it keeps none."""
    lines = file.read_text("utf-8").splitlines() if file.is_file() else []
    return dict(line.split("\t") for line in lines)


def fingerprint(sentence: str, translation: str) -> str:
    """Tell a translation of a sentence from any other without showing it."""
    pair = f"{sentence}\t{translation}"
    return hashlib.sha256(pair.encode("utf-8")).hexdigest()[:16]


def judge(
    folder: Path, translator: Translator, corpus: Corpus
) -> list[tuple[str, Doubted, str]]:
    """Translate some validation sentences; the verdict is empty where nobody judged.

    What equals a reference is right, whoever looks at it.
    """
    answers = references(corpus.splits["validation"])
    sources = list(answers)
    random.Random(0).shuffle(sources)
    sources = sources[:SENTENCES]
    known = read_verdicts(folder / JUDGED)

    def verdict(source: str, text: str) -> str:
        if text in answers[source]:
            return "right"
        return known.get(fingerprint(source, text), "")

    found = zip(sources, doubted(translator, sources), strict=True)
    return [(source, one, verdict(source, one.text)) for source, one in found]


def doubted(translator: Translator, sentences: Sequence[str]) -> list[Doubted]:
    """Translate with the search that the scores use."""
    return translator.translate_with_doubt(sentences, 64, BEAM, PENALTY)


def measure_doubt(
    folder: Path, translator: Translator, corpus: Corpus
) -> dict[str, Any]:
    """Choose the limit on what may be seen, write it, and measure it on the rest."""
    seen = {}
    if folder.joinpath(JUDGED).is_file():
        rows = judge(folder, translator, corpus)
        seen["judged"] = [Judged(one.doubt, known) for _, one, known in rows if known]
    seen["validation"] = judge_strangers(translator, "validation")
    limit = round(max(choose(rows) for rows in seen.values()), 2)
    config = read_json(folder / "config.json")
    write_json(folder / "config.json", {**config, "unsure_above": limit})
    seen["strangers"] = judge_strangers(translator, "test")
    return {"limit": limit} | {name: told(rows, limit) for name, rows in seen.items()}


def judge_strangers(translator: Translator, part: str) -> list[Judged]:
    """Translate what strangers type, and judge it by what it must carry."""
    asked = strangers(part)
    found = doubted(translator, [sentence.english for sentence in asked])
    return [
        Judged(one.doubt, verdict_of(sentence, one.text))
        for sentence, one in zip(asked, found, strict=True)
    ]


def verdict_of(sentence: Stranger, translation: str) -> str:
    """Call badly wrong what lacks more than half, or is much too long."""
    wrong = what_is_wrong(sentence, translation)
    lost = sum(reason.startswith("it lacks") for reason in wrong)
    if "it is too long" in wrong or 2 * lost > len(sentence.wanted):
        return "badly wrong"
    return "wrong" if wrong else "right"


def choose(rows: Sequence[Judged]) -> float:
    """Return the doubt that few of the right translations exceed."""
    right = [row.doubt for row in rows if row.verdict == "right"]
    return float(np.quantile(right, 1 - FALSE_ALARMS)) if right else 0.0


def told(rows: Sequence[Judged], limit: float) -> dict[str, Any]:
    """Count what is noted of each verdict, and how well doubt tells them apart."""
    found: dict[str, Any] = {}
    for verdict in VERDICTS:  # what is badly wrong is wrong, too
        doubts = [row.doubt for row in rows if row.verdict.endswith(verdict)]
        noted = sum(doubt > limit for doubt in doubts)
        found[verdict] = {"noted": noted, "sentences": len(doubts)}
    return {**found, "auc": [round(number, 3) for number in auc_interval(rows)]}


def auc(doubts: np.ndarray[Any, Any], wrong: np.ndarray[Any, Any]) -> float:
    """Return how often a wrong translation is doubted more than a right one."""
    more = doubts[wrong][:, None] - doubts[~wrong]
    return float(((more > 0) + (more == 0) / 2).mean())


def auc_interval(rows: Sequence[Judged], seed: int = 0) -> Interval:
    """Return the AUC, and between which bounds 95 of 100 drawn anew lie."""
    doubts = np.array([row.doubt for row in rows])
    wrong = np.array([row.verdict != "right" for row in rows])
    if wrong.all() or not wrong.any():
        return Interval(0.5, 0.0, 1.0)  # nothing to tell apart
    random_numbers = np.random.default_rng(seed)
    groups = [np.flatnonzero(wrong), np.flatnonzero(~wrong)]
    draws = []
    for _ in range(_SAMPLES):
        drawn = np.concatenate([random_numbers.choice(g, len(g)) for g in groups])
        draws.append(auc(doubts[drawn], wrong[drawn]))
    return Interval(auc(doubts, wrong), *np.quantile(draws, [0.025, 0.975]).tolist())


if __name__ == "__main__":
    main()
