"""The bibliography and the chapters' further reading name the same works."""

import re

import pytest
from pybtex.database import Entry, parse_file  # type: ignore[import-untyped]

from book.tools.project.address import ROOT
from tests.book_sources import CHAPTERS, read

WORKS = parse_file(str(ROOT / "book" / "references.bib"), encoding="utf-8").entries
REFERENCE = re.compile(
    r"- (?P<authors>.+?) \((?P<year>\d{4})\)\. "
    r"\*(?P<title>[^*]+)\*\.? (?P<rest>\S.*\.)"
)
CITATION = re.compile(
    r"([A-Z][\w'-]+)(?: et al\.| and [A-Z]\w+)?,? \(?((?:19|20)\d{2})\b"
)

Texts = dict[int, tuple[str, str]]


def texts() -> Texts:
    """The words of each chapter, before and below its further reading."""
    found = {}
    for path in CHAPTERS:
        cells = [c.source for c in read(path).cells if c.cell_type == "markdown"]
        text, below = "\n".join(cells).split("## Further reading\n")
        found[int(path.stem[:2])] = (text, below)
    return found


CHAPTER_TEXTS = texts()


def title_of(work: Entry) -> str:
    return str(work.fields["title"]).strip("{}")


def authors_of(work: Entry) -> str:
    """The authors as a chapter gives them: family names with initials."""
    names = []
    for person in work.persons["author"]:
        given = " ".join(person.first_names + person.middle_names)
        initials = re.sub(r"(\w)[^\s-]*", r"\1.", given)
        names.append(f"{' '.join(person.last_names)}, {initials}".rstrip(", "))
    if len(names) > 12:  # too many for a line
        return ", ".join([*names[:3], "and others"])
    return ", and ".join([*([", ".join(names[:-1])] if names[1:] else []), names[-1]])


def chapters_of(work: Entry) -> set[int]:
    """The chapters that the note of a work names."""
    named = re.search(r"(All chapters|Chapters? [\d, and]+)\.$", work.fields["note"])
    assert named, "the note does not end with its chapters"
    if named[1] == "All chapters":
        return set(CHAPTER_TEXTS)
    return {int(number) for number in re.findall(r"\d+", named[1])}


@pytest.mark.parametrize("chapter", CHAPTER_TEXTS)
def test_reading_is_in_the_bibliography(chapter: int) -> None:
    """And what the prose cites, (Author et al., year), stands below it."""
    text, below = CHAPTER_TEXTS[chapter]
    for line in re.findall(r"^- .*", below, re.MULTILINE):
        parts = REFERENCE.fullmatch(line)
        assert parts, f"not '- Authors (year). *Title*. Where. Why.': {line}"
        found = [work for work in WORKS.values() if title_of(work) == parts["title"]]
        assert len(found) == 1, f"not in book/references.bib: {line}"
        (work,) = found
        assert parts["year"] == work.fields["year"]
        assert parts["authors"] == authors_of(work)
        if "eprint" in work.fields:
            assert parts["rest"].startswith(f"arXiv:{work.fields['eprint']}. ")
        assert chapter in chapters_of(work)
    cited = set(CITATION.findall(text))
    assert cited, "a chapter that cites nothing"
    for author, year in cited:
        assert re.search(rf"^- {author}, .*\({year}\)", below, re.MULTILINE), author


@pytest.mark.parametrize("key", WORKS)
def test_work_is_read_where_it_says(key: str) -> None:
    work = WORKS[key]
    for chapter in chapters_of(work):
        assert f"*{title_of(work)}*" in CHAPTER_TEXTS[chapter][1]
