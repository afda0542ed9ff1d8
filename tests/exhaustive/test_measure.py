"""The tool that makes a translator to ship out of a run, with its measurements."""

from __future__ import annotations

import csv
import dataclasses
import itertools
import json
import shlex
import shutil
from operator import itemgetter
from pathlib import Path

import numpy as np
import pytest
import torch

from book.tools.lab import measure
from book.tools.lab.scoring import COUNTED, fingerprint
from lib import corpora
from lib.commands.settings import read_settings
from lib.corpora import Corpus, references
from lib.evaluation import (
    bleu_of_counts,
    compare_with_all,
    far_pairs,
)
from lib.text.files import read_json
from lib.text.subwords import SubwordVocabulary
from lib.training import TrainingSettings, read_log, train
from lib.translator import Translator

SETTINGS = TrainingSettings(
    d_model=8,
    n_heads=1,
    n_layers=1,
    d_ff=8,
    epochs=3,
    average=3,
    vocab_size=150,
    tie_embeddings=True,
)
NAMES = ("first", "settings")


def make_corpus() -> Corpus:
    pairs = list(corpora.load("grammar").splits["train"][:100])
    splits = {"train": pairs[:60], "validation": pairs[60:70], "test": pairs[70:90]}
    splits["test"].append((splits["test"][0][0], "Otra respuesta."))
    return Corpus("made-up", "en", "es", splits, attribution="By nobody.")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train for three epochs, and make a translator of what is left behind."""
    run, out = tmp_path_factory.mktemp("run"), tmp_path_factory.mktemp("out")
    corpus = make_corpus()
    texts = (text for pair in corpus.splits["train"] for text in pair)
    shared = SubwordVocabulary.build(texts, SETTINGS.vocab_size)
    train(corpus.splits, shared, shared, SETTINGS, run / "it")
    (run / "it" / "tokenizer.json").write_text(shared.to_json(), "utf-8")
    make([str(out), "--run", str(run / "it"), "--machine", "an abacus"])
    return out


def make(words: list[str]) -> None:
    corpus = make_corpus()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpora, "load", lambda name: corpus)
        measure.main(words)


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
        "tried.json",
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
    make([str(again)])
    for name in ("scores.json", "README.md", "errors.json", "ngram_counts.csv"):
        assert (again / name).read_bytes() == (folder / name).read_bytes()


SECOND = dataclasses.replace(
    SETTINGS, epochs=2, average=2, subword_dropout=0.1, learning_rate=0.001
)


def go_on(folder: Path, home: Path) -> Path:
    """Train a translator further, and make another one of that run."""
    run, out, start = home / "run", home / "out", Translator.load(folder)
    shared = start.src_vocab
    splits = make_corpus().splits
    trained = train(splits, shared, shared, SECOND, run, start=start.model)
    Translator(trained.model, shared, shared).save(run)
    make([str(out), "--run", str(run), "--from", str(folder)])
    return out


def test_a_second_run_tells_of_the_first(folder: Path, tmp_path: Path) -> None:
    out = go_on(folder, tmp_path)
    report = read_json(out / "scores.json")
    card = (out / "README.md").read_text("utf-8")
    first, last = (read_settings([], out / f"{name}.toml") for name in NAMES)
    assert first == read_settings([], folder / "settings.toml")
    assert [dataclasses.asdict(first)] == [run["settings"] for run in report["earlier"]]
    assert dataclasses.asdict(last) == report["settings"]
    begin, more = map(shlex.split, report["command"].splitlines())
    assert begin[-4:] == ["--settings", "first.toml", "--out", "first"]
    assert more[-4:] == ["--settings", "settings.toml", "--from", "first"]
    assert report["command"] in card
    assert "| training | 3 + 2 epochs in" in card
    assert "\nsubword_dropout = 0.0\nepochs = 3\n" in card  # what the first had
    rows = read_log(out / "log.csv")
    assert [row["epoch"] for row in rows] == ["1", "2", "3", "4", "5"]
    assert rows[:3] == read_log(folder / "log.csv")
    before, tried = read_json(folder / "tried.json"), read_json(out / "tried.json")
    assert tried[: len(before)] == before
    (began,) = [row for row in tried if row["runs"] == 0]  # what the second began with
    ended = max((row for row in before if row["epoch"] == 3), key=itemgetter("bleu"))
    assert began["epoch"] == 3 and began["bleu"] == pytest.approx(ended["bleu"], abs=2)
    assert {row["epoch"] for row in tried[len(before) :]} == {3, 4, 5}
    best = max((row for row in tried if row["epoch"] == 5), key=itemgetter("bleu"))
    assert report["averaged_runs"] == best["runs"]
    assert ("began and ended with" in card) == (best["runs"] == 2)
    assert both_ends_averaged(tmp_path / "run", folder)
    seconds = sum(float(row["seconds"]) for row in rows)
    assert report["seconds"] == round(seconds)


def test_a_run_is_averaged_with_its_start_only_if_both_copy_or_neither(
    folder: Path, tmp_path: Path
) -> None:
    """The mean of one that copies and one that does not forgets how to."""
    go_on(folder, tmp_path)
    told = measure.Run(tmp_path / "run", make_corpus(), folder)

    def means_tried() -> bool:
        return 2 in {row["runs"] for row in measure.choose_average(told)[0]}

    assert means_tried()
    told.settings = dataclasses.replace(told.settings, copying=0.4)
    assert not means_tried()
    told.earlier[-1]["settings"]["copying"] = 0.4
    assert means_tried()


def both_ends_averaged(run: Path, first: Path) -> bool:
    """Whether the mean of two runs is that of what each of them ended with."""
    told = measure.Run(run, make_corpus(), first)
    models = (told.translator(1), Translator.load(first), told.translator(1, 2))
    last, start, mean = (dict(each.model.named_parameters()) for each in models)
    middle = {name: (last[name] + start[name]) / 2 for name in mean}
    moved = any(not torch.equal(last[name], start[name]) for name in mean)
    return moved and all(torch.allclose(mean[n], middle[n], atol=1e-6) for n in mean)


def test_no_sentence_of_the_corpus_is_in_it(folder: Path) -> None:
    files = [*folder.glob("*.json"), *folder.glob("*.csv"), *folder.glob("*.md")]
    texts = [file.read_text("utf-8") for file in files]
    for sentence in itertools.chain(*itertools.chain(*make_corpus().splits.values())):
        assert not any(sentence in text for text in texts)
