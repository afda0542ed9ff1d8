"""The language model that comes with the book keeps what its card promises."""

from __future__ import annotations

import pytest

from book.tools.lab.language_model import card, texts_of
from lib import corpora
from lib.__main__ import main
from lib.corpora import normalize
from lib.corpora.remote import download_folder
from lib.evaluation import score_texts
from lib.model import count_parameters
from lib.text.files import read_json
from lib.translator import SHIPPED, read_language_model

FOLDER = SHIPPED / "tatoeba-en"
NEEDS_CORPUS = pytest.mark.skipif(
    not (download_folder() / "spa-eng.zip").is_file(),
    reason="the sentences are not here: TRANSFORMER_BOOK_CACHE names no folder with "
    "spa-eng.zip",
)


def test_the_card_is_what_the_run_left() -> None:
    assert (FOLDER / "README.md").read_text("utf-8") == card(FOLDER)
    report = read_json(FOLDER / "scores.json")
    model, _ = read_language_model("tatoeba-en")
    assert count_parameters(model) == report["parameters"]
    assert (FOLDER / "model.safetensors").stat().st_size < 2_500_000
    assert report["scores"]["test"]["perplexity"] < 18


def test_it_writes_one_sentence_from_the_command_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for _ in range(2):
        assert main(["write", "I want to", "--seed", "1", "--tokens", "30"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == second and first.startswith("I want to") and first[-1] in ".?!"


@NEEDS_CORPUS
def test_what_is_held_out_was_not_learned_and_scores_what_the_card_says() -> None:
    texts = texts_of(corpora.load("tatoeba-en-es"), "source")
    learned = set(map(normalize, texts["train"]))
    assert not learned & set(map(normalize, texts["test"]))
    score = score_texts(*read_language_model("tatoeba-en"), texts["test"])
    told = read_json(FOLDER / "scores.json")["scores"]["test"]
    assert score.perplexity == pytest.approx(told["perplexity"], abs=0.01)
    assert score.tokens == told["tokens"]
