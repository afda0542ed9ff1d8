"""The grammar's tables: they are read as they stand, and a bad line is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lib.corpora.grammar import lexicon
from lib.corpora.grammar.choose_phrases import nouns_of
from lib.corpora.grammar.lexicon import Chain, Noun, Time
from lib.corpora.grammar.tables import FOLDER, read

GOOD = "english,spanish,gender,kinds\ncat,gato,m,animal pet\nhouse,casa,f,building\n"
CAT = Noun("cat", "gato", "m", frozenset({"animal", "pet"}))
HOUSE = Noun("house", "casa", "f", frozenset({"building"}))


def read_nouns(folder: Path, content: str | bytes) -> tuple[Noun, ...]:
    data = content.encode() if isinstance(content, str) else content
    (folder / "nouns.csv").write_bytes(data)
    return read("nouns.csv", Noun, folder, gender=("m", "f"))


@pytest.mark.parametrize(
    "content",
    [
        GOOD,
        b"\xef\xbb\xbf" + GOOD.encode(),  # a spreadsheet marks its UTF-8
        GOOD.replace("\n", "\r\n"),
        GOOD + "\n\n",
        GOOD.replace("cat,gato,m,animal pet", '"cat","gato", m,animal  pet '),
        "gender,kinds,english,spanish\nm,animal pet,cat,gato\nf,building,house,casa",
    ],
)
def test_a_table_is_read_however_a_program_writes_it(
    content: str | bytes, tmp_path: Path
) -> None:
    assert read_nouns(tmp_path, content) == (CAT, HOUSE)


@pytest.mark.parametrize(
    ("old", "new", "line", "why"),
    [
        ("gato,m", "gato", 2, "has 3 cells, but there are 4 columns"),
        ("house,casa", "house,casa,hogar", 3, "has 5 cells, but there are 4 columns"),
        ("house,casa", "house,", 3, "has nothing in the column spanish"),
        ("casa,f", "casa,x", 3, "has 'x' in the column gender, .*: m, f|f, m"),
        ("house", '"house', 3, "has a quotation mark without its other half"),
        ("gender", "sex", 1, "must name the columns english,spanish,gender,kinds, but"),
        (",", ";", 1, "must name .* but it is 'english;spanish;gender;kinds'"),
        (GOOD, "", 1, "must name the columns english,spanish,gender,kinds, but it is"),
    ],
)
def test_a_bad_line_is_named(
    old: str, new: str, line: int, why: str, tmp_path: Path
) -> None:
    place = re.escape(str(tmp_path / "nouns.csv"))
    with pytest.raises(ValueError, match=rf"^Line {line} of {place} {why}.*\.$"):
        read_nouns(tmp_path, GOOD.replace(old, new))


def test_another_encoding_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"nouns\.csv is not UTF-8; save it as text"):
        read_nouns(tmp_path, GOOD.replace("cat,gato", "egg,limón").encode("latin-1"))


def test_each_word_of_a_cell_must_be_known(tmp_path: Path) -> None:
    (tmp_path / "times.csv").write_text("english,spanish,tenses\nnow,ya,present pst\n")
    with pytest.raises(ValueError, match=r"'pst' in the column tenses.*: past"):
        read("times.csv", Time, tmp_path, tenses=("present", "past"))


def test_a_field_with_a_default_may_be_empty() -> None:
    looks = next(verb for verb in lexicon.VERBS if verb.particle == "for")
    assert looks.name == "look for"
    assert {verb.particle for verb in lexicon.VERBS} > {"", "for"}


def test_every_table_is_read() -> None:
    """A table that no module names would be words that nobody says."""
    sources = "".join(file.read_text("utf-8") for file in FOLDER.parent.glob("*.py"))
    for table in FOLDER.glob("*.csv"):
        assert f'"{table.name}"' in sources


def test_every_trait_means_something_to_the_code() -> None:
    sources = "".join(file.read_text("utf-8") for file in FOLDER.parent.glob("*.py"))
    for trait in read("traits.csv", lexicon.Trait):
        assert re.search(rf"[\" ]{trait.trait}[\" ]", sources), trait


def test_a_kind_without_nouns_is_named() -> None:
    with pytest.raises(ValueError, match=r"kinds dragon, unicorn, .*nouns\.csv\.$"):
        nouns_of(frozenset({"unicorn", "dragon"}))


def test_chains_keep_their_order() -> None:
    assert lexicon.CHAINS[0] == Chain("buy", "read")
