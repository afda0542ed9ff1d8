"""The page "Make it your own": its steps, taken in a copy; the address they carry."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from book.tools.notebooks.colab import working_tree
from book.tools.project.address import ROOT, parse_address
from book.tools.project.carry_address import main
from book.tools.site.build_site import pages, readable
from lib.corpora import SAMPLE

PAGE = (ROOT / "book" / "course" / "own.md").read_text(encoding="utf-8")
TINY = shlex.split(
    "--set d_model=16 --set n_layers=1 --set n_heads=2 --set d_ff=32 --set epochs=1 "
    "--set max_len=32"
)


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_address_is_the_same_everywhere() -> None:
    assert main(["--check"]) == 0


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


def test_where_the_site_stands_is_guessed_for_github_alone() -> None:
    with pytest.raises(ValueError, match=r"is at gitlab\.com, so say where its site"):
        parse_address("https://gitlab.com/a/b", "v1")
    with pytest.raises(ValueError, match=r"html\.baseurl in _config\.yml is"):
        parse_address("https://github.com/a/b", "v1", "course.org")
    assert parse_address("https://GitHub.com/A/b", "v1").colab
    assert parse_address("https://github.com/A/b", "v1").site == "https://a.github.io/b"
    own = parse_address("https://github.com/A/a.github.io", "v1")
    assert own.site == "https://a.github.io"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project, without the weights and without its history."""
    folder = tmp_path_factory.mktemp("own") / "attention"
    for name in working_tree():
        if not name.endswith((".safetensors", ".png")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((ROOT / name).read_bytes())
    return folder


def change(copy: Path, settings: dict[str, Any]) -> None:
    """Change `_config.yml` as the page says."""
    config = copy / "_config.yml"
    found = yaml.safe_load(config.read_text(encoding="utf-8"))
    config.write_text(yaml.safe_dump(found | settings), encoding="utf-8")


def address(copy: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run what `make address` runs, in the copy."""
    command = [sys.executable, "-m", "book.tools.project.carry_address", *options]
    return subprocess.run(command, cwd=copy, capture_output=True, text=True)


def assert_named(copy: Path, names: dict[str, str]) -> None:
    """Every file names the new address, in each of its forms."""
    assert address(copy, "--check").returncode == 1
    assert address(copy).returncode == 0
    assert address(copy, "--check").returncode == 0
    for name, link in names.items():
        text = (copy / name).read_text(encoding="utf-8")
        assert link in text
        assert "github.com/transformer-piece-by-piece" not in text


def test_a_copy_gets_its_own_address(copy: Path) -> None:
    first, second = (yaml.safe_load(block) for block in blocks("yaml"))
    change(copy, first)
    named = {
        "README.md": "colab.research.google.com/github/my-school/attention",
        "CITATION.cff": "https://github.com/my-school/attention",
        "book/01_words.ipynb": "https://github.com/my-school/attention/archive/v",
        "book/06_heads.ipynb": "https://my-school.github.io/attention/book/",
    }
    assert_named(copy, named)

    # Another host gets its links, and none to Colab.
    gitlab = "https://gitlab.com/my-school/attention"
    change(copy, {"repository": {"url": gitlab}, **second})
    named = {
        "README.md": "https://attention.my-school.org/book/01_words.html",
        "book/01_words.ipynb": f"{gitlab}/-/archive/",
        "book/06_heads.ipynb": "https://attention.my-school.org/book/",
    }
    assert_named(copy, named)
    readme = (copy / "README.md").read_text(encoding="utf-8")
    assert "colab.research.google.com/github" not in readme

    change(copy, {"repository": {"url": "git@github.com:my-school/attention"}})
    refused = address(copy)
    assert refused.returncode == 2
    assert refused.stderr.endswith("write it as https://host/owner/name.\n")


@pytest.mark.exhaustive
def test_the_commands_for_another_language_pair_run(tmp_path: Path) -> None:
    (commands,) = (block for block in blocks("bash") if "lib train" in block)
    (tmp_path / "pairs.tsv").write_bytes(SAMPLE.read_bytes())
    # Without what else Windows sets, it starts no Python.
    own = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PATH": ""}
    for line in commands.splitlines():
        python, *words = shlex.split(line)
        assert python == "python"
        tiny = TINY if "train" in words else []
        command = [sys.executable, *words, *tiny]
        subprocess.run(command, cwd=tmp_path, env=own, check=True)
    assert (tmp_path / "runs" / "en-de" / "model.safetensors").is_file()


def test_the_build_names_the_cell_that_links_to_a_page_that_is_gone() -> None:
    said = "\x1b[91m/x/13_decoding.ipynb:480006: WARNING: Unknown page\x1b[39;49;00m"
    assert readable(said) == "/x/13_decoding.ipynb, cell-48: WARNING: Unknown page"


def test_a_chapter_left_out_is_no_page_any_more(copy: Path) -> None:
    contents = copy / "_toc.yml"
    text = contents.read_text(encoding="utf-8")
    left = re.sub(r".*17_speed.*\n", "", text)
    assert text.count("\n") - left.count("\n") == 2
    contents.write_text(left, encoding="utf-8")
    assert "book/16_real_sentences.html" in pages(copy)
    assert not [name for name in pages(copy) if "17_speed" in name]
