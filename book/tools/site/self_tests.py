"""The self-tests: ten questions a part, each option a fold that says why.

The questions stand in `book/self_tests/part_N.toml`, the words above them on the page
`book/self_test_N`. The options are `<details>`, so they open by mouse, touch and
keyboard, without a script and without a network; on paper all of them stand open.
"""

import re
import tomllib
from pathlib import Path
from textwrap import indent
from typing import NamedTuple

from markdown_it import MarkdownIt
from sphinx.application import Sphinx

from book.tools.project.address import ROOT

FOLDER = Path("book") / "self_tests"
PAGE = re.compile(r"book/self_test_(\d+)")
LETTERS = "abcd"
VERDICTS = {True: "Right.", False: "Not quite."}


class Option(NamedTuple):
    """One answer to choose from: its text, and why it is right or not."""

    text: str
    why: str


class Question(NamedTuple):
    """A question, its options by letter, the right letter, and what to read again."""

    ask: str
    options: dict[str, Option]
    right: str
    read: str


def read_questions(part: int, root: Path = ROOT) -> list[Question]:
    """The questions of a part, in order."""
    path = root / FOLDER / f"part_{part}.toml"
    found = tomllib.loads(path.read_text(encoding="utf-8"))["question"]
    return [
        Question(
            ask=entry["ask"],
            options={key: Option(*entry[key]) for key in LETTERS if key in entry},
            right=entry["right"],
            read=entry["read"],
        )
        for entry in found
    ]


def question_markdown(number: int, question: Question) -> str:
    """One question as an item of a numbered list."""
    parts = [
        f"**{question.ask}**",
        *(
            option_markdown(option, VERDICTS[letter == question.right])
            for letter, option in question.options.items()
        ),
        f"*Read again:* {question.read}",
    ]
    start = f"{number}. "
    return start + indent("\n\n".join(parts), " " * len(start)).lstrip()


def option_markdown(option: Option, verdict: str) -> str:
    """One option as a fold."""
    text = MarkdownIt().renderInline(option.text)
    return (
        f'<details class="choice"><summary>{text}</summary>\n\n'
        f"**{verdict}** {option.why}\n\n</details>"
    )


def write_questions(app: Sphinx, document: str, source: list[str]) -> None:
    """Put the questions of a part below the words of its page."""
    page = PAGE.fullmatch(document)
    if page:
        questions = enumerate(read_questions(int(page[1])), start=1)
        items = (question_markdown(number, each) for number, each in questions)
        source[0] = "\n\n".join([source[0].rstrip(), *items]) + "\n"


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the extension to Sphinx."""
    app.connect("source-read", write_questions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
