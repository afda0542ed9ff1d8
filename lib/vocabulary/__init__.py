"""Vocabulary: sentences to numbers and back, by whole words or by sub-words."""

from lib.vocabulary.subwords import SubwordVocabulary
from lib.vocabulary.words import (
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
    "SubwordVocabulary",
    "Vocabulary",
    "detokenize",
    "tokenize",
]
