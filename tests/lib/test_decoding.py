"""Greedy decoding: what it writes, where it stops, and that neighbors do not matter."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from lib.decoding import evaluating, greedy_decode
from lib.model import Transformer
from tests.refusals import Call, each_refusal, refuses
from tests.strategies import pad, tiny_model

SOS, EOS = 1, 2
SOURCES = st.lists(
    st.lists(st.integers(3, 10), min_size=1, max_size=6), min_size=1, max_size=4
)


def restless(seed: int = 0, **changes) -> Transformer:
    """Return a model whose every word depends on those before, and that may stop."""
    model = tiny_model(seed=seed, **{"max_len": 40, **changes})
    torch.manual_seed(seed)
    for name, parameter in model.named_parameters():
        if name.endswith("proj.weight"):
            nn.init.normal_(parameter, std=0.8)
        if name.endswith("embedding.table.weight"):
            nn.init.normal_(parameter)
    return model


def by_hand(model: Transformer, source: list[int], max_len: int) -> list[int]:
    """Write one sentence with the whole model at each step."""
    written = [SOS]
    while len(written) <= max_len:
        scores = model(torch.tensor([source]), torch.tensor([written]))[0, -1].detach()
        scores[[0, SOS]] = -torch.inf  # no words
        written.append(int(scores.argmax()))
        if written[-1] == EOS:
            break
    return written[1:]


@given(sources=SOURCES, seed=st.integers(0, 9), max_len=st.integers(1, 8))
def test_each_sentence_is_written_as_if_alone(
    sources: list[list[int]], seed: int, max_len: int
) -> None:
    model, src = restless(seed), pad(sources)
    expected = pad([by_hand(model, source, max_len) for source in sources])
    for cached in (True, False):
        written = greedy_decode(model, src, SOS, EOS, max_len, cached)
        assert torch.equal(written, expected)


def test_the_models_of_these_tests_write_different_things() -> None:
    sources = [[3, 4, 5], [6], [9, 8, 7, 6], [10, 10]]
    written = {
        tuple(by_hand(restless(seed), source, 8))
        for seed in range(6)
        for source in sources
    }
    assert len(written) > 12
    assert len({len(sentence) for sentence in written}) > 2


class Scripted(Transformer):
    """A model that writes what it is told, one script for each source: 3, 4, 5, …."""

    script: list[list[int]]
    read: list[tuple[int, int]]

    def encode(self, src: Tensor, src_mask: Tensor) -> Tensor:
        return src[:, :1, None]  # the number of the script, however rows are moved

    def decode(self, tgt: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        self.read.append(tuple(tgt.shape))
        step = tgt.size(1) - 1
        rows = [self.script[number - 3] for number in memory.flatten().tolist()]
        words = torch.tensor([row[min(step, len(row) - 1)] for row in rows])
        logits = nn.functional.one_hot(words, self.config.tgt_vocab_size).float()
        return logits[:, None].expand(-1, tgt.size(1), -1)


def scripted(*script: list[int], **changes) -> Scripted:
    model = Scripted(tiny_model(**changes).config)
    model.script, model.read = list(script), []
    return model


def test_finished_sentences_leave_the_batch_once_they_are_the_most() -> None:
    model = scripted([EOS, 9], [5, 6, 7, 8, EOS], [5, EOS, 9], [5, 6, EOS, 9])
    src = torch.tensor([[3], [4], [5], [6]])
    assert greedy_decode(model, src, SOS, EOS).tolist() == [
        [EOS, 0, 0, 0, 0],
        [5, 6, 7, 8, EOS],
        [5, EOS, 0, 0, 0],
        [5, 6, EOS, 0, 0],
    ]
    assert model.read == [(4, 1), (4, 2), (4, 3), (1, 4), (1, 5)]


def test_without_a_limit_it_stops_fifty_after_the_source() -> None:
    src = torch.tensor([[3, 4, 4], [4, 0, 0]])
    written = greedy_decode(scripted([5], [6], max_len=100), src, SOS, EOS)
    assert (written != 0).sum(dim=1).tolist() == [53, 51]
    # As far as there are positions.
    assert greedy_decode(scripted([5], [6]), src, SOS, EOS).shape == (2, 12)


def test_no_graph_is_kept() -> None:
    model, seen = restless(), []
    model.output_proj.register_forward_hook(lambda *args: seen.append(args[2]))
    greedy_decode(model, pad([[3, 4, 5]]), SOS, EOS, 2)
    assert seen
    assert not any(logits.requires_grad for logits in seen)


def test_no_sentences_give_none_back() -> None:
    none = torch.ones(0, 3, dtype=torch.long)
    assert greedy_decode(restless(), none, SOS, EOS, 5).size(0) == 0


def written(src: Tensor, max_len: int | None = None) -> Tensor:
    return greedy_decode(restless(), src, SOS, EOS, max_len)


@each_refusal(
    (lambda: written(pad([[3]]), 0), r"1 and the model's 40 positions, .* is 0\."),
    (lambda: written(pad([[3]]), 41), r"1 and the model's 40 positions, .* is 41\."),
    (lambda: written(torch.ones(3).int()), r"\(B, S\) .* but got \(3,\)"),
    (lambda: written(torch.ones(2, 0).int()), r"S at least 1, but got \(2, 0\)"),
)
def test_what_cannot_be_written_is_refused(call: Call, words: str) -> None:
    refuses(call, words)


@pytest.mark.parametrize("training", [True, False])
def test_each_part_gets_back_the_mode_that_it_had_even_after_an_error(
    training: bool,
) -> None:
    model = nn.Sequential(nn.Dropout(0.5), nn.Dropout(0.5)).train(training)
    model[0].eval()  # a frozen part
    with pytest.raises(KeyError), evaluating(model):
        raise KeyError
    assert [part.training for part in (model, *model)] == [training, False, training]
