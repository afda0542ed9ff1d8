"""The tool that chooses from which doubt on a translator is unsure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from book.tools.lab import doubt
from book.tools.lab.doubt import Judged, auc_interval, choose, told, verdict_of
from lib.corpora import Corpus
from lib.evaluation import strangers
from lib.translator.base import Doubted
from lib.translator.folder import read_report, write_card
from tests.refusals import refuses

PAIRS = [(f"Number {number}.", f"Número {number}.") for number in range(40)]
CORPUS = Corpus("made-up", "en", "es", {"validation": PAIRS})


class Fake:
    """Is right about even numbers and every other stranger, and doubts the rest."""

    def translate_with_doubt(
        self, sentences: list[str], *search: float
    ) -> list[Doubted]:
        right = {one.english: one.spanish for p in PARTS for one in strangers(p)[::2]}
        right |= dict(PAIRS[::2])
        return [
            Doubted(right.get(text, "Zzz."), 1.0 + (text not in right), False)
            for text in sentences
        ]


PARTS = ("test", "validation")
FAKE: Any = Fake()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "config.json").write_text('{"format": 1}')
    return tmp_path


def test_a_verdict_holds_for_that_translation_alone(folder: Path) -> None:
    verdicts = "Number 1.\tZzz.\twrong\nNumber 3.\tNúmero tres.\tright\n"
    doubt.take_up(folder / doubt.JUDGED, verdicts)
    assert "Number" not in (folder / doubt.JUDGED).read_text("utf-8")
    found = {row[0]: row[2] for row in doubt.judge(folder, FAKE, CORPUS)}
    assert len(found) == 40
    assert (found["Number 0."], found["Number 1."]) == ("right", "wrong")
    assert found["Number 3."] == ""  # another translation of it was right
    refuses(
        lambda: doubt.take_up(folder / doubt.JUDGED, "a\tb\tgood"), "Line 1: 'good'"
    )


def test_the_limit_is_chosen_on_some_and_measured_on_others(folder: Path) -> None:
    doubt.take_up(folder / doubt.JUDGED, "Number 1.\tZzz.\tbadly wrong\n")
    found = doubt.measure_doubt(folder, FAKE, CORPUS)
    limit = json.loads((folder / "config.json").read_text("utf-8"))["unsure_above"]
    assert limit == found["limit"] == 1.0
    strange = found["strangers"]
    assert strange["right"] == {"noted": 0, "sentences": 150}
    assert strange["wrong"] == strange["badly wrong"]
    assert strange["wrong"] == {"noted": 150, "sentences": 150}
    assert (strange["auc"], found["judged"]["auc"][0]) == ([1.0, 1.0, 1.0], 1.0)


def test_few_of_the_right_are_noted_and_the_area_has_an_interval() -> None:
    rows = [Judged(number / 100, "right") for number in range(100)]
    rows += [Judged(0.5 + number / 100, "wrong") for number in range(100)]
    limit = choose(rows)
    assert told(rows, limit)["right"]["noted"] == 5
    value, low, high = auc_interval(rows)
    assert value == pytest.approx(0.875, abs=0.003)
    assert low < value < high


def test_badly_wrong_is_what_lost_most() -> None:
    milk = strangers()[2]
    assert verdict_of(milk, milk.spanish) == "right"
    assert verdict_of(milk, "Se me olvidó comprar leche.") == "wrong"
    assert verdict_of(milk, "Vivo en una ciudad.") == "badly wrong"
    assert verdict_of(milk, 9 * milk.spanish) == "badly wrong"


def test_the_card_tells_of_doubt(folder: Path) -> None:
    found = doubt.measure_doubt(folder, FAKE, CORPUS)
    write_card(folder, {**read_report("tatoeba-en-es"), "doubt": found})
    card = (folder / "README.md").read_text("utf-8")
    assert "| the 300 above | 0 of 150 | 150 of 150 | 150 of 150 | 1.00" in card
