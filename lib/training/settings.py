"""The settings of a run, checked before anything is trained, and its hardware."""

from __future__ import annotations

import dataclasses
import math
import timeit
from typing import Any

import torch
from lightning.fabric.utilities.rank_zero import rank_zero_only

from lib.config import TransformerConfig
from lib.today import Leaves

PRECISIONS = ("32-true", "bf16-mixed", "16-mixed")


@dataclasses.dataclass(frozen=True)
class TrainingSettings:
    """Everything that decides the result of a run, besides its sentences.

    Args:
        d_model: numbers in the vector of one token, **D**.
        n_heads: attention heads, **H**.
        n_layers: layers of the encoder, and of the decoder.
        d_ff: inner width of the feed-forward block.
        dropout: share of numbers set to zero in training.
        max_len: longest sentence in tokens.
        norm_first: pre-norm instead of post-norm.
        tie_embeddings: one matrix for both embeddings and the output; needs
            ``vocab_size``.
        norm: "layer", or a later leaf, as in :class:`~lib.today.Leaves`.
        feed_forward: "plain", or "gated".
        positions: "sines", "learned" or "rotary".
        kv_heads: heads of keys and values; 0 for as many as ``n_heads``.
        vocab_size: tokens of the one sub-word vocabulary that both languages share; 0
            for the words of each language as they are.
        subword_dropout: probability with which each merge of sub-words is left out of
            the sources in training, so that a word comes cut in several ways; needs
            ``vocab_size``.
        exchange: share of the training pairs that are read with other names and
            numbers in each epoch, so that it learns to copy what it does not know; a
            sixth of it is the share that loses marks or capitals.
        epochs: how often each sentence pair is seen.
        max_tokens: most tokens in a batch, padding included.
        learning_rate: the highest rate, reached when the warm-up ends.
        warmup_steps: optimizer steps until then.
        rise_again: the epoch after which the rate, down to 0, rises once more, to two
            thirds of the highest, and falls again; 0 for never.
        label_smoothing: share of the probability that is spread over all words.
        clip: longest gradient; a longer one is shortened to this length.
        average: the model at the end is the mean of so many last epochs.
        patience: end early when the validation loss has not fallen for so many epochs;
            0 for never. The model at the end is then that of the best epoch, unless
            ``average`` asks for a mean.
        precision: what Lightning computes in: "32-true", or "bf16-mixed" and
            "16-mixed" (this one needs a GPU) where the hardware is faster in 16 bits.
        seed: one seed gives one result.

    Raises:
        TypeError: if a setting has the wrong type.
        ValueError: if a setting is impossible; the message names it.

    Example:
        >>> TrainingSettings(epochs=0)
        Traceback (most recent call last):
        ...
        ValueError: epochs must be more than 0, but it is 0.
    """

    d_model: int = 128
    n_heads: int = 4
    n_layers: int = 2
    d_ff: int = 256
    dropout: float = 0.05
    max_len: int = 128
    norm_first: bool = True
    tie_embeddings: bool = False
    norm: str = "layer"
    feed_forward: str = "plain"
    positions: str = "sines"
    kv_heads: int = 0
    vocab_size: int = 0
    subword_dropout: float = 0.0
    exchange: float = 0.0
    epochs: int = 5
    max_tokens: int = 1024
    learning_rate: float = 3e-3
    warmup_steps: int = 300
    rise_again: int = 0
    label_smoothing: float = 0.05
    clip: float = 1.0
    average: int = 1
    patience: int = 0
    precision: str = "32-true"
    seed: int = 0

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            _check_type(field.name, value, type(field.default))
            if not isinstance(value, str):
                _check_range(field.name, value)
        self._check_relations()
        self.model_config(src_vocab_size=4, tgt_vocab_size=4)  # checks the sizes
        self.leaves()

    def _check_relations(self) -> None:
        for name in ("tie_embeddings", "subword_dropout"):
            if getattr(self, name) and not self.vocab_size:
                raise ValueError(
                    f"{name} needs sub-words that both languages share; give them a "
                    "vocab_size, such as 4000."
                )
        if self.average > self.epochs:
            raise ValueError(
                f"average must be at most the number of epochs, {self.epochs}, but it "
                f"is {self.average}."
            )
        if self.rise_again and (self.rise_again >= self.epochs or self.patience):
            raise ValueError(
                f"rise_again = {self.rise_again} needs more epochs than that, and no "
                f"patience, but the run has epochs = {self.epochs} and "
                f"patience = {self.patience}."
            )
        if self.precision not in PRECISIONS:
            raise ValueError(
                f"precision must be one of {', '.join(PRECISIONS)}, but it is "
                f"{self.precision!r}."
            )

    def model_config(
        self, src_vocab_size: int, tgt_vocab_size: int, pad_id: int = 0
    ) -> TransformerConfig:
        """Return the sizes of the model for vocabularies of these sizes."""
        sizes = self._named(_OF_MODEL)
        return TransformerConfig(src_vocab_size, tgt_vocab_size, pad_id=pad_id, **sizes)

    def leaves(self) -> Leaves:
        """Return the names of the leaves that the model is built with."""
        return Leaves(**self._named(_LEAVES))

    def _named(self, names: tuple[str, ...]) -> dict[str, Any]:
        return {name: getattr(self, name) for name in names}


_OF_MODEL = (
    *("d_model", "n_heads", "n_layers", "d_ff", "dropout", "max_len"),
    *("norm_first", "tie_embeddings"),
)
_LEAVES = ("norm", "feed_forward", "positions", "kv_heads")
_POSITIVE = ("epochs", "max_tokens", "learning_rate", "clip", "average")
# The others are not below 0, and some are below a limit.
_LIMITS = {"seed": 2**32, "label_smoothing": 1, "subword_dropout": 1, "exchange": 1}


def _check_range(name: str, value: float) -> None:
    if name in _POSITIVE and value <= 0:
        raise ValueError(f"{name} must be more than 0, but it is {value}.")
    if value < 0:
        raise ValueError(f"{name} must not be below 0, but it is {value}.")
    if value >= _LIMITS.get(name, math.inf):
        raise ValueError(f"{name} must be below {_LIMITS[name]}, but it is {value}.")


_KINDS = {
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    str: "a text",
}


def _check_type(name: str, value: Any, kind: type) -> None:
    # A whole number serves as a number; True is an int to Python, but not meant so.
    fits = isinstance(value, (int, float) if kind is float else kind)
    if not fits or isinstance(value, bool) is not (kind is bool):
        raise TypeError(f"{name} must be {_KINDS[kind]}, but it is {value!r}.")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number, but it is {value}.")


@dataclasses.dataclass(frozen=True)
class Hardware:
    """What a run computes on: it decides how long the run takes, not what it learns.

    With several devices, one process works for each of them. Every process takes its
    share of every batch, so that the batch is as large as with one.

    Args:
        devices: how many GPUs, or how many processes on a CPU.
        strategy: how they work together: "ddp", or what Lightning chooses, "auto".
        accelerator: "gpu", "cpu", or what there is, "auto".
    """

    devices: int = 1
    strategy: str = "auto"
    accelerator: str = "auto"


def slower_in_16_bits() -> float:
    """Return how many times longer this processor takes for a product in bfloat16.

    Some have no instructions for it, and PyTorch then does without, many times slower.

    Example:
        >>> slower_in_16_bits() > 0
        True
    """
    ones = torch.ones(256, 256)
    wide, narrow = (
        min(timeit.repeat("x @ x", number=1, globals={"x": ones.to(kind)}))
        for kind in (torch.float32, torch.bfloat16)
    )
    return narrow / wide


def is_first_process() -> bool:
    """Return whether this process is the one that writes files and speaks."""
    return getattr(rank_zero_only, "rank", 0) == 0
