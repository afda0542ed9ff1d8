"""Text: sentences to numbers and back, and pairs of them in batches of like length."""

from lib.text.batches import TokenBatchSampler, group_by_length
from lib.text.dropout import cut_again
from lib.text.pairs import Batch, Pair, ParallelDataset, collate
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

__all__ = [
    "EOS",
    "PAD",
    "SOS",
    "UNK",
    "Batch",
    "Pair",
    "ParallelDataset",
    "SubwordVocabulary",
    "TokenBatchSampler",
    "Vocabulary",
    "collate",
    "cut_again",
    "detokenize",
    "group_by_length",
    "tokenize",
]
