"""The whole model: equal to PyTorch's, blind to the future and to padding."""

from __future__ import annotations

import copy
import math
import re
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from lib.attention import record_attention
from lib.config import TransformerConfig
from lib.masks import causal_mask, padding_mask
from lib.model import Decoder, Encoder, Transformer, count_parameters
from tests.pytorch_twins import gradients, transformer_pairs, transformer_twin
from tests.strategies import (
    EVERY_DTYPE,
    SIZES,
    Sizes,
    assert_close,
    pad,
    randomize,
    tiny_config,
    tiny_model,
)

NORM_ORDERS = pytest.mark.parametrize("norm_first", [False, True])
TYING = pytest.mark.parametrize("tied", [False, True])


def words(least: int = 1) -> st.SearchStrategy[list[int]]:
    """Return sentences of real token ids: never padding, which is 0."""
    return st.lists(st.integers(1, 10), min_size=least, max_size=7)


def configured(sizes: Sizes, **changes: Any) -> TransformerConfig:
    return tiny_config(d_model=sizes.d_model, n_heads=sizes.heads, **changes)


# --- equality with PyTorch ------------------------------------------------------------


@given(
    sizes=SIZES,
    n_layers=st.integers(1, 3),
    d_ff=st.integers(1, 12),
    norm_first=st.booleans(),
)
def test_stacks_and_gradients_equal_pytorchs(
    sizes: Sizes, n_layers: int, d_ff: int, norm_first: bool
) -> None:
    config = configured(sizes, n_layers=n_layers, d_ff=d_ff, norm_first=norm_first)
    encoder, decoder = Encoder(config).to(sizes.dtype), Decoder(config).to(sizes.dtype)
    for stack in (encoder, decoder):
        randomize(stack, sizes.seed)
    theirs = transformer_twin(encoder, decoder, config, sizes.dtype)
    src, tgt = sizes.tensors(
        (sizes.batch, sizes.source, sizes.d_model),
        (sizes.batch, sizes.target, sizes.d_model),
    )
    src_real = sizes.mask(sizes.batch, sizes.source)
    tgt_real = sizes.mask(sizes.batch, sizes.target)
    tgt_real[:, 0] = True  # PyTorch's answer for a row that sees nothing is NaN
    past = causal_mask(sizes.target)
    src_mask, tgt_mask = src_real[:, None, None], tgt_real[:, None, None] & past

    output = decoder(tgt, encoder(src, src_mask), tgt_mask, src_mask)
    expected = theirs(
        src,
        tgt,
        tgt_mask=~past,
        src_key_padding_mask=~src_real,
        tgt_key_padding_mask=~tgt_real,
        memory_key_padding_mask=~src_real,
    )
    assert_close(output, expected)
    output.square().mean().backward()
    expected.square().mean().backward()
    for our, their in gradients(transformer_pairs(encoder, decoder, theirs)):
        assert_close(our, their)


@NORM_ORDERS
@TYING
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_from_ids_to_logits_equal_pytorchs_pieces(
    norm_first: bool, tied: bool, dtype: torch.dtype
) -> None:
    changes: dict[str, Any] = {
        "tgt_vocab_size": 11,
        "tie_embeddings": tied,
        "norm_first": norm_first,
    }
    model = tiny_model(dtype, **changes)
    theirs = transformer_twin(model.encoder, model.decoder, model.config, dtype)
    theirs.eval()
    src, tgt = pad([[5, 6, 7, 8], [9, 10]]), pad([[1, 4, 3], [1, 5, 6]])

    def embedded(ids: Tensor, table: Tensor) -> Tensor:
        vectors = F.embedding(ids, table) * math.sqrt(8)
        return vectors + model.positions.table[: ids.size(1)]

    expected = F.linear(
        theirs(
            embedded(src, model.src_embedding.table.weight),
            embedded(tgt, model.tgt_embedding.table.weight),
            tgt_mask=~causal_mask(3),
            src_key_padding_mask=src == 0,
            memory_key_padding_mask=src == 0,
        ),
        model.output_proj.weight,
        model.output_proj.bias,
    )
    assert_close(model(src, tgt), expected)


# --- the future and padding -----------------------------------------------------------


@given(
    src=words(),
    tgt=words(least=2),
    data=st.data(),
    norm_first=st.booleans(),
    seed=st.integers(0, 3),
)
def test_no_word_sees_the_words_after_it(
    src: list[int], tgt: list[int], data, norm_first: bool, seed: int
) -> None:
    model = tiny_model(norm_first=norm_first, seed=seed)
    place = data.draw(st.integers(1, len(tgt) - 1))
    changed = [*tgt[:place], *(i % 10 + 1 for i in tgt[place:])]
    before, after = model(pad([src, src]), pad([tgt, changed]))
    assert_close(after[:place], before[:place])
    assert not torch.allclose(after[place], before[place])  # but its own word it sees


@given(
    sources=st.lists(words(), min_size=2, max_size=4),
    targets=st.lists(words(), min_size=4, max_size=4),
    norm_first=st.booleans(),
    pad_id=st.sampled_from([0, 10]),
    extra=st.integers(0, 3),
)
def test_a_sentence_alone_equals_itself_in_a_batch(
    sources: list[list[int]],
    targets: list[list[int]],
    norm_first: bool,
    pad_id: int,
    extra: int,
) -> None:
    model = tiny_model(norm_first=norm_first, pad_id=pad_id)
    sources = [[i - (pad_id == 10) for i in row] for row in sources]  # 0..9 or 1..10
    targets = [[i - (pad_id == 10) for i in row] for row in targets][: len(sources)]
    src = F.pad(pad(sources, pad_id), (0, extra), value=pad_id)
    tgt = F.pad(pad(targets, pad_id), (0, extra), value=pad_id)
    together = model(src, tgt)
    for row, (source, target) in enumerate(zip(sources, targets, strict=True)):
        alone = model(torch.tensor([source]), torch.tensor([target]))
        assert_close(together[row : row + 1, : len(target)], alone)


@given(source=words(), target=words(), extra=st.integers(1, 4))
def test_padding_changes_neither_the_loss_nor_its_gradients(
    source: list[int], target: list[int], extra: int
) -> None:
    losses, all_gradients = [], []
    for more in (0, extra):
        model = tiny_model()
        src = F.pad(torch.tensor([source]), (0, more))
        tgt = F.pad(torch.tensor([[1, *target]]), (0, more))
        logits = model(src, tgt[:, :-1])
        loss = F.cross_entropy(
            logits.flatten(0, 1), tgt[:, 1:].flatten(), ignore_index=0
        )
        loss.backward()
        losses.append(loss)
        all_gradients.append([p.grad for p in model.parameters()])
    assert_close(losses[1], losses[0])
    for padded, alone in zip(*all_gradients, strict=True):
        assert_close(padded, alone)


@NORM_ORDERS
def test_padding_in_front_or_in_between_is_not_seen_either(norm_first: bool) -> None:
    model = tiny_model(norm_first=norm_first)
    tgt = torch.tensor([[1, 5, 6]])
    with record_attention(model) as weights:
        logits = model(torch.tensor([[0, 5, 0, 6]]), tgt)
    assert logits.isfinite().all()
    for name, weight in weights.items():
        if "encoder" in name or "cross" in name:
            assert (weight[..., [0, 2]] == 0).all()
            assert_close(weight.sum(-1), torch.ones_like(weight.sum(-1)))


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@NORM_ORDERS
def test_sentences_of_padding_alone_stay_finite(
    dtype: torch.dtype, norm_first: bool
) -> None:
    model = tiny_model(dtype, norm_first=norm_first)
    src = torch.tensor([[5, 6, 7], [0, 0, 0]])
    tgt = torch.tensor([[1, 5, 6], [0, 0, 0]])
    logits = model(src, tgt)
    assert logits.dtype == dtype
    assert logits.isfinite().all()
    logits.square().mean().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name


@given(source=words(least=2), data=st.data(), norm_first=st.booleans())
def test_only_positions_tell_the_encoder_the_order(
    source: list[int], data, norm_first: bool
) -> None:
    model = tiny_model(norm_first=norm_first)
    order = data.draw(st.permutations(range(len(source))))
    src = torch.tensor([source])
    mask = padding_mask(src, 0)
    model.positions.table.zero_()
    assert_close(model.encode(src[:, order], mask), model.encode(src, mask)[:, order])
    model = tiny_model(norm_first=norm_first)
    if [source[i] for i in order] != source:
        moved = model.encode(src[:, order], mask)
        assert not torch.allclose(moved, model.encode(src, mask)[:, order])


# --- parameters -----------------------------------------------------------------------


@NORM_ORDERS
@TYING
def test_gradients_reach_every_parameter(norm_first: bool, tied: bool) -> None:
    model = tiny_model(norm_first=norm_first, tgt_vocab_size=11, tie_embeddings=tied)
    randomize(model)
    src, tgt = torch.arange(11)[None], torch.arange(11)[None].flip(1)
    F.cross_entropy(model(src, tgt)[0], torch.arange(11)).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        if "key_proj.bias" not in name:  # it shifts all scores of a row alike
            assert (parameter.grad != 0).any(), name
        if "embedding" in name:  # every word learns, and so do all its numbers
            assert (parameter.grad[1:] != 0).all(), name


@given(
    sizes=SIZES,
    n_layers=st.integers(1, 3),
    d_ff=st.integers(1, 12),
    src_vocab=st.integers(2, 20),
    tgt_vocab=st.integers(2, 20),
    norm_first=st.booleans(),
)
def test_parameters_are_as_many_as_by_hand(
    sizes: Sizes,
    n_layers: int,
    d_ff: int,
    src_vocab: int,
    tgt_vocab: int,
    norm_first: bool,
) -> None:
    d = sizes.d_model
    config = configured(
        sizes,
        n_layers=n_layers,
        d_ff=d_ff,
        src_vocab_size=src_vocab,
        tgt_vocab_size=tgt_vocab,
        norm_first=norm_first,
    )
    attention, feed_forward, norm = 4 * (d * d + d), 2 * d * d_ff + d_ff + d, 2 * d
    encoder_layer = attention + feed_forward + 2 * norm
    decoder_layer = 2 * attention + feed_forward + 3 * norm
    last_norms = 2 * norm if norm_first else 0
    vocabularies = (src_vocab + tgt_vocab) * d + tgt_vocab * d + tgt_vocab
    layers = n_layers * (encoder_layer + decoder_layer)
    assert count_parameters(Transformer(config)) == layers + last_norms + vocabularies
    config = configured(
        sizes,
        n_layers=n_layers,
        d_ff=d_ff,
        tie_embeddings=True,
        tgt_vocab_size=11,
        norm_first=norm_first,
    )
    assert count_parameters(Transformer(config)) == layers + last_norms + 11 * d + 11


def test_the_papers_base_model_has_65_million_parameters() -> None:
    config = TransformerConfig(37_000, 37_000, tie_embeddings=True)
    with torch.device("meta"):  # sizes only, no numbers
        # Table 3 counts no bias of the output; the paper does not say it has one.
        millions = (count_parameters(Transformer(config)) - 37_000) / 1e6
    assert 62 < millions < 65.5


def test_counting_leaves_out_what_is_frozen_and_counts_the_shared_once() -> None:
    first = nn.Linear(3, 2)
    assert count_parameters(nn.Sequential(first, first)) == 8
    first.bias.requires_grad_(False)
    assert count_parameters(first) == 6


def test_tied_embeddings_are_one_matrix() -> None:
    model = tiny_model(tgt_vocab_size=11, tie_embeddings=True)
    table = model.tgt_embedding.table.weight
    assert model.src_embedding is model.tgt_embedding
    assert model.output_proj.weight is table
    for other in (copy.deepcopy(model), copy.deepcopy(model).float()):
        assert other.output_proj.weight is other.src_embedding.table.weight
    with torch.no_grad():
        table[5, 0] += 1
    assert model.output_proj.weight[5, 0] == model.src_embedding.table.weight[5, 0]


@TYING
@NORM_ORDERS
def test_copies_and_saved_weights_answer_alike(tied: bool, norm_first: bool) -> None:
    changes: dict[str, Any] = {
        "tgt_vocab_size": 11,
        "tie_embeddings": tied,
        "norm_first": norm_first,
    }
    model, again = tiny_model(seed=0, **changes), tiny_model(seed=1, **changes)
    src, tgt = pad([[5, 6, 7], [8, 9]]), pad([[1, 5], [1, 6]])
    assert not torch.equal(again(src, tgt), model(src, tgt))
    again.load_state_dict(model.state_dict())
    assert torch.equal(again(src, tgt), model(src, tgt))
    assert torch.equal(copy.deepcopy(model)(src, tgt), model(src, tgt))
    assert not any("table" in n and "positions" in n for n in model.state_dict())


def test_weights_of_a_longer_model_fit_a_shorter_one() -> None:
    long, short = tiny_model(max_len=50), tiny_model(max_len=5, seed=1)
    short.load_state_dict(long.state_dict())
    src, tgt = pad([[5, 6, 7]]), pad([[1, 5]])
    assert torch.equal(short(src, tgt), long(src, tgt))


# --- modes and dtypes -----------------------------------------------------------------


def test_dropout_is_random_in_training_and_off_in_evaluation() -> None:
    model = tiny_model(dropout=0.5)
    src, tgt = pad([[5, 6, 7]]), pad([[1, 5]])
    assert torch.equal(model(src, tgt), model(src, tgt))
    model.train()
    assert not torch.equal(model(src, tgt), model(src, tgt))
    torch.manual_seed(0)
    first = model(src, tgt)
    torch.manual_seed(0)
    assert torch.equal(model(src, tgt), first)


@pytest.mark.parametrize("side", ["source", "target"])
def test_dropout_falls_on_the_embeddings_of_both_sides(side: str) -> None:
    model = tiny_model(dropout=0.0)
    model.dropout.p = 0.5  # §5.4: on the sums of embeddings and positions
    src, tgt = pad([[5, 6, 7]]), pad([[1, 5]])
    mask = padding_mask(src, 0)
    memory = model.encode(src, mask)
    model.train()
    if side == "source":
        assert not torch.equal(model.encode(src, mask), model.encode(src, mask))
    else:
        first, second = (model.decode(tgt, memory, mask) for _ in range(2))
        assert not torch.equal(first, second)


def test_every_dropout_is_that_of_the_config() -> None:
    dropouts = [
        module.p
        for module in tiny_model(dropout=0.3).modules()
        if isinstance(module, nn.Dropout)
    ]
    # Two in each encoder layer, three in each decoder layer, one on the embeddings.
    assert dropouts == [0.3] * (2 * 2 + 2 * 3 + 1)


def test_autocast_keeps_masked_words_out() -> None:
    model = tiny_model(torch.float32)
    src, tgt = pad([[5, 6, 7], [8, 9]]), pad([[1, 5, 4], [1, 6]])
    with torch.autocast("cpu", torch.bfloat16), record_attention(model) as weights:
        logits = model(src, tgt)
    assert logits.isfinite().all()
    assert (weights["encoder.layers.0.self_attention"][1, ..., 2] == 0).all()


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
def test_ids_may_be_short_or_long_numbers_and_views(dtype: torch.dtype) -> None:
    model = tiny_model()
    src, tgt = pad([[5, 6, 7], [8, 9]]), pad([[1, 5], [1, 6]])
    expected = model(src, tgt)
    turned = [x.to(dtype).T.contiguous().T for x in (src, tgt)]
    assert not turned[0].is_contiguous()
    assert torch.equal(model(*turned), expected)


def test_model_works_on_the_meta_device() -> None:
    model = tiny_model().to("meta")
    mask = torch.ones(2, 1, 1, 3, dtype=torch.bool, device="meta")
    memory = torch.ones(2, 3, 8, dtype=torch.float64, device="meta")
    x = torch.ones(2, 4, 8, dtype=torch.float64, device="meta")
    assert model.decoder(x, memory, causal_mask(4, "meta"), mask).shape == (2, 4, 8)


# --- refusals -------------------------------------------------------------------------

IDS = torch.ones(2, 3, dtype=torch.long)


@pytest.mark.parametrize(
    ("src", "tgt", "expected"),
    [
        (torch.full((2, 3), 11), IDS, ["0 and 10", "11"]),
        (torch.full((2, 3), -1), IDS, ["0 and 10", "-1"]),
        (IDS, torch.full((2, 3), 13), ["0 and 12", "13"]),
        (torch.ones(2, 13).long(), IDS, ["13 tokens", "max_len = 12"]),
        (IDS, torch.ones(2, 13).long(), ["13 tokens", "max_len = 12"]),
        (IDS, torch.ones(3, 3).long(), ["(2, 3)", "(3, 3)"]),
        (torch.ones(3).long(), torch.ones(3).long(), ["(B, S)", "(3,)"]),
        (torch.ones(2, 3, 4).long(), IDS, ["(B, S)", "(2, 3, 4)"]),
        (IDS, torch.ones(2, 0).long(), ["at least 1", "0"]),
    ],
)
def test_ids_that_do_not_fit_are_refused(
    src: Tensor, tgt: Tensor, expected: list[str]
) -> None:
    with pytest.raises(ValueError, match=re.escape(expected[0])) as error:
        tiny_model()(src, tgt)
    for part in expected:
        assert part in str(error.value)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bool])
def test_ids_that_are_no_whole_numbers_are_refused(dtype: torch.dtype) -> None:
    for src, tgt in ((IDS.to(dtype), IDS), (IDS, IDS.to(dtype))):
        with pytest.raises(TypeError, match=f"whole numbers, but they are {dtype}"):
            tiny_model()(src, tgt)


def test_decode_refuses_a_target_without_a_batch() -> None:
    mask = torch.ones(2, 1, 1, 3, dtype=torch.bool)
    with pytest.raises(ValueError, match=re.escape("(4,)")):
        tiny_model().decode(torch.ones(4).long(), torch.ones(2, 3, 8).double(), mask)


def test_decode_refuses_a_memory_or_mask_that_does_not_fit() -> None:
    model = tiny_model()
    tgt, memory = torch.ones(2, 4).long(), torch.ones(2, 3, 8).double()
    mask = torch.ones(2, 1, 1, 3, dtype=torch.bool)
    with pytest.raises(ValueError, match=r"\(2, 2, 4, 4\), \(1, 2, 3, 4\)"):
        model.decode(tgt, memory[:1], mask[:1])
    with pytest.raises(ValueError, match=r"\(2, 2, 4, 3\).*\(2, 1, 1, 5\)"):
        model.decode(tgt, memory, torch.ones(2, 1, 1, 5, dtype=torch.bool))
    with pytest.raises(TypeError, match=r"boolean.*float32"):
        model.decode(tgt, memory, mask.float())


def test_an_empty_batch_gives_empty_logits() -> None:
    none = torch.ones(0, 3, dtype=torch.long)
    assert tiny_model()(none, none).shape == (0, 3, 13)
