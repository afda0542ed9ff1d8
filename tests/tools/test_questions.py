"""The question bank: its form, its numbers, GIFT there and back, and the exam."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from book.tools.course.plan import read_plan
from book.tools.course.questions import BANK, exam, gift, read_questions
from tests.book_sources import NAMES, exported

SEED = read_plan().seed
each_chapter = pytest.mark.parametrize("name", NAMES)
CHECKED_WITH = {name.rpartition(".")[2]: piece for name, piece in exported().items()}
CHECKED_WITH |= {"math": math, "torch": torch, "F": F, "nn": nn}
CHECKED_WITH |= {"Counter": Counter, "pairwise": pairwise}


def path_of(name: str) -> Path:
    return BANK / f"{name}.toml"


@each_chapter
def test_a_chapter_has_eight_questions_whose_wrong_answers_say_why(name: str) -> None:
    questions = read_questions(path_of(name))
    assert len(questions) >= 8
    for one in questions:
        assert len(one.options) >= 4
        assert [option.is_right for option in one.options].count(True) == 1
        for option in one.options:
            assert len(option.why) > 20 and option.why[-1] == ".", option.why
    reasons = [option.why for one in questions for option in one.options]
    assert len(set(reasons)) == len(reasons)
    longest = [max(one.options, key=lambda o: len(o.text)) for one in questions]
    assert sum(option.is_right for option in longest) <= len(questions) / 2


def test_no_question_is_asked_twice_and_every_chapter_has_its_file() -> None:
    asked = [one.ask for name in NAMES for one in read_questions(path_of(name))]
    assert len({ask.lower() for ask in asked}) == len(asked)
    assert sorted(path.stem for path in BANK.iterdir()) == NAMES
    self_tests = "".join(
        path.read_text(encoding="utf-8") for path in BANK.parents[1].glob("self_test_*")
    )
    assert not any(ask in self_tests for ask in asked)


@each_chapter
def test_the_numbers_of_a_question_are_those_that_come_out(name: str) -> None:
    torch.manual_seed(0)
    for one in read_questions(path_of(name)):
        assert not one.check or eval(one.check, dict(CHECKED_WITH)), one.ask


@each_chapter
def test_gift_holds_what_the_bank_holds(name: str) -> None:
    """Read by its rules: special characters count only without a backslash."""
    text = gift(path_of(name), SEED)
    found = re.findall(r"^::[\d-]+::\[markdown\](.+) \{\n((?:.+\n)+?)\}$", text, re.M)

    def plain(escaped: str) -> str:
        assert not re.search(r"(?<!\\)[~=#{}:]", re.sub(r"\\\\", "", escaped)), escaped
        return re.sub(r"\\(.)", r"\1", escaped)

    questions = read_questions(path_of(name))
    assert [plain(ask) for ask, _ in found] == [one.ask for one in questions]
    for (_, lines), one in zip(found, questions, strict=True):
        answers = {
            (plain(text), plain(why), mark == "=")
            for line in lines.splitlines()
            for mark, text, why in re.findall(r"^([=~])(.+?)(?<!\\)#(.+)$", line)
        }
        assert answers == {(o.text, o.why, o.is_right) for o in one.options}


def test_gift_escapes_what_means_something_there(tmp_path: Path) -> None:
    path = tmp_path / "03_attention.toml"
    path.write_text(
        "[[question]]\nask = 'Is {a: b} = \\\\#~?'\nright = ['a=b', 'c: d.']\n"
        "wrong = [['~', '#.']]\n"
    )
    written = gift(path, SEED)
    assert r"[markdown]Is \{a\: b\} \= \\\\\#\~? {" in written
    assert r"=a\=b#c\: d." in written and r"~\~#\#." in written


def test_the_place_of_the_right_answer_tells_nothing() -> None:
    places = Counter(
        [option.is_right for option in one.mixed(SEED)].index(True)
        for name in NAMES
        for one in read_questions(path_of(name))
    )
    assert set(places) == {0, 1, 2, 3}
    assert max(places.values()) < 0.4 * places.total()


def test_the_exam_and_its_solutions_are_one_exam() -> None:
    empty, solved = exam(SEED), exam(SEED, solved=True)
    asked = [re.findall(r"<strong>\d+\.</strong>.+", page) for page in (empty, solved)]
    assert asked[0] == asked[1] and len(asked[0]) == 30
    assert "Right." not in empty and solved.count("Right.") == 30
    assert empty.count("<li>") == solved.count("<li>") == 120
    assert exam(SEED + 1) != empty


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ("ask = 'A?'\nright = ['a', 'b.']", "a question has `ask`"),
        ("ask = 'A?'\nright = ['a']\nwrong = []", "a question has `ask`"),
        ("ask = 'A?'\nright = ['a', 'b']\nwrong = [['a', 'c']]", "stands twice"),
    ],
)
def test_a_question_without_its_parts_is_refused_in_a_sentence(
    lines: str, sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "03_attention.toml"
    path.write_text(f"[[question]]\n{lines}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=sentence):
        read_questions(path)
