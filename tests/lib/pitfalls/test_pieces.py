"""Pitfalls 8 to 16, and 18: heads, positions, norms, layers."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from lib.attention import MultiHeadAttention
from lib.config import TransformerConfig
from lib.layers import LayerNorm, PositionwiseFeedForward, Residual, TokenEmbedding
from lib.masks import causal_mask, padding_mask
from lib.model import Encoder, Transformer
from lib.positions import PositionalEncoding, sinusoidal_encoding
from tests.pytorch_twins import attention_twin, transformer_twin
from tests.strategies import randomize, tiny_config

# --- 8 --------------------------------------------------------------------------------


class HeadsPutBackByReshape(MultiHeadAttention):
    def merge_heads(self, x: Tensor) -> Tensor:
        batch, _, length, _ = x.shape
        return x.reshape(batch, length, -1)  # the transpose is missing


def property_heads_are_put_back(kind: type[MultiHeadAttention]) -> None:
    torch.manual_seed(0)
    module, x = kind(8, 2).double(), torch.randn(2, 3, 8, dtype=torch.float64)
    output, _ = module(x, x, x)
    expected, _ = attention_twin(module)(x, x, x)
    assert output.shape == x.shape
    assert torch.allclose(output, expected), "not equal to PyTorch's"


def property_equal_words_get_equal_answers(kind: type[MultiHeadAttention]) -> None:
    torch.manual_seed(0)
    module, word = kind(8, 2), torch.randn(1, 1, 8)
    x = word.expand(1, 4, 8)
    output, _ = module(x, x, x)
    same = torch.isclose(output, output[:, :1])
    assert same.all(), "the answer depends on the index among equals"


def test_pitfall_08_heads_put_back_without_the_transpose() -> None:
    """All shapes are right; heads and positions are mixed up."""
    with pytest.raises(AssertionError, match="not equal to PyTorch's"):
        property_heads_are_put_back(HeadsPutBackByReshape)
    with pytest.raises(AssertionError, match="index among equals"):
        property_equal_words_get_equal_answers(HeadsPutBackByReshape)
    property_heads_are_put_back(MultiHeadAttention)
    property_equal_words_get_equal_answers(MultiHeadAttention)


# --- 9 --------------------------------------------------------------------------------


def doubled_exponent(max_len: int, d_model: int) -> Tensor:
    position = torch.arange(max_len, dtype=torch.float64)[:, None]
    even = torch.arange(0, d_model, 2)  # 2i already
    angle = position / 10000 ** (2 * even / d_model)  # and doubled once more
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


def property_wavelengths_go_from_2_pi_to_10000_times_that(
    encoding: Callable[[int, int], Tensor],
) -> None:
    first_step = encoding(2, 128)[1].double()
    turn = torch.atan2(first_step[0::2], first_step[1::2])  # angle of one position
    wavelength = 2 * math.pi / turn
    assert math.isclose(wavelength[0], 2 * math.pi, rel_tol=1e-5), "the first is off"
    last = float(wavelength[-1] / (2 * math.pi))
    assert 8000 < last < 10000, f"the last wavelength is 2π times {last:.0f}"


def test_pitfall_09_exponent_doubled() -> None:
    """The plot looks plausible; the slow half of the waves hardly moves."""
    with pytest.raises(AssertionError, match="the last wavelength"):
        property_wavelengths_go_from_2_pi_to_10000_times_that(doubled_exponent)
    property_wavelengths_go_from_2_pi_to_10000_times_that(sinusoidal_encoding)


# --- 10 -------------------------------------------------------------------------------


class UncheckedPositions(nn.Module):
    """As tutorials write it: what does not fit fails somewhere inside."""

    def __init__(self, d_model: int, max_len: int) -> None:
        super().__init__()
        angle = torch.arange(max_len)[:, None] / 10000 ** (
            torch.arange(0, d_model, 2) / d_model
        )
        self.table = torch.zeros(max_len, d_model)
        self.table[:, 0::2] = angle.sin()
        self.table[:, 1::2] = angle.cos()

    def forward(self, x: Tensor) -> Tensor:
        return x + self.table[: x.size(1)]


class TruncatingPositions(UncheckedPositions):
    def forward(self, x: Tensor) -> Tensor:
        return x[:, : len(self.table)] + self.table[: x.size(1)]  # cuts in silence


def refusal(action: Callable[[], object]) -> str:
    """Return the sentence of the ValueError; anything else is a failure."""
    try:
        action()
    except ValueError as error:
        return str(error)
    except Exception as error:
        raise AssertionError(f"an error far from the cause: {error}") from error
    raise AssertionError("it went through in silence")


def property_an_odd_d_model_is_named(kind: Callable[[int, int], nn.Module]) -> None:
    assert "7" in refusal(lambda: kind(7, 10))


def property_a_sentence_too_long_is_named(
    kind: Callable[[int, int], nn.Module],
) -> None:
    message = refusal(lambda: kind(8, 10)(torch.zeros(1, 13, 8)))
    assert "10" in message
    assert "13" in message


def test_pitfall_10_odd_width_or_too_long_unnoticed() -> None:
    """A shape error far from the cause, or a sentence cut off in silence."""
    with pytest.raises(AssertionError, match="far from the cause"):
        property_an_odd_d_model_is_named(UncheckedPositions)
    with pytest.raises(AssertionError, match="far from the cause"):
        property_a_sentence_too_long_is_named(UncheckedPositions)
    with pytest.raises(AssertionError, match="in silence"):
        property_a_sentence_too_long_is_named(TruncatingPositions)
    property_an_odd_d_model_is_named(PositionalEncoding)
    property_a_sentence_too_long_is_named(PositionalEncoding)


# --- 11 -------------------------------------------------------------------------------


class PositionsBesideTheResidual(Transformer):
    def encode(self, src: Tensor, src_mask: Tensor) -> Tensor:
        x = self.src_embedding(src)
        for number, layer in enumerate(self.encoder.layers):
            # The first attention sees the positions, the residual around it does not.
            add = self.positions if number == 0 else nn.Identity()
            x = layer.self_attention_residual(  # type: ignore[operator]
                x,
                lambda y, layer=layer, add=add: layer.self_attention(
                    add(y), add(y), add(y), src_mask
                )[0],
            )
            x = layer.feed_forward_residual(x, layer.feed_forward)  # type: ignore[operator]
        return x


def property_the_residual_carries_the_order(kind: type[Transformer]) -> None:
    """Demand that order reaches the memory by the residual, not by attention alone.

    Attention is made to add nothing, so that all that is left is the residual. Then
    two words are swapped: their vectors must do more than change places.
    """
    torch.manual_seed(0)
    model = kind(tiny_config()).eval()
    for module in model.modules():
        if isinstance(module, MultiHeadAttention):
            nn.init.zeros_(module.output_proj.weight)
            nn.init.zeros_(module.output_proj.bias)
    src, order = torch.tensor([[5, 6, 7]]), [2, 1, 0]
    mask = padding_mask(src, pad_id=0)
    swapped, memory = model.encode(src[:, order], mask), model.encode(src, mask)
    only_moved = torch.allclose(swapped, memory[:, order], atol=1e-4)
    assert not only_moved, "the residual forgot the order"


def test_pitfall_11_position_left_out_of_the_residual() -> None:
    """Attention still sees the order, so it trains; half of the order is lost."""
    with pytest.raises(AssertionError, match="the residual forgot the order"):
        property_the_residual_carries_the_order(PositionsBesideTheResidual)
    property_the_residual_carries_the_order(Transformer)


# --- 12 and 13 ------------------------------------------------------------------------


class NormOverTheSentence(LayerNorm):
    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(dim=(-2, -1), keepdim=True)
        variance = x.var(dim=(-2, -1), correction=0, keepdim=True)
        return (x - mean) / torch.sqrt(variance + self.eps) * self.weight + self.bias


class UnbiasedNorm(LayerNorm):
    def forward(self, x: Tensor) -> Tensor:
        variance = x.var(dim=-1, keepdim=True)  # divides by D - 1
        normed = (x - x.mean(dim=-1, keepdim=True)) / torch.sqrt(variance + self.eps)
        return normed * self.weight + self.bias


class EpsilonOutsideTheRoot(LayerNorm):
    def forward(self, x: Tensor) -> Tensor:
        deviation = x.std(dim=-1, correction=0, keepdim=True)
        normed = (x - x.mean(dim=-1, keepdim=True)) / (deviation + self.eps)
        return normed * self.weight + self.bias


def property_a_token_is_normed_alone(kind: type[LayerNorm]) -> None:
    torch.manual_seed(0)
    norm, x = kind(8), torch.randn(1, 3, 8)
    y = x.clone()
    y[:, 1:] *= 100
    padded = nn.functional.pad(x, (0, 0, 0, 4))
    for other in (y, padded):
        same = torch.isclose(norm(other)[0, 0], norm(x)[0, 0], atol=1e-5)
        assert same.all(), "the norm of one token depends on its neighbors"


def test_pitfall_12_norm_over_the_whole_sentence() -> None:
    """It trains; but values change with the length, and with padding."""
    with pytest.raises(AssertionError, match="depends on its neighbors"):
        property_a_token_is_normed_alone(NormOverTheSentence)
    property_a_token_is_normed_alone(LayerNorm)


def property_norm_equals_pytorchs(kind: type[LayerNorm], scale: float) -> None:
    torch.manual_seed(0)
    x = scale * torch.randn(2, 3, 64, dtype=torch.float64)
    ours, theirs = kind(64).double()(x), nn.LayerNorm(64, dtype=torch.float64)(x)
    off = (ours - theirs).abs().max().item()
    assert off < 1e-10, f"off by {off:.4f}"


def test_pitfall_13_unbiased_deviation_or_epsilon_outside() -> None:
    """Off from PyTorch: by 1/(2D) the one, and most for quiet vectors the other."""
    for scale in (1.0, 0.01):
        for wrong in (UnbiasedNorm, EpsilonOutsideTheRoot):
            with pytest.raises(AssertionError, match="off by"):
                property_norm_equals_pytorchs(wrong, scale)
        property_norm_equals_pytorchs(LayerNorm, scale)


# --- 14 -------------------------------------------------------------------------------


class FeedForwardWithoutRelu(PositionwiseFeedForward):
    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.outer(self.inner(x))
        return result


def property_the_block_is_not_linear(kind: type[PositionwiseFeedForward]) -> None:
    torch.manual_seed(0)
    block, (x, y) = kind(8, 32).double(), torch.randn(2, 3, 8, dtype=torch.float64)
    linear = torch.allclose(block(x + y) + block(0 * x), block(x) + block(y))
    assert not linear, "two linear maps are one"


def test_pitfall_14_feed_forward_without_its_non_linearity() -> None:
    """It trains, and two linear maps do the work of one."""
    with pytest.raises(AssertionError, match="two linear maps are one"):
        property_the_block_is_not_linear(FeedForwardWithoutRelu)
    property_the_block_is_not_linear(PositionwiseFeedForward)


# --- 15 -------------------------------------------------------------------------------


class NotScaled(TokenEmbedding):
    def forward(self, token_ids: Tensor) -> Tensor:
        return super().forward(token_ids) / self.scale


class ScaledTwice(TokenEmbedding):
    def forward(self, token_ids: Tensor) -> Tensor:
        return super().forward(token_ids) * self.scale


def property_words_and_positions_are_of_one_size(kind: type[TokenEmbedding]) -> None:
    torch.manual_seed(0)
    words = kind(100, 512, 0)(torch.arange(1, 100)[None]).detach()
    positions = sinusoidal_encoding(99, 512)
    ratio = float(words.norm(dim=-1).mean() / positions.norm(dim=-1).mean())
    assert ratio > 1 / 3, f"positions drown the words: {ratio:.2f}"
    assert ratio < 3, f"words drown the positions: {ratio:.2f}"


def test_pitfall_15_embeddings_not_scaled_or_scaled_twice() -> None:
    """Positions drown the words, or the reverse; it learns, but slowly."""
    with pytest.raises(AssertionError, match="positions drown the words"):
        property_words_and_positions_are_of_one_size(NotScaled)
    with pytest.raises(AssertionError, match="words drown the positions"):
        property_words_and_positions_are_of_one_size(ScaledTwice)
    property_words_and_positions_are_of_one_size(TokenEmbedding)


# --- 16 -------------------------------------------------------------------------------


class ClonedEncoder(Encoder):
    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        self.layers = nn.ModuleList(
            copy.deepcopy(self.layers[0]) for _ in range(config.n_layers)
        )


def property_layers_start_different(kind: type[Encoder]) -> None:
    first, second = kind(tiny_config()).layers
    for name, parameter in first.named_parameters():
        if parameter.dim() > 1:
            twin = second.get_parameter(name)
            assert not torch.equal(parameter, twin), f"{name} starts equal"


def test_pitfall_16_layers_cloned_from_one() -> None:
    """It trains; but all layers start as the same layer."""
    with pytest.raises(AssertionError, match="starts equal"):
        property_layers_start_different(ClonedEncoder)
    property_layers_start_different(Encoder)


# --- 18 -------------------------------------------------------------------------------


class WithoutTheLastNorm(Transformer):
    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        self.encoder.norm, self.decoder.norm = nn.Identity(), nn.Identity()


class TheOtherNormOrder(Transformer):
    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        for module in self.modules():
            if isinstance(module, Residual):
                module.norm_first = not config.norm_first


def property_norms_stand_where_pytorch_has_them(
    kind: type[Transformer], norm_first: bool
) -> None:
    torch.manual_seed(0)
    config = tiny_config(norm_first=norm_first)
    model = kind(config).double()
    randomize(model)
    theirs = transformer_twin(model.encoder, model.decoder, config, torch.float64)
    src, tgt = torch.randn(2, 2, 4, 8, dtype=torch.float64)
    ours = model.decoder(tgt, model.encoder(src), causal_mask(4))
    expected = theirs(src, tgt, tgt_mask=~causal_mask(4))
    assert torch.allclose(ours, expected), "not equal to PyTorch's"


def test_pitfall_18_norms_in_another_place_than_said() -> None:
    """Training is unstable, or the code is not what the figure shows."""
    wrong = [
        (WithoutTheLastNorm, True),
        (TheOtherNormOrder, True),
        (TheOtherNormOrder, False),
    ]
    for kind, norm_first in wrong:
        with pytest.raises(AssertionError, match="not equal to PyTorch's"):
            property_norms_stand_where_pytorch_has_them(kind, norm_first)
    for norm_first in (True, False):
        property_norms_stand_where_pytorch_has_them(Transformer, norm_first)
