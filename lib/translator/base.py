"""What every translator does, whatever engine writes."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import NamedTuple

from lib.text import Vocabulary
from lib.text.reading import (
    Source,
    check_beam,
    in_batches,
    in_loop,
    joined,
    read_source,
    read_text,
    unknown_words,
)


class Written(NamedTuple):
    """What an engine wrote for a sentence.

    Args:
        ids: the tokens of the translation.
        log_prob: how likely the model finds them, ``<eos>`` included.
    """

    ids: list[int]
    log_prob: float


class Doubted(NamedTuple):
    r"""A translation, and how much the translator doubts it.

    Args:
        text: the translation.
        doubt: of its most doubtful sentence, as the search adds it up,
            :math:`-\sum_t \log p(y_t \mid y_{<t}, x)`. It grows with every token that
            had a rival, so a long sentence is doubted sooner than a short one, and
            rightly: it goes wrong more often.
        unsure: whether that is so much that readers should know.
    """

    text: str
    doubt: float
    unsure: bool


class BaseTranslator(ABC):
    """The way of a text through any engine and back.

    An engine is one method, :meth:`write`; the rest is the same for all of them.
    """

    src_vocab: Vocabulary
    tgt_vocab: Vocabulary
    punctuate: bool
    prose: bool
    unsure_above: float | None

    @property
    @abstractmethod
    def max_len(self) -> int:
        """The tokens that it can read."""

    @abstractmethod
    def write(
        self, sources: list[list[int]], beam_size: int, length_penalty: float
    ) -> list[Written]:
        """Turn the token ids of sources, which end in ``<eos>``, into translations."""

    def read(self, sentence: str | Source) -> Source:
        """Return the sentence as the model wants to read it, with its token ids.

        Raises:
            TypeError: if it is no text.
            ValueError: if there is nothing to translate, or more than the model reads.
        """
        return read_source(sentence, *self._reading())

    def read_text(self, text: str | Source) -> list[Source]:
        """Return the sentences of a text, each as the model wants to read it.

        Raises:
            TypeError: if it is no text.
            ValueError: if there is nothing to translate, or more than the model reads.
        """
        return read_text(text, *self._reading())

    def _reading(self) -> tuple[Vocabulary, int, bool, bool]:
        return self.src_vocab, self.max_len, self.punctuate, self.prose

    def unknown_words(self, sentence: str | Source) -> list[str]:
        """Return the words of a sentence that the translator has never seen."""
        return unknown_words(self.read(sentence), self.src_vocab)

    def translate(
        self,
        sentences: Iterable[str | Source | list[Source]],
        batch_size: int = 64,
        beam_size: int = 1,
        length_penalty: float = 0.6,
    ) -> list[str]:
        """Translate sentences, and give the translations in the same order.

        Args:
            sentences: a list of sentences in the source language, or of texts with
                several each; what :meth:`read` or :meth:`read_text` has made of one is
                not read again.
            batch_size: how many are translated at once.
            beam_size: how many beginnings of each are kept; 1 writes greedily.
            length_penalty: how much beam search favors longer translations.

        Raises:
            TypeError: if one string is given instead of a list, or no text at all.
            ValueError: if a sentence is empty or too long, or a size is impossible.
        """
        how = batch_size, beam_size, length_penalty
        return [found.text for found in self.translate_with_doubt(sentences, *how)]

    def translate_with_doubt(
        self,
        sentences: Iterable[str | Source | list[Source]],
        batch_size: int = 64,
        beam_size: int = 1,
        length_penalty: float = 0.6,
    ) -> list[Doubted]:
        """Translate sentences, and tell of each how sure the translator is.

        Arguments and errors are those of :meth:`translate`. A loop in a translation is
        cut short, and such a translation is never sure.
        """
        check_beam(beam_size, length_penalty, len(self.tgt_vocab))

        def write(sources: list[list[int]]) -> list[Written]:
            return self.write(sources, beam_size, length_penalty)

        def read(text: str | Source | list[Source]) -> list[Source]:
            if isinstance(text, list) and text and isinstance(text[0], Source):
                return text
            return self.read_text(text)  # type: ignore[arg-type]  # or says what it is

        found = in_batches(sentences, batch_size, read, write)
        return [self._doubted(one) for one in found]

    def _doubted(self, found: list[tuple[Source, Written]]) -> Doubted:
        texts = [(source, self.tgt_vocab.decode(ids)) for source, (ids, _) in found]
        most = max(-log_prob for _, (_, log_prob) in found)
        limit = math.inf if self.unsure_above is None else self.unsure_above
        cut = any(in_loop(text, source) for source, text in texts)
        return Doubted(joined(texts), most, cut or most > limit)
