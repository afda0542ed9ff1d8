"""The tool that makes a translator to ship out of a run, with its measurements."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import itertools
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from book.tools.lab import measure
from book.tools.lab.scoring import COUNTED, fingerprint
from lib import corpora
from lib.__main__ import main as lib
from lib.commands.settings import read_settings
from lib.corpora import Corpus, references
from lib.evaluation import (
    bleu_of_counts,
    compare_with_all,
    far_pairs,
)
from lib.text.files import read_json
from lib.translator import Translator

SETTINGS = (
    *("d_model=8", "n_heads=1", "n_layers=1", "d_ff=8", "epochs=3", "rise_again=2"),
    *("vocab_size=150", "tie_embeddings=true"),
)
MORE = [
    ("Good night, Ana!", "¡Buenas noches, Ana!"),
    ("I am at home.", "Estoy en casa."),
]


def make_corpus() -> Corpus:
    pairs = list(corpora.load("grammar").splits["train"][:100])
    splits = {"train": pairs[:60], "validation": pairs[60:70], "test": pairs[70:90]}
    splits["test"].append((splits["test"][0][0], "Otra respuesta."))
    return Corpus("made-up", "en", "es", splits, attribution="By nobody.")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train for three epochs, and make a translator of what they end with."""
    run, out = tmp_path_factory.mktemp("run"), tmp_path_factory.mktemp("out")
    given = ["train", "--corpus", "tatoeba-en-es", "--attribution", "By us."]
    given += [word for each in SETTINGS for word in ("--set", each)]
    with with_a_small_corpus(run):
        given += ["--also", str(run / "more.tsv")]
        assert lib([*given, "--out", str(run / "it")]) == 0
        measure.main([str(out), "--run", str(run / "it")])
    return out


@contextlib.contextmanager
def with_a_small_corpus(place: Path) -> Iterator[None]:
    """Put a small corpus in the place of all others, and more pairs into a folder."""
    text = "".join(f"{source}\t{target}\n" for source, target in MORE)
    place.joinpath("more.tsv").write_text(text, "utf-8")
    corpus = make_corpus()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpora, "load", lambda name: corpus)
        patch.setattr(measure, "OWN", place)
        yield


def test_the_folder_is_whole(folder: Path) -> None:
    assert {file.name for file in folder.iterdir()} == {
        "README.md",
        "beams.json",
        "config.json",
        "errors.json",
        "log.csv",
        "model.safetensors",
        "ngram_counts.csv",
        "scores.json",
        "settings.toml",
        "tokenizer.json",
        "validation_counts.csv",
    }
    assert len(Translator.load(folder).translate(["I like the red car."])) == 1


def test_its_scores_are_those_of_the_translator_in_it(folder: Path) -> None:
    report, translator = read_json(folder / "scores.json"), Translator.load(folder)
    splits = make_corpus().splits
    answers, far = references(splits["test"]), references(far_pairs(splits))
    assert 0 < len(far) < len(answers)
    for part, right in (("test", answers), ("test-far", far)):
        expected = compare_with_all(
            translator.translate(right, beam_size=4), list(right.values())
        )
        how = {"beam_size": 4, "length_penalty": 0.6}
        assert report["scores"][part] == {**expected, **how}
    assert report["scores"]["test"]["pairs"] == len(answers) + 1
    assert report["far"] == fingerprint(set(far))
    assert "`test-far`" in (folder / "README.md").read_text("utf-8")


def test_the_counts_add_up_to_the_score(folder: Path) -> None:
    with (folder / "ngram_counts.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    counts = np.array([[int(row[name]) for name in COUNTED] for row in rows])
    scores = read_json(folder / "scores.json")["scores"]
    assert len(rows) == scores["test"]["sentences"]
    assert round(bleu_of_counts(counts), 2) == scores["test"]["bleu"]
    assert sum(int(row["references"]) for row in rows) == scores["test"]["pairs"]
    assert sum(int(row["far"]) for row in rows) == scores["test-far"]["sentences"]


def test_a_folder_is_scored_again_to_the_same_scores(
    folder: Path, tmp_path: Path
) -> None:
    again = tmp_path / "again"
    shutil.copytree(folder, again)
    wrong = read_json(again / "scores.json") | {"scores": {}}
    (again / "scores.json").write_text(json.dumps(wrong), "utf-8")
    with with_a_small_corpus(tmp_path):
        measure.main([str(again)])
    for name in ("scores.json", "README.md", "errors.json", "ngram_counts.csv"):
        assert (again / name).read_bytes() == (folder / name).read_bytes()


def test_its_card_has_the_command_and_the_settings_of_the_run(folder: Path) -> None:
    report, card = read_json(folder / "scores.json"), (folder / "README.md").read_text()
    assert report["command"] in card
    assert report["command"].endswith(" --settings settings.toml --also more.tsv")
    told = read_settings([], folder / "settings.toml")
    assert dataclasses.asdict(told) == report["settings"]
    assert "the mean of the weights after epochs 2 and 3" in card


def test_what_was_learned_from_besides_counts_as_learned_from(tmp_path: Path) -> None:
    corpus, command = make_corpus(), "python -m lib train --also more.tsv"
    with with_a_small_corpus(tmp_path):
        learned = measure.learned_from(corpus, command)
    assert learned == [*corpus.splits["train"], *MORE]


def test_no_sentence_of_the_corpus_is_in_it(folder: Path) -> None:
    files = [*folder.glob("*.json"), *folder.glob("*.csv"), *folder.glob("*.md")]
    texts = [file.read_text("utf-8") for file in files]
    for sentence in itertools.chain(*itertools.chain(*make_corpus().splits.values())):
        assert not any(sentence in text for text in texts)
