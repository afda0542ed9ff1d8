"""Decoding: from scores for the next word to a whole sentence."""

from lib.decoding.beam import Hypothesis, beam_search, length_norm
from lib.decoding.greedy import greedy_decode
from lib.decoding.readers import evaluating, length_limits

__all__ = [
    "Hypothesis",
    "beam_search",
    "evaluating",
    "greedy_decode",
    "length_limits",
    "length_norm",
]
