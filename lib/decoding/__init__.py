"""Decoding: from scores for the next word to a whole sentence."""

from lib.decoding.beam import Hypothesis, beam_search, length_norm
from lib.decoding.cache import CachedScorer, next_token_scorer
from lib.decoding.generate import generate
from lib.decoding.greedy import greedy_decode
from lib.decoding.leaves import CachedAttention, CountedPositions
from lib.decoding.sampling import sample
from lib.decoding.steps import NextTokenScorer, evaluating, length_limits

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
