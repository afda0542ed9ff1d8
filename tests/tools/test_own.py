"""The page "Make it your own": its steps, taken in a copy; the address they carry."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from book.tools.notebooks.colab import working_tree
from book.tools.project.address import ROOT, Address, parse_address, read_address
from book.tools.project.carry_address import carry_branch, main
from book.tools.site.build_site import pages, readable
from lib.corpora import SAMPLE

PAGE = (ROOT / "book" / "course" / "own.md").read_text(encoding="utf-8")
TINY = ("d_model=16", "n_layers=1", "n_heads=2", "d_ff=32", "epochs=1", "max_len=32")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_address_is_the_same_everywhere() -> None:
    assert main(["--check", "--tag", read_address().revision]) == 0


@pytest.mark.parametrize("branch", ["develop", "feature/slides", "1.10", "on"])
def test_the_workflow_follows_the_branch(branch: str) -> None:
    address = Address("https://github.com/a/b", "v1", branch=branch)
    carried = carry_branch("  push:\n    branches: [main]\n", address)
    assert yaml.safe_load(carried)["push"]["branches"] == [branch]


@pytest.mark.parametrize(
    "url",
    [
        *("", "github.com/a/b", "https://github.com/a", "https://github.com/a/b.git"),
        *("git@github.com:a/b", "https://github.com/a/b/tree/main", "https://h/a b/c"),
        *("https://github.com/a/..", "https://.:/a/b", "https://u:w@github.com/a/b"),
    ],
)
def test_an_impossible_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="write it as https://host/owner/name"):
        parse_address(url, "main")


@pytest.mark.parametrize(
    "name", ["", "two words", "-x", "a\nb", "a..b", "a/", "a.lock"]
)
def test_an_impossible_branch_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="the branch is"):
        parse_address("https://github.com/a/b", "v1", branch=name)


def test_where_the_site_stands_is_guessed_for_github_alone() -> None:
    with pytest.raises(ValueError, match=r"is at gitlab\.com, so say where its site"):
        parse_address("https://gitlab.com/a/b", "v1")
    with pytest.raises(ValueError, match=r"html\.baseurl in _config\.yml is"):
        parse_address("https://github.com/a/b", "v1", published="course.org")
    assert parse_address("https://www.GitHub.com/A/b", "v1").colab
    assert parse_address("https://github.com/A/b", "v1").site == "https://a.github.io/b"
    own = parse_address("https://github.com/A/a.github.io", "v1")
    assert own.site == "https://a.github.io"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "repository.url in _config.yml is ''"),
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


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project, without the weights and without its history."""
    folder = tmp_path_factory.mktemp("own") / "attention"
    for name in working_tree():
        if not name.endswith((".safetensors", ".png")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((ROOT / name).read_bytes())
    return folder


def change(config: Path, settings: dict[str, Any]) -> None:
    """Change `_config.yml` as the page says."""
    found = yaml.safe_load(config.read_text(encoding="utf-8"))
    for key, value in settings.items():
        found[key] = {**found[key], **value} if isinstance(value, dict) else value
    config.write_text(yaml.safe_dump(found), encoding="utf-8")


def address(copy: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run what `make address` runs, in the copy."""
    command = [sys.executable, "-m", "book.tools.project.carry_address", *options]
    return subprocess.run(command, cwd=copy, capture_output=True, text=True)


def text_of(copy: Path, name: str) -> str:
    return (copy / name).read_text(encoding="utf-8")


def test_a_copy_gets_its_own_address(copy: Path) -> None:
    first, _ = (yaml.safe_load(block) for block in blocks("yaml"))
    change(copy / "_config.yml", first)
    assert yaml.safe_load(text_of(copy, "_config.yml"))["title"] == first["title"]
    done = address(copy)
    assert done.returncode == 0, done.stderr
    assert address(copy, "--check").returncode == 0
    for name in ("README.md", "CITATION.cff", "book/01_words.ipynb"):
        text = text_of(copy, name)
        assert "my-school/attention" in text
        assert "github.com/transformer-piece-by-piece" not in text
    assert "my-school.github.io/attention/book/" in text_of(copy, "book/06_heads.ipynb")
    assert "colab.research.google.com/github/my-school" in text_of(copy, "README.md")


def test_another_host_gets_its_links_and_none_to_colab(copy: Path) -> None:
    _, second = (yaml.safe_load(block) for block in blocks("yaml"))
    config = copy / "_config.yml"
    change(config, {"repository": {"url": "https://gitlab.com/my-school/attention"}})
    change(config, second)
    assert address(copy).returncode == 0
    assert address(copy, "--check").returncode == 0
    readme = text_of(copy, "README.md")
    assert "colab.research.google.com/github" not in readme
    assert "https://attention.my-school.org/book/01_words.html" in readme
    notebook = text_of(copy, "book/01_words.ipynb")
    assert "https://gitlab.com/my-school/attention/-/archive/" in notebook
    assert "https://attention.my-school.org/book/" in notebook


def test_an_odd_address_is_refused_in_a_sentence(copy: Path) -> None:
    odd = {"repository": {"url": "git@github.com:my-school/attention"}}
    change(copy / "_config.yml", odd)
    done = address(copy)
    assert done.returncode == 2
    assert done.stderr.endswith("write it as https://host/owner/name.\n")


def test_a_tag_that_does_not_fit_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--check", "--tag", "v99.0.0"])
    assert "the tag is v99.0.0, but pyproject.toml has" in capsys.readouterr().err


@pytest.mark.exhaustive
def test_the_commands_for_another_language_pair_run(tmp_path: Path) -> None:
    (commands,) = (block for block in blocks("bash") if "lib train" in block)
    (tmp_path / "pairs.tsv").write_bytes(SAMPLE.read_bytes())
    # Without what else Windows sets, it starts no Python.
    own = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PATH": ""}
    for line in commands.splitlines():
        words = shlex.split(line)
        assert words[0] == "python"
        if "train" in words:
            words += [word for setting in TINY for word in ("--set", setting)]
        command = [sys.executable, "-m", "lib", *words[3:]]
        subprocess.run(command, cwd=tmp_path, env=own, check=True)
    assert (tmp_path / "runs" / "en-de" / "model.safetensors").is_file()


def test_the_build_names_the_cell_that_links_to_a_page_that_is_gone() -> None:
    said = "\x1b[91m/x/13_decoding.ipynb:480006: WARNING: Unknown page\x1b[39;49;00m"
    assert readable(said) == "/x/13_decoding.ipynb, cell-48: WARNING: Unknown page"


def test_a_chapter_left_out_is_no_page_any_more(copy: Path) -> None:
    contents = copy / "_toc.yml"
    lines = text_of(copy, "_toc.yml").splitlines(keepends=True)
    kept = [line for line in lines if "17_speed" not in line]
    assert len(lines) - len(kept) == 2
    contents.write_text("".join(kept), encoding="utf-8")
    assert "book/16_real_sentences.html" in pages(copy)
    assert not [name for name in pages(copy) if "17_speed" in name]
