"""The tool that trains variants of the shipped translator and keeps their scores."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
import variants

from lib import corpora
from lib.corpora import Corpus
from lib.translator import SHIPPED


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
    found = json.loads(file.read_text("utf-8"))
    base, wider = found["rows"]
    assert (base["name"], wider["name"]) == ("base", "wider")  # in the tool's order
    assert (base["changed"], wider["changed"]) == ({}, {"d_model": 16})
    assert base["parameters"] < wider["parameters"]
    assert base["pairs"] == 20
    assert base["sentences"] == 10


@pytest.mark.usefixtures("small")
def test_what_is_there_is_kept_and_the_rest_is_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, trained = tmp_path / "variants.json", []

    def measure(corpus: Corpus, name: str) -> dict:
        trained.append(name)
        return {"name": name}

    monkeypatch.setattr(variants, "measure_variant", measure)
    variants.main([str(file), "base"])
    variants.main([str(file)])
    assert trained == ["base", "wider", "more"]
    names = [row["name"] for row in json.loads(file.read_text("utf-8"))["rows"]]
    assert names == ["base", "wider", "more"]

    other = dataclasses.replace(
        variants.BASE, epochs=2
    )  # not to be compared with those
    monkeypatch.setattr(variants, "BASE", other)
    variants.main([str(file), "more"])
    assert trained[3:] == ["more"]
    assert len(json.loads(file.read_text("utf-8"))["rows"]) == 1


def test_the_variants_can_be_trained_and_differ() -> None:
    made = [dataclasses.replace(variants.BASE, **v) for v in variants.VARIANTS.values()]
    assert len(set(made)) == len(variants.VARIANTS)


def test_an_unknown_name_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert variants.main([str(tmp_path / "x.json"), "bigger"]) == 2
    assert "no variant 'bigger'; they are base" in capsys.readouterr().err


def test_the_shipped_record_is_what_the_tool_would_measure() -> None:
    record = json.loads(
        (SHIPPED.parent / "measurements" / "variants.json").read_text("utf-8")
    )
    assert record["settings"] == dataclasses.asdict(variants.BASE)
    assert (record["corpus"], record["every"]) == (variants.CORPUS, variants.EVERY)
    assert record["rows"][0]["changed"] == {}
    for row in record["rows"]:
        assert row["changed"] == variants.VARIANTS[row["name"]]
        assert row["sentences"] == 1000
