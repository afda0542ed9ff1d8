"""The frame of the project: its address, its requirements, its habits."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

from book.tools.project.address import ROOT, Address, parse_address, read_address
from book.tools.project.carry_address import carry, carry_branch, main
from tests.book_sources import text_pages

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RANGES = {
    Requirement(r).name: Requirement(r) for r in PROJECT["project"]["dependencies"]
}
ENGINES = {
    Requirement(r).name: Requirement(r)
    for r in PROJECT["project"]["optional-dependencies"]["export"]
}
REQUIREMENTS = ("requirements.txt",)


def pins(files: tuple[str, ...] = REQUIREMENTS) -> dict[str, str]:
    texts = [(ROOT / file).read_text(encoding="utf-8") for file in files]
    lines = [line for text in texts for line in text.splitlines()]
    wanted = [line for line in lines if line and not line.startswith("#")]
    return dict(line.split("==") for line in wanted)


def test_requirements_are_exact_and_name_no_host() -> None:
    for file in REQUIREMENTS:
        text = (ROOT / file).read_text(encoding="utf-8")
        assert "://" not in text and "--" not in text
    for name, version in pins().items():
        assert str(Version(version)) == version, f"{name} is not pinned exactly"


def test_pins_lie_in_the_ranges_of_lib() -> None:
    """What Colab installs by range is what the tests run with, or near it."""
    for name, wanted in {**RANGES, **ENGINES}.items():
        assert name in pins(), f"{name} is not pinned"
        assert Version(pins()[name]) in wanted.specifier, f"{name} is out of range"


def imports_of(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.split(".")[0])
    return found


def test_everything_that_lib_imports_is_declared() -> None:
    used = set().union(*(imports_of(path) for path in ROOT.glob("lib/**/*.py")))
    # The engines are imported by the functions that need them, never before.
    foreign = used - set(sys.stdlib_module_names) - {"lib"} - set(ENGINES)
    declared = {name.lower().replace("-", "_") for name in RANGES}
    assert {name.lower() for name in foreign} == declared


def test_every_package_of_lib_is_installed() -> None:
    folders = {path.parent for path in ROOT.glob("lib/**/__init__.py")}
    names = {".".join(folder.relative_to(ROOT).parts) for folder in folders}
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == {*names, "lib.interactive"}


def test_data_of_lib_travels_with_it() -> None:
    """Every file of lib that is not code matches a pattern of its package data."""
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["lib"]
    carried = {path for pattern in patterns for path in (ROOT / "lib").glob(pattern)}
    data = {
        path
        for path in (ROOT / "lib").rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    }
    assert data - carried == set()


def test_address_is_the_same_everywhere() -> None:
    assert main(["--check"]) == 0


def test_new_address_replaces_the_old_one() -> None:
    old = Address("https://github.com/old/book", "main")
    new = Address("https://github.com/New/course", "v2")
    text = (
        "https://github.com/old/book/issues https://old.github.io/book/ "
        "https://colab.research.google.com/github/old/book/blob/main/book/01.ipynb"
    )
    assert carry(text, old, new) == (
        "https://github.com/New/course/issues https://new.github.io/course/ "
        "https://colab.research.google.com/github/New/course/blob/v2/book/01.ipynb"
    )


def test_a_host_that_colab_cannot_open_gets_no_link_to_it() -> None:
    old = Address("https://github.com/old/book", "v1")
    new = Address("https://gitlab.com/new/course", "v2", published="https://course.org")
    text = f"[chapter 1]({old.colab}/book/01_words.ipynb) {old.url}"
    assert new.colab is None
    assert carry(text, old, new) == (
        "[chapter 1](https://course.org/book/01_words.html) "
        "https://gitlab.com/new/course"
    )
    assert new.archive == "https://gitlab.com/new/course/-/archive/v2/course-v2.zip"


def test_the_workflow_follows_the_branch() -> None:
    address = Address("https://github.com/a/b", "v1", branch="develop")
    text = "  push:\n    branches: [main]\n"
    assert carry_branch(text, address) == "  push:\n    branches: [develop]\n"
    for branch in ("feature/slides", "1.10", "on"):
        carried = carry_branch(text, Address(address.url, "v1", branch=branch))
        assert yaml.safe_load(carried)["push"]["branches"] == [branch]


def test_readers_get_the_tag_of_the_version() -> None:
    assert read_address().revision == f"v{PROJECT['project']['version']}"
    assert main(["--check", "--tag", read_address().revision]) == 0
    with pytest.raises(SystemExit):
        main(["--check", "--tag", "v99"])


@pytest.mark.parametrize(
    "url",
    [
        *("", "github.com/a/b", "https://github.com/a", "https://github.com/a/b.git"),
        *("git@github.com:a/b", "https://github.com/a/b/tree/main", "https://h/a b/c"),
        *("ssh://git@github.com/a/b", "https://github.com/a/..", "https://.:/a/b"),
        *("https://user:word@github.com/a/b", "https://github.com/a/b?x", "   "),
    ],
)
def test_impossible_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="write it as https://host/owner/name"):
        parse_address(url, "main")


@pytest.mark.parametrize(
    "name", ["", "two words", "-x", "a\nb", "a..b", "a/", "/a", "a//b", "a.lock"]
)
def test_impossible_branch_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="the branch is"):
        parse_address("https://github.com/a/b", "v1", branch=name)
    with pytest.raises(ValueError, match=r"html\.baseurl in _config\.yml is"):
        parse_address("https://github.com/a/b", "v1", published="course.org")


@pytest.mark.parametrize("host", ["gitlab.com", "codeberg.org"])
def test_where_the_site_stands_is_guessed_for_github_alone(host: str) -> None:
    with pytest.raises(
        ValueError, match=rf"is at {host}, so say where its site stands"
    ):
        parse_address(f"https://{host}/a/b", "v1")
    assert parse_address("https://www.GitHub.com/A/b", "v1").colab
    assert parse_address("https://github.com/A/b", "v1").site == "https://a.github.io/b"
    own = parse_address("https://github.com/A/a.github.io", "v1")
    assert own.site == "https://a.github.io"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "repository.url in _config.yml is ''"),
        ("repository: https://github.com/a/b", "repository.url in _config.yml is ''"),
        ("repository:\n  url: https://github.com/a/b\n  branch:", "the branch is ''"),
        (
            "repository:\n  url: https://github.com/a/b\n  branch: 1.10",
            "repository.branch in _config.yml is 1.1, which is not text: put it",
        ),
        ("repository:\n  url: a: b", "_config.yml, line 2: mapping values are not"),
    ],
)
def test_odd_settings_are_refused_in_a_sentence(
    text: str, sentence: str, tmp_path: Path
) -> None:
    (tmp_path / "_config.yml").write_text(text, encoding="utf-8")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with pytest.raises(ValueError, match=re.escape(sentence)):
        read_address(tmp_path)


def targets() -> set[str]:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z][a-z-]*):", text, re.MULTILINE))


@pytest.mark.parametrize("path", text_pages(), ids=lambda path: path.name)
def test_commands_in_the_text_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    named = re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE)
    assert set(named) <= targets()


def test_continuous_integration_runs_the_same_command() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert "make test" in script.read_text(encoding="utf-8")
    workflow = (ROOT / ".github/workflows/book.yml").read_text(encoding="utf-8")
    assert ".ci/run" in workflow


def set_up(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the set-up in a folder that holds nothing but it and a lock."""
    tools = folder / "book" / "tools" / "project"
    tools.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "book/tools/project/setup.sh", tools)
    environment = os.environ | {"VENV": ".venv", "PIP_CONFIG_FILE": os.devnull}
    return subprocess.run(
        ["sh", "book/tools/project/setup.sh"],
        cwd=folder,
        env=environment | variables,
        capture_output=True,
        text=True,
    )


def test_set_up_is_done_once_and_repeated_after_a_failure(tmp_path: Path) -> None:
    (tmp_path / "requirements.lock").write_text("no-such-package==1\n")
    offline = {"PIP_NO_INDEX": "1", "PYTHON": sys.executable}
    failed = set_up(tmp_path, **offline)
    assert failed.returncode != 0
    assert failed.stderr.strip().endswith(
        "pip could not install requirements.lock: check the network, "
        "then run make again."
    )
    assert not (tmp_path / ".venv" / ".stamp").exists()

    (tmp_path / "requirements.lock").write_text("")
    first, second = set_up(tmp_path, **offline), set_up(tmp_path, **offline)
    assert first.returncode == second.returncode == 0
    assert "Making the virtual environment" in first.stdout, "a cut-off one was kept"
    assert second.stdout == ""


def test_set_up_refuses_an_old_python(tmp_path: Path) -> None:
    old = tmp_path / "python"
    old.write_text("#!/bin/sh\necho 3.9.18\n")
    old.chmod(0o755)
    refused = set_up(tmp_path, PYTHON=str(old))
    assert refused.returncode != 0
    assert "is Python 3.9.18: the book needs 3.11, 3.12 or 3.13" in refused.stderr
    assert not (tmp_path / ".venv").exists()


def test_set_up_without_python_is_one_sentence(tmp_path: Path) -> None:
    refused = set_up(tmp_path, PYTHON="no-such-python")
    assert refused.returncode != 0
    assert len(refused.stderr.strip().splitlines()) == 1
