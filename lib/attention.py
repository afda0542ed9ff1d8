"""Attention: each token gathers what it needs from the others."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

__all__ = [
    "MultiHeadAttention",
    "check_attention_shapes",
    "record_attention",
    "scaled_dot_product_attention",
]


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    r"""Weigh the values by how well their keys match each query (§3.2.1).

    .. math:: \mathrm{softmax}(Q K^\top / \sqrt{d_k})\, V

    Args:
        query: what each of the T positions looks for.
        key: what each of the S positions offers.
        value: what each of the S positions hands over.
        mask: boolean, True = may be attended to; None lets everything be attended to.
            A query that may attend to nothing gets weights and output of zero.

    Shape:
        - query: :math:`(..., T, d_k)`; key: :math:`(..., S, d_k)`; value:
          :math:`(..., S, d_v)`.
        - mask: anything that broadcasts to :math:`(..., T, S)`.
        - Output: :math:`(..., T, d_v)` and the weights :math:`(..., T, S)`.

    Raises:
        TypeError: if the mask is not boolean.
        ValueError: if the shapes do not fit; the message names both.

    Example:
        >>> words = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
        >>> output, weights = scaled_dot_product_attention(words, words, words)
        >>> weights
        tensor([[0.6698, 0.3302],
                [0.3302, 0.6698]])

    Built in chapter 3.
    """
    check_attention_shapes(query, key, value, mask)
    scores = query @ key.transpose(-2, -1) / math.sqrt(key.size(-1))  # (..., T, S)
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        # The lowest finite number instead of minus infinity: a row where everything is
        # masked stays finite, in every dtype. The second fill makes it exactly zero.
        lowest = torch.finfo(scores.dtype).min
        weights = scores.masked_fill(~mask, lowest).softmax(dim=-1)
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ value, weights  # (..., T, d_v), (..., T, S)


def check_attention_shapes(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> None:
    r"""Refuse queries, keys, values and masks whose shapes do not fit together.

    Args:
        query: the queries.
        key: the keys.
        value: the values.
        mask: the mask, or None.

    Shape:
        As in :func:`scaled_dot_product_attention`.

    Raises:
        TypeError: if the mask is not boolean.
        ValueError: if the shapes do not fit; the message names both.

    Example:
        >>> check_attention_shapes(torch.ones(2, 4), torch.ones(3, 5), torch.ones(3, 5))
        Traceback (most recent call last):
        ...
        ValueError: Queries and keys must be equally wide, but query has shape (2, 4)
        and key (3, 5).
    """
    q, k, v = tuple(query.shape), tuple(key.shape), tuple(value.shape)
    if min(len(q), len(k), len(v)) < 2:
        raise ValueError(
            "query, key and value need at least two dimensions (tokens, numbers), but "
            f"their shapes are {q}, {k} and {v}."
        )
    if q[-1] != k[-1]:
        raise ValueError(
            f"Queries and keys must be equally wide, but query has shape {q} and key "
            f"{k}."
        )
    if k[-2] != v[-2]:
        raise ValueError(
            "There must be one value for each key, but key has shape "
            f"{k} and value {v}."
        )
    if not q[:-2] == k[:-2] == v[:-2]:
        raise ValueError(
            "query, key and value must agree in all but their last two dimensions, but "
            f"their shapes are {q}, {k} and {v}."
        )
    if mask is not None:
        _check_mask(mask, (*q[:-1], k[-2]))


def _check_mask(mask: Tensor, scores: tuple[int, ...]) -> None:
    if mask.dtype != torch.bool:
        raise TypeError(
            f"The mask must be boolean, with True = may be attended to, but it is "
            f"{mask.dtype}."
        )
    try:
        fits = torch.broadcast_shapes(mask.shape, scores) == torch.Size(scores)
    except RuntimeError:
        fits = False
    if not fits:
        raise ValueError(
            "The mask must broadcast to (..., T, S), rows for queries and columns for "
            f"keys, here {scores}, but its shape is {tuple(mask.shape)}."
        )


class MultiHeadAttention(nn.Module):
    r"""Attend in several smaller spaces at once, and put the results together (§3.2.2).

    Args:
        d_model: numbers in the vector of one token, **D**.
        n_heads: number of heads, **H**; must divide ``d_model``.

    Shape:
        - query: :math:`(B, T, D)`; key and value: :math:`(B, S, D)`.
        - mask: anything that broadcasts to :math:`(B, H, T, S)`; True = may be
          attended to.
        - Output: :math:`(B, T, D)` and the weights :math:`(B, H, T, S)`.

    Raises:
        ValueError: if ``n_heads`` does not divide ``d_model``, or a shape does not fit.

    Example:
        >>> attention = MultiHeadAttention(d_model=8, n_heads=2)
        >>> x = torch.ones(1, 3, 8)
        >>> output, weights = attention(x, x, x)
        >>> output.shape, weights.shape
        (torch.Size([1, 3, 8]), torch.Size([1, 2, 3, 3]))

    Built in chapter 6.
    """

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        if n_heads < 1 or d_model < 1 or d_model % n_heads:
            raise ValueError(
                f"n_heads must divide d_model, but n_heads is {n_heads} and d_model is "
                f"{d_model}."
            )
        self.d_model, self.n_heads = d_model, n_heads
        self.query_proj = nn.Linear(d_model, d_model)
        self.key_proj = nn.Linear(d_model, d_model)
        self.value_proj = nn.Linear(d_model, d_model)
        self.output_proj = nn.Linear(d_model, d_model)

    def split_heads(self, x: Tensor) -> Tensor:
        """Cut each vector into H pieces, and move the heads in front of the tokens."""
        pieces = x.unflatten(-1, (self.n_heads, -1))  # (B, T, H, D/H)
        return pieces.transpose(1, 2)  # (B, H, T, D/H)

    def merge_heads(self, x: Tensor) -> Tensor:
        """Move the heads back behind the tokens, and join their pieces."""
        return x.transpose(1, 2).flatten(-2)  # (B, H, T, D/H) -> (B, T, D)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        for x in (query, key, value):
            if x.dim() != 3 or x.size(-1) != self.d_model:
                raise ValueError(
                    f"Expected vectors of shape (B, T, {self.d_model}), but got "
                    f"{tuple(x.shape)}."
                )
        q = self.split_heads(self.query_proj(query))  # (B, H, T, D/H)
        k = self.split_heads(self.key_proj(key))  # (B, H, S, D/H)
        v = self.split_heads(self.value_proj(value))  # (B, H, S, D/H)
        heads, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.output_proj(self.merge_heads(heads)), weights


@contextlib.contextmanager
def record_attention(model: nn.Module) -> Iterator[dict[str, Tensor]]:
    """Collect the weights of every attention that is called inside a ``with`` block.

    Args:
        model: any module that holds :class:`MultiHeadAttention`.

    Returns:
        A dictionary from the name of the attention to its last weights.

    Shape:
        Each entry: :math:`(B, H, T, S)`.

    Example:
        >>> model = nn.ModuleDict({"self": MultiHeadAttention(d_model=4, n_heads=2)})
        >>> x = torch.ones(1, 3, 4)
        >>> with record_attention(model) as weights:
        ...     _ = model["self"](x, x, x)
        >>> {name: tuple(value.shape) for name, value in weights.items()}
        {'self': (1, 2, 3, 3)}

    Built in chapter 6.
    """
    weights: dict[str, Tensor] = {}

    def keep(name: str) -> Callable[..., None]:
        def hook(
            _module: nn.Module, _inputs: object, output: tuple[Tensor, ...]
        ) -> None:
            weights[name] = output[1].detach()

        return hook

    hooks = [
        module.register_forward_hook(keep(name))
        for name, module in model.named_modules()
        if isinstance(module, MultiHeadAttention)
    ]
    try:
        yield weights
    finally:
        for hook in hooks:
            hook.remove()
