"""The cache: the scores it gives, what it computes for them, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from lib.attention import MultiHeadAttention
from lib.decoding import greedy_decode
from lib.decoding.cache import (
    CachedScorer,
    NextTokenScorer,
    can_be_cached,
    next_token_scorer,
)
from lib.masks import padding_mask
from lib.model import Transformer
from lib.speed import fuse
from tests.lib.test_decoding import SOURCES
from tests.lib.test_one_way import hooked, subclass_of_a_layer, subclass_of_the_model
from tests.refusals import refuses
from tests.strategies import (
    EVERY_DTYPE,
    assert_close,
    pad,
    randomize,
    tiny_model,
)

MODELS = st.fixed_dictionaries(
    {
        "norm_first": st.booleans(),
        "n_layers": st.integers(1, 3),
        "n_heads": st.sampled_from([1, 2, 4]),
        "tie_embeddings": st.booleans(),
        "seed": st.integers(0, 99),
    }
)


def lively(dtype: torch.dtype = torch.float64, **changes) -> Transformer:
    """Return a model in which each weight has a say, biases and norms included."""
    if changes.get("tie_embeddings"):
        changes["src_vocab_size"] = 13  # one vocabulary for both sides
    model = tiny_model(dtype, **changes)
    randomize(model, seed=changes.get("seed", 0))
    return model


def in_steps(cache: CachedScorer, tgt: Tensor) -> Tensor:
    """Feed the words one by one, and put the scores together (B, T, V)."""
    return torch.stack([cache.step(column) for column in tgt.unbind(dim=1)], dim=1)


def all_at_once(model: Transformer, src: Tensor, tgt: Tensor) -> Tensor:
    mask = padding_mask(src, model.config.pad_id)
    return model.decode(tgt, model.encode(src, mask), mask)


@given(sources=SOURCES, changes=MODELS, length=st.integers(1, 40), fused=st.booleans())
@torch.no_grad()
def test_one_word_at_a_time_gets_the_scores_of_all_at_once(
    sources: list[list[int]], changes: dict, length: int, fused: bool
) -> None:
    model, src = lively(max_len=40, **changes), pad(sources)
    tgt = torch.randint(1, 13, (len(src), length))
    scores = in_steps(CachedScorer(fuse(model) if fused else model, src), tgt)
    assert_close(scores, all_at_once(model, src, tgt))


@torch.no_grad()
def in_both_ways(model: Transformer) -> tuple[Tensor, Tensor]:
    src, tgt = pad([[3, 4, 5], [6]]), torch.randint(1, 13, (2, 7))
    return in_steps(CachedScorer(model, src), tgt), all_at_once(model, src, tgt)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_every_precision_is_kept(dtype: torch.dtype) -> None:
    scores, expected = in_both_ways(lively(dtype))
    assert scores.dtype == dtype
    # A hundred times the distance between neighboring numbers.
    close = 100 * torch.finfo(dtype).eps
    torch.testing.assert_close(scores, expected, rtol=close, atol=close)


def test_it_works_under_mixed_precision() -> None:
    with torch.autocast("cpu", torch.bfloat16):
        scores, expected = in_both_ways(lively(torch.float32))
    torch.testing.assert_close(scores, expected, rtol=0.1, atol=0.1)


def assert_goes_on(src: Tensor, rows: Tensor, move: str) -> None:
    """Demand that each row reads on behind what the row that it is given has read."""
    model, tgt = lively(), torch.randint(1, 13, (len(src), 4))
    cache = CachedScorer(model, src)
    in_steps(cache, tgt)
    getattr(cache, move)(rows)
    more = torch.randint(1, 13, (len(rows), 3))
    expected = all_at_once(model, src[rows], torch.cat([tgt[rows], more], dim=1))
    assert_close(in_steps(cache, more), expected[:, 4:])


@given(rows=st.lists(st.integers(0, 2), min_size=1, max_size=5), padded=st.booleans())
@torch.no_grad()
def test_a_row_goes_on_from_the_row_it_is_given(rows: list[int], padded: bool) -> None:
    src = pad([[3, 4, 5], [6, 7] if padded else [6, 7, 8], [9, 10, 3]])
    assert_goes_on(src, torch.tensor(rows), "select")


@given(
    first=st.lists(st.integers(0, 2), min_size=3, max_size=3),
    second=st.lists(st.integers(3, 5), min_size=3, max_size=3),
)
@torch.no_grad()
def test_rows_of_one_sentence_may_change_places(
    first: list[int], second: list[int]
) -> None:
    src = pad([[3, 4, 5]] * 3 + [[6, 7]] * 3)
    assert_goes_on(src, torch.tensor(first + second), "reorder")


class Counted(torch.overrides.TorchFunctionMode):
    """Add up the multiplications of all linear maps."""

    def __init__(self) -> None:
        super().__init__()
        self.done = 0

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is nn.functional.linear:
            self.done += args[0].numel() * len(args[1])
        elif func is torch.addmm:
            self.done += args[1].numel() * args[2].size(1)
        return func(*args, **(kwargs or {}))


@torch.no_grad()
def test_a_step_costs_the_same_however_much_is_written() -> None:
    model, src = lively(), pad([[3, 4, 5], [6]])
    d, d_ff, words = 8, 16, 13
    cache, costs = CachedScorer(model, src), []
    for _ in range(9):
        with Counted() as work:
            cache.step(torch.tensor([3, 4]))
        costs.append(work.done)
    # Query, key, value and output; query and output; two maps; and the words.
    by_hand = 2 * (2 * ((4 + 2) * d * d + 2 * d * d_ff) + d * words)
    assert costs == [by_hand] * 9


@torch.no_grad()
def test_a_step_too_many_is_refused() -> None:
    cache = CachedScorer(lively(max_len=2), pad([[3, 4]]))
    for _ in range(2):
        cache.step(torch.tensor([3]))
    refuses(lambda: cache.step(torch.tensor([3])), "longer than max_len = 2")


def with_other_positions(model: Any) -> None:
    model.positions = nn.Softmax(dim=1)


def with_a_method_of_its_own(model: Any) -> None:
    original = model.decode
    model.decode = lambda *args: 2 * original(*args)


def with_a_hook(model: Any) -> None:
    hooked(model, "decoder.layers.0")


@pytest.mark.parametrize(
    "change",
    [
        *(subclass_of_the_model, subclass_of_a_layer, with_a_hook),
        *(with_other_positions, with_a_method_of_its_own),
    ],
)
def test_a_model_with_another_piece_is_decoded_without_it(
    change: Callable[[Transformer], None],
) -> None:
    model, task = lively(), (pad([[3, 4]]), 1, 2, 5)
    assert can_be_cached(model)
    change(model)
    assert not can_be_cached(model.double())
    written = greedy_decode(model, *task)
    assert torch.equal(written, greedy_decode(model, *task, cached=False))
    refuses(
        lambda: greedy_decode(model, *task, cached=True), "decode it with cached=False"
    )


def test_each_way_of_decoding_is_the_one_that_is_asked_for() -> None:
    model, src = lively(), pad([[3, 4]])
    kinds = [type(next_token_scorer(model, src, c)) for c in (None, True, False)]
    assert kinds == [CachedScorer, CachedScorer, NextTokenScorer]


def test_maps_without_a_bias_are_cached() -> None:
    model = lively()
    for part in model.modules():
        if isinstance(part, MultiHeadAttention):
            part.key_proj.register_parameter("bias", None)
    assert can_be_cached(model)
    assert_close(*in_both_ways(model))
