"""The tool that changes one part after the other: real sizes and caches, one file."""

from __future__ import annotations

from book.tools.lab import since_2017
from lib.model import count_parameters
from lib.text import SubwordVocabulary, TextDataset
from lib.text.files import read_json
from lib.translator import SHIPPED

SHIPPED_RUNS = read_json(SHIPPED / "measurements" / "since_2017.json")["runs"]


def test_every_plan_was_measured_with_three_seeds_and_two_with_seven() -> None:
    found = [(run["changes"], run["rate"], run["seed"]) for run in SHIPPED_RUNS]
    assert found == [tuple(run.values()) for run in since_2017.wanted()]
    assert len(found) == 3 * 13 + 2 * 4


def test_sizes_and_caches_are_those_of_the_models() -> None:
    told = {tuple(run["changes"]): run for run in SHIPPED_RUNS}
    for changes in since_2017.CHANGED:
        model = since_2017.model_of(changes, since_2017.WORDS)
        run = told[tuple(changes)]
        assert run["parameters"] == count_parameters(model)
        assert run["cache"] == since_2017.cache_bytes(model)


def test_a_run_is_what_ships() -> None:
    words = SubwordVocabulary.build(["we go home now", "go home"], 30)
    learned = TextDataset.of_texts(["we go home", "go now"], words)
    texts = since_2017.Texts(words, learned, ["go home"])
    run = since_2017.measure(texts, 10, ["rotary"], 4e-3, 0)
    assert ["changes", "rate", "seed", *run] == list(SHIPPED_RUNS[0])
    assert len(run["curve"]) == len(SHIPPED_RUNS[0]["curve"])
