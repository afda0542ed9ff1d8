"""The grammar: sentences of the book's own, whose every right answer is known."""

from lib.corpora.grammar.corpus import load

__all__ = ["load"]
