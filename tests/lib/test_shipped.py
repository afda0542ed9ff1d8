"""The real translator that comes with the book keeps what its card promises."""

from __future__ import annotations

import json
from typing import Any

import pytest

from book.tools.lab.grading import fingerprint
from lib import corpora
from lib.corpora import normalize, references
from lib.corpora.remote.folder import download_folder
from lib.evaluation.neighbors import far_pairs
from lib.evaluation.scores import score
from lib.model import count_parameters
from lib.text.subwords import SubwordVocabulary
from lib.translator import SHIPPED, Translator

FOLDER = SHIPPED / "tatoeba-en-es"
README = SHIPPED.parent.parent / "README.md"
FILE = download_folder() / "spa-eng.zip"
NEEDS_CORPUS = pytest.mark.skipif(
    not FILE.is_file(),
    reason="the sentences are not here: TRANSFORMER_BOOK_CACHE names no folder with "
    "spa-eng.zip",
)


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "scores.json").read_text("utf-8"))
    return found


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load("tatoeba-en-es")


def test_its_scores_are_worth_the_name(report: dict[str, Any]) -> None:
    scores = report["scores"]["test"]
    assert scores["sentences"] >= 2000
    assert scores["bleu"] >= 52
    assert scores["chrf"] >= 69.5
    assert scores["beam_size"] == 4
    best = report["winner"]["test"]  # with the search that the validation part chose
    assert best["bleu"] >= 52 and best["chrf"] >= 70
    for name in ("bleu", "chrf", "bleu_single", "chrf_single"):
        assert "version:" in scores[f"{name}_signature"]
        assert "case:mixed" in scores[f"{name}_signature"]


def test_it_is_small(report: dict[str, Any], translator: Translator) -> None:
    assert count_parameters(translator.model) == report["parameters"] <= 6_000_000
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 18_000_000


def test_card_and_readme_tell_its_scores(report: dict[str, Any]) -> None:
    scores = report["scores"]["test"]
    card, readme = (
        (path).read_text("utf-8") for path in (FOLDER / "README.md", README)
    )
    for suffix in ("", "_single"):
        values = [f"{scores[name + suffix]:.1f}" for name in ("bleu", "chrf")]
        assert f"| {' | '.join(values)} |" in card
        assert f"| {' | '.join(values)} |" in readme
        for name in ("bleu", "chrf"):
            assert scores[f"{name}{suffix}_signature"] in card
    assert f"{report['parameters']:,} parameters" in readme
    assert f"{scores['sentences']:,} sentences" in readme
    best = report["winner"]
    assert f"validation part, {best['length_penalty']}, gives" in readme
    found = "{bleu:.1f} BLEU and {chrf:.1f} chrF".format(**best["test"])
    assert found in card and found in readme
    far = report["scores"]["test-far"]
    assert f"the {far['sentences']:,} sentences that are far" in readme
    assert f"| {far['bleu']:.1f} | {far['chrf']:.1f} |" in readme
    assert "CC BY 2.0 FR" in card
    assert report["command"] in card


def test_the_readme_shows_what_it_answers(translator: Translator) -> None:
    text = README.read_text("utf-8")
    asked = text.split('make translate TEXT="')[1].split('"')[0]
    answer = text.split("It answers\n\n```text\n")[1].split("\n```")[0]
    assert translator.translate([asked], beam_size=4) == [answer]


def test_it_translates_plain_sentences(translator: Translator) -> None:
    written = translator.translate(
        ["Where is the station?", "I want you to help me.", "She reads a book."],
        beam_size=4,
    )
    assert written[0] == "¿Dónde está la estación?"
    assert written[1] == "Quiero que me ayudes."
    assert written[2] in ("Ella lee un libro.", "Lee un libro.")


@NEEDS_CORPUS
def test_its_pieces_are_those_of_the_training_part_alone(
    report: dict[str, Any], translator: Translator
) -> None:
    train = corpora.load("tatoeba-en-es").splits["train"]
    texts = (text for pair in train for text in pair)
    built = SubwordVocabulary.build(texts, report["settings"]["vocab_size"])
    assert built.tokens == translator.src_vocab.tokens


def test_it_does_not_hide_what_it_is_worth_far_from_training(
    report: dict[str, Any],
) -> None:
    near, far = (report["scores"][part] for part in ("test", "test-far"))
    assert report["far"]["sources"] == far["sentences"] >= 300
    assert far["bleu"] < near["bleu"]
    card = (FOLDER / "README.md").read_text("utf-8")
    assert f"| test-far | {far['sentences']:,} |" in card
    assert f"| {far['bleu']:.1f} | {far['chrf']:.1f} |" in card
    assert far["chrf_signature"].startswith("chrF2|")


@NEEDS_CORPUS
def test_the_far_part_is_the_one_that_was_scored(report: dict[str, Any]) -> None:
    far = references(far_pairs(corpora.load("tatoeba-en-es").splits))
    assert fingerprint(set(far)) == report["far"]


@NEEDS_CORPUS
def test_its_scores_can_be_had_again(
    report: dict[str, Any], translator: Translator
) -> None:
    splits = corpora.load("tatoeba-en-es").splits
    seen = {
        normalize(src) for name in ("train", "validation") for src, _ in splits[name]
    }
    assert not seen & {normalize(src) for src, _ in splits["test"]}
    promised = report["scores"]["test"]
    how = promised["beam_size"], promised["length_penalty"]
    found, _ = score(translator, splits["test"], *how)
    assert found["sentences"] == promised["sentences"]
    for name in ("bleu", "chrf", "bleu_single", "chrf_single"):
        assert abs(found[name] - promised[name]) < 0.2
