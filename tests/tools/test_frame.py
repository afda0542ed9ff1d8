"""The frame of the project: requirements, lock and habits. (Use proves the set-up.)"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from itertools import pairwise
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
    locked = {(canonicalize_name(one.name), str(one.specifier)) for one in LOCK}
    for pin in PINS:
        found = canonicalize_name(pin.name), str(pin.specifier)
        assert found in locked, f"{pin} is not in requirements.lock: run make lock"


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
    kept = tmp_path / ".venv" / "lib" / "__pycache__"
    made = [tmp_path / name for name in ("_build", ".cache", "lib/__pycache__")]
    beside = tmp_path / FOLDER.relative_to(ROOT) / "nbgrader" / "gradebook.db"
    inside = tmp_path / "_build" / "course" / "nbgrader" / "gradebook.db"
    for folder in [kept, *made, beside.parent, inside.parent]:
        folder.mkdir(parents=True, exist_ok=True)
    beside.write_text("all the marks")
    inside.write_text("all the marks")
    refused = make(tmp_path, "distclean")
    assert refused.returncode != 0
    assert "marks stand in _build/course/nbgrader/gradebook.db" in refused.stderr
    assert inside.is_file()
    inside.unlink()
    assert make(tmp_path, "clean").returncode == 0
    assert kept.is_dir()
    assert not any(folder.exists() for folder in made)
    assert ".venv is removed" in make(tmp_path, "distclean").stdout
    assert not kept.exists()
    assert beside.is_file()


def test_make_retrain_gives_the_command_of_the_card() -> None:
    shown = make(ROOT, "-n", "retrain").stdout.split(" -m lib ")[1]
    words = shlex.split(shown.replace("\\\n", ""))
    # A card names files without where they lie.
    words = [Path(word).name if (ROOT / word).is_file() else word for word in words]
    told = shlex.split(read_report("tatoeba-en-es")["command"])[3:]
    given = sorted(pairwise([*words, ""]))
    for pair in pairwise(told):
        if pair[0].startswith("--"):
            given.remove(pair)
    left = [option for option, _ in given if option.startswith("--")]
    assert left == ["--out", "--resume", "--watch"]


@pytest.mark.parametrize("page", text_pages(), ids=lambda path: path.name)
def test_habits_that_a_page_names_exist_and_hear_it(page: Path) -> None:
    """`make address ARGS=--check` once changed every file, its ARGS left unread."""
    text = page.read_text(encoding="utf-8")
    habits = set(re.findall(r"^([a-z][a-z-]*):", read("Makefile"), re.MULTILINE))
    assert set(re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE)) <= habits
    for habit, words in re.findall(r'make ([a-z-]+) ARGS="?([^`"\n]+)', text):
        heard = make(ROOT, "-n", habit, f"ARGS={words}").stdout
        assert words in heard, f"{habit}: {words}"
