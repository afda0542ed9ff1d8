"""Fused pieces: the same weights and answers, in fewer passes through memory."""

from __future__ import annotations

from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lib.attention import MultiHeadAttention, check_attention_shapes
from lib.layers import LayerNorm

__all__ = ["FusedAttention", "FusedLayerNorm", "fuse"]

Module = TypeVar("Module", bound=nn.Module)


class FusedAttention(MultiHeadAttention):
    r"""Multi-head attention (§3.2.2) that never writes its weights down.

    PyTorch's one kernel goes through the scores piece by piece and keeps no matrix of
    them. So there are no weights to give back: they come as an empty tensor.

    Args:
        d_model: numbers in the vector of one token, **D**.
        n_heads: number of heads, **H**; must divide ``d_model``.

    Shape:
        As in :class:`~lib.attention.MultiHeadAttention`; the weights are
        :math:`(0)`.

    Raises:
        ValueError: if a shape does not fit.

    Example:
        >>> plain = MultiHeadAttention(d_model=8, n_heads=2)
        >>> fused = FusedAttention(d_model=8, n_heads=2)
        >>> _ = fused.load_state_dict(plain.state_dict())
        >>> x = torch.ones(1, 3, 8)
        >>> torch.allclose(fused(x, x, x)[0], plain(x, x, x)[0], atol=1e-6)
        True

    Built in chapter 15.
    """

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        q = self.split_heads(self.query_proj(query))  # (B, H, T, D/H)
        k = self.split_heads(self.key_proj(key))  # (B, H, S, D/H)
        v = self.split_heads(self.value_proj(value))  # (B, H, S, D/H)
        check_attention_shapes(q, k, v, mask)
        heads = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.output_proj(self.merge_heads(heads)), query.new_empty(0)


class FusedLayerNorm(LayerNorm):
    r"""The layer norm of chapter 6 through PyTorch's one kernel.

    Args:
        d_model: numbers in the vector of one token, **D**.
        eps: keeps the root away from zero.

    Shape:
        Input and output: :math:`(..., D)`.

    Example:
        >>> FusedLayerNorm(d_model=2)(torch.tensor([[1.0, 3.0]])).tolist()
        [[-0.999..., 0.999...]]

    Built in chapter 15.
    """

    def forward(self, x: Tensor) -> Tensor:
        return F.layer_norm(x, self.weight.shape, self.weight, self.bias, self.eps)


def fuse(model: Module) -> Module:
    """Exchange attention and layer norm inside a model for their fused twins.

    The weights stay where they are, under their names: a fused model saves and loads
    as a plain one.

    Args:
        model: any module that holds them; it is changed.

    Returns:
        The same model.

    Example:
        >>> from lib.config import TransformerConfig
        >>> from lib.model import Transformer
        >>> model = Transformer(TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=16))
        >>> type(fuse(model).encoder.layers[0].self_attention).__name__
        'FusedAttention'

    Built in chapter 15.
    """
    for name, part in list(model.named_children()):
        # Exactly these classes: whoever made a variant of their own wants it kept.
        if type(part) is MultiHeadAttention:
            setattr(model, name, _twin_of_attention(part))
        elif type(part) is LayerNorm:
            setattr(model, name, _twin_of_norm(part))
        else:
            fuse(part)
    return model


def _twin_of_attention(part: MultiHeadAttention) -> FusedAttention:
    d_model = part.output_proj.in_features
    with torch.device("meta"):  # no numbers: the weights come from the plain one
        twin = FusedAttention(d_model, part.n_heads)
    for name in ("query_proj", "key_proj", "value_proj", "output_proj"):
        setattr(twin, name, getattr(part, name))
    return twin.train(part.training)


def _twin_of_norm(part: LayerNorm) -> FusedLayerNorm:
    with torch.device("meta"):
        twin = FusedLayerNorm(part.weight.size(0), part.eps)
    twin.weight, twin.bias = part.weight, part.bias
    return twin.train(part.training)
