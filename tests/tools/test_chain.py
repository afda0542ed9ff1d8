"""The chain that trains a shipped translator from nothing: killed, it goes on."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
import torch

from book.tools.lab import chain
from lib.training import TranslationTask
from lib.translator import SHIPPED, Translator
from lib.translator.card import read_report
from tests.lib.test_training import ended_after

TRAIN = "python -m lib train --corpus phrases"
TINY = "epochs = 2\nd_model = 8\nn_heads = 1\nn_layers = 1\nd_ff = 8\n"
WATCHED = ["lets go", "to go"]


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    folder = tmp_path / "recipe"
    folder.mkdir()
    (folder / "first.toml").write_text(TINY)
    (folder / "settings.toml").write_text(TINY + "seed = 1\n")
    (folder / "watched.txt").write_text("\n".join(WATCHED))
    first = f"{TRAIN} --settings first.toml --out first"
    command = f"{first}\n{TRAIN} --settings settings.toml --from first"
    told = {"command": command, "earlier": [{"averaged_runs": 1}], "averaged_runs": 2}
    (folder / "scores.json").write_text(json.dumps(told))
    return folder


def play(recipe: Path, out: Path) -> dict[str, torch.Tensor]:
    assert chain.main([str(recipe), str(out)]) == 0
    return Translator.load(out / "last-mean").model.state_dict()


def expect_equal(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> None:
    torch.testing.assert_close(one, other, rtol=0, atol=0)


def test_a_chain_that_is_killed_ends_as_one_that_is_not(
    recipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed in its first run, between two files of a run, and before the mean."""
    expected = play(recipe, tmp_path / "whole")
    began, ended = (
        Translator.load(tmp_path / "whole" / name).model.state_dict()
        for name in ("first", "last")
    )
    mean = {name: (weight + ended[name]) / 2 for name, weight in began.items()}
    torch.testing.assert_close(expected, mean, rtol=0, atol=1e-3)
    out = tmp_path / "broken"
    for moved in (5, 3, 12, 1):
        with ended_after(moved, monkeypatch) as moves:
            chain.main([str(recipe), str(out)])
        assert len(moves) == moved, "it came to its end"
    expect_equal(play(recipe, out), expected)
    for name in ("first", "last"):
        with (out / name / "sentences.csv").open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines))
        kept = [(row["epoch"], row["source"]) for row in rows]
        assert kept == [(epoch, text) for epoch in "12" for text in WATCHED]
        again = Translator.load(out / name).translate(WATCHED)
        assert [row["written"] for row in rows[-2:]] == again


def test_a_run_that_has_ended_is_not_run_again(
    recipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = play(recipe, tmp_path / "out")
    monkeypatch.setattr(TranslationTask, "training_step", None)
    expect_equal(play(recipe, tmp_path / "out"), expected)


def test_a_run_that_fails_ends_the_chain(
    recipe: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (recipe / "watched.txt").write_text("lets go " * 99)
    assert chain.main([str(recipe), str(tmp_path / "out")]) == 2
    words = "to watch has 199 tokens, but max_len is 128"
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_shipped_chain_is_that_of_its_card() -> None:
    report = read_report("tatoeba-en-es")
    runs = list(chain.read_chain(SHIPPED / "tatoeba-en-es", Path("out")))
    assert len(runs) == len(report["command"].splitlines())
    assert len({run.folder for run in runs}) == len(runs)
    for run, begun in zip(runs[1:], runs, strict=False):
        assert run.start == begun.result
        assert str(begun.result) == run.options[run.options.index("--from") + 1]
    for run in runs:
        for option in ("--settings", "--watch"):
            assert Path(run.options[run.options.index(option) + 1]).is_file()
