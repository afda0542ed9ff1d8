"""The habits of the project: the lock, the Makefile, the workflow, the commit hooks."""

import os
import re
import shutil
import subprocess
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from book.tools.course.command import FOLDER
from book.tools.project.address import ROOT
from book.tools.project.lock import SOURCES, conditions, lines
from book.tools.project.newest import ranges
from book.tools.site.browser import candidates, find_browser

TOP = {
    *("book", "lib", "tests", ".ci", ".github", "_config.yml", "_toc.yml"),
    *("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "CITATION.cff", "LICENSE"),
    *("Makefile", "pyproject.toml", "requirements.lock", "requirements.txt"),
    "requirements-course.txt",
    *(".gitattributes", ".gitignore", ".pre-commit-config.yaml"),
}


LESSONS = sorted((ROOT / "book" / "course").glob("*.md"))


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def requirements(name: str) -> dict[str, Requirement]:
    wanted = [
        Requirement(line)
        for line in read(name).splitlines()
        if line and not line.startswith("#")
    ]
    return {canonicalize_name(one.name): one for one in wanted}


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a clone of the project")
def test_the_top_level_holds_what_it_should() -> None:
    done = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert {line.split("/")[0] for line in done.stdout.splitlines()} <= TOP


# --- the lock -------------------------------------------------------------------------

LOCK = requirements("requirements.lock")


@pytest.mark.parametrize("source", SOURCES)
def test_requirements_and_lock_agree(source: str) -> None:
    for name, wanted in requirements(source).items():
        assert name in LOCK, f"{name} is not in requirements.lock: run make lock"
        assert LOCK[name].specifier == wanted.specifier, f"{name}: run make lock"


def test_every_line_of_the_lock_is_one_public_version() -> None:
    assert list(LOCK) == sorted(LOCK)
    for name, wanted in LOCK.items():
        (pin,) = wanted.specifier
        version = Version(pin.version)
        assert pin.operator == "==" and version.local is None, name


def test_the_lock_holds_what_its_packages_bring() -> None:
    missing = set()
    for name, wanted in LOCK.items():
        try:
            here = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # of another system
        if Version(here.version).public not in wanted.specifier:
            continue  # `make newest` was here
        for line in here.requires or []:
            brought = Requirement(line)
            if brought.marker is None or brought.marker.evaluate({"extra": ""}):
                missing |= {canonicalize_name(brought.name)} - LOCK.keys()
    assert missing == set()


def package(name: str, *brought: str, requested: bool = False) -> dict:
    brings = [Requirement(line) for line in brought]
    about = {"name": name, "version": "1.0+cpu", "requires": brings}
    return {**about, "requested": requested}


def test_what_one_system_needs_carries_its_condition() -> None:
    found = [
        package(
            "torch",
            'nvidia_blas; platform_system == "Linux"',
            'jinja2; sys_platform != "emscripten"',
            'optional; extra == "all"',
            'asked-for; sys_platform == "win32"',
            'shared; sys_platform == "linux"',
            requested=True,
        ),
        package("nvidia-blas"),
        package("jinja2", "shared"),
        package("optional"),
        package("shared"),
        package("asked-for", requested=True),
    ]
    assert list(conditions(found)) == ["nvidia-blas"]
    marker = Marker(conditions(found)["nvidia-blas"])
    assert marker.evaluate({"platform_system": "Linux"})
    assert not marker.evaluate({"platform_system": "Darwin"})
    assert lines(found)[-1] == "torch==1.0"


# --- the Makefile ---------------------------------------------------------------------


def make(folder: Path, *words: str) -> str:
    """Run make; what it says."""
    done = run_make(folder, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_make(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run make with no memory of a make that may have started the tests."""
    inherited = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "VENV", "BIN")
    clean = {k: v for k, v in os.environ.items() if k not in inherited}
    return subprocess.run(
        ["make", *words], cwd=folder, env=clean, capture_output=True, text=True
    )


def test_only_distclean_removes_the_environment(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    kept = tmp_path / ".venv" / "lib" / "__pycache__"
    made = [tmp_path / name for name in ("_build", ".cache", "lib/__pycache__")]
    for folder in [kept, *made]:
        folder.mkdir(parents=True)
    make(tmp_path, "clean")
    assert kept.is_dir()
    assert not any(folder.exists() for folder in made)
    assert ".venv is removed" in make(tmp_path, "distclean")
    assert not kept.exists()


def test_no_marks_are_removed(tmp_path: Path) -> None:
    """`make course` writes beside _build, and marks inside it stop the broom."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    beside = tmp_path / FOLDER.relative_to(ROOT) / "nbgrader" / "gradebook.db"
    inside = tmp_path / "_build" / "course" / "nbgrader" / "gradebook.db"
    for marks in (beside, inside):
        marks.parent.mkdir(parents=True)
        marks.write_text("all the marks")
    done = run_make(tmp_path, "distclean")
    assert done.returncode != 0
    assert "marks stand in _build/course/nbgrader/gradebook.db" in done.stderr
    assert inside.is_file()
    inside.unlink()
    make(tmp_path, "distclean")
    assert beside.read_text() == "all the marks"
    assert not inside.parent.exists()


def test_windows_keeps_its_programs_elsewhere() -> None:
    assert ".venv/Scripts/python -m ruff" in make(ROOT, "-n", "lint", "OS=Windows_NT")
    assert ".venv/bin/python -m ruff" in make(ROOT, "-n", "lint", "OS=")


@pytest.mark.parametrize("page", LESSONS, ids=lambda path: path.stem)
def test_what_a_page_hands_to_make_arrives(page: Path) -> None:
    """`make address ARGS=--check` once changed every file, its ARGS left unread."""
    text = page.read_text(encoding="utf-8")
    for habit, words in re.findall(r'make ([a-z-]+) ARGS="?([^`"\n]+)', text):
        assert words in make(ROOT, "-n", habit, f"ARGS={words}"), f"{habit}: {words}"


def test_make_alone_lists_every_habit() -> None:
    listed = re.findall(r"^  make (\S+)", make(ROOT), re.MULTILINE)
    phony = re.findall(r"\.PHONY: ((?:.*\\\n)*.*)", read("Makefile"))
    assert set(listed) == set(phony[0].replace("\\\n", " ").split())


def test_a_browser_is_looked_for_where_systems_keep_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PROGRAMFILES", str(tmp_path))
    assert any("Google Chrome.app" in place for place in candidates())
    chrome = tmp_path / "Google" / "Chrome" / "Application" / "chrome.exe"
    chrome.parent.mkdir(parents=True)
    chrome.touch()
    chrome.chmod(0o755)
    assert find_browser() == str(chrome)
    monkeypatch.setenv("CHROMIUM", "no-such-browser")
    assert find_browser() is None


# --- the workflow and the hooks -------------------------------------------------------

WORKFLOW = yaml.safe_load(read(".github/workflows/book.yml"))
JOBS = WORKFLOW["jobs"]
EVENTS = WORKFLOW[True]  # YAML reads the word `on` as true


def runs(job: str) -> list[str]:
    return [step["run"] for step in JOBS[job]["steps"] if "run" in step]


def test_the_workflow_runs_everywhere() -> None:
    matrix = JOBS["test"]["strategy"]["matrix"]
    assert {name.split("-")[0] for name in matrix["system"]} == {
        *("ubuntu", "macos", "windows")
    }
    assert JOBS["test"]["runs-on"] == "${{ matrix.system }}"
    assert WORKFLOW["defaults"]["run"]["shell"] == "bash"
    allowed = re.search(r'requires-python = "(.*)"', read("pyproject.toml"))
    assert allowed and allowed[1] == ">=3.11,<3.14"
    assert matrix["python"] == ["3.11", "3.12", "3.13"]
    assert runs("test") == ["bash .ci/run"]


def test_every_week_the_newest_versions_are_tried() -> None:
    (time,) = EVENTS["schedule"]
    minute, hour, day, month, weekday = time["cron"].split()
    assert minute.isdigit() and hour.isdigit() and weekday in set("0123456")
    assert day == month == "*"
    assert runs("newest") == ["make newest", "bash .ci/run"]
    assert "schedule" in JOBS["newest"]["if"]
    assert {"torch", "lightning", "numpy"} <= {Requirement(r).name for r in ranges()}


def test_the_site_is_published_from_one_job_that_passed() -> None:
    assert JOBS["publish"]["needs"] == "test"
    assert "schedule" not in JOBS["publish"]["if"]
    (upload,) = [
        step for step in JOBS["test"]["steps"] if "pages" in step.get("uses", "")
    ]
    matrix = JOBS["test"]["strategy"]["matrix"]
    named = set(re.findall(r"'([^']*)'", upload["if"]))
    assert named <= {*matrix["system"], *matrix["python"]} and len(named) == 2


def test_hooks_are_habits() -> None:
    targets = re.findall(r"^([a-z]+):", read("Makefile"), re.MULTILINE)
    (repository,) = yaml.safe_load(read(".pre-commit-config.yaml"))["repos"]
    assert repository["repo"] == "local"
    for hook in repository["hooks"]:
        assert hook["language"] == "system"
        assert hook["entry"].split()[0] == "make"
        assert hook["entry"].split()[1] in targets
