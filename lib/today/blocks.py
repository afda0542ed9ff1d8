"""What came after 2017, piece by piece; and how pieces take each other's places.

An exchange leaves the model that its owner holds as it is; a copy that shares its
weights computes. Whatever a reader changes in a model is seen there: a piece of a class
of one's own, a hook, a method that was set on one piece, another number of heads, a
compiled piece. What is **not** seen is a function that was written over for all:
`LayerNorm.forward`, `lib.attention.scaled_dot_product_attention` or
`torch.Tensor.softmax`, say. A leaf does not call it. A hook on all modules at once gets
no attention weights either. Make a subclass instead, or call the model itself.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lib.attention import MultiHeadAttention
from lib.layers import PositionwiseFeedForward, TokenEmbedding

AnyModule = TypeVar("AnyModule", bound=nn.Module)


def replace_leaves(
    model: AnyModule, table: Mapping[type[nn.Module], Callable[..., nn.Module]]
) -> AnyModule:
    """Copy a model, but not its weights, with other leaves in place of its own.

    Args:
        model: any module; it stays as it is.
        table: which class takes the place of which, with the same weights; or a
            function that makes a new piece out of the old one. Only a piece of exactly
            this class is replaced, and only if it has no hook, no method of its own,
            and was not compiled: whoever made a variant wants it kept.

    Returns:
        The copy, whose weights are those of the model, but for new pieces.

    Example:
        >>> class Quiet(nn.Dropout):
        ...     pass
        >>> model = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.1))
        >>> copied = replace_leaves(model, {nn.Dropout: Quiet})
        >>> type(copied[1]).__name__, copied[0].weight is model[0].weight
        ('Quiet', True)
    """
    if _has_own_method(model):  # it knows this very object, and stays it
        return model
    kind = type(model) if _has_hook(model) else table.get(type(model), type(model))
    if not isinstance(kind, type):  # it makes a new piece
        return kind(model)  # type: ignore[return-value]
    copied: AnyModule = kind.__new__(kind)  # type: ignore[call-overload]
    copied.__dict__.update(vars(model))  # the very weights, hooks and settings
    copied._modules = {
        name: part and replace_leaves(part, table)
        for name, part in model._modules.items()
    }
    return copied


def is_touched(part: nn.Module) -> bool:
    """Tell whether a piece has a hook or a method of its own, or was compiled.

    Args:
        part: any module; what is in it is not looked at.

    Example:
        >>> part = nn.Linear(2, 2)
        >>> is_touched(part)
        False
        >>> _ = part.register_forward_hook(print)
        >>> is_touched(part)
        True
    """
    return _has_hook(part) or _has_own_method(part)


def _has_hook(part: nn.Module) -> bool:
    return bool(
        part._forward_hooks
        or part._forward_pre_hooks
        or part._backward_hooks
        or part._backward_pre_hooks
    )


def _has_own_method(part: nn.Module) -> bool:
    """Tell whether one object has a method that its class does not have so."""
    # What PyTorch compiled is such a method too.
    return any(callable(v) and hasattr(type(part), k) for k, v in vars(part).items())


ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": functools.partial(F.gelu, approximate="tanh"),
    "silu": F.silu,
}


class RMSNorm(nn.Module):
    r"""Divide each token's vector by its root mean square, then a learned scale.

    What a layer norm does less: no mean is taken away, no shift is added (Zhang and
    Sennrich, 2019).

    Args:
        d_model: numbers in the vector of one token, **D**.
        eps: keeps the root away from zero.

    Shape:
        Input and output: :math:`(..., D)`.

    Raises:
        ValueError: if the last dimension is not ``d_model``.

    Example:
        >>> RMSNorm(d_model=2)(torch.tensor([[1.0, 7.0]])).tolist()
        [[0.19..., 1.39...]]
    """

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        check_width(x, self.weight.size(0))
        mean_square = x.square().mean(dim=-1, keepdim=True)  # (..., 1)
        return x * torch.rsqrt(mean_square + self.eps) * self.weight


class FeedForward(PositionwiseFeedForward):
    r"""The feed-forward of §3.3 with another activation than ReLU.

    Args:
        d_model: numbers in the vector of one token, **D**.
        d_ff: numbers in between.
        activation: "gelu" (Hendrycks and Gimpel, 2016), "gelu_tanh" for its
            approximation, "silu", or "relu".
        bias: whether the linear maps have biases.

    Shape:
        Input and output: :math:`(..., D)`.

    Raises:
        ValueError: if the last dimension is not ``d_model``, or there is no such
            activation.

    Example:
        >>> FeedForward(d_model=4, d_ff=16)(torch.ones(1, 3, 4)).shape
        torch.Size([1, 3, 4])
    """

    def __init__(
        self, d_model: int, d_ff: int, activation: str = "gelu", bias: bool = True
    ) -> None:
        nn.Module.__init__(self)
        self.d_model, self.activation = d_model, _known(activation)
        self.inner = nn.Linear(d_model, d_ff, bias)
        self.outer = nn.Linear(d_ff, d_model, bias)

    def forward(self, x: Tensor) -> Tensor:
        check_width(x, self.d_model)
        return self.outer(ACTIVATIONS[self.activation](self.inner(x)))


class GatedFeedForward(FeedForward):
    r"""Let one linear map decide how much of another one passes (Shazeer, 2020).

    Args:
        d_model: numbers in the vector of one token, **D**.
        d_ff: numbers in between; with two thirds of a plain layer's, it has as many
            weights.
        activation: of the gate: "silu", as in Llama, or as in :class:`FeedForward`.
        bias: whether the linear maps have biases.

    Shape:
        Input and output: :math:`(..., D)`.

    Raises:
        ValueError: if the last dimension is not ``d_model``, or there is no such
            activation.

    Example:
        >>> GatedFeedForward(d_model=4, d_ff=11)(torch.ones(1, 3, 4)).shape
        torch.Size([1, 3, 4])
    """

    def __init__(
        self, d_model: int, d_ff: int, activation: str = "silu", bias: bool = False
    ) -> None:
        super().__init__(d_model, d_ff, activation, bias)
        self.gate = nn.Linear(d_model, d_ff, bias)

    def forward(self, x: Tensor) -> Tensor:
        check_width(x, self.d_model)
        gate = ACTIVATIONS[self.activation](self.gate(x))  # (..., d_ff)
        return self.outer(gate * self.inner(x))


class UnpaddedEmbedding(TokenEmbedding):
    r"""Token embeddings in which no id is padding, with a scale of their own.

    Args:
        vocab_size: number of tokens, **V**.
        d_model: numbers in the vector of one token, **D**.
        scale: what each vector is multiplied by; :math:`\sqrt{D}` as in §3.4, if None.

    Shape:
        - Input: token ids :math:`(B, T)`.
        - Output: :math:`(B, T, D)`.

    Raises:
        ValueError: if an id is not in the vocabulary.

    Example:
        >>> UnpaddedEmbedding(vocab_size=5, d_model=2)(torch.tensor([[3, 4, 0]])).shape
        torch.Size([1, 3, 2])
    """

    def __init__(
        self, vocab_size: int, d_model: int, scale: float | None = None
    ) -> None:
        nn.Module.__init__(self)
        self.table = nn.Embedding(vocab_size, d_model)
        self.scale = math.sqrt(d_model) if scale is None else scale
        nn.init.normal_(self.table.weight, std=1 / math.sqrt(d_model))


def check_width(x: Tensor, d_model: int) -> None:
    """Refuse vectors that do not have ``d_model`` numbers."""
    if x.size(-1) != d_model:
        raise ValueError(
            f"Expected vectors of shape (..., {d_model}), but got {tuple(x.shape)}."
        )


def _known(activation: str) -> str:
    if activation not in ACTIVATIONS:
        raise ValueError(
            f"activation must be one of {', '.join(ACTIVATIONS)}, but it is "
            f"{activation!r}."
        )
    return activation


PAIRS = {"halves": -2, "neighbors": -1}  # where the two numbers of a pair stand


class NoPositions(nn.Module):
    r"""Add nothing, because the attention itself knows the order.

    Shape:
        Input and output: :math:`(B, T, D)`.

    Example:
        >>> NoPositions()(torch.ones(1, 1, 2))
        tensor([[[1., 1.]]])
    """

    def __init__(self) -> None:
        super().__init__()

    def forward(self, x: Tensor) -> Tensor:
        return x


class LearnedPositionalEncoding(nn.Module):
    r"""Add to each token's vector a learned row for its position (§3.5, last lines).

    Args:
        d_model: numbers in the vector of one token, **D**.
        max_len: longest text in tokens.

    Shape:
        Input and output: :math:`(B, T, D)` with :math:`T \le \mathit{max\_len}`.

    Raises:
        ValueError: if a text is longer than ``max_len``, or its vectors do not have
            ``d_model`` numbers.

    Example:
        >>> LearnedPositionalEncoding(d_model=2, max_len=10)(torch.zeros(1, 3, 2)).shape
        torch.Size([1, 3, 2])
    """

    start: int = 0  # positions before the first token that is given

    def __init__(self, d_model: int, max_len: int) -> None:
        super().__init__()
        self.table = nn.Parameter(0.02 * torch.randn(max_len, d_model))

    def forward(self, x: Tensor) -> Tensor:
        check_width(x, self.table.size(1))
        return x + _rows(self.table, self.start, x)  # (B, T, D) + (T, D)


class Rotary(nn.Module):
    r"""Turn pairs of numbers, the further the later their position (Su et al., 2021).

    A query that was turned by its position meets a key that was turned by its own, and
    only the difference of the two angles is left in their dot product. The angles are
    those of the sines and cosines of §3.5.

    Args:
        d_head: numbers of a head, which come in pairs.
        max_len: longest text in tokens.
        base: what the slowest angle is made with, 10,000 in §3.5.
        pairs: "halves" if the number i makes a pair with the number i + d_head / 2, as
            in transformers' Llama; "neighbors" if with the next one, as in llama2.c.

    Shape:
        Input and output: :math:`(B, T, N \cdot \mathit{d\_head})`, for any number N of
        heads.

    Raises:
        ValueError: if ``d_head`` is odd, there are no such pairs, or a text is longer
            than ``max_len``.

    Example:
        >>> Rotary(d_head=2, max_len=10)(torch.tensor([[[1.0, 0.0], [1.0, 0.0]]]))
        tensor([[[1.0000, 0.0000],
                 [0.5403, 0.8415]]])
    """

    sin: Tensor
    cos: Tensor
    start: int = 0  # positions before the first token that is given

    def __init__(
        self, d_head: int, max_len: int, base: float = 10_000.0, pairs: str = "halves"
    ) -> None:
        super().__init__()
        if d_head < 2 or d_head % 2:
            raise ValueError(
                "Rotary positions turn numbers in pairs, so a head needs an even "
                f"number of them, but it has {d_head}."
            )
        if pairs not in PAIRS:
            raise ValueError(f"pairs must be halves or neighbors, but it is {pairs!r}.")
        self.d_head, self.axis = d_head, PAIRS[pairs]
        even = torch.arange(0, d_head, 2, dtype=torch.float64)  # (d_head / 2)
        position = torch.arange(max_len, dtype=torch.float64)[:, None]
        angle = position / base ** (even / d_head)  # (max_len, d_head / 2)
        kind = torch.get_default_dtype()
        self.register_buffer("sin", angle.sin().to(kind), persistent=False)
        self.register_buffer("cos", angle.cos().to(kind), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        cos, sin = (  # (T, 1, d_head / 2): the same for all heads
            _rows(table, self.start, x)[:, None].to(x.dtype)
            for table in (self.cos, self.sin)
        )
        size = (2, -1) if self.axis == -2 else (-1, 2)
        heads = x.unflatten(-1, (-1, self.d_head)).unflatten(-1, size)
        a, b = heads.unbind(self.axis)  # (B, T, N, d_head / 2) each
        turned = (a * cos - b * sin, a * sin + b * cos)
        return torch.stack(turned, self.axis).flatten(-3)  # (B, T, N * d_head)


def _rows(table: Tensor, start: int, x: Tensor) -> Tensor:
    """Return the rows of a table for the positions of the tokens of x (B, T, ...)."""
    stop = start + x.size(1)
    if stop > len(table):
        raise ValueError(
            f"A text of {stop} tokens is longer than max_len = {len(table)}; shorten "
            "it or build the model with a larger max_len."
        )
    return table[start:stop]


class RotaryLinear(nn.Linear):
    r"""A linear map to queries or keys, which are then turned by their positions.

    Args:
        in_features: numbers in the vector of one token.
        out_features: numbers of all its heads together.
        rotary: what turns them.
        bias: whether the map has a bias.

    Shape:
        - Input: :math:`(B, T, \mathit{in\_features})`.
        - Output: :math:`(B, T, \mathit{out\_features})`.

    Example:
        >>> import torch
        >>> project = RotaryLinear(8, 4, Rotary(d_head=2, max_len=10))
        >>> project(torch.ones(1, 3, 8)).shape
        torch.Size([1, 3, 4])
    """

    def __init__(
        self, in_features: int, out_features: int, rotary: Rotary, bias: bool = True
    ) -> None:
        super().__init__(in_features, out_features, bias)
        self.rotary = rotary

    def forward(self, x: Tensor) -> Tensor:
        return self.rotary(super().forward(x))


class GroupedQueryAttention(MultiHeadAttention):
    r"""Multi-head attention whose heads share keys and values (Ainslie et al., 2023).

    With one head of keys and values it is multi-query attention (Shazeer, 2019), with
    as many as there are heads it is that of §3.2.2.

    Args:
        d_model: numbers in the vector of one token, **D**.
        n_heads: heads of queries, **H**; must divide ``d_model``.
        kv_heads: heads of keys and values, G; must divide ``n_heads``.
        bias: whether the four linear maps have biases.
        rotary: what turns queries and keys by their positions; None for nothing, as
            wherever keys come from another text than queries.

    Shape:
        As in :class:`~lib.attention.MultiHeadAttention`.

    Raises:
        ValueError: if ``n_heads`` does not divide ``d_model``, or ``kv_heads`` does not
            divide ``n_heads``, or ``rotary`` is made for other heads.

    Example:
        >>> import torch
        >>> attention, x = GroupedQueryAttention(8, 4, kv_heads=2), torch.ones(1, 3, 8)
        >>> [tuple(out.shape) for out in attention(x, x, x)]
        [(1, 3, 8), (1, 4, 3, 3)]
        >>> attention.key_proj.out_features  # half as many as a query has
        4
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        kv_heads: int,
        bias: bool = True,
        rotary: Rotary | None = None,
    ) -> None:
        super().__init__(d_model, n_heads)
        self.d_head = d_model // n_heads
        if kv_heads < 1 or n_heads % kv_heads:
            raise ValueError(
                f"kv_heads must divide n_heads, but {kv_heads} does not divide "
                f"{n_heads}."
            )
        if rotary is not None and rotary.d_head != self.d_head:
            raise ValueError(
                f"The rotary positions are made for heads of {rotary.d_head} numbers, "
                f"but these have {self.d_head}."
            )
        self.kv_heads, few = kv_heads, kv_heads * self.d_head
        if rotary is None:
            self.query_proj = nn.Linear(d_model, d_model, bias)
            self.key_proj = nn.Linear(d_model, few, bias)
        else:
            self.query_proj = RotaryLinear(d_model, d_model, rotary, bias)
            self.key_proj = RotaryLinear(d_model, few, rotary, bias)
        self.value_proj = nn.Linear(d_model, few, bias)
        self.output_proj = nn.Linear(d_model, d_model, bias)

    def split_heads(self, x: Tensor) -> Tensor:
        """Cut each vector into heads; each of a few is used by several queries."""
        heads = x.unflatten(-1, (-1, self.d_head)).transpose(1, 2)  # (B, H or G, T, .)
        return heads.repeat_interleave(self.n_heads // heads.size(1), dim=1)
