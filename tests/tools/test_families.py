"""The tool that compares families of models: equal sizes, fair questions, one file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from book.tools.lab import families
from lib.model import count_parameters
from lib.text import MASK, special_id, tokenize
from lib.text.files import read_json
from lib.translator import SHIPPED

PARTS = families.few_sentences()


def test_no_sentence_is_learned_and_kept_apart() -> None:
    learned, kept = ({source for source, _ in part} for part in PARTS)
    assert not learned & kept
    assert len(kept) == -(-(len(kept) + len(learned)) // families.EVERY)


def test_the_families_have_as_many_parameters() -> None:
    sizes = [count_parameters(families.model_of(k, 300)) for k in families.KINDS]
    assert max(sizes) / min(sizes) < 1.02


def test_a_gap_hides_its_word_and_asks_for_it_alone() -> None:
    vocabulary = families.vocabulary_of(PARTS[0])
    ids, labels = families.gap("Me gustan las fresas.", 2, vocabulary)
    assert ids[3] == special_id(vocabulary, MASK)
    assert [vocabulary.tokens[n] for n in labels if n != vocabulary.pad_id] == ["las"]


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("A él le gusta el agua.", "article", ["el"]),
        ("A él le gusta el agua.", "gusta or gustan", ["gusta"]),
        ("A él le gusta el agua.", "ending", []),
        ("Ella no baila y nosotros cantamos.", "ending", ["baila", "cantamos"]),
    ],
)
def test_what_is_asked(text: str, kind: str, words: list[str]) -> None:
    found = families.questions([text])[kind]
    assert [tokenize(text)[place] for _, place in found] == words


def test_an_ending_counts_and_not_the_verb() -> None:
    assert families.is_right("ending", "cantamos", "bailamos")
    assert not families.is_right("ending", "cantan", "bailamos")
    assert not families.is_right("ending", ".", "baila")
    assert families.is_right("gusta or gustan", "encantan", "gustan")
    assert not families.is_right("gusta or gustan", "cantan", "gustan")


def test_what_ships_is_what_the_tool_writes(tmp_path: Path) -> None:
    shipped = read_json(SHIPPED / "measurements" / "families.json")
    file = tmp_path / "families.json"
    families.main([str(file), "--seeds", "0", "--steps", "4"])
    found = read_json(file)
    assert found["sentences"] == shipped["sentences"]
    assert [run["kind"] for run in found["runs"]] == list(families.KINDS)
    kinds = Counter(run["kind"] for run in shipped["runs"])
    assert kinds == dict.fromkeys(families.KINDS, 3)
    for run in found["runs"]:
        (same, *_) = [r for r in shipped["runs"] if r["kind"] == run["kind"]]
        assert list(same) == list(run)
        assert same["parameters"] == run["parameters"]
