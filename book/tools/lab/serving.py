"""Measure ways to serve the shipped translator, for the end of chapter 17.

    serving.py                   all of it, into lib/shipped/measurements/serving.json
    serving.py --limit 20        few sentences, to see that everything runs; no file

BLEU is measured on the test part of the corpus that the translator was trained on.
"""

import subprocess
import sys
import time
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import torch
from packaging.requirements import Requirement

from book.tools.lab.record import MODEL, record
from book.tools.lab.timing import Contender, race, ratio, spread
from book.tools.project.address import ROOT
from lib import corpora
from lib.evaluation.scores import compare_with_all
from lib.translator import SHIPPED, ExportedTranslator, Translator
from lib.translator.export import export_translator

PYTORCH = "PyTorch"
EXPORTS = {"CTranslate2": "float32", "CTranslate2, 8 bits": "int8"}
STARTS, BEAM = 3, 4
NO_EXTRA = {"extra": ""}
Way = Translator | ExportedTranslator


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure everything, and write the record."""
    return record(measure, "serving.json", __doc__ or "", arguments)


def measure(place: Path, limit: int | None) -> dict[str, Any]:
    """Export, and measure each way beside the others."""
    own = Translator.load(MODEL)
    folders = {PYTORCH: SHIPPED / MODEL}
    served: dict[str, Way] = {PYTORCH: own}
    for name, weights in EXPORTS.items():
        folders[name] = export_translator(own, place / name, weights)
        served[name] = ExportedTranslator(folders[name], torch.get_num_threads())
    sentences = unseen_sentences()[:limit]
    written = {name: way.translate(sentences) for name, way in served.items()}
    contenders = {name: _translates(way, sentences) for name, way in served.items()}
    rates = race(contenders, 1 if limit else 5)
    seconds = start_times(folders, sentences[0], 1 if limit else STARTS)
    test = corpora.load(MODEL).splits["test"]
    answers = dict(list(corpora.references(test).items())[:limit])
    ways = [
        {
            "name": name,
            "installed_megabytes": round(installed_bytes(name) / 1e6),
            "folder_megabytes": round(size_of(name, folders[name]) / 1e6, 1),
            "start_seconds": spread(seconds[name]),
            "sentences_a_second": spread(rates[name]),
            "times_pytorch": ratio(rates, name, PYTORCH),
            "same": sum(map(str.__eq__, written[name], written[PYTORCH])),
            **bleu_of(way, answers),
        }
        for name, way in served.items()
    ]
    found = agreement(own, served, answers)
    return {"sentences": len(sentences), "agreement": found, "ways": ways}


def agreement(
    own: Translator, served: dict[str, Way], answers: dict[str, list[str]]
) -> dict[str, Any]:
    """Count for how many sentences each engine's beam search ends as lib's does."""
    right = own.translate(answers, beam_size=BEAM)
    same = {
        name: sum(map(str.__eq__, way.translate(answers, beam_size=BEAM), right))
        for name, way in served.items()
        if way is not own
    }
    return {"beam": BEAM, "sentences": len(answers), "same": same}


def _translates(way: Way, sentences: list[str]) -> Contender:
    return lambda _number: len(way.translate(sentences))


def unseen_sentences() -> list[str]:
    """Return sentences of the book's grammar, which ships with it."""
    splits = corpora.load("grammar").splits
    parts = ("unseen_sentences", "unseen_combinations")
    return [pair[0] for part in parts for pair in splits[part][:250]]


def start_times(
    folders: dict[str, Path], sentence: str, rounds: int
) -> dict[str, list[float]]:
    """Return the seconds from nothing to the first translation, in a new process."""
    found: dict[str, list[float]] = {name: [] for name in folders}
    for _ in range(rounds):
        for name, folder in folders.items():
            kind = "Translator.load" if name == PYTORCH else "ExportedTranslator"
            program = f"from lib.translator import {kind.split('.')[0]}; "
            program += f"{kind}({str(folder)!r}).translate([{sentence!r}])"
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
            found[name].append(time.perf_counter() - start)
    return found


def size_of(name: str, folder: Path) -> int:
    """Return the bytes of what a server needs of a folder."""
    files = [file for file in folder.iterdir() if file.is_file()]
    if name == PYTORCH:  # the card and the measurements are for readers
        needed = ("config.json", "model.safetensors", "tokenizer.json")
        files = [file for file in files if file.name in needed]
    return sum(file.stat().st_size for file in files)


def installed_bytes(name: str) -> int:
    """Return the bytes of the libraries that a way needs, and of what these need."""
    own = ["torch", "safetensors"] if name == PYTORCH else ["ctranslate2"]
    found: dict[str, metadata.Distribution] = {}
    wanted = [*own, "numpy", "tokenizers", "uniseg"]
    while wanted:
        package = wanted.pop().lower().replace("_", "-")
        try:
            known = package in found
            found[package] = metadata.distribution(package)
        except metadata.PackageNotFoundError:
            continue  # not needed on this system
        needs = [] if known else map(Requirement, found[package].requires or [])
        wanted += [n.name for n in needs if not n.marker or n.marker.evaluate(NO_EXTRA)]
    files = (Path(str(f.locate())) for each in found.values() for f in each.files or [])
    return sum(file.stat().st_size for file in files if file.is_file())


def bleu_of(way: Way, answers: dict[str, list[str]]) -> dict[str, Any]:
    """Score a way on the test part, greedily and with a beam."""
    found: dict[str, Any] = {"scored": len(answers)}
    for key, beam in (("bleu_greedy", 1), ("bleu_beam", 4)):
        written = way.translate(answers, beam_size=beam)
        result = compare_with_all(written, list(answers.values()))
        found |= {key: result["bleu"], "signature": result["bleu_signature"]}
    return found


if __name__ == "__main__":
    raise SystemExit(main())
