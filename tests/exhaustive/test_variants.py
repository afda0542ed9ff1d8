"""The tool that trains variants of the shipped translator and keeps their scores."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from book.tools.lab import variants
from lib import corpora
from lib.corpora import Corpus
from lib.training import TrainingSettings
from lib.translator import SHIPPED


def runs_of(file: Path) -> dict[tuple[str, int], dict[str, Any]]:
    """Return the runs of a file by variant and seed, in their order."""
    runs = json.loads(file.read_text("utf-8"))["runs"]
    return {(run["name"], run["seed"]): run for run in runs}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = list(corpora.load("grammar", size=400).splits["train"])
    splits = {"train": pairs[:80], "validation": pairs[80:90], "test": pairs[90:95]}
    corpus = Corpus("made-up", "en", "es", splits, attribution="By nobody.")
    monkeypatch.setattr(corpora, "load", lambda name: corpus)
    base = dataclasses.replace(
        variants.BASE,
        d_model=8,
        n_heads=1,
        n_layers=1,
        d_ff=8,
        vocab_size=120,
        epochs=1,
    )
    monkeypatch.setattr(variants, "BASE", base)
    monkeypatch.setattr(
        variants,
        "VARIANTS",
        {"base": {}, "wider": {"d_model": 16}, "more": {"d_ff": 9}},
    )


@pytest.mark.usefixtures("small")
def test_each_variant_differs_in_what_its_row_says(tmp_path: Path) -> None:
    file = tmp_path / "variants.json"
    assert variants.main([str(file), "wider", "base"]) == 0
    base, wider = json.loads(file.read_text("utf-8"))["runs"]
    assert (base["name"], wider["name"]) == ("base", "wider")  # in the tool's order
    assert (base["changed"], wider["changed"]) == ({}, {"d_model": 16})
    assert base["parameters"] < wider["parameters"]
    assert base["pairs"] == 20
    assert base["sentences"] == 10


@pytest.mark.usefixtures("small")
def test_runs_stand_in_the_order_of_variants_and_seeds(tmp_path: Path) -> None:
    file = tmp_path / "variants.json"
    variants.main([str(file), "wider", "--seeds", "1"])
    variants.main([str(file), "base", "wider", "--seeds", "0", "1"])
    runs = runs_of(file)
    assert list(runs) == [("base", 0), ("base", 1), ("wider", 0), ("wider", 1)]
    assert all(run["seconds"] >= 0 and 0 <= run["bleu"] <= 100 for run in runs.values())


@pytest.mark.usefixtures("small")
def test_what_is_there_is_kept_and_the_rest_is_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, trained = tmp_path / "variants.json", []

    def measure(corpus: Corpus, name: str, seed: int, every: int) -> dict[str, Any]:
        trained.append((name, seed, every))
        return {"name": name, "seed": seed}

    monkeypatch.setattr(variants, "measure_variant", measure)
    variants.main([str(file), "base"])
    variants.main([str(file), "--seeds", "0", "1"])
    assert trained[:3] == [("base", 0, 4), ("wider", 0, 4), ("more", 0, 4)]
    assert trained[3:] == [("base", 1, 4), ("wider", 1, 4), ("more", 1, 4)]
    variants.main([str(file), "more"])
    assert len(trained) == 6
    assert len(runs_of(file)) == 6

    # Those of another part are not to be compared with them; nor of other settings.
    variants.main([str(file), "base", "--every", "5"])
    assert trained[6:] == [("base", 0, 5)]
    assert len(runs_of(file)) == 1
    other = dataclasses.replace(variants.BASE, epochs=2)
    monkeypatch.setattr(variants, "BASE", other)
    variants.main([str(file), "more", "--every", "5"])
    assert trained[7:] == [("more", 0, 5)]
    assert len(runs_of(file)) == 1


def test_the_variants_can_be_trained_and_differ() -> None:
    made = [dataclasses.replace(variants.BASE, **v) for v in variants.VARIANTS.values()]
    assert len(set(made)) == len(variants.VARIANTS)


def test_no_part_of_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert variants.main([str(tmp_path / "x.json"), "--every", "0"]) == 2
    assert "at least 1, but it is 0" in capsys.readouterr().err


def test_an_unknown_name_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert variants.main([str(tmp_path / "x.json"), "bigger"]) == 2
    assert "no variant 'bigger'; they are base" in capsys.readouterr().err


def test_the_shipped_record_is_what_the_tool_would_measure() -> None:
    record = json.loads((SHIPPED / "measurements" / "variants.json").read_text("utf-8"))
    assert TrainingSettings(**record["settings"]) == variants.BASE
    assert (record["corpus"], record["every"]) == (variants.CORPUS, variants.EVERY)
    for run in record["runs"]:
        assert run["changed"] == variants.VARIANTS[run["name"]]
        assert run["sentences"] == 1000
        assert run["parameters"] > 0
        assert run["seconds"] > 0
    for name in variants.VARIANTS:
        runs = [run for run in record["runs"] if run["name"] == name]
        assert [run["seed"] for run in runs] == [0, 1, 2]
