"""Attention to touch: bertviz's views, complete in themselves, so without a network."""

from lib.figures.views.heads import head_view, model_view
from lib.figures.views.neurons import Lookup, neuron_view, record_lookups

__all__ = ["Lookup", "head_view", "model_view", "neuron_view", "record_lookups"]
