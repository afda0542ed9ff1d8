"""The question bank: `book/course/questions`, as GIFT and as an exam of an hour.

A chapter's file has questions with one right answer and several wrong ones, each a
known misconception, with the sentence that is said to whoever chooses it. GIFT is the
form that learning systems read, such as Moodle.
"""

import random
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase

from nbconvert.filters import markdown2html

from book.tools.notebooks.files import chapters
from book.tools.project.address import ROOT
from book.tools.site.front_page import title_of

BANK = ROOT / "book" / "course" / "questions"
IN_EXAM = 30  # questions, of two minutes each
_SPECIAL = re.compile(r"([\\~=#{}:])")
_PAGE = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 16px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 42em; }}
section {{ break-inside: avoid; }}
ul {{ list-style: none; padding-left: 1.5em; }}
</style></head><body>
<h1>{title}</h1>
<p>Name: ………………………………</p>
<p>One hour, {count} questions. One answer of each is right.</p>
{body}
</body></html>
"""


@dataclass(frozen=True)
class Option:
    """An answer, and what is said to whoever chooses it."""

    text: str
    why: str
    is_right: bool = False


@dataclass(frozen=True)
class Question:
    """A question, its right answer and its wrong ones; `check` proves its numbers."""

    ask: str
    right: list[str]
    wrong: list[list[str]]
    check: str = ""

    @property
    def options(self) -> list[Option]:
        """The answers, the right one first."""
        (text, why), wrong = self.right, self.wrong
        return [Option(text, why, is_right=True), *(Option(a, why) for a, why in wrong)]

    def mixed(self, seed: int) -> list[Option]:
        """The answers in an order that hangs on the seed and the question."""
        draw = random.Random(f"{seed} {self.ask}")
        return draw.sample(self.options, len(self.options))


def read_questions(path: Path) -> list[Question]:
    """The questions of a chapter.

    Raises:
        ValueError: If one has not what a question has.
    """
    found: list[Question] = []
    for one in tomllib.loads(path.read_text(encoding="utf-8"))["question"]:
        try:
            found.append(Question(**one))
            found[-1].mixed(0)  # which needs pairs
        except (TypeError, ValueError):
            raise ValueError(
                f"{path.name}: a question has `ask`, `right` with two texts, `wrong` "
                f"with pairs of texts and maybe `check`, but one has {sorted(one)}: "
                f"{one.get('ask', '')[:50]!r}."
            ) from None
    return found


def gift(path: Path, seed: int) -> str:
    """The questions of a chapter in the form that learning systems import."""
    title = title_of(ROOT / "book" / f"{path.stem}.ipynb")
    number = path.stem[:2]
    written = [f"$CATEGORY: The Transformer, Piece by Piece/{number} {title}\n"]
    for place, one in enumerate(read_questions(path), start=1):
        lines = [f"::{number}-{place}::[markdown]{_escaped(one.ask)} {{"]
        for option in one.mixed(seed):
            mark = "=" if option.is_right else "~"
            lines.append(f"{mark}{_escaped(option.text)}#{_escaped(option.why)}")
        written.append("\n".join([*lines, "}\n"]))
    return "\n".join(written)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def exam(seed: int, solved: bool = False) -> str:
    """A page with a question or two of each chapter, drawn by the seed; solved, why."""
    draw = random.Random(seed)
    names = [chapter.stem for chapter in chapters()]
    twice = draw.sample(names, IN_EXAM - len(names))
    chosen: list[Question] = []
    for name in names:
        asked = read_questions(BANK / f"{name}.toml")
        chosen += draw.sample(asked, 2 if name in twice else 1)
    title = "Exam · The Transformer, Piece by Piece" + " · Solutions" * solved
    body = ""
    for number, one in enumerate(chosen, start=1):
        lines = [f"**{number}.** {one.ask}\n"]
        for letter, option in zip(ascii_uppercase, one.mixed(seed), strict=False):
            line = f"- {letter} · {option.text}"
            if solved:
                line += f"  \n— {'**Right.** ' * option.is_right}{option.why}"
            lines.append(line)
        body += f"<section>{markdown2html(chr(10).join(lines))}</section>\n"
    return _PAGE.format(title=title, count=len(chosen), body=body)


def write_questions(folder: Path, seed: int) -> None:
    """Write the bank for a learning system, the exam, and its solutions."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = {f"{path.stem}.gift": gift(path, seed) for path in sorted(BANK.glob("*"))}
    pages |= {"exam.html": exam(seed), "exam_solutions.html": exam(seed, solved=True)}
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
