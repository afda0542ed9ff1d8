"""Training that begins with a trained translator, and sub-words cut at random."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

import pytest
import torch

from lib.__main__ import main
from lib.commands.settings import read_settings
from lib.corpora import SAMPLE
from lib.text import ParallelDataset, Vocabulary, cut_again
from lib.text.subwords import SubwordVocabulary
from lib.training.data import TranslationData
from lib.translator import Translator
from lib.translator.card import read_report
from tests.refusals import Call, each_refusal, refuses

LINES = SAMPLE.read_text("utf-8").splitlines()
PAIRS = [(line.split("\t")[0], line.split("\t")[1]) for line in LINES]
TEXTS = [text for pair in PAIRS for text in pair]
SHARED = SubwordVocabulary.build(TEXTS, size=150)


# --- sub-word dropout -----------------------------------------------------------------


def test_without_dropout_the_cut_is_the_one_of_the_library() -> None:
    shipped = Translator.load("tatoeba-en-es").src_vocab
    assert isinstance(shipped, SubwordVocabulary)
    strange = ["Don’t  go, naïve café-owner!", "木 x木木 3.14 <eos>", "e\u0301t\u00e9"]
    for vocabulary in (SHARED, shipped):
        for text in [*TEXTS, *strange]:
            cut = vocabulary.encode_with_dropout(text, 0.0, random.Random(0))
            assert cut == vocabulary.encode(text), text


def test_dropout_changes_the_cut_and_never_the_sentence() -> None:
    numbers = random.Random(0)
    changed = 0
    for text in TEXTS:
        cut = SHARED.encode_with_dropout(text, 0.3, numbers)
        assert SHARED.decode(cut) == SHARED.decode(SHARED.encode(text))
        changed += cut != SHARED.encode(text)
    assert changed > len(TEXTS) / 2


def test_a_seed_decides_the_cuts_and_targets_keep_theirs() -> None:
    dataset = ParallelDataset(PAIRS, SHARED, SHARED)
    plain, one, again, other = (
        [ids.tolist() for ids in cut.sources]
        for cut in (dataset, *(cut_again(dataset, 0.2, seed) for seed in (1, 1, 2)))
    )
    assert plain != one == again != other
    targets = cut_again(dataset, 0.5, seed=0).targets
    for cut, kept in zip(targets, dataset.targets, strict=True):
        assert torch.equal(cut, kept)


def test_a_cut_longer_than_any_sentence_falls_back() -> None:
    dataset = ParallelDataset(PAIRS[:20], SHARED, SHARED)
    again = cut_again(dataset, 0.3, seed=0)
    assert max(again.lengths()) <= max(dataset.lengths())
    sources = zip(again.sources, dataset.sources, strict=True)
    kept = [torch.equal(new, old) for new, old in sources]
    assert 0 < sum(kept) < len(kept)


def test_training_sees_random_cuts_and_validation_never() -> None:
    splits = {"train": PAIRS[:30], "validation": PAIRS[30:40]}
    data = TranslationData(splits, SHARED, SHARED, 1000, seed=3, subword_dropout=0.3)
    plain = ParallelDataset(PAIRS[:30], SHARED, SHARED)
    usual = {tuple(src.tolist()) for src in plain.sources}
    seen = [
        {tuple(row[row != SHARED.pad_id].tolist()) for b in loader for row in b.src}
        for loader in (data.train_dataloader(), data.val_dataloader())
    ]
    assert len(seen[0] - usual) > 10
    assert seen[1] == {
        (*SHARED.encode(source), SHARED.eos_id) for source, _ in PAIRS[30:40]
    }


WORDS = Vocabulary.build(TEXTS)


@each_refusal(
    *(
        (partial(SHARED.encode_with_dropout, "a", share, random), "0 and below 1")
        for share in (-0.1, 1.0)
    ),
    (
        lambda: cut_again(ParallelDataset(PAIRS, WORDS, WORDS), 0.1, seed=0),
        "these are whole words",
    ),
    (lambda: read_settings(["subword_dropout=0.1"]), "give them a vocab_size"),
)
def test_what_cannot_be_cut_at_random_is_refused(call: Call, words: str) -> None:
    refuses(call, words)


# --- --from ---------------------------------------------------------------------------

SIZES = ("d_model=16", "n_heads=2", "n_layers=1", "d_ff=16", "epochs=1", "max_len=32")
OWN = ("train", "--pairs", str(SAMPLE), "--languages", "en-de")


def settings(*assignments: str) -> list[str]:
    return [word for each in assignments for word in ("--set", each)]


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("first") / "run"
    credit = ("--attribution", "By the first author.")
    assert main([*OWN, *credit, *settings(*SIZES), "--out", str(folder)]) == 0
    return folder


def test_a_run_goes_on_from_the_weights_and_words_of_another(
    first: Path, tmp_path: Path
) -> None:
    """With a rate that changes nothing, the second is the first, rounded alike."""
    again = tmp_path / "again"
    words = ("--attribution", "By the second author.", "--from", str(first))
    still = settings("epochs=1", "learning_rate=1e-12")
    assert main([*OWN, *words, *still, "--out", str(again)]) == 0
    one, other = Translator.load(first), Translator.load(again)
    assert one.src_vocab.tokens == other.src_vocab.tokens
    for old, new in zip(
        one.model.state_dict().values(), other.model.state_dict().values(), strict=True
    ):
        assert torch.equal(old, new)
    card = (again / "README.md").read_text("utf-8")
    assert f"| began with | `{first.name}` |" in card
    assert "| training | 1 epoch in" in card
    assert not [part for part in (first, SAMPLE) if str(part.parent) in card]
    assert "By the first author." in card
    assert "By the second author." in card
    assert read_report(again)["settings"]["d_model"] == 16
    assert f"--from {first.name}" in read_report(again)["command"]
