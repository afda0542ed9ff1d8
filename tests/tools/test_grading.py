"""What grades: what lies on an answer's desk, what is sent, the fence, the report."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from torch import nn

from book.tools.course.desk import record as stand_in
from book.tools.course.desk import values
from book.tools.course.desk.fence import readable
from book.tools.course.hidden import draws, record, verdict
from book.tools.course.inputs import inputs_only
from book.tools.course.plan import read_plan
from book.tools.course.reports import recognize
from book.tools.course.wall import walled
from book.tools.project.address import ROOT
from lib.exercises import CheckFailed
from lib.exercises.cases import Parts
from lib.exercises.compare import same
from lib.exercises.guard import NotAnswered
from lib.exercises.outcome import Outcome
from tests.solution import solution

COURSE = read_plan()
each_exercise = pytest.mark.parametrize(
    "number", [number for one in COURSE.assignments for number in one.exercises]
)


# --- what lies on the desk of an answer ---


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], dict[str, Any]]:
    """What a module of records holds where answers are graded."""

    def read_module(name: str) -> dict[str, Any]:
        with monkeypatch.context() as apart:
            apart.setitem(sys.modules, "lib.exercises.record", stand_in)
            source = (ROOT / "lib" / "exercises" / f"{name}.py").read_text("utf-8")
            found: dict[str, Any] = {"__name__": f"lib.exercises.{name}"}
            exec(compile(inputs_only(source), name, "exec"), found)
        return found

    return read_module


@each_exercise
def test_an_answer_has_inputs_and_no_solution_on_its_desk(
    number: str, desk: Any
) -> None:
    recorded = record(number)
    found = desk(recorded.chapter)
    cases = recorded.cases(1)
    own = (part for part in found.values() if callable(part))
    for part in own:
        if getattr(part, "__module__", "") == found["__name__"]:
            with pytest.raises(Exception):  # noqa: B017, PT011 - it is no answer
                recorded.expect_right(recorded.tried(part, cases), cases)
    inputs = found[recorded.name]
    for asked in ("right", "slips", "expected", "praise"):
        assert not hasattr(inputs, asked)


@each_exercise
def test_an_answer_is_judged_by_what_is_sent(number: str, desk: Any) -> None:
    inputs = desk(record(number).chapter)[record(number).name]
    slips = record(number).slips
    slip = slips[min(slips, key=len)]
    all_draws = draws(number, COURSE.seed)

    def sent(answer: Any) -> Iterator[Outcome]:
        found = (inputs.tried(answer, inputs.cases(draw)) for draw in all_draws)
        return (values.read(values.line(one)) for tried in found for one in tried)

    assert ": right. " in verdict(number, COURSE.seed, sent(solution(number)))
    wrong = slip[0] if isinstance(slip, list) else slip
    with pytest.raises(CheckFailed) as alone:
        record(number)(wrong)
    with pytest.raises(CheckFailed) as apart:
        verdict(number, COURSE.seed, sent(wrong))
    assert str(apart.value) == str(alone.value)


SENT: list[Any] = [
    [None, True, -0.5, "é\n", (2, {"a"})],
    {(1, 2): [None]},
    Parts(a=1),
    range(2),
    math.inf,
    np.float32(0.1),
    np.arange(3),
    [torch.tensor([[True]]), torch.ones(2, 0), torch.tensor(math.nan).half()],
    torch.ones(1).int(),
    torch.ones(2).max(dim=0),  # a tuple with names
]


@pytest.mark.parametrize("value", SENT, ids=repr)
def test_what_an_answer_gives_is_sent_as_it_is(value: Any) -> None:
    got = values.read(values.line(Outcome(value))).value
    assert same(got, list(value) if isinstance(value, range) else value)
    assert getattr(got, "dtype", None) == getattr(value, "dtype", None)


def test_what_cannot_be_sent_is_told() -> None:
    found = Outcome(nn.Linear(2, 2), CheckFailed("No."), has_form=False)
    found.error.__cause__ = KeyError("a")  # type: ignore[union-attr]
    got = values.read(values.line(found))
    assert (repr(got.value), str(got.error), got.has_form) == ("a Linear", "No.", False)
    assert type(got.error.__cause__).__name__ == "KeyError"  # type: ignore[union-attr]
    with pytest.raises(NotAnswered, match="Later"):
        values.read(values.line(NotAnswered("Later.")))
    for junk in ("", "{}", '{"value": {"tensor": 1, "kind": "load"}}', "[" * 9999):
        with pytest.raises(CheckFailed, match="could not be read"):
            values.read(junk)


# --- what the teacher is told ---


def test_a_notebook_is_known_by_its_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cell = {"metadata": {"nbgrader": {"grade_id": "answer-3-1"}}}
    ours, other = json.dumps({"cells": [cell]}), json.dumps({"cells": []})
    place = Path("submitted", "ann", "03-attention")
    for folder in (Path("source", "03-attention"), place):
        folder.mkdir(parents=True)
    Path("source/03-attention/03-attention.ipynb").write_text(ours)
    report = Path("reports/ann/03-attention.txt")

    def handed_in(**files: str) -> tuple[list[str], str]:
        for path in place.iterdir():
            path.unlink()
        for name, text in files.items():
            (place / f"{name}.ipynb").write_text(text)
        notebooks = sorted(map(str, place.glob("*.ipynb")))
        recognize(notebooks=notebooks, student="*", assignment="03-attention")
        told = report.read_text() if report.exists() else ""
        return [Path(one).name for one in notebooks], told

    alone = ["03-attention.ipynb"]
    assert handed_in(**{"03-attention": ours}) == (alone, "")
    for names in ({"03-attention (1)": ours}, {"mine": ours, "notes": other}):
        found, told = handed_in(**names)
        assert found == alone and "is taken for 03-attention.ipynb" in told
    _, told = handed_in(**{"03-attention": other, "copy": ours})
    assert told == "copy.ipynb is not graded: it holds cells of this assignment.\n"
    _, told = handed_in(notes=other, broken="[]")
    assert told.count("is not graded: it holds no cell of it") == 2


# --- the fence ---

BEHIND_THE_FENCE = """
import os, shutil, socket, sqlite3, subprocess, sys
from pathlib import Path
from book.tools.course.desk.fence import Fence, OutsideError

desk, other, pipe = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
own = desk / "work"
Fence(str(desk), str(own), pipe).put_up()
(own / "folder").mkdir()
(own / "folder" / "kept.txt").write_text("mine")
(own / "link").symlink_to(own / "folder")
shutil.rmtree(own / "folder")
os.devnull and open(os.devnull, "w").write("nothing")
print((desk / "lib" / "exercises" / "words.py").read_text(), len(os.listdir(desk)))
attempts = {
    "write": lambda: (other / "marks").write_text("100"),
    "append": lambda: open(other / "marks", "a"),
    "remove": lambda: (other / "marks").unlink(),
    "rename": lambda: (other / "marks").rename(own / "marks"),
    "bring": lambda: (own / "new").rename(other / "new"),
    "make": lambda: (other / "folder").mkdir(),
    "change": lambda: os.chmod(other / "marks", 0),
    "rmtree": lambda: shutil.rmtree(other),
    "by a link": lambda: (own / "way").symlink_to(other) or (own / "way/x").touch(),
    "by the way up": lambda: Path(desk, "..", other.name, "x").touch(),
    "read": lambda: (other / "marks").read_text(),
    "list": lambda: os.listdir(other),
    "a chapter": lambda: (desk / "book" / "03_attention.ipynb").read_text(),
    "a record": lambda: Path(sys.prefix, "lib/exercises/words.py").read_text(),
    "another program": lambda: open("/proc/1/environ"),
    "a database": lambda: sqlite3.connect(other / "gradebook.db"),
    "import": lambda: __import__("book.tools.course.hidden"),
    "program": lambda: subprocess.run(["true"]),
    "shell": lambda: os.system("true"),
    "end another": lambda: os.kill(os.getppid(), 15),
    "connect": lambda: socket.create_connection(("127.0.0.1", 9), 1),
}
for name, attempt in attempts.items():
    try:
        attempt()
    except OutsideError:
        print("refused:", name)
    else:
        print("LET THROUGH:", name)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows hands no pipe on by its number")
def test_the_fence_refuses_what_lies_outside_and_tells_it(tmp_path: Path) -> None:
    desk, other = tmp_path / "desk", tmp_path / "other"
    for folder in (desk / "work", desk / "lib" / "exercises", other):
        folder.mkdir(parents=True)
    (desk / "lib" / "exercises" / "words.py").write_text("inputs")
    (other / "marks").write_text("12")
    pipe, end = os.pipe()
    done = subprocess.run(
        [sys.executable, "-c", BEHIND_THE_FENCE, str(desk), str(other), str(end)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        pass_fds=[end],
    )
    os.close(end)
    with open(pipe, encoding="utf-8") as read_end:
        told = read_end.read()
    first, *lines = done.stdout.splitlines()
    assert first == "inputs 2", done.stderr
    assert len(lines) == 21
    assert [line for line in lines if not line.startswith("refused: ")] == []
    assert [path.name for path in other.iterdir()] == ["marks"]
    assert (other / "marks").read_text() == "12"
    for words in (
        "/book/03_attention.ipynb",
        "does not import book",
        "/proc/1/environ",
    ):
        assert words in told


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_no_wall_is_asked_for_where_none_can_be(
    platform: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows has not even the library that would be asked."""
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr("ctypes.CDLL", Mock(side_effect=TypeError))
    with walled([], []) as walls:
        assert walls == {}


BEHIND_THE_WALL = """
import ctypes, sys
libc = ctypes.CDLL(None)
for path, flags in zip(sys.argv[1::2], map(int, sys.argv[2::2])):
    print(libc.open(path.encode(), flags | 64, 0o600) >= 0)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock is Linux's")
def test_behind_the_wall_compiled_code_reads_and_writes_no_more(tmp_path: Path) -> None:
    own, seen, other = (tmp_path / name for name in ("own", "seen", "other"))
    for folder in (own, seen, other):
        folder.mkdir()
        (folder / "text").write_text("12")
    asked = [(own, 1), (seen, 0), (seen, 1), (other, 0), (other, 1)]
    words = [word for folder, how in asked for word in (folder / "text", how)]
    with walled([*readable(), str(seen)], [str(own)]) as walls:
        if not walls:
            pytest.skip("this Linux has no Landlock")
        done = subprocess.run(
            [sys.executable, "-c", BEHIND_THE_WALL, *map(str, words)],
            capture_output=True,
            text=True,
            **walls,
        )
    assert done.stdout.split() == ["True", "True", "False", "False", "False"]
