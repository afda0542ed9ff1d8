"""The tool of chapter 21: its rules, and whether its record is of what ships."""

from __future__ import annotations

import hashlib

import pytest

from book.tools.lab import adapting
from lib.text.files import read_json
from lib.translator import SHIPPED

KNOWN = {"like", "go", "study"}


@pytest.mark.parametrize(
    ("pair", "made"),
    [
        (("He likes tea.", "Él toma té."), ("You like tea.", "Usted toma té.")),
        (("He is late.", "Él llega tarde."), ("You are late.", "Usted llega tarde.")),
        (("She never goes.", "Ella no va."), ("You never go.", "Usted no va.")),
        (("He studies.", "Él estudia."), ("You study.", "Usted estudia.")),
        (("He lost his key.", "Él la vio."), ("You lost your key.", "Usted la vio.")),
        (("He was here.", "Estaba aquí."), None),  # no pronoun to replace
        (("She lost her key.", "Ella la vio."), None),  # whose key?
        (("He says he knows.", "Él lo dice."), None),
        (("He sleeps.", "Él duerme."), None),  # an unknown verb
    ],
)
def test_he_becomes_you(pair: tuple[str, str], made: tuple[str, str] | None) -> None:
    assert adapting.as_you(pair, KNOWN) == made


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Are you free?", "Yes, I am."),
        ("Does he smoke?", "Yes, he does."),
        ("Was I late?", "Yes, you were."),
        ("Have you slept?", "Yes, I have."),
        ("Where is he?", ""),
        ("Is Tom here?", ""),
    ],
)
def test_what_is_answered(question: str, answer: str) -> None:
    assert adapting.answer(question) == answer


def test_the_record_is_of_the_models_that_ship() -> None:
    record = read_json(SHIPPED / "measurements" / "adapting.json")
    for name, found in record["weights"].items():
        weights = (SHIPPED / name / "model.safetensors").read_bytes()
        assert hashlib.sha256(weights).hexdigest() == found, (
            f"{name} has other weights than those of adapting.json; measure anew: "
            "-m book.tools.lab.adapting lib/shipped/measurements/adapting.json"
        )
