"""The grammar: sentences of the book's own, whose every right answer is known."""

from lib.corpora.grammar.corpus import load
from lib.corpora.grammar.dictionary import word_pairs

__all__ = ["load", "word_pairs"]
