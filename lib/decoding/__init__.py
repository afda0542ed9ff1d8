"""Decoding: from scores for the next word to a whole sentence."""

from lib.decoding.beam import Hypothesis, beam_search, length_norm
from lib.decoding.cache import CachedAttention, DecoderCache
from lib.decoding.greedy import greedy_decode
from lib.decoding.steps import Reader, evaluating, length_limits, open_reader

__all__ = [
    "CachedAttention",
    "DecoderCache",
    "Hypothesis",
    "Reader",
    "beam_search",
    "evaluating",
    "greedy_decode",
    "length_limits",
    "length_norm",
    "open_reader",
]
