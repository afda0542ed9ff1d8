"""What grades: what lies on an answer's desk, what is sent, what counts, the wall."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nbformat import v4
from torch import nn

from book.tools.course.desk import record as stand_in
from book.tools.course.desk import values
from book.tools.course.handed_in import Release, choose, name_of
from book.tools.course.hidden import draws, record, verdict
from book.tools.course.inputs import inputs_only
from book.tools.course.plan import read_plan
from book.tools.course.wall import no_wall, walled
from book.tools.project.address import ROOT
from lib.exercises import CheckFailed
from lib.exercises.cases import Parts
from lib.exercises.compare import same
from lib.exercises.guard import NotAnswered
from lib.exercises.outcome import Outcome
from tests.book_sources import solution

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


# --- which of the notebooks that were handed in counts ---

ONE = "03-attention.ipynb"
STUB = "def softmax(x):\n    ..."
ANSWER = "def softmax(x):\n    return x.softmax(-1)  # as on page 3, größer"


def cell(name: str, source: str, **about: bool) -> nbformat.NotebookNode:
    marks = dict.fromkeys(("solution", "locked", "grade"), False) | about
    return v4.new_code_cell(
        source, metadata={"nbgrader": {"grade_id": name, **marks}} if name else {}
    )


GIVEN = {
    "given-3": "import torch",
    "answer-3-1": STUB,
    "check-3-1": "from lib.exercises import x as check\nassert check.y(softmax)",
}


def notebook(**changed: str) -> nbformat.NotebookNode:
    """What was given out, with some cells changed; without those that are empty."""
    texts = GIVEN | {name.replace("_", "-"): text for name, text in changed.items()}
    about: dict[str, Any] = {
        "given-3": {"locked": True},
        "answer-3-1": {"solution": True},
        "check-3-1": {"locked": True, "grade": True},
    }
    cells = [cell(name, text, **about.get(name, {})) for name, text in texts.items()]
    return v4.new_notebook(cells=[one for one in cells if one.source])


BLANK, SOLVED = (nbformat.writes(notebook(answer_3_1=one)) for one in (STUB, ANSWER))
RELEASE = Release(notebook())
OTHER = nbformat.writes(v4.new_notebook(cells=[v4.new_code_cell("1 + 1")]))


def zipped(**members: str) -> bytes:
    content = BytesIO()
    with zipfile.ZipFile(content, "w") as packed:
        for name, text in members.items():
            packed.writestr(name.replace("__", "/"), text)
    return content.getvalue()


def chosen(folder: Path, **files: str | bytes) -> tuple[str, str]:
    """Which of the files counts, and what is told; each is newer than the last."""
    for turn, (label, content) in enumerate(files.items()):
        path = folder / label
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        os.utime(path, (0, 60 * turn))
    before = {path: path.stat().st_mtime for path in folder.rglob("*")}
    counts, told = choose(folder, "03-attention", RELEASE)
    assert before == {path: path.stat().st_mtime for path in folder.rglob("*")}
    if counts:
        made, changes = RELEASE.put_right(counts.cells)
        assert changes == []
        assert [name_of(one) for one in made.cells] == [*GIVEN]
    return counts.label if counts else "", "\n".join(told)


COPY = "03-attention (1).ipynb"
COUNTS: list[tuple[dict[str, str | bytes], str, str]] = [
    ({"mine.ipynb": SOLVED, "notes.ipynb": OTHER}, "mine.ipynb", f"is taken for {ONE}"),
    ({COPY: SOLVED, ONE: BLANK}, COPY, f"{ONE} is not graded: it has no answer."),
    (
        {ONE: SOLVED, COPY: SOLVED},
        COPY,
        f"{ONE} is not graded: it is older than {COPY}.",
    ),
    ({COPY: BLANK, ONE: BLANK}, ONE, f"{COPY} is not graded: it is older than {ONE}."),
    ({ONE: SOLVED, COPY: SOLVED[:900]}, ONE, f"{COPY} is not graded: it is cut off"),
    ({ONE: BLANK, COPY: SOLVED[:900]}, "", f"{COPY} is not graded: it is cut off"),
    ({ONE: OTHER}, "", "holds no cell of this assignment"),
    ({"essay.pdf": b"%PDF"}, "", "No notebook was handed in."),
    ({f"week 3/{ONE}": SOLVED}, f"week 3/{ONE}", "is taken for"),
    (
        {f"{ONE}.txt": SOLVED, f".ipynb_checkpoints/{ONE}": BLANK},
        f"{ONE}.txt",
        "is tak",
    ),
    ({ONE: b"\xef\xbb\xbf" + SOLVED.encode()}, ONE, ""),
    ({ONE: SOLVED.encode("utf-16")}, ONE, ""),
    ({ONE: nbformat.writes(notebook(answer_3_1=ANSWER), version=3)}, ONE, ""),
    ({ONE: SOLVED.encode("cp1252")}, ONE, "is not in UTF-8: it was read as cp1252."),
    (
        {"a.zip": zipped(**{f"..__..__{ONE}": SOLVED})},
        f"a.zip/../../{ONE}",
        "is taken for",
    ),
    (
        {"a.zip": zipped(**{ONE: SOLVED})[:99]},
        "",
        "it is cut off, locked, or is no zip",
    ),
]


@pytest.mark.parametrize(("files", "label", "words"), COUNTS)
def test_that_notebook_counts_whose_answers_are_the_newest(
    files: dict[str, str | bytes], label: str, words: str, tmp_path: Path
) -> None:
    got, told = chosen(tmp_path, **files)
    assert got == label
    assert words in told and bool(words) == bool(told)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.binary()
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda part: (
            st.lists(part)
            | st.dictionaries(st.sampled_from(["cells", "source", "metadata"]), part)
        ),
    ).map(lambda value: json.dumps(value).encode())
    | st.integers(0, len(SOLVED) - 1).map(lambda end: SOLVED[:end].encode()),
    name=st.sampled_from([ONE, "a.zip"]),
)
def test_whatever_a_file_holds_ends_in_one_sentence(
    content: bytes, name: str, tmp_path: Path
) -> None:
    (tmp_path / ONE).unlink(missing_ok=True)
    (tmp_path / name).write_bytes(content)
    counts, told = choose(tmp_path, "03-attention", RELEASE)
    (tmp_path / name).unlink()
    assert counts is None and len(told) == 1 and "\n" not in told[0]


@pytest.mark.skipif(os.name == "nt", reason="Windows may forbid links")
def test_a_link_to_a_solution_is_not_followed(tmp_path: Path) -> None:
    handed_in = tmp_path / "handed in"
    handed_in.mkdir()
    (tmp_path / ONE).write_text(SOLVED)
    (handed_in / ONE).symlink_to(tmp_path / ONE)
    assert choose(handed_in, "03-attention", RELEASE)[0] is None


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"check_3_1": "assert True"}, "check-3-1 had another text: it was put back."),
        ({"check_3_1": ""}, "check-3-1 was missing: it was put back."),
        ({"given_3": ""}, "given-3 was missing: it was put back."),
        ({"check_elsewhere": "1 / 0"}, ""),
        ({"given_3": "import  torch\r\n"}, ""),
    ],
)
def test_what_was_given_out_is_put_back_and_told(
    changed: dict[str, str], words: str
) -> None:
    made, told = RELEASE.put_right(notebook(**{"answer_3_1": ANSWER} | changed).cells)
    assert "".join(told) == words
    found = [(name_of(one), one.source) for one in made.cells if name_of(one)]
    assert found == [*(GIVEN | {"answer-3-1": ANSWER}).items()]


def test_of_a_cell_that_stands_twice_the_last_counts() -> None:
    cells = notebook(answer_3_1="softmax = 1").cells + notebook().cells[1:2]
    made, told = RELEASE.put_right(cells)
    assert [name_of(one) for one in made.cells] == [
        "given-3",
        "",
        "check-3-1",
        "answer-3-1",
    ]
    assert told == ["answer-3-1 stands more than once: the last counts."]


# --- the wall ---

BEHIND = """
import os, pathlib, socket, subprocess, sys

own, seen, *hidden = map(pathlib.Path, sys.argv[1:])
(own / "made").write_text((seen / "text").read_text())
print([str(path) for path in hidden if path.exists()], sorted(os.environ))
attempts = {
    "write": lambda: (seen / "text").write_text("100"),
    "write a package": lambda: pathlib.Path(os.__file__).write_text("100"),
    "end another": lambda: os.kill(int(os.environ["OTHER"]), 9),
    "connect": lambda: socket.create_connection(("1.1.1.1", 53), 1),
}
for name, attempt in attempts.items():
    try:
        attempt()
    except OSError:
        continue
    print("LET THROUGH:", name)
listed = subprocess.run(["ls", "/proc"], capture_output=True, text=True)
print(listed.stdout.split()[:3])
"""


@pytest.mark.skipif(bool(no_wall()), reason=no_wall())
def test_behind_the_wall_stand_python_and_the_desk(tmp_path: Path) -> None:
    own, seen, other = (tmp_path / name for name in ("own", "seen", "other"))
    for folder in (own, seen, other):
        folder.mkdir()
        (folder / "text").write_text("12")
    hidden = [other, ROOT / "book", ROOT / "lib", Path("/etc/passwd")]
    wall = walled([seen], [own], {"OTHER": str(os.getpid())})
    done = subprocess.run(
        [*wall, sys.executable, "-c", BEHIND, *map(str, [own, seen, *hidden])],
        capture_output=True,
        text=True,
        env=os.environ | {"SECRET": "1"},
    )
    first, *rest = done.stdout.splitlines()
    assert first.startswith("[] [") and "SECRET" not in first, done.stderr
    assert rest == ["['1', '2', '3']"]
    assert (own / "made").read_text() == (seen / "text").read_text() == "12"


@pytest.mark.parametrize(
    ("program", "words"),
    [("", "bubblewrap is "), ("not a program", "bubblewrap cannot start here (")],
)
@pytest.mark.skipif(os.name == "nt", reason="bubblewrap is for Linux")
def test_why_there_is_no_wall_is_told(
    program: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if program:
        (tmp_path / "bwrap").write_text(program)
        (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert words in no_wall.__wrapped__()
