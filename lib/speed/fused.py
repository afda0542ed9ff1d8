"""Fused twins: the same weights and answers as the book's pieces, in fewer steps."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
import torch
from numpy.random import SFC64
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.modules import module as torch_module

from lib.attention import MultiHeadAttention, check_attention_shapes
from lib.layers import LayerNorm
from lib.speed.guard import overwritten

AnyModule = TypeVar("AnyModule", bound=nn.Module)


class Blocks(NamedTuple):
    r"""Sentences laid end to end, in place of a mask: each attends inside itself.

    Sentences of the same lengths stand side by side and make one block.

    Args:
        sentences: how many there are, for each block.
        queries: tokens of each of them that attend, for each block.
        keys: tokens of each of them that are attended to, for each block.
        causal: True if no token may attend to a later one.

    Example:
        >>> rows = torch.arange(5.0)[None, :, None]  # (1, N, D)
        >>> blocks = Blocks(sentences=[2, 1], queries=[1, 3], keys=[1, 3])
        >>> [tuple(block.shape) for block in blocks.cut(rows, blocks.queries)]
        [(2, 1, 1), (1, 3, 1)]
    """

    sentences: list[int]
    queries: list[int]
    keys: list[int]
    causal: bool = False

    def cut(self, x: Tensor, lengths: list[int]) -> list[Tensor]:
        """Cut tokens (1, N, D) into blocks of sentences, each (n, T, D)."""
        sizes = [n * t for n, t in zip(self.sentences, lengths, strict=True)]
        return [
            block.unflatten(0, (n, -1))
            for block, n in zip(x[0].split(sizes), self.sentences, strict=True)
        ]

    def attend(
        self, attend: Callable[..., Tensor], q: Tensor, k: Tensor, v: Tensor
    ) -> Tensor:
        """Attend in each block, and lay the results end to end again: (1, N, D)."""
        parts = zip(
            self.cut(q, self.queries),
            self.cut(k, self.keys),
            self.cut(v, self.keys),
            strict=True,
        )
        blocks = [attend(*part, None, self.causal) for part in parts]
        return torch.cat([block.flatten(0, 1) for block in blocks])[None]


def _is_watched(part: nn.Module) -> bool:
    return bool(part._forward_hooks or torch_module._global_forward_hooks)


def _project(
    maps: MultiHeadAttention, query: Tensor, key: Tensor, value: Tensor
) -> tuple[Tensor, ...]:
    """Make queries, keys and values, by one product for what comes from the same.

    Raises:
        ValueError: if one of the three has another shape than (B, T, D).
    """
    d_model = maps.output_proj.in_features
    for x in (query, key, value):
        if x.dim() != 3 or x.size(-1) != d_model:
            raise ValueError(
                f"Expected vectors of shape (B, T, {d_model}), but got "
                f"{tuple(x.shape)}."
            )
    to_query, to_key, to_value = maps.query_proj, maps.key_proj, maps.value_proj
    if query is key is value:  # self-attention
        return _together(query, to_query, to_key, to_value)
    if key is value:  # cross-attention
        return to_query(query), *_together(key, to_key, to_value)
    return to_query(query), to_key(key), to_value(value)


def _together(x: Tensor, *linears: nn.Linear) -> tuple[Tensor, ...]:
    weight = torch.cat([linear.weight for linear in linears])
    bias = torch.cat([linear.bias for linear in linears])
    return F.linear(x, weight, bias).chunk(len(linears), dim=-1)


class FusedAttention(MultiHeadAttention):
    r"""Multi-head attention (§3.2.2) that never writes its weights down.

    PyTorch's one kernel goes through the scores block by block and keeps no matrix of
    them. So there are no weights to give back: they come as an empty tensor, unless a
    hook is set to see them, as :func:`~lib.attention.record_attention` does. What is
    projected from the same vectors is projected by one matrix product.

    Args:
        d_model: numbers in the vector of one token, **D**.
        n_heads: number of heads, **H**; must divide ``d_model``.

    Shape:
        As in :class:`~lib.attention.MultiHeadAttention`; the weights are :math:`(0)`.
        With :class:`Blocks` in place of the mask, query is :math:`(1, N, D)` and key
        and value are :math:`(1, M, D)`: the tokens of all sentences in one row.

    Raises:
        ValueError: if ``n_heads`` does not divide ``d_model``, or a shape does not fit.

    Example:
        >>> plain = MultiHeadAttention(d_model=8, n_heads=2)
        >>> x = torch.ones(1, 3, 8)
        >>> torch.allclose(fuse(plain)(x, x, x)[0], plain(x, x, x)[0], atol=1e-6)
        True

    Built in chapter 15.
    """

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | Blocks | None = None,
    ) -> tuple[Tensor, Tensor]:
        if _is_watched(self) and not isinstance(mask, Blocks):  # somebody looks
            return super().forward(query, key, value, mask)
        q, k, v = _project(self, query, key, value)  # (B, T, D), (B, S, D), (B, S, D)
        if isinstance(mask, Blocks):
            mixed = mask.attend(self.attend, q, k, v)
        else:
            mixed = self.attend(q, k, v, mask)
        return self.output_proj(mixed), query.new_empty(0)

    def attend(
        self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, causal: bool = False
    ) -> Tensor:
        """Split the heads, mix the values by one kernel, and merge: (B, T, D)."""
        q, k, v = self.split_heads(q), self.split_heads(k), self.split_heads(v)
        check_attention_shapes(q, k, v, mask)
        heads = F.scaled_dot_product_attention(q, k, v, mask, is_causal=causal)
        return self.merge_heads(heads)


class FusedLayerNorm(LayerNorm):
    r"""The layer norm of chapter 6 through PyTorch's one kernel.

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
        if x.size(-1) != self.weight.size(0):
            raise ValueError(
                f"Expected vectors of shape (..., {self.weight.size(0)}), but got "
                f"{tuple(x.shape)}."
            )
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

    Built in chapter 15.
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


_TWINS: dict[type[nn.Module], type[nn.Module]] = {
    MultiHeadAttention: FusedAttention,
    LayerNorm: FusedLayerNorm,
    nn.Dropout: FusedDropout,
}


def fuse(model: AnyModule) -> AnyModule:
    """Return a twin of a model with attention, layer norm and dropout fused.

    The twin has the very same weights under the same names, so what one of the two
    learns, both know; it answers as the model does. The model itself stays as it is.

    Args:
        model: any module that holds such pieces.

    Raises:
        ValueError: if a function of the book or of PyTorch was written over, which a
            twin would hide; the message names it.

    Example:
        >>> from lib.config import TransformerConfig
        >>> from lib.model import Transformer
        >>> model = Transformer(TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=16))
        >>> type(fuse(model).encoder.layers[0].self_attention).__name__
        'FusedAttention'
    """
    name = overwritten()
    if name:
        raise ValueError(
            f"{name} was written over after lib was imported, and a fused model would "
            "not show it; use the model as it is, or put the original back."
        )
    return exchange(model, _twin)


def _twin(part: nn.Module) -> None:
    # Exactly these classes: whoever made a variant of their own wants it kept.
    part.__class__ = _TWINS.get(type(part), type(part))


def exchange(model: AnyModule, change: Callable[[nn.Module], None]) -> AnyModule:
    """Copy a model, but not its weights, and change each part of the copy.

    Args:
        model: any module; it stays as it is.
        change: what to do with each part.

    Returns:
        The copy, whose weights are those of the model.

    Example:
        >>> model = nn.Sequential(nn.Linear(2, 2))
        >>> exchange(model, lambda part: None)[0].weight is model[0].weight
        True
    """
    twin = copy.copy(model)
    twin._modules = {
        name: part and exchange(part, change) for name, part in model._modules.items()
    }
    change(twin)
    return twin
