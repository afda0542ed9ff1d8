"""The tool that trains a language model: what it learns from, and going on."""

from __future__ import annotations

from pathlib import Path

import pytest

from book.tools.lab.language_model import main, texts_of
from lib.corpora import Corpus
from lib.evaluation import score_texts
from lib.text.files import read_json
from lib.translator import read_language_model


def test_no_text_stands_in_two_parts() -> None:
    splits = {
        "train": [("Go!", "Ve."), ("Stop.", "Para."), ("Stop.", "Alto."), ("no", "No")],
        "validation": [("go", "Vamos.")],
        "test": [("Run.", "NO"), ("Go.", "Corre.")],
    }
    corpus = Corpus("tiny", "en", "es", splits)
    assert texts_of(corpus, "source") == {
        "validation": ["go"],
        "test": ["Run."],
        "train": ["Stop.", "no"],
    }
    assert texts_of(corpus, "target")["train"] == ["Ve.", "Para.", "Alto."]


def test_it_trains_scores_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    command = [str(out), "--corpus", "grammar", "--limit", "60"]
    small = ("d_model=16", "n_layers=1", "d_ff=16", "vocab_size=200", "epochs=2")
    command += [word for setting in small for word in ("--set", setting)]
    main(command)
    told = capsys.readouterr().out
    model, vocabulary = read_language_model(out)
    report = read_json(out / "scores.json")
    assert report["texts"]["train"] == 60
    assert "validation" in report["scores"] and "unseen" in "".join(report["scores"])
    for name, score in report["scores"].items():
        row = f"| {name} | {score['texts']:,} | {score['perplexity']:.2f} of"
        assert row in told
    score = score_texts(model, vocabulary, ["I like the red car."])
    assert score.characters == 20
    main([*command, "--resume"])
    assert read_json(out / "scores.json")["scores"] == report["scores"]
