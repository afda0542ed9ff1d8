"""Decoding: from scores for the next word to a whole sentence."""

from lib.decoding.cache import (
    CachedAttention,
    CachedScorer,
    CountedPositions,
    NextTokenScorer,
    evaluating,
    length_limits,
    next_token_scorer,
)
from lib.decoding.sampling import generate, sample
from lib.decoding.search import Hypothesis, beam_search, greedy_decode, length_norm

__all__ = [
    "CachedAttention",
    "CachedScorer",
    "CountedPositions",
    "Hypothesis",
    "NextTokenScorer",
    "beam_search",
    "evaluating",
    "generate",
    "greedy_decode",
    "length_limits",
    "length_norm",
    "next_token_scorer",
    "sample",
]
