"""Text: sentences to numbers and back, and pairs of them in batches of like length."""

import importlib
from typing import TYPE_CHECKING, Any

from lib.text.sentences import Pair
from lib.text.subwords import SubwordVocabulary
from lib.text.words import (
    EOS,
    PAD,
    SOS,
    UNK,
    Vocabulary,
    detokenize,
    tokenize,
)

if TYPE_CHECKING:
    from lib.text.batches import TokenBatchSampler, group_by_length
    from lib.text.continuations import (
        MASK,
        SEP,
        TextBatch,
        TextDataset,
        special_id,
    )
    from lib.text.dropout import cut_again
    from lib.text.pairs import Batch, ParallelDataset, collate

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
        for file in ("pairs", "batches", "dropout", "continuations"):
            module = importlib.import_module(f"{__name__}.{file}")
            if hasattr(module, name):
                return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
