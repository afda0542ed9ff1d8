"""The question bank and the self-tests: form, numbers, GIFT there and back, an exam."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from book.tools.course.plan import read_plan
from book.tools.course.questions import BANK, Option, exam, gift, read_questions
from tests.book_sources import NAMES, exported, read

SEED = read_plan().seed
BOOK = BANK.parents[1]
PARTS = {1: range(1, 6), 2: range(6, 11), 3: range(11, 18), 4: range(18, 22)}
OPTION = re.compile(
    r' +<details class="choice"><summary>(.+)</summary>\n\n'
    r" +\*\*(Right|Not quite)\.\*\* (.+)\n\n +</details>\n"
)
each_chapter = pytest.mark.parametrize("name", NAMES)
CHECKED_WITH = {name.rpartition(".")[2]: piece for name, piece in exported().items()}
CHECKED_WITH |= {"math": math, "torch": torch, "F": F, "nn": nn}
CHECKED_WITH |= {"Counter": Counter, "pairwise": pairwise}


def path_of(name: str) -> Path:
    return BANK / f"{name}.toml"


def main_line(name: str) -> list[str]:
    """The anchors of the headings that nobody may skip."""
    cells = read(BOOK / f"{name}.ipynb").cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    text = re.split(r"^## (?:What goes wrong|Exercises)$", text, flags=re.MULTILINE)[0]
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return [re.sub(r"[^\w -]", "", one).lower().replace(" ", "-") for one in headings]


def expect_fair(asked: list[Sequence[Option]]) -> None:
    """One answer is right, each says why, and the length does not give it away."""
    for options in asked:
        assert [one.is_right for one in options].count(True) == 1
        assert len({one.text for one in options}) == len(options)
    reasons = [one.why for options in asked for one in options]
    assert len(set(reasons)) == len(reasons)
    assert [why for why in reasons if len(why) <= 20 or why[-1] not in ".?!)"] == []
    longest = [max(one, key=lambda o: (len(o.text), o.is_right)) for one in asked]
    assert [one.is_right for one in longest].count(True) <= len(asked) / 2


def expect_spread(asked: list[Sequence[Option]]) -> None:
    """The place of the right answer tells nothing."""
    places = Counter([one.is_right for one in options].index(True) for options in asked)
    assert set(places) == {0, 1, 2, 3}
    assert max(places.values()) <= 0.4 * places.total()


@each_chapter
def test_a_chapter_has_eight_questions_whose_wrong_answers_say_why(name: str) -> None:
    asked = [one.options for one in read_questions(path_of(name))]
    assert len(asked) >= 8
    assert min(map(len, asked)) >= 4
    expect_fair(asked)


def test_the_place_of_the_right_answer_is_drawn() -> None:
    asked = [one for name in NAMES for one in read_questions(path_of(name))]
    expect_spread([one.mixed(SEED) for one in asked])


@pytest.mark.parametrize("part", PARTS)
def test_a_part_ends_in_ten_questions_each_with_a_place_to_read_again(
    part: int,
) -> None:
    text = (BOOK / f"self_test_{part}.md").read_text(encoding="utf-8")
    asked: list[Sequence[Option]] = []
    for item in re.split(r"^\d+\. \*\*(?=.+\*\*\n)", text, flags=re.MULTILINE)[1:]:
        found = OPTION.findall(item)
        assert item.count("<details") == len(found) in (3, 4), item
        asked.append([Option(text, why, told == "Right") for text, told, why in found])
        again = re.search(r"^ +\*Read again:\* \[.+\]\((\w+)\.ipynb#(.+)\)", item, re.M)
        assert again and int(again[1][:2]) in PARTS[part], item
        assert again[2] in main_line(again[1]), item
    assert len(asked) == 10
    expect_fair(asked)
    expect_spread(asked)
    toc = (BOOK.parent / "_toc.yml").read_text(encoding="utf-8")
    chapter = NAMES[PARTS[part][-1] - 1]
    assert f"book/{chapter}\n      - file: book/self_test_{part}\n" in toc


def test_no_question_is_asked_twice_and_every_chapter_has_its_file() -> None:
    asked = [one.ask for name in NAMES for one in read_questions(path_of(name))]
    assert len({ask.lower() for ask in asked}) == len(asked)
    assert sorted(path.stem for path in BANK.iterdir()) == NAMES
    self_tests = "".join(path.read_text("utf-8") for path in BOOK.glob("self_test_*"))
    assert not any(ask in self_tests for ask in asked)
    assert self_tests.count("```python") >= 12  # code to be searched for a fault


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


def test_the_exam_and_its_solutions_are_one_exam() -> None:
    empty, solved = exam(SEED), exam(SEED, solved=True)
    asked = [re.findall(r"<strong>\d+\.</strong>.+", page) for page in (empty, solved)]
    assert asked[0] == asked[1] and len(asked[0]) == 30
    assert "Right." not in empty and solved.count("Right.") == 30
    assert empty.count("<li>") == solved.count("<li>") == 120
    assert exam(SEED + 1) != empty


@pytest.mark.parametrize(
    "lines",
    [
        "ask = 'A?'\nright = ['a', 'b.']",
        "ask = 'A?'\nright = ['a']\nwrong = []",
        "ask = 'A?'\nright = ['a', 'b']\nwrong = []\nproof = 'True'",
    ],
)
def test_a_question_without_its_parts_is_refused_in_a_sentence(
    lines: str, tmp_path: Path
) -> None:
    path = tmp_path / "03_attention.toml"
    path.write_text(f"[[question]]\n{lines}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="a question has `ask`"):
        read_questions(path)
