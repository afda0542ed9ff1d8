"""Minimum risk training: from one's own translations, by the scores that they get."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from lib.__main__ import main
from lib.config import TransformerConfig
from lib.decoding import beam_search
from lib.evaluation import bleu, chrf, sentence_bleu
from lib.model import Transformer
from lib.text import Batch, ParallelDataset, Vocabulary, collate
from lib.training import expected_risk, read_log, translation_cost
from lib.training.objective import sentence_log_probs
from lib.training.risk import own_translations_risk
from tests.refusals import refuses

SIZES = TransformerConfig(16, 16, d_model=16, n_heads=2, n_layers=1, d_ff=16)


def some_batch() -> tuple[Batch, Vocabulary]:
    """Six sentences of several lengths, each its own translation."""
    words = Vocabulary([f"word{number}" for number in range(12)])
    texts = [" ".join(words.tokens[4 : 4 + size]) for size in (5, 2, 3, 3, 1, 4)]
    data = ParallelDataset([(text, text) for text in texts], words, words)
    return collate(list(data), words.pad_id), words


# --- the expected risk ----------------------------------------------------------------


@given(st.integers(1, 4), st.integers(1, 5), st.integers(0, 9))
def test_the_risk_is_the_mean_cost_by_the_translations_probabilities(
    batch: int, width: int, seed: int
) -> None:
    torch.manual_seed(seed)
    scores, costs = torch.randn(batch, width), torch.rand(batch, width)
    by_hand = 0.0
    for row in range(batch):
        weights = [float(score.exp()) for score in scores[row]]
        paid = sum(w * float(c) for w, c in zip(weights, costs[row], strict=True))
        by_hand += paid / sum(weights) / batch
    assert float(expected_risk(scores, costs)) == pytest.approx(by_hand, abs=1e-5)


def test_what_costs_less_than_the_mean_becomes_likelier() -> None:
    scores = torch.zeros(1, 3, requires_grad=True)
    expected_risk(scores, torch.tensor([[0.1, 0.4, 0.7]])).backward()
    assert scores.grad is not None
    cheap, usual, dear = scores.grad[0].tolist()
    assert cheap < 0 < dear and usual == pytest.approx(0, abs=1e-7)


def test_a_missing_translation_changes_nothing() -> None:
    scores = torch.tensor([[1.0, 2.0], [0.5, -torch.inf]], requires_grad=True)
    risk = expected_risk(scores, torch.tensor([[0.2, 0.4], [0.6, 0.0]]))
    first = expected_risk(scores[:1], torch.tensor([[0.2, 0.4]]))
    assert risk.item() == pytest.approx((first.item() + 0.6) / 2)
    risk.backward()
    assert scores.grad is not None and scores.grad.isfinite().all()


def test_shapes_that_differ_are_refused() -> None:
    words = r"theirs are \(2, 3\) and \(3, 2\)"
    refuses(lambda: expected_risk(torch.zeros(2, 3), torch.zeros(3, 2)), words)


# --- how likely a whole translation is ------------------------------------------------


def test_a_sentence_is_as_likely_as_its_words_together() -> None:
    batch, words = some_batch()
    logits = Transformer(SIZES).eval()(batch.src, batch.tgt_in)
    found = sentence_log_probs(logits, batch.tgt_out, words.pad_id)
    each = -F.cross_entropy(logits.transpose(1, 2), batch.tgt_out, reduction="none")
    by_hand = each.masked_fill(batch.tgt_out == words.pad_id, 0).sum(1)
    assert torch.allclose(found, by_hand, atol=1e-5)


@pytest.mark.parametrize(
    ("one", "other"), [("Voy a casa.", "Vengo a casa."), ("sí", "no"), ("", "sí")]
)
def test_a_translation_costs_what_the_mean_of_its_scores_lacks(
    one: str, other: str
) -> None:
    found = sentence_bleu(one, other)
    if len(one.split()) > 2:  # with its mark four words: long enough for all runs
        assert found == pytest.approx(bleu([one], [other]).value)
    mean = (found + chrf([one], [other]).value) / 2
    assert translation_cost(one, other) == pytest.approx(1 - mean / 100)


def test_the_right_translation_costs_nothing_and_a_wrong_one_all() -> None:
    assert translation_cost("Sí.", "Sí.") == pytest.approx(0)
    assert translation_cost("", "Sí.") == 1


# --- its own translations -------------------------------------------------------------


def test_translations_have_the_scores_of_the_search_and_their_costs() -> None:
    batch, words = some_batch()
    torch.manual_seed(1)
    model = Transformer(SIZES).eval()
    found = beam_search(model, batch.src, words.sos_id, words.eos_id, 3, n_best=3)
    by_hand = []
    for hypotheses, labels in zip(found, batch.tgt_out.tolist(), strict=True):
        right = words.decode(labels)
        costs = [translation_cost(words.decode(h.ids), right) for h in hypotheses]
        weights = torch.tensor([h.score for h in hypotheses]).softmax(0)
        by_hand.append(float(weights @ torch.tensor(costs)))
    risk = own_translations_risk(model, batch, words, beam_size=3)
    assert risk.item() == pytest.approx(sum(by_hand) / len(by_hand), abs=1e-5)


def test_the_model_is_in_training_again_when_it_has_written() -> None:
    """With dropout the scores differ; what the beam found does not."""
    batch, words = some_batch()
    model = Transformer(dataclasses.replace(SIZES, dropout=0.4))
    risks = {own_translations_risk(model, batch, words, 3).item() for _ in range(3)}
    assert model.training and len(risks) == 3


# --- the setting ----------------------------------------------------------------------

COMMAND = ("train", "--corpus", "phrases", "--accelerator", "cpu")
SMALL = ("d_model=16", "n_heads=2", "n_layers=1", "d_ff=16", "max_tokens=64")


def run(folder: Path, *words: str, settings: tuple[str, ...]) -> None:
    given = [word for each in settings for word in ("--set", each)]
    assert main([*COMMAND, *words, *given, "--out", str(folder)]) == 0


def test_a_run_goes_on_from_a_translator_by_the_scores_of_what_it_writes(
    tmp_path: Path,
) -> None:
    begun, more = tmp_path / "begun", tmp_path / "more"
    run(begun, settings=(*SMALL, "epochs=30"))
    learned = ("epochs=8", "candidates=3", "learning_rate=0.001")
    run(more, "--from", str(begun), settings=learned)
    risks = [float(row["train_loss"]) for row in read_log(more / "log.csv")]
    assert 0 <= risks[-1] < risks[0] <= 1
    assert "candidates = 3" in (more / "README.md").read_text("utf-8")
