"""Data: sentence pairs as token ids, in batches of sentences of similar length."""

from lib.data.batches import TokenBatchSampler, group_by_length
from lib.data.dropout import cut_again
from lib.data.module import TranslationData
from lib.data.pairs import Batch, Pair, ParallelDataset, collate

__all__ = [
    "Batch",
    "Pair",
    "ParallelDataset",
    "TokenBatchSampler",
    "TranslationData",
    "collate",
    "cut_again",
    "group_by_length",
]
