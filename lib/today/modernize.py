"""From 2017 to today, one named change after the other: an exchange of leaves."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

from torch import nn

from lib.attention import MultiHeadAttention
from lib.config import TransformerConfig
from lib.layers import DecoderLayer, LayerNorm, PositionwiseFeedForward
from lib.model import Transformer
from lib.positions import PositionalEncoding
from lib.today.attention import GroupedQueryAttention
from lib.today.blocks import ACTIVATIONS, FeedForward, GatedFeedForward, RMSNorm
from lib.today.language import LanguageConfig, LanguageModel
from lib.today.leaves import replace_leaves
from lib.today.positions import (
    PAIRS,
    LearnedPositionalEncoding,
    NoPositions,
    Rotary,
)

AnyModel = TypeVar("AnyModel", bound=Transformer | LanguageModel)


@dataclasses.dataclass(frozen=True)
class Leaves:
    """The names of the leaves of a model; the defaults are those of 2017.

    Args:
        norm: "layer", or "rms" for :class:`RMSNorm`.
        eps: what keeps the norm's root away from zero.
        feed_forward: "plain", or "gated" for :class:`GatedFeedForward`.
        activation: of the feed-forward; by default "relu", and "silu" if it is gated.
        d_ff: inner width of the feed-forward; 0 for that of the model's config, and for
            two thirds of it if gated, which makes as many weights.
        positions: "sines", "learned", or "rotary" for :class:`Rotary` in self-attention
            and nothing elsewhere.
        base: of rotary positions.
        pairs: of rotary positions, "halves" or "neighbors".
        kv_heads: heads of keys and values; 0 for as many as there are heads.
        bias: False for linear maps without biases.

    Raises:
        ValueError: if a name is unknown; the message names it.

    Example:
        >>> Leaves(norm="rms").changes()
        {'norm': 'rms'}
        >>> Leaves(norm="batch")
        Traceback (most recent call last):
        ...
        ValueError: norm must be one of layer, rms, but it is 'batch'.
    """

    norm: str = "layer"
    eps: float = 1e-5
    feed_forward: str = "plain"
    activation: str = ""
    d_ff: int = 0
    positions: str = "sines"
    base: float = 10_000.0
    pairs: str = "halves"
    kv_heads: int = 0
    bias: bool = True

    def __post_init__(self) -> None:
        for name, known in _KNOWN.items():
            if getattr(self, name) not in known:
                raise ValueError(
                    f"{name} must be one of {', '.join(filter(None, known))}, but it "
                    f"is {getattr(self, name)!r}."
                )

    def changes(self) -> dict[str, Any]:
        """Return what is not as in 2017, by name, for a JSON file."""
        return {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != field.default
        }


_KNOWN = {
    "norm": ("layer", "rms"),
    "feed_forward": ("plain", "gated"),
    "activation": ("", *ACTIVATIONS),
    "positions": ("sines", "learned", "rotary"),
    "pairs": tuple(PAIRS),
}


def leaves_of(model: nn.Module) -> Leaves:
    """Return the names of the leaves that a model was given by :func:`modernize`.

    Args:
        model: any model.

    Example:
        >>> leaves_of(LanguageModel(LanguageConfig(9))) == Leaves()
        True
    """
    return getattr(model, "leaves", Leaves())


def modernize(model: AnyModel, **changes: Any) -> AnyModel:
    """Return a copy of a model with some leaves of today, which begin untrained.

    What is not exchanged keeps its numbers. As in :func:`~lib.speed.replace_leaves`,
    only pieces of the book's own classes are exchanged, and no variant of a reader's.

    Args:
        model: a Transformer or a language model; it stays as it is.
        **changes: names of leaves, as in :class:`Leaves`.

    Raises:
        TypeError: if there is no such change.
        ValueError: if a change does not fit the model; the message says why.

    Example:
        >>> model = LanguageModel(LanguageConfig(9, d_model=8, n_heads=2, d_ff=12))
        >>> modern = modernize(model, norm="rms", feed_forward="gated", kv_heads=1)
        >>> modern.encoder.layers[0].feed_forward.inner.out_features
        8
        >>> leaves_of(modern).changes()
        {'norm': 'rms', 'feed_forward': 'gated', 'kv_heads': 1}
    """
    before = leaves_of(model)
    names = [field.name for field in dataclasses.fields(Leaves)]
    for name in changes:
        if name not in names:
            raise TypeError(
                f"There is no change {name!r}; the changes are {', '.join(names)}."
            )
    after = dataclasses.replace(before, **changes)
    builder = _Builder(model.config, after)
    new = {name for name in names if getattr(before, name) != getattr(after, name)}
    table: dict[type[nn.Module], Callable[[Any], nn.Module]] = {}
    for kinds, build, reasons in builder.pieces():
        table |= dict.fromkeys(kinds, build) if reasons & new else {}
    modern = replace_leaves(copy.deepcopy(model), table)
    for layer in modern.modules():
        if isinstance(layer, DecoderLayer) and MultiHeadAttention in table:
            layer.cross_attention = builder.attention(turned=False)
    if "bias" in new:  # the weights stay, since the embedding may share them
        weight = modern.output_proj.weight
        modern.output_proj = nn.Linear(weight.size(1), weight.size(0), after.bias)
        modern.output_proj.weight = weight
    modern.leaves = after  # type: ignore[assignment]  # a plain attribute
    first = next(model.parameters())
    modern.to(first.device, first.dtype)
    return modern


_Piece = tuple[tuple[type[nn.Module], ...], Callable[[Any], nn.Module], set[str]]


class _Builder:
    """Builds the leaves that a model's sizes and its names of leaves ask for."""

    def __init__(
        self, sizes: TransformerConfig | LanguageConfig, leaves: Leaves
    ) -> None:
        self.sizes, self.leaves = sizes, leaves

    def pieces(self) -> list[_Piece]:
        """Return what takes which places, and the changes that are a reason for it."""
        plain = (PositionwiseFeedForward, FeedForward, GatedFeedForward)
        encodings = (PositionalEncoding, LearnedPositionalEncoding, NoPositions)
        reasons = {"positions", "base", "pairs", "kv_heads", "bias"}
        return [
            ((LayerNorm, RMSNorm), self.norm, {"norm", "eps"}),
            (plain, self.feed_forward, {"feed_forward", "activation", "d_ff", "bias"}),
            ((MultiHeadAttention, GroupedQueryAttention), self.attention, reasons),
            (encodings, self.positions, {"positions"}),
        ]

    def norm(self, _: nn.Module) -> nn.Module:
        kind = RMSNorm if self.leaves.norm == "rms" else LayerNorm
        return kind(self.sizes.d_model, self.leaves.eps)

    def feed_forward(self, _: nn.Module) -> nn.Module:
        gated = self.leaves.feed_forward == "gated"
        usual = round(self.sizes.d_ff * 2 / 3) if gated else self.sizes.d_ff
        kind = GatedFeedForward if gated else FeedForward
        activation = self.leaves.activation or ("silu" if gated else "relu")
        d_ff = self.leaves.d_ff or usual
        return _begun(kind(self.sizes.d_model, d_ff, activation, self.leaves.bias))

    def attention(self, _: nn.Module | None = None, turned: bool = True) -> Any:
        d_model, n_heads = self.sizes.d_model, self.sizes.n_heads
        rotary = None
        if turned and self.leaves.positions == "rotary":
            how = self.leaves.base, self.leaves.pairs
            rotary = Rotary(d_model // n_heads, self.sizes.max_len, *how)
        kv_heads = self.leaves.kv_heads or n_heads
        if rotary is None and kv_heads == n_heads and self.leaves.bias:
            return _begun(MultiHeadAttention(d_model, n_heads))
        bias = self.leaves.bias
        return _begun(GroupedQueryAttention(d_model, n_heads, kv_heads, bias, rotary))

    def positions(self, _: nn.Module) -> nn.Module:
        if self.leaves.positions == "rotary":
            return NoPositions()
        learned = self.leaves.positions == "learned"
        kind = LearnedPositionalEncoding if learned else PositionalEncoding
        return kind(self.sizes.d_model, self.sizes.max_len)


def _begun(piece: nn.Module) -> nn.Module:
    """Give a new piece the first weights that the book's models begin with."""
    for parameter in piece.parameters():
        if parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter)
    return piece
