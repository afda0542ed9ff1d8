"""The sizes of a Transformer, checked once, before anything is built."""

from __future__ import annotations

import dataclasses
from typing import Any

__all__ = ["TransformerConfig"]


@dataclasses.dataclass(frozen=True)
class TransformerConfig:
    """All sizes of one Transformer (§3, Table 3); the defaults are the base model's.

    Args:
        src_vocab_size: number of tokens the encoder knows.
        tgt_vocab_size: number of tokens the decoder knows, **V**.
        d_model: numbers in the vector of one token, **D**.
        n_heads: attention heads, **H**; must divide ``d_model``.
        n_layers: layers of the encoder, and of the decoder.
        d_ff: inner width of the feed-forward block.
        dropout: share of numbers set to zero in training, from 0 up to but not 1.
        max_len: longest sentence in tokens that has a position.
        pad_id: the token id of padding, the same in both vocabularies.
        norm_first: False for post-norm (the paper's figure), True for pre-norm.
        tie_embeddings: True to use one matrix for both embeddings and the output
            (§3.4); needs one vocabulary for both languages.

    Raises:
        TypeError: if a setting has the wrong type.
        ValueError: if a setting is impossible; the message names it.

    Example:
        >>> config = TransformerConfig(src_vocab_size=10, tgt_vocab_size=12)
        >>> config.d_model, config.d_head
        (512, 64)
        >>> TransformerConfig(10, 12, d_model=10, n_heads=3)
        Traceback (most recent call last):
        ...
        ValueError: n_heads must divide d_model, but 3 does not divide 10.
    """

    src_vocab_size: int
    tgt_vocab_size: int
    d_model: int = 512
    n_heads: int = 8
    n_layers: int = 6
    d_ff: int = 2048
    dropout: float = 0.1
    max_len: int = 512
    pad_id: int = 0
    norm_first: bool = False
    tie_embeddings: bool = False

    def __post_init__(self) -> None:
        _check_types(self)
        for name in _SIZES:
            if getattr(self, name) < 1:
                raise ValueError(
                    f"{name} must be at least 1, but it is {getattr(self, name)}."
                )
        if self.max_len > _LONGEST:  # each position has a row, made with the model
            raise ValueError(
                f"max_len must be at most {_LONGEST:,}, but it is {self.max_len}."
            )
        _check_relations(self)

    @property
    def d_head(self) -> int:
        """Numbers in a query, key or value of one head, ``d_model / n_heads``."""
        return self.d_model // self.n_heads

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain values, for a JSON file."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, settings: dict[str, Any]) -> TransformerConfig:
        """Build a config from plain values, refusing names that it does not have.

        Raises:
            ValueError: if a setting is unknown or missing; the message names it.
        """
        fields = {field.name: field for field in dataclasses.fields(cls)}
        unknown = sorted(set(settings) - set(fields))
        if unknown:
            raise ValueError(
                f"Unknown setting {unknown[0]!r}; the settings are {', '.join(fields)}."
            )
        for name in ("src_vocab_size", "tgt_vocab_size"):
            if name not in settings:
                raise ValueError(f"The setting {name!r} is missing.")
        return cls(**settings)


_LONGEST = 100_000
_SIZES = (
    "src_vocab_size",
    "tgt_vocab_size",
    "d_model",
    "n_heads",
    "n_layers",
    "d_ff",
    "max_len",
)


def _check_types(config: TransformerConfig) -> None:
    for name in (*_SIZES, "pad_id"):
        value = getattr(config, name)
        # True is an int to Python, but never meant as a size.
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"{name} must be a whole number, but it is {value!r}.")
    for name in ("norm_first", "tie_embeddings"):
        if not isinstance(getattr(config, name), bool):
            raise TypeError(
                f"{name} must be True or False, but it is {getattr(config, name)!r}."
            )
    if not isinstance(config.dropout, int | float) or isinstance(config.dropout, bool):
        raise TypeError(f"dropout must be a number, but it is {config.dropout!r}.")


def _check_relations(config: TransformerConfig) -> None:
    if config.d_model % config.n_heads:
        raise ValueError(
            f"n_heads must divide d_model, but {config.n_heads} does not divide "
            f"{config.d_model}."
        )
    if config.d_model % 2:
        raise ValueError(
            "d_model must be even, because sines and cosines come in pairs, but it is "
            f"{config.d_model}."
        )
    if not 0 <= config.dropout < 1:
        raise ValueError(
            f"dropout must be at least 0 and below 1, but it is {config.dropout}."
        )
    smallest = min(config.src_vocab_size, config.tgt_vocab_size)
    if not 0 <= config.pad_id < smallest:
        raise ValueError(
            f"pad_id must be a token of both vocabularies, from 0 to {smallest - 1}, "
            f"but it is {config.pad_id}."
        )
    if config.tie_embeddings and config.src_vocab_size != config.tgt_vocab_size:
        raise ValueError(
            "tie_embeddings needs one vocabulary for both languages, but the sizes are "
            f"{config.src_vocab_size} and {config.tgt_vocab_size}."
        )
