"""Fused leaves: the weights and answers of the book's pieces, in fewer steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.random import SFC64
from torch import Tensor, nn
from torch.nn import functional as F

from lib.attention import MultiHeadAttention, check_attention_shapes
from lib.layers import (
    DecoderLayer,
    EncoderLayer,
    LayerNorm,
    PositionwiseFeedForward,
    Residual,
    TokenEmbedding,
)
from lib.model import Decoder, Encoder, Transformer
from lib.positions import PositionalEncoding
from lib.today import (
    FeedForward,
    GatedFeedForward,
    GroupedQueryAttention,
    LanguageModel,
    LearnedPositionalEncoding,
    NoPositions,
    RMSNorm,
    Rotary,
    RotaryLinear,
    UnpaddedEmbedding,
)
from lib.today.blocks import AnyModule, check_width, is_touched, replace_leaves
from lib.today.families import BeginsWithPad, HalvedSines


class FusedAttention(MultiHeadAttention):
    r"""Multi-head attention (§3.2.2) that never writes its weights down.

    PyTorch's one kernel goes through the scores block by block and keeps no matrix of
    them. So there are no weights to give back: they come as an empty tensor, unless a
    hook is set to see them, as :func:`~lib.attention.record_attention` does.

    Args:
        d_model: numbers in the vector of one token, **D**.
        n_heads: number of heads, **H**; must divide ``d_model``.

    Shape:
        As in :class:`~lib.attention.MultiHeadAttention`; the weights are :math:`(0)`.

    Raises:
        ValueError: if ``n_heads`` does not divide ``d_model``, or a shape does not fit.

    Example:
        >>> plain = MultiHeadAttention(d_model=8, n_heads=2)
        >>> x = torch.ones(1, 3, 8)
        >>> torch.allclose(fuse(plain)(x, x, x)[0], plain(x, x, x)[0], atol=1e-6)
        True

    Built in chapter 17.
    """

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        if self._forward_hooks:  # somebody looks at the weights
            return super().forward(query, key, value, mask)
        for x in (query, key, value):
            if x.dim() != 3 or x.size(-1) != self.d_model:
                raise ValueError(
                    f"Expected vectors of shape (B, T, {self.d_model}), but got "
                    f"{tuple(x.shape)}."
                )
        q, k, v = map(self.split_heads, self.project(query, key, value))
        check_attention_shapes(q, k, v, mask)
        heads = mix_values(q, k, v, mask)
        return self.output_proj(self.merge_heads(heads)), query.new_empty(0)

    def project(self, query: Tensor, key: Tensor, value: Tensor) -> Sequence[Tensor]:
        """Make queries, keys and values; from the same vectors by one product."""
        maps = [self.query_proj, self.key_proj, self.value_proj]
        plain = all(type(each) is nn.Linear and not is_touched(each) for each in maps)
        if plain and query is key is value:  # self-attention
            return F.linear(query, *side_by_side(*maps)).chunk(3, dim=-1)
        if plain and key is value:  # cross-attention
            k, v = F.linear(key, *side_by_side(*maps[1:])).chunk(2, dim=-1)
            return self.query_proj(query), k, v
        return self.query_proj(query), self.key_proj(key), self.value_proj(value)


class FusedGroupedAttention(FusedAttention, GroupedQueryAttention):
    r"""Grouped-query attention through the same kernel; its maps are not joined.

    Args:
        d_model: numbers in the vector of one token, **D**.
        n_heads: heads of queries, **H**.
        kv_heads: heads of keys and values.
        bias: whether the four linear maps have biases.
        rotary: what turns queries and keys, or None.

    Shape:
        As in :class:`FusedAttention`.
    """

    def project(self, query: Tensor, key: Tensor, value: Tensor) -> Sequence[Tensor]:
        """Make queries, keys and values, of which there are fewer."""
        return self.query_proj(query), self.key_proj(key), self.value_proj(value)


def side_by_side(*maps: nn.Linear) -> tuple[Tensor, Tensor]:
    """Join several linear maps into one, so that one product does for all.

    Args:
        maps: linear maps of vectors of the same width.

    Returns:
        The weight and the bias of the one.

    Example:
        >>> weight, bias = side_by_side(nn.Linear(4, 2), nn.Linear(4, 3))
        >>> weight.shape, bias.shape
        (torch.Size([5, 4]), torch.Size([5]))

    Built in chapter 17.
    """
    weights: list[Tensor] = [each.weight for each in maps]
    biases: list[Tensor] = [
        each.weight.new_zeros(each.out_features) if each.bias is None else each.bias
        for each in maps
    ]
    return torch.cat(weights), torch.cat(biases)


def mix_values(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
    r"""Weigh the values by one kernel of PyTorch's.

    Under autocast on a processor it computes in 32 bits: there its kernel for 16 is
    slow, backwards above all.

    Args:
        q: the queries.
        k: the keys.
        v: the values.
        mask: boolean, True = may be attended to; None for everything.

    Shape:
        - q: :math:`(B, H, T, D/H)`; k and v: :math:`(B, H, S, D/H)`.
        - Output: :math:`(B, H, T, D/H)`.

    Example:
        >>> x = torch.ones(1, 2, 3, 4)
        >>> mix_values(x, x, x, None).shape
        torch.Size([1, 2, 3, 4])

    Built in chapter 17.
    """
    if q.device.type == "cpu" and torch.is_autocast_enabled("cpu"):
        with torch.autocast("cpu", enabled=False):
            q, k, v = (x.to(torch.float32) for x in (q, k, v))
            return F.scaled_dot_product_attention(q, k, v, mask)
    return F.scaled_dot_product_attention(q, k, v, mask)


class FusedLayerNorm(LayerNorm):
    r"""The layer norm of chapter 7 through PyTorch's one kernel.

    Args:
        d_model: numbers in the vector of one token, **D**.
        eps: keeps the root away from zero.

    Shape:
        Input and output: :math:`(..., D)`.

    Raises:
        ValueError: if the last dimension is not ``d_model``.

    Example:
        >>> FusedLayerNorm(d_model=2)(torch.tensor([[1.0, 3.0]])).tolist()
        [[-0.999..., 0.999...]]
    """

    def forward(self, x: Tensor) -> Tensor:
        check_width(x, self.weight.size(0))
        return F.layer_norm(x, self.weight.shape, self.weight, self.bias, self.eps)


class FusedDropout(nn.Dropout):
    """Dropout (§5.4) whose mask is cheap: four places share one random number.

    On most processors PyTorch draws one random number for each place, on one core. Here
    each place gets 16 of the 64 random bits of NumPy's quickest generator, so the share
    is rounded to a multiple of 1/65536. On a GPU PyTorch's own is fast, and is used.

    Args:
        p: share of the numbers that is set to zero in training.
        inplace: True to write over the input, as PyTorch's own does elsewhere.

    Shape:
        Input and output: any, the same.

    Example:
        >>> dropout = FusedDropout(0.5)
        >>> sorted(set(dropout(torch.ones(100)).tolist()))
        [0.0, 2.0]
        >>> dropout.eval()(torch.ones(2)).tolist()
        [1.0, 1.0]

    Built in chapter 17.
    """

    def forward(self, x: Tensor) -> Tensor:
        cheap = x.device.type == "cpu" and not torch.compiler.is_compiling()
        if not (self.training and cheap and 0 < self.p < 1):
            return super().forward(x)
        size, lost = x.numel(), min(round(self.p * 65536), 65535)
        seed = int(torch.randint(2**63 - 1, ()))  # so that torch.manual_seed decides
        numbers = SFC64(seed).random_raw(-(-size // 4)).view(np.int16)
        bits = torch.from_numpy(numbers)[:size].view(x.shape)  # from -32768 to 32767
        keep = (bits >= lost - 32768).to(x.dtype)
        return x * keep.mul_(65536 / (65536 - lost))  # the mean stays what it was


FUSED: dict[type[nn.Module], type[nn.Module]] = {
    MultiHeadAttention: FusedAttention,
    GroupedQueryAttention: FusedGroupedAttention,
    LayerNorm: FusedLayerNorm,
    nn.Dropout: FusedDropout,
}


def fuse(model: AnyModule) -> AnyModule:
    """Return a copy of a model with attention, layer norm and dropout fused.

    The copy has the very same weights under the same names, so what one of the two
    learns, both know; it answers as the model does. The model itself stays as it is.

    Args:
        model: any module that holds such pieces.

    Example:
        >>> from lib.config import TransformerConfig
        >>> model = Transformer(TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=16))
        >>> type(fuse(model).encoder.layers[0].self_attention).__name__
        'FusedAttention'
    """
    return replace_leaves(model, FUSED)


_PIECES: set[type[nn.Module]] = {
    *(MultiHeadAttention, PositionalEncoding, TokenEmbedding, LayerNorm, Residual),
    *(PositionwiseFeedForward, EncoderLayer, DecoderLayer, Encoder, Decoder),
    *(Transformer, nn.Linear, nn.Embedding, nn.Dropout, nn.Identity, nn.ModuleList),
    *(LanguageModel, RMSNorm, FeedForward, GatedFeedForward, GroupedQueryAttention),
    *(Rotary, RotaryLinear, LearnedPositionalEncoding, NoPositions, UnpaddedEmbedding),
    *(BeginsWithPad, HalvedSines),
    *FUSED.values(),
}


def is_plain(model: nn.Module) -> bool:
    """Tell whether all parts of a model are of the book's own classes, and untouched.

    Touched is what has a hook or a method of its own, or was compiled.

    Args:
        model: any module, a whole model or a part.

    Example:
        >>> is_plain(LayerNorm(4)), is_plain(nn.Sequential(LayerNorm(4)))
        (True, False)
    """
    parts = model.modules()
    return all(type(part) in _PIECES and not is_touched(part) for part in parts)
