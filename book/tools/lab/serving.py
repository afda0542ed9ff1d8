"""Measure the ways to serve the shipped translator, for the end of chapter 15.

    serving.py                   all of it, into lib/shipped/measurements/serving.json
    serving.py --limit 20        few sentences, to see that everything runs; no file

BLEU is measured on the test part of the corpus that the translator was trained on.
Where the corpus is not in the download folder, the scores of the last record are kept
as long as they are of the same weights.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from packaging.requirements import Requirement

from book.tools.lab.bench.timing import environment, race, ratio, spread
from book.tools.project.address import ROOT
from lib import corpora
from lib.evaluation.scores import compare_with_all
from lib.text.files import read_json, write_json
from lib.translator import SHIPPED, ExportedTranslator, Translator
from lib.translator.export import export_translator

MODEL = "tatoeba-en-es"
RECORD = ROOT / "lib" / "shipped" / "measurements" / "serving.json"
PYTORCH = "PyTorch"
EXPORTS = {"CTranslate2": "float32", "CTranslate2, 8 bits": "int8"}
BEAM, PENALTY = 4, 0.6
STARTS = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure everything, and write the record."""
    for way in recorded(measure, RECORD, __doc__ or "", arguments)["ways"]:
        print(way)
    return 0


def recorded(
    measure: Callable[[Path, int | None], dict[str, Any]],
    path: Path,
    told: str,
    arguments: Sequence[str] | None,
) -> dict[str, Any]:
    """Measure in a folder that goes away; the record is written if nothing was limited.

    Args:
        measure: gets the folder and the most sentences, and gives the record.
        path: the record's file.
        told: what the program does, for --help.
        arguments: those of the command line.
    """
    parser = argparse.ArgumentParser(description=told.splitlines()[0])
    parser.add_argument("--limit", type=int, help="sentences, for a trial; no file")
    limit = parser.parse_args(arguments).limit
    with TemporaryDirectory() as place:
        record = measure(Path(place), limit)
    if limit is None:
        write_json(path, record)
    return record


def measure(place: Path, limit: int | None) -> dict[str, Any]:
    """Export, and measure each way beside the others."""
    own = Translator.load(MODEL)
    folders = {PYTORCH: SHIPPED / MODEL}
    served: dict[str, Translator | ExportedTranslator] = {PYTORCH: own}
    for name, weights in EXPORTS.items():
        folders[name] = export_translator(own, place / name, weights)
        served[name] = ExportedTranslator(folders[name], torch.get_num_threads())
    sentences = unseen_sentences()[: limit or 500]
    written = {name: way.translate(sentences) for name, way in served.items()}
    rates = race(
        {name: _contender(way, sentences) for name, way in served.items()},
        1 if limit else 5,
    )
    seconds = start_times(folders, sentences[0], 1 if limit else STARTS)
    scores = bleu_of(served, limit)
    ways = [
        {
            "name": name,
            "installed_megabytes": round(installed_bytes(name) / 1e6),
            "folder_megabytes": round(size_of(name, folders[name]) / 1e6, 1),
            "start_seconds": spread(seconds[name]),
            "sentences_a_second": spread(rates[name]),
            "times_pytorch": ratio(rates, name, PYTORCH),
            "same": sum(map(str.__eq__, written[name], written[PYTORCH])),
            **scores.get(name, {}),
        }
        for name in served
    ]
    return {
        "environment": environment(),
        "date": datetime.date.today().isoformat(),
        "model": MODEL,
        "weights": weights_hash(),
        "sentences": len(sentences),
        "ways": ways,
    }


def _contender(
    way: Translator | ExportedTranslator, sentences: list[str]
) -> Callable[[int], int]:
    return lambda _number: len(way.translate(sentences))


def unseen_sentences() -> list[str]:
    """Return sentences of the book's grammar, which ship with it as code."""
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
    if name == PYTORCH:
        wanted = ["torch", "safetensors", "numpy"]
    else:
        wanted = ["ctranslate2", "numpy"]
    found: set[str] = set()
    open_names = [*wanted, "tokenizers"]
    while open_names:
        package = open_names.pop().lower().replace("_", "-")
        if package in found:
            continue
        try:
            needs = metadata.requires(package) or []
        except metadata.PackageNotFoundError:
            continue  # not needed on this system
        found.add(package)
        parsed = [Requirement(text) for text in needs]
        open_names += [
            each.name
            for each in parsed
            if each.marker is None or each.marker.evaluate({"extra": ""})
        ]
    return sum(map(_bytes_of_package, found))


def _bytes_of_package(package: str) -> int:
    files = [Path(str(file.locate())) for file in metadata.files(package) or []]
    return sum(file.stat().st_size for file in files if file.is_file())


def bleu_of(
    served: dict[str, Translator | ExportedTranslator], limit: int | None
) -> dict[str, dict[str, Any]]:
    """Score each way on the test part, greedily and with a beam."""
    if not (corpora.download_folder() / "spa-eng.zip").is_file():
        return _scores_of_the_last_record()
    test = corpora.load(MODEL).splits["test"]
    answers = dict(list(corpora.references(test).items())[:limit])
    found: dict[str, dict[str, Any]] = {}
    for name, way in served.items():
        found[name] = {"scored": len(answers)}
        for key, beam in (("bleu_greedy", 1), ("bleu_beam", BEAM)):
            written = way.translate(answers, 64, beam, PENALTY)
            result = compare_with_all(written, list(answers.values()))
            found[name][key] = result["bleu"]
            found[name]["signature"] = result["bleu_signature"]
            print(name, key, result["bleu"], file=sys.stderr, flush=True)
    return found


def _scores_of_the_last_record() -> dict[str, dict[str, Any]]:
    record = read_json(RECORD) if RECORD.is_file() else {}
    if record.get("weights") != weights_hash():
        return {}
    names = ("scored", "bleu_greedy", "bleu_beam", "signature")
    return {
        way["name"]: {name: way[name] for name in names if name in way}
        for way in record["ways"]
    }


def weights_hash() -> str:
    """Return what tells one version of the shipped weights from another."""
    data = (SHIPPED / MODEL / "model.safetensors").read_bytes()
    return hashlib.sha256(data).hexdigest()


if __name__ == "__main__":
    raise SystemExit(main())
