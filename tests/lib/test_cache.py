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
from lib.decoding.cache import CachedScorer, can_be_cached
from lib.decoding.leaves import CACHED, CachedAttention, CountedPositions
from lib.layers import DecoderLayer, LayerNorm
from lib.masks import causal_mask, padding_mask
from lib.model import Transformer
from lib.positions import PositionalEncoding
from lib.speed import fuse, replace_leaves
from tests.strategies import (
    EVERY_DTYPE,
    assert_close,
    pad,
    randomize,
    tiny_model,
)

SOURCES = st.lists(
    st.lists(st.integers(3, 10), min_size=1, max_size=6), min_size=1, max_size=4
)
MODELS = st.fixed_dictionaries(
    {
        "norm_first": st.booleans(),
        "n_layers": st.integers(1, 3),
        "n_heads": st.sampled_from([1, 2, 4]),
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


@given(
    sources=SOURCES, changes=MODELS, length=st.integers(1, 40), fused=st.booleans(),
    tied=st.booleans(),
)  # fmt: skip
@torch.no_grad()
def test_one_word_at_a_time_gets_the_scores_of_all_at_once(
    sources: list[list[int]], changes: dict, length: int, fused: bool, tied: bool
) -> None:
    model = lively(tie_embeddings=tied, max_len=40, **changes)
    expected_from = model
    if fused:
        model = fuse(model)
    src = pad(sources)
    tgt = torch.randint(1, 13, (len(src), length))
    scores = in_steps(CachedScorer(model, src), tgt)
    expected = all_at_once(expected_from, src, tgt)
    torch.testing.assert_close(scores, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@torch.no_grad()
def test_every_precision_is_kept(dtype: torch.dtype) -> None:
    model, src = lively(dtype), pad([[3, 4, 5], [6]])
    tgt = torch.randint(1, 13, (2, 7))
    scores = in_steps(CachedScorer(model, src), tgt)
    assert scores.dtype == dtype
    # A hundred times the distance between neighboring numbers.
    close = 100 * torch.finfo(dtype).eps
    torch.testing.assert_close(
        scores, all_at_once(model, src, tgt), rtol=close, atol=close
    )


@torch.no_grad()
def test_it_works_under_mixed_precision() -> None:
    model, src = lively(torch.float32), pad([[3, 4, 5], [6]])
    tgt = torch.randint(1, 13, (2, 7))
    with torch.autocast("cpu", torch.bfloat16):
        scores = in_steps(CachedScorer(model, src), tgt)
        expected = all_at_once(model, src, tgt)
    torch.testing.assert_close(scores, expected, rtol=0.1, atol=0.1)


@given(data=st.data(), padded=st.booleans())
@torch.no_grad()
def test_a_row_goes_on_from_the_row_it_is_given(
    data: st.DataObject, padded: bool
) -> None:
    model = lively()
    src = pad([[3, 4, 5], [6, 7] if padded else [6, 7, 8], [9, 10, 3]])
    tgt = torch.randint(1, 13, (3, 4))
    rows = torch.tensor(data.draw(st.lists(st.integers(0, 2), min_size=1, max_size=5)))
    cache = CachedScorer(model, src)
    in_steps(cache, tgt)
    cache.select(rows)
    more = torch.randint(1, 13, (len(rows), 3))
    expected = all_at_once(model, src[rows], torch.cat([tgt[rows], more], dim=1))
    torch.testing.assert_close(
        in_steps(cache, more), expected[:, 4:], rtol=1e-9, atol=1e-9
    )


@given(data=st.data())
@torch.no_grad()
def test_rows_of_one_sentence_may_change_places(data: st.DataObject) -> None:
    model, src = lively(), pad([[3, 4, 5]] * 3 + [[6, 7]] * 3)
    tgt = torch.randint(1, 13, (6, 4))
    first = st.lists(st.integers(0, 2), min_size=3, max_size=3)
    second = st.lists(st.integers(3, 5), min_size=3, max_size=3)
    rows = torch.tensor(data.draw(first) + data.draw(second))
    cache = CachedScorer(model, src)
    in_steps(cache, tgt)
    cache.reorder(rows)
    more = torch.randint(1, 13, (6, 3))
    expected = all_at_once(model, src, torch.cat([tgt[rows], more], dim=1))
    torch.testing.assert_close(
        in_steps(cache, more), expected[:, 4:], rtol=1e-9, atol=1e-9
    )


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


def test_the_weights_are_left_alone_and_the_source_is_read_once() -> None:
    model, reads = lively(), []
    before = {name: p.clone() for name, p in model.state_dict().items()}
    model.encoder.register_forward_hook(lambda *args: reads.append(1))
    with torch.no_grad():
        in_steps(CachedScorer(model, pad([[3, 4]])), torch.ones(1, 5).long())
    assert len(reads) == 1
    for name, parameter in model.state_dict().items():
        assert torch.equal(parameter, before[name])


@torch.no_grad()
def test_a_step_too_many_is_refused() -> None:
    cache = CachedScorer(lively(max_len=2), pad([[3, 4]]))
    for _ in range(2):
        cache.step(torch.tensor([3]))
    with pytest.raises(ValueError, match="longer than max_len = 2"):
        cache.step(torch.tensor([3]))


@torch.no_grad()
def test_positions_go_on_where_they_were() -> None:
    plain, counted = PositionalEncoding(8, 12), CountedPositions(8, 12)
    x = torch.randn(3, 12, 8)
    steps = [counted(token[:, None]) for token in x.unbind(1)]
    assert torch.equal(torch.cat(steps, dim=1), plain(x))


@pytest.mark.parametrize("norm_first", [True, False])
def test_a_decoder_without_a_memory_reads_each_token_once(norm_first: bool) -> None:
    """A language model is a stack of encoder layers under the causal mask."""
    stack = lively(norm_first=norm_first).encoder
    x = torch.randn(2, 5, 8, dtype=torch.float64)
    copied = replace_leaves(stack, CACHED)
    with torch.no_grad():
        steps = [copied(token[:, None]) for token in x.unbind(1)]  # (B, 1, D)
        assert_close(torch.cat(steps, dim=1), stack(x, causal_mask(5)))
    kept = [part for part in copied.modules() if isinstance(part, CachedAttention)]
    assert [attention.length for attention in kept] == [5, 5]


def test_it_knows_which_models_it_knows() -> None:
    assert can_be_cached(lively())
    assert can_be_cached(lively(norm_first=True, tie_embeddings=True))

    class LouderNorm(LayerNorm):
        def forward(self, x: Tensor) -> Tensor:
            return 2 * super().forward(x)

    class Louder(Transformer):
        def decode(self, *args: Tensor) -> Tensor:
            return 2 * super().decode(*args)

    strange = lively()
    layer = strange.decoder.layers[1]
    assert isinstance(layer, DecoderLayer)
    layer.feed_forward_residual.norm = LouderNorm(8)
    watched = lively()
    watched.decoder.layers[0].register_forward_hook(lambda *args: None)
    for model in (strange, watched, Louder(lively().config)):
        assert not can_be_cached(model)
        model.double()
        # Unasked, such a model is decoded without it; asked, it is refused.
        written = greedy_decode(model, pad([[3, 4]]), 1, 2, 5)
        assert torch.equal(
            written, greedy_decode(model, pad([[3, 4]]), 1, 2, 5, cached=False)
        )
        with pytest.raises(ValueError, match="decode it with cached=False"):
            greedy_decode(model, pad([[3, 4]]), 1, 2, 5, cached=True)


def with_other_positions(model: Any) -> None:
    model.positions = nn.Softmax(dim=1)


def with_a_deeper_output(model: Any) -> None:
    model.output_proj = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 13))


def with_a_method_of_its_own(model: Any) -> None:
    original = model.decode
    model.decode = lambda *args: 2 * original(*args)


@pytest.mark.parametrize(
    "change", [with_other_positions, with_a_deeper_output, with_a_method_of_its_own]
)
def test_a_model_with_another_piece_is_decoded_without_it(
    change: Callable[[Transformer], None],
) -> None:
    model = lively()
    change(model)
    assert not can_be_cached(model.double())
    assert greedy_decode(model, pad([[3, 4]]), 1, 2, 5).shape[1] <= 5


def test_maps_without_a_bias_are_cached() -> None:
    model = lively()
    for part in model.modules():
        if isinstance(part, MultiHeadAttention):
            part.key_proj.register_parameter("bias", None)
    assert can_be_cached(model)
    src, tgt = pad([[3, 4, 5], [6]]), torch.randint(1, 13, (2, 7))
    with torch.no_grad():
        steps = in_steps(CachedScorer(model, src), tgt)
        assert_close(steps, all_at_once(model, src, tgt))
