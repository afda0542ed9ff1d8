"""CONTRIBUTING draws the house on one page: what it names is there, in that order."""

import re
from pathlib import Path

import pytest

from book.tools.notebooks.colab import working_tree
from book.tools.project.address import ROOT
from tests.book_sources import imported, text_pages

MAP = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
TRACKED = working_tree()
PLACES = {*TRACKED, *(str(up) for name in TRACKED for up in Path(name).parents)}
TOP = {name.split("/")[0] for name in TRACKED}
OWN_WORDS = re.compile(r"NN_|[A-Z]{4,}\.py|\*")  # a chapter's number, any name
each_page = pytest.mark.parametrize(
    "page", [p for p in text_pages() if p.parent == ROOT], ids=lambda path: path.name
)


@each_page
def test_every_path_that_a_page_names_is_there(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    named = re.findall(r"`([\w./*-]+)`", text) + re.findall(r"\]\(([\w./-]+)\)", text)
    paths = [
        name.rstrip("/")
        for name in named
        if name.split("/")[0] in TOP and not OWN_WORDS.search(name)
    ]
    assert paths
    assert [path for path in paths if path not in PLACES] == []
    tests = [Path(name).name for name in TRACKED if name.startswith("tests/")]
    alone = re.findall(r"`(test_\w+\.py)`", text)  # so there must be one of this name
    assert [name for name in alone if tests.count(name) != 1] == []


@pytest.mark.parametrize("part", ["lib", "book/tools", "tests"])
def test_every_folder_has_its_line(part: str) -> None:
    folders = {str(place) for place in PLACES if str(Path(place).parent) == part}
    folders -= {*TRACKED}
    assert folders
    assert [name for name in sorted(folders) if f"\n| `{name}/` |" not in MAP] == []


@pytest.mark.parametrize("way", ["A sentence", "A batch"])
def test_each_file_of_a_way_is_reached_from_one_before_it(way: str) -> None:
    section = MAP.split(f"\n### {way}, ")[1].split("\n## ")[0].split("\n### ")[0]
    files = re.findall(r"^\d+\. `(lib/[\w/]+\.py)`", section, re.MULTILINE)
    assert len(files) >= 6
    reached: set[str] = set()
    for name in files:
        module = name.removesuffix(".py").replace("/", ".")
        package = module.rpartition(".")[0]
        is_reached = module in reached or (package != "lib" and package in reached)
        assert not reached or is_reached, f"nothing before {name} imports it"
        reached |= imported(ROOT / name)
