"""Measure ways to serve the shipped translator, for the end of chapter 17.

    serving.py                   all of it, into lib/shipped/measurements/serving.json
    serving.py --limit 20        few sentences, to see that everything runs; no file

BLEU is measured on the test part of the corpus that the translator was trained on.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from book.tools.lab.record import MODEL, record
from book.tools.lab.timing import Contender, race, ratio
from lib import corpora
from lib.evaluation.scores import compare_with_all
from lib.translator import SHIPPED, ExportedTranslator, Translator
from lib.translator.export import export_translator

PYTORCH = "PyTorch"
EXPORTS = {"CTranslate2": "float32", "CTranslate2, 8 bits": "int8"}
BEAM = 4
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
    test = corpora.load(MODEL).splits["test"]
    answers = dict(list(corpora.references(test).items())[:limit])
    found = {
        (name, beam): way.translate(answers, beam_size=beam)
        for name, way in served.items()
        for beam in (1, BEAM)
    }
    right = list(answers.values())
    scores = {each: compare_with_all(texts, right) for each, texts in found.items()}
    ways = [
        {
            "name": name,
            "folder_megabytes": round(size_of(name, folders[name]) / 1e6, 1),
            "times_pytorch": ratio(rates, name, PYTORCH),
            "same": alike(written[name], written[PYTORCH]),
            "scored": len(answers),
            "bleu_greedy": scores[name, 1]["bleu"],
            "signature": scores[name, 1]["bleu_signature"],
            "bleu_beam": scores[name, BEAM]["bleu"],
        }
        for name in served
    ]
    same = {name: alike(found[name, BEAM], found[PYTORCH, BEAM]) for name in EXPORTS}
    agreement = {"beam": BEAM, "sentences": len(answers), "same": same}
    return {"sentences": len(sentences), "agreement": agreement, "ways": ways}


def alike(texts: list[str], others: list[str]) -> int:
    """Count the translations that are the same."""
    return sum(map(str.__eq__, texts, others))


def _translates(way: Way, sentences: list[str]) -> Contender:
    return lambda _number: len(way.translate(sentences))


def unseen_sentences() -> list[str]:
    """Return sentences of the book's grammar, which ships with it."""
    splits = corpora.load("grammar").splits
    parts = ("unseen_sentences", "unseen_combinations")
    return [pair[0] for part in parts for pair in splits[part][:250]]


def size_of(name: str, folder: Path) -> int:
    """Return the bytes of what a server needs of a folder."""
    files = [file for file in folder.iterdir() if file.is_file()]
    if name == PYTORCH:  # the card and the measurements are for readers
        needed = ("config.json", "model.safetensors", "tokenizer.json")
        files = [file for file in files if file.name in needed]
    return sum(file.stat().st_size for file in files)


if __name__ == "__main__":
    raise SystemExit(main())
