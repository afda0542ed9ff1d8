"""Decoding: from scores for the next word to a whole sentence."""

from lib.decoding.beam import Hypothesis, beam_search, length_norm
from lib.decoding.cache import DecoderCache
from lib.decoding.greedy import greedy_decode
from lib.decoding.steps import evaluating, length_limits, open_reader

__all__ = [
    "DecoderCache",
    "Hypothesis",
    "beam_search",
    "evaluating",
    "greedy_decode",
    "length_limits",
    "length_norm",
    "open_reader",
]
