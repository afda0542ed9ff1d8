"""The frame of the project: requirements, lock and habits. (Use proves the set-up.)"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from book.tools.course.command import FOLDER
from book.tools.project.address import ROOT
from lib.translator.folder import read_report
from tests.book_sources import imported, text_pages


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


PROJECT = tomllib.loads(read("pyproject.toml"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load(read("CITATION.cff"))
    assert str(citation["version"]) == PROJECT["version"]
    assert citation["authors"] == PROJECT["authors"]
    assert citation["repository-code"] == PROJECT["urls"]["Repository"]


# --- requirements ---------------------------------------------------------------------


def listed(lines: list[str]) -> list[Requirement]:
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


def names(lines: list[str]) -> set[str]:
    return {canonicalize_name(one.name) for one in listed(lines)}


PINS = listed(read("requirements.txt").splitlines())
LOCK = listed(read("requirements.lock").splitlines())


@pytest.mark.parametrize("wanted", [*PINS, *LOCK], ids=str)
def test_a_pin_is_one_public_version(wanted: Requirement) -> None:
    (pin,) = wanted.specifier
    assert pin.operator == "==" and wanted.url is None
    assert str(Version(pin.version)) == pin.version
    assert Version(pin.version).local is None


def test_the_lock_has_every_pin() -> None:
    pins, locked = (
        {(canonicalize_name(one.name), str(one.specifier)) for one in listed}
        for listed in (PINS, LOCK)
    )
    assert pins - locked == set(), "run make lock"


def test_pins_lie_in_the_ranges_of_lib() -> None:
    """What Colab installs by range is what the tests run with, or near it."""
    pins = {canonicalize_name(pin.name): pin.specifier for pin in PINS}
    optional = [line for lines in EXTRAS.values() for line in lines]
    for wanted in listed([*PROJECT["dependencies"], *optional]):
        (pin,) = pins[canonicalize_name(wanted.name)]
        assert Version(pin.version) in wanted.specifier, f"{pin} is not in {wanted}"


def packages(files: set[Path]) -> set[str]:
    """The packages of others that these files import, some of them by their names."""
    found = {name.split(".")[0] for file in files for name in imported(file)}
    for file in files:
        found |= set(re.findall(r'import_module\("(\w+)', file.read_text("utf-8")))
    foreign = found - set(sys.stdlib_module_names) - {"lib"}
    return {canonicalize_name(name) for name in foreign}


def test_everything_that_lib_imports_is_declared() -> None:
    """And figures alone need the extra of the chapters."""
    figures = set((ROOT / "lib" / "figures").rglob("*.py"))
    others = set((ROOT / "lib").rglob("*.py")) - figures
    base = names(PROJECT["dependencies"])
    assert packages(others) - names(EXTRAS["export"]) == base
    assert packages(figures) - base == names(EXTRAS["chapters"])


# --- the Makefile ---------------------------------------------------------------------


def make(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run make with no memory of a make that may have started the tests."""
    inherited = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "VENV", "BIN")
    clean = {k: v for k, v in os.environ.items() if k not in inherited}
    return subprocess.run(
        ["make", *words], cwd=folder, env=clean, capture_output=True, text=True
    )


def test_cleaning_keeps_the_environment_and_stops_at_marks(tmp_path: Path) -> None:
    """`make course` writes beside _build, and marks inside it stop the broom."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    kept = tmp_path / ".venv" / "lib" / "__pycache__" / "module.pyc"
    made = tmp_path / "lib" / "__pycache__" / "module.pyc"
    beside = tmp_path / FOLDER.relative_to(ROOT) / "nbgrader" / "gradebook.db"
    inside = tmp_path / "_build" / "course" / "nbgrader" / "gradebook.db"
    for file in (kept, made, beside, inside):
        file.parent.mkdir(parents=True)
        file.touch()
    refused = make(tmp_path, "distclean")
    assert refused.returncode != 0
    assert "marks stand in _build/course/nbgrader/gradebook.db" in refused.stderr
    assert inside.is_file()
    inside.unlink()
    assert make(tmp_path, "clean").returncode == 0
    assert kept.is_file()
    assert not made.exists() and not inside.parent.exists()
    assert make(tmp_path, "distclean").returncode == 0
    assert not kept.exists()
    assert beside.is_file()


def test_make_retrain_gives_the_command_of_the_card() -> None:
    shown = make(ROOT, "-n", "retrain").stdout.split(" -m lib ")[1]
    given = shlex.split(shown.replace("\\\n", ""))
    told = shlex.split(read_report("tatoeba-en-es")["command"])[3:]
    # A card names files without where they lie.
    left = Counter(Path(word).name for word in given)
    left.subtract(Path(word).name for word in told)
    differ = {word for word, count in left.items() if count}
    where = {"--out", "retrained", "--watch", "watched.txt"}
    assert differ == {*where, "--resume"}


@pytest.mark.parametrize("page", text_pages(), ids=lambda path: path.name)
def test_habits_that_a_page_names_exist_and_hear_it(page: Path) -> None:
    """`make address ARGS=--check` once changed every file, its ARGS left unread."""
    text = page.read_text(encoding="utf-8")
    habits = set(re.findall(r"^([a-z][a-z-]*):", read("Makefile"), re.MULTILINE))
    assert set(re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE)) <= habits
    for habit, words in re.findall(r'make ([a-z-]+) ARGS="?([^`"\n]+)', text):
        heard = make(ROOT, "-n", habit, f"ARGS={words}").stdout
        assert words in heard, f"{habit}: {words}"
