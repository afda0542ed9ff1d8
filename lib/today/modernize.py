"""A language model; and from 2017 to today, one named exchange of leaves each."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

from torch import Tensor, nn

from lib.attention import MultiHeadAttention
from lib.config import TransformerConfig
from lib.layers import DecoderLayer, LayerNorm, PositionwiseFeedForward
from lib.masks import causal_mask
from lib.model import Encoder, Transformer
from lib.positions import PositionalEncoding
from lib.today.blocks import (
    ACTIVATIONS,
    PAIRS,
    FeedForward,
    GatedFeedForward,
    GroupedQueryAttention,
    LearnedPositionalEncoding,
    NoPositions,
    RMSNorm,
    Rotary,
    UnpaddedEmbedding,
    replace_leaves,
)


@dataclasses.dataclass(frozen=True)
class LanguageConfig:
    """All sizes of one language model.

    Args:
        vocab_size: number of tokens, **V**.
        d_model: numbers in the vector of one token, **D**.
        n_heads: attention heads, **H**; must divide ``d_model``.
        n_layers: layers of the stack.
        d_ff: inner width of the feed-forward block.
        dropout: share of numbers set to zero in training, from 0 up to but not 1.
        max_len: longest text in tokens that has positions.
        norm_first: False for post-norm, True for pre-norm.
        tie_embeddings: True to use one matrix for embedding and output.
        causal: True if no token sees a later one, as in GPT; False if all see all, as
            in BERT.

    Raises:
        TypeError: if a setting has the wrong type.
        ValueError: if a setting is impossible; the message names it.

    Example:
        >>> LanguageConfig(vocab_size=2000, d_model=10, n_heads=3)
        Traceback (most recent call last):
        ...
        ValueError: n_heads must divide d_model, but 3 does not divide 10.
    """

    vocab_size: int
    d_model: int = 128
    n_heads: int = 4
    n_layers: int = 4
    d_ff: int = 512
    dropout: float = 0.1
    max_len: int = 128
    norm_first: bool = True
    tie_embeddings: bool = True
    causal: bool = True

    def __post_init__(self) -> None:
        size = self.vocab_size
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            raise ValueError(
                f"vocab_size must be a whole number of at least 1, but it is {size!r}."
            )
        if not isinstance(self.causal, bool):
            raise TypeError(f"causal must be True or False, but it is {self.causal!r}.")
        self.of_encoder()  # which checks all the other sizes

    def of_encoder(self) -> TransformerConfig:
        """Return the sizes that the book's encoder asks for."""
        own = ("vocab_size", "causal")
        sizes = {k: value for k, value in self.to_dict().items() if k not in own}
        return TransformerConfig(self.vocab_size, self.vocab_size, **sizes)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain values, for a JSON file."""
        return dataclasses.asdict(self)


class LanguageModel(nn.Module):
    r"""One vocabulary, and the encoder of §3.1 alone: token ids in, logits out.

    Under the causal mask the logits of a place are scores for the token behind it, as
    in GPT (Radford et al., 2018). Without it they are scores for the token at that
    place, as in BERT (Devlin et al., 2019). No id is padding by itself: a mask says
    what is.

    Args:
        config: the sizes.

    Shape:
        - ids: token ids :math:`(B, T)`.
        - mask: :math:`(B, T)`, boolean, True for a token, False for padding; None if
          there is no padding.
        - Output: logits :math:`(B, T, V)`.

    Raises:
        ValueError: if token ids do not fit the vocabulary, a text is too long, or the
            mask has another shape.

    Example:
        >>> import torch
        >>> model = LanguageModel(LanguageConfig(9, d_model=8, n_heads=2, d_ff=16))
        >>> model(torch.tensor([[4, 5, 6]])).shape
        torch.Size([1, 3, 9])

    Built in chapter 18.
    """

    def __init__(self, config: LanguageConfig) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config.of_encoder())
        self.output_proj = nn.Linear(config.d_model, config.vocab_size)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
        # After the loop: the embedding has an initialization of its own.
        self.embedding = UnpaddedEmbedding(config.vocab_size, config.d_model)
        if config.tie_embeddings:
            self.output_proj.weight = self.embedding.table.weight
        self.positions = PositionalEncoding(config.d_model, config.max_len)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, ids: Tensor, mask: Tensor | None = None) -> Tensor:
        x = self.dropout(self.positions(self.embedding(ids)))  # (B, T, D)
        return self.output_proj(self.encoder(x, self.may_see(ids, mask)))

    def may_see(self, ids: Tensor, mask: Tensor | None) -> Tensor | None:
        """Return who may see whom: None for all, or a mask for (B, H, T, T)."""
        if mask is not None and mask.shape != ids.shape:
            raise ValueError(
                "The mask must say of each token id whether it is a token, but its "
                f"shape is {tuple(mask.shape)} and that of the ids {tuple(ids.shape)}."
            )
        tokens = None if mask is None else mask[:, None, None, :]  # (B, 1, 1, T)
        if not self.config.causal:
            return tokens
        no_future = causal_mask(ids.size(1), ids.device)  # (T, T)
        return no_future if tokens is None else tokens & no_future


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
        found = dataclasses.asdict(self)
        return {k: value for k, value in found.items() if value != _OF_2017[k]}


_KNOWN = {
    "norm": ("layer", "rms"),
    "feed_forward": ("plain", "gated"),
    "activation": ("", *ACTIVATIONS),
    "positions": ("sines", "learned", "rotary"),
    "pairs": tuple(PAIRS),
}
_OF_2017 = dataclasses.asdict(Leaves())


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
    for name in changes:
        if name not in _OF_2017:
            raise TypeError(
                f"There is no change {name!r}; the changes are {', '.join(_OF_2017)}."
            )
    before = leaves_of(model)
    after = dataclasses.replace(before, **changes)
    new = {name for name in _OF_2017 if getattr(before, name) != getattr(after, name)}
    builder = _Builder(model.config, after)
    table: dict[type[nn.Module], Callable[[Any], nn.Module]] = {}
    for kinds, build, reasons in builder.pieces():
        table |= dict.fromkeys(kinds, build) if reasons & new else {}
    modern = replace_leaves(copy.deepcopy(model), table)
    for layer in modern.modules():
        if isinstance(layer, DecoderLayer) and type(layer.cross_attention) in table:
            layer.cross_attention = builder.attention(turned=False)
    if "bias" in new:  # the weights stay, since the embedding may share them
        weight = modern.output_proj.weight
        modern.output_proj = nn.Linear(weight.size(1), weight.size(0), after.bias)
        modern.output_proj.weight = weight
    modern.leaves = after  # type: ignore[assignment]  # a plain attribute
    modern.to(next(model.parameters()))  # on its device, in its numbers
    return modern


class _Builder(NamedTuple):
    """Builds the leaves that a model's sizes and its names of leaves ask for."""

    sizes: TransformerConfig | LanguageConfig
    leaves: Leaves

    def pieces(self) -> Iterator[tuple[Any, Callable[[Any], nn.Module], set[str]]]:
        """Yield what takes which places, and the changes that are a reason for it."""
        yield (LayerNorm, RMSNorm), self.norm, {"norm", "eps"}
        kinds = PositionwiseFeedForward, FeedForward, GatedFeedForward
        yield kinds, self.feed_forward, {"feed_forward", "activation", "d_ff", "bias"}
        reasons = {"positions", "base", "pairs", "kv_heads", "bias"}
        yield (MultiHeadAttention, GroupedQueryAttention), self.attention, reasons
        encodings = PositionalEncoding, LearnedPositionalEncoding, NoPositions
        yield encodings, self.positions, {"positions"}

    def norm(self, _: nn.Module) -> nn.Module:
        kind = RMSNorm if self.leaves.norm == "rms" else LayerNorm
        return kind(self.sizes.d_model, self.leaves.eps)

    def feed_forward(self, _: nn.Module) -> nn.Module:
        leaves, d_ff = self.leaves, self.sizes.d_ff
        kind: type[FeedForward] = FeedForward
        usual, activation = d_ff, "relu"
        if leaves.feed_forward == "gated":
            kind, usual, activation = GatedFeedForward, round(d_ff * 2 / 3), "silu"
        how = leaves.d_ff or usual, leaves.activation or activation, leaves.bias
        return _begun(kind(self.sizes.d_model, *how))

    def attention(self, _: nn.Module | None = None, turned: bool = True) -> Any:
        sizes, leaves, rotary = self.sizes, self.leaves, None
        if turned and leaves.positions == "rotary":
            d_head = sizes.d_model // sizes.n_heads
            rotary = Rotary(d_head, sizes.max_len, leaves.base, leaves.pairs)
        heads = sizes.d_model, sizes.n_heads
        kv_heads = leaves.kv_heads or sizes.n_heads
        if rotary is None and kv_heads == sizes.n_heads and leaves.bias:
            return _begun(MultiHeadAttention(*heads))
        return _begun(GroupedQueryAttention(*heads, kv_heads, leaves.bias, rotary))

    def positions(self, _: nn.Module) -> nn.Module:
        if self.leaves.positions == "rotary":
            return NoPositions()
        kinds = {"learned": LearnedPositionalEncoding, "sines": PositionalEncoding}
        return kinds[self.leaves.positions](self.sizes.d_model, self.sizes.max_len)


def _begun(piece: nn.Module) -> nn.Module:
    """Give a new piece the first weights that the book's models begin with."""
    for parameter in piece.parameters():
        if parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter)
    return piece
