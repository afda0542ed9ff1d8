"""The tool that makes a translator to ship out of a run, with its measurements."""

from __future__ import annotations

import csv
import dataclasses
import json
import shlex
import shutil
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from book.tools.lab import measure
from book.tools.lab.grading import COUNTED, bare_bleu, fingerprint
from lib import corpora
from lib.commands.settings import read_settings
from lib.corpora import Corpus, references
from lib.evaluation import (
    bleu_of_counts,
    compare_with_all,
    far_pairs,
    paired_bootstrap,
)
from lib.evaluation.bootstrap import Counts
from lib.text.subwords import SubwordVocabulary
from lib.training import TrainingSettings, read_log, train
from lib.translator import Translator

SETTINGS = TrainingSettings(
    d_model=8,
    n_heads=1,
    n_layers=1,
    d_ff=8,
    epochs=3,
    average=3,
    vocab_size=150,
    tie_embeddings=True,
)
NAMES = ("first", "settings")


def make_corpus() -> Corpus:
    pairs = list(corpora.load("grammar", size=400).splits["train"])
    splits = {"train": pairs[:60], "validation": pairs[60:70], "test": pairs[70:90]}
    splits["test"].append((splits["test"][0][0], "Otra respuesta."))
    return Corpus("made-up", "en", "es", splits, attribution="By nobody.")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train for three epochs, and make a translator of what is left behind."""
    run, out = tmp_path_factory.mktemp("run"), tmp_path_factory.mktemp("out")
    corpus = make_corpus()
    texts = (text for pair in corpus.splits["train"] for text in pair)
    shared = SubwordVocabulary.build(texts, SETTINGS.vocab_size)
    train(corpus.splits, shared, shared, SETTINGS, run / "it")
    make([str(run / "it"), str(out), "--machine", "an abacus"])
    return out


def make(words: list[str]) -> None:
    corpus = make_corpus()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpora, "load", lambda name: corpus)
        measure.main(["translator", *words])


def load(file: Path) -> Any:
    return json.loads(file.read_text("utf-8"))


def test_the_folder_is_whole(folder: Path) -> None:
    assert {file.name for file in folder.iterdir()} == {
        "README.md",
        "beams.json",
        "config.json",
        "errors.json",
        "log.csv",
        "model.safetensors",
        "ngram_counts.csv",
        "scores.json",
        "settings.toml",
        "tokenizer.json",
        "tried.json",
        "validation_counts.csv",
    }
    assert len(Translator.load(folder).translate(["I like the red car."])) == 1


def test_its_scores_are_those_of_the_translator_in_it(folder: Path) -> None:
    found = load(folder / "scores.json")["scores"]["test"]
    answers = references(make_corpus().splits["test"])
    written = Translator.load(folder).translate(answers, beam_size=4)
    expected = compare_with_all(written, list(answers.values()))
    assert {name: found[name] for name in expected} == expected
    assert found["sentences"] == len(answers)
    assert found["pairs"] == len(answers) + 1
    assert (found["beam_size"], found["length_penalty"]) == (4, 0.6)


def test_the_far_part_is_scored_from_the_same_translations(folder: Path) -> None:
    report = load(folder / "scores.json")
    splits = make_corpus().splits
    far = references(far_pairs(splits))
    assert 0 < len(far) < len(references(splits["test"]))
    written = Translator.load(folder).translate(far, beam_size=4)
    expected = compare_with_all(written, list(far.values()))
    found = report["scores"]["test-far"]
    assert {name: found[name] for name in expected} == expected
    assert report["far"] == fingerprint(set(far))
    assert "`test-far`" in (folder / "README.md").read_text("utf-8")
    rows = read_rows(folder / "ngram_counts.csv")
    assert sum(row["far"] for row in rows) == len(far)


def read_rows(file: Path) -> list[dict[str, int]]:
    with file.open(encoding="utf-8") as lines:
        return [{k: int(v) for k, v in row.items()} for row in csv.DictReader(lines)]


def counts_of(rows: list[dict[str, int]], prefix: str = "") -> Counts:
    return np.array([[row[prefix + name] for name in COUNTED] for row in rows])


def test_the_counts_add_up_to_the_score(folder: Path) -> None:
    rows = read_rows(folder / "ngram_counts.csv")
    report = load(folder / "scores.json")["scores"]["test"]
    assert len(rows) == report["sentences"]
    assert round(bleu_of_counts(counts_of(rows)), 2) == report["bleu"]
    assert sum(row["references"] for row in rows) == report["pairs"]


def test_differences_are_those_of_the_kept_counts(folder: Path) -> None:
    rows = read_rows(folder / "validation_counts.csv")
    greedy, beam = counts_of(rows, "greedy_"), counts_of(rows, "beam_")
    found = {(r["beam"], r["length_penalty"]): r for r in load(folder / "beams.json")}
    assert round(bleu_of_counts(greedy), 2) == found[1, 0.6]["bleu"]
    assert round(bleu_of_counts(beam), 2) == found[4, 0.6]["bleu"]
    assert found[4, 0.6]["difference"] == [0, 0, 0]
    expected = [round(number, 2) for number in paired_bootstrap(greedy, beam)]
    assert found[1, 0.6]["difference"] == expected
    for row in load(folder / "tried.json"):
        value, low, high = row["difference"]
        assert low <= value <= high


def test_the_best_search_of_the_validation_part_is_tried_on_the_test_part(
    folder: Path,
) -> None:
    winner = load(folder / "scores.json")["winner"]
    rows = load(folder / "beams.json")
    best = max(row["bleu"] for row in rows)
    assert {key: winner[key] for key in ("beam", "length_penalty", "difference")} in [
        {key: row[key] for key in ("beam", "length_penalty", "difference")}
        for row in rows
        if row["bleu"] == best
    ]


def test_the_gain_on_the_test_part_is_that_of_the_two_searches() -> None:
    answers = references(make_corpus().splits["test"])
    right = list(answers.values())
    better = [texts[0] for texts in right]
    paper = [*better[:10], *("No lo sé." for _ in better[10:])]
    asked: list[Any] = []

    class Made:
        def translate(self, sentences: dict[str, list[str]], *how: Any) -> list[str]:
            asked.append((list(sentences), *how))
            return better

    best = {"beam": 2, "length_penalty": 3.0, "bleu": 9.0, "difference": [3, 1, 5]}
    worse = {**best, "beam": 8, "bleu": 8.0}
    made: Any = Made()
    found = measure.try_winner([worse, best], made, answers, paper)
    whole = compare_with_all(better, right)
    assert found["test"] == {name: whole[name] for name in ("bleu", "chrf")}
    assert asked == [(list(answers), 64, 2, 3.0)]
    assert (found["beam"], found["difference"]) == (2, [3, 1, 5])
    gain, low, high = found["test_difference"]
    one, other = (compare_with_all(each, right)["bleu"] for each in (better, paper))
    assert gain == pytest.approx(one - other, abs=0.011)
    assert 10 < low < gain < high


def test_a_folder_is_scored_again_to_the_same_scores(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = tmp_path / "again"
    shutil.copytree(folder, again)
    wrong = load(again / "scores.json")
    wrong["scores"] = {}
    (again / "scores.json").write_text(json.dumps(wrong), "utf-8")
    corpus = make_corpus()
    monkeypatch.setattr(corpora, "load", lambda name: corpus)
    measure.main(["score", str(again)])
    for name in ("scores.json", "README.md", "errors.json", "ngram_counts.csv"):
        assert (again / name).read_bytes() == (folder / name).read_bytes()


def test_its_command_gives_its_settings(folder: Path) -> None:
    report = load(folder / "scores.json")
    words = shlex.split(report["command"])
    assert words[:6] == ["python", "-m", "lib", "train", "--corpus", "made-up"]
    assert words[6:] == ["--settings", "settings.toml"]
    settings = read_settings([], folder / "settings.toml")
    assert settings == TrainingSettings(**report["settings"])
    tried = load(folder / "tried.json")
    assert settings.average in {row["average"] for row in tried}
    last = [row for row in tried if row["epoch"] == 3]
    best = max(row["bleu"] for row in last)
    assert best == next(
        row["bleu"] for row in last if row["average"] == settings.average
    )


def go_on(folder: Path, home: Path, settings: TrainingSettings) -> Path:
    """Train a translator further, and make another one of that run."""
    run, out, start = home / "run", home / "out", Translator.load(folder)
    shared = start.src_vocab
    splits = make_corpus().splits
    trained = train(splits, shared, shared, settings, run, start=start.model)
    Translator(trained.model, shared, shared).save(run)
    make([str(run), str(out), "--from", str(folder)])
    return out


SECOND = dataclasses.replace(
    SETTINGS, epochs=2, average=2, subword_dropout=0.1, learning_rate=0.001
)


def test_a_second_run_tells_of_the_first(folder: Path, tmp_path: Path) -> None:
    out = go_on(folder, tmp_path, SECOND)
    report, card = load(out / "scores.json"), (out / "README.md").read_text("utf-8")
    first, last = (read_settings([], out / f"{name}.toml") for name in NAMES)
    assert first == read_settings([], folder / "settings.toml")
    assert [dataclasses.asdict(first)] == [run["settings"] for run in report["earlier"]]
    assert dataclasses.asdict(last) == report["settings"]
    begin, more = map(shlex.split, report["command"].splitlines())
    assert begin[-4:] == ["--settings", "first.toml", "--out", "first"]
    assert more[-4:] == ["--settings", "settings.toml", "--from", "first"]
    assert report["command"] in card
    assert "| training | 3 + 2 epochs in" in card
    assert "\nsubword_dropout = 0.0\nepochs = 3\n" in card  # what the first had
    rows = read_log(out / "log.csv")
    assert [row["epoch"] for row in rows] == ["1", "2", "3", "4", "5"]
    assert rows[:3] == read_log(folder / "log.csv")
    before, tried = load(folder / "tried.json"), load(out / "tried.json")
    assert tried[: len(before)] == before
    (began,) = [row for row in tried if row["runs"] == 0]  # what the second began with
    ended = max((row for row in before if row["epoch"] == 3), key=itemgetter("bleu"))
    assert began["epoch"] == 3 and began["bleu"] == pytest.approx(ended["bleu"], abs=2)
    assert {row["epoch"] for row in tried[len(before) :]} == {3, 4, 5}
    best = max((row for row in tried if row["epoch"] == 5), key=itemgetter("bleu"))
    assert report["averaged_runs"] == best["runs"]
    assert ("began and ended with" in card) == (best["runs"] == 2)
    assert both_ends_averaged(tmp_path / "run", folder)
    seconds = sum(float(row["seconds"]) for row in rows)
    assert report["seconds"] == round(seconds)


def test_a_third_run_tells_of_both(folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    second = go_on(folder, home, dataclasses.replace(SETTINGS, epochs=1, average=1))
    out = go_on(second, tmp_path, dataclasses.replace(SECOND, candidates=2))
    report, card = load(out / "scores.json"), (out / "README.md").read_text("utf-8")
    assert [run["settings"]["epochs"] for run in report["earlier"]] == [3, 1]
    one, two, three = (line.split()[7:] for line in report["command"].splitlines())
    assert one == ["first.toml", "--out", "first"]
    assert two == ["second.toml", "--from", "first", "--out", "second"]
    assert three == ["settings.toml", "--from", "second"]
    assert "| training | 3 + 1 + 2 epochs in" in card
    assert "The first run, whose settings `first.toml` holds" in card
    assert "The second run, whose settings `second.toml` holds" in card
    assert [row["epoch"] for row in read_log(out / "log.csv")] == list("123456")
    with pytest.raises(ValueError, match="had 3 runs, but a card can tell of 2"):
        measure.earlier_runs(out)


def both_ends_averaged(run: Path, first: Path) -> bool:
    """Whether the mean of two runs is that of what each of them ended with."""
    told = measure.Run(run, make_corpus(), first)
    models = (told.translator(1), Translator.load(first), told.translator(1, 2))
    last, start, mean = (dict(each.model.named_parameters()) for each in models)
    middle = {name: (last[name] + start[name]) / 2 for name in mean}
    moved = any(not torch.equal(last[name], start[name]) for name in mean)
    return moved and all(torch.allclose(mean[n], middle[n], atol=1e-6) for n in mean)


def test_a_run_that_kept_no_epochs_has_its_last_weights(
    folder: Path, tmp_path: Path
) -> None:
    run, out = tmp_path / "run", tmp_path / "out"
    start = Translator.load(folder)
    settings = dataclasses.replace(SETTINGS, average=1)
    splits, shared = make_corpus().splits, start.src_vocab
    trained = train(splits, shared, shared, settings, run)
    Translator(trained.model, shared, shared).save(run)
    make([str(run), str(out)])
    (tried,) = load(out / "tried.json")
    assert (tried["epoch"], tried["average"], tried["runs"]) == (3, 1, 1)
    ended, made = (Translator.load(place).model.state_dict() for place in (run, out))
    assert all(torch.allclose(made[n], ended[n], atol=1e-3) for n in made)


def test_every_mistake_is_counted(folder: Path) -> None:
    errors = load(folder / "errors.json")
    different = errors["sentences"] - errors["exact"]
    assert sum(errors["kinds"].values()) >= different
    assert errors["kinds"]["other words"] <= different
    for key in ("by_length", "by_distance", "by_rarest_word"):
        assert sum(row["sentences"] for row in errors[key]) == errors["sentences"]


def test_a_full_stop_that_is_right_is_no_merit() -> None:
    assert bare_bleu(["I see the red car."], ["We saw a blue dog."]) == 0
    same = bare_bleu(["We saw a blue dog!"], ["We saw a blue dog."])
    assert same == pytest.approx(100)


def test_no_sentence_of_the_corpus_is_in_it(folder: Path) -> None:
    texts = [
        file.read_text("utf-8")
        for file in folder.iterdir()
        if file.suffix in (".json", ".csv", ".md")
    ]
    for pairs in make_corpus().splits.values():
        for sentence in (text for pair in pairs for text in pair):
            assert not any(sentence in text for text in texts)


def test_the_card_tells_whose_sentences_they_are(folder: Path) -> None:
    card = (folder / "README.md").read_text("utf-8")
    assert "By nobody." in card
    assert "an abacus" in card
    for result in load(folder / "scores.json")["scores"].values():
        for name in ("bleu", "bleu_single", "chrf", "chrf_single"):
            assert f"{result[name]:.1f}" in card
        assert result["bleu_signature"] in card
    assert "a beam of 4" in card
    best = load(folder / "scores.json")["winner"]
    assert f"a beam of {best['beam']} and a length penalty of\n" in card
    gives = f"{best['length_penalty']}, gives {{bleu:.1f}} BLEU and {{chrf:.1f}} chrF"
    assert gives.format(**best["test"]) in card


def test_a_benchmark_is_kept_with_its_log(folder: Path, tmp_path: Path) -> None:
    measure.main(["record", str(folder), str(tmp_path / "kept.json")])
    kept, report = load(tmp_path / "kept.json"), load(folder / "scores.json")
    log = kept.pop("log")
    assert kept == report
    assert [row["epoch"] for row in log] == [1, 2, 3]
