"""Text: sentences to numbers and back, and pairs of them in batches of like length."""

import importlib
from typing import TYPE_CHECKING, Any

from lib.text.subwords import SubwordVocabulary
from lib.text.words import (
    EOS,
    PAD,
    SOS,
    UNK,
    Pair,
    Vocabulary,
    detokenize,
    tokenize,
)

if TYPE_CHECKING:
    from lib.text.pairs import (
        MASK,
        SEP,
        Batch,
        ParallelDataset,
        TextBatch,
        TextDataset,
        TokenBatchSampler,
        collate,
        cut_again,
        group_by_length,
        special_id,
    )

__all__ = [
    "EOS",
    "MASK",
    "PAD",
    "SEP",
    "SOS",
    "UNK",
    "Batch",
    "Pair",
    "ParallelDataset",
    "SubwordVocabulary",
    "TextBatch",
    "TextDataset",
    "TokenBatchSampler",
    "Vocabulary",
    "collate",
    "cut_again",
    "detokenize",
    "group_by_length",
    "special_id",
    "tokenize",
]


def __getattr__(name: str) -> Any:
    # What needs PyTorch is imported when it is asked for: an exported translator reads
    # and writes without.
    if name in __all__:
        return getattr(importlib.import_module(f"{__name__}.pairs"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
