"""A translator: model, vocabularies and decoding, kept together in one folder."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from lib.decoding import beam_search, greedy_decode
from lib.model import Transformer
from lib.text import Vocabulary
from lib.text.sentences import (
    Source,
    Written,
    in_batches,
    in_loop,
    joined,
    read_source,
    read_text,
    unknown_words,
)
from lib.text.stored import write_reading
from lib.translator.doubt import doubts
from lib.translator.folder import read_folder, write_folder


class Doubted(NamedTuple):
    """A translation, and how much the translator doubts it.

    Args:
        text: the translation.
        doubt: of its most doubtful sentence, as :func:`lib.translator.doubt.doubts`
            computes it.
        unsure: whether that is so much that readers should know.
    """

    text: str
    doubt: float
    unsure: bool


class Translator:
    """Translate sentences with a trained Transformer.

    Args:
        model: the Transformer.
        src_vocab: the words of the source language.
        tgt_vocab: the words of the target language.
        punctuate: True to give a sentence its capital and its period, if it lacks them
            or ends in "!", because the model has never seen one like that.
        prose: True to read what people type (:mod:`lib.text.raw`): several sentences,
            in any letters, with what the vocabulary cannot write put through.
        unsure_above: the doubt from which on a translation gets a note; None for a
            translator whose doubt nobody has measured.

    Raises:
        ValueError: if model and vocabularies differ in size, or in their padding.

    Example:
        >>> from lib.config import TransformerConfig
        >>> english, spanish = Vocabulary(["lets", "go"]), Vocabulary(["vamos"])
        >>> sizes = TransformerConfig(6, 5, d_model=8, n_heads=2, n_layers=1, d_ff=8)
        >>> translator = Translator(Transformer(sizes), english, spanish)
        >>> len(translator.translate(["lets go", "go"]))
        2
        >>> translator.unknown_words("lets fly")
        ['fly']
    """

    def __init__(
        self,
        model: Transformer,
        src_vocab: Vocabulary,
        tgt_vocab: Vocabulary,
        punctuate: bool = False,
        prose: bool = False,
        unsure_above: float | None = None,
    ) -> None:
        sizes = (model.config.src_vocab_size, model.config.tgt_vocab_size)
        if sizes != (len(src_vocab), len(tgt_vocab)):
            raise ValueError(
                f"The model is made for vocabularies of {sizes[0]} and {sizes[1]} "
                f"tokens, but these have {len(src_vocab)} and {len(tgt_vocab)}."
            )
        pads = (model.config.pad_id, src_vocab.pad_id, tgt_vocab.pad_id)
        if len(set(pads)) > 1:
            raise ValueError(
                "The model and both vocabularies must pad with the same id, but theirs "
                f"are {pads[0]}, {pads[1]} and {pads[2]}."
            )
        self.model = model.eval()
        self.src_vocab = src_vocab
        self.tgt_vocab = tgt_vocab
        self.punctuate = punctuate
        self.prose = prose
        self.unsure_above = unsure_above
        self._ends = (tgt_vocab.sos_id, tgt_vocab.eos_id)

    @property
    def device(self) -> torch.device:
        """Where the model computes."""
        return next(self.model.parameters()).device

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
        max_len = self.model.config.max_len
        return self.src_vocab, max_len, self.punctuate, self.prose

    def unknown_words(self, sentence: str | Source) -> list[str]:
        """Return the words of a sentence that the translator has never seen."""
        return unknown_words(self.read(sentence), self.src_vocab)

    def translate(
        self,
        sentences: Iterable[str | Source],
        batch_size: int = 64,
        beam_size: int = 1,
        length_penalty: float = 0.6,
    ) -> list[str]:
        """Translate sentences, and give the translations in the same order.

        Args:
            sentences: a list of sentences in the source language, or of texts with
                several each; what :meth:`read` has made of one is not read again.
            batch_size: how many are translated at once.
            beam_size: how many beginnings of each are kept; 1 writes greedily.
            length_penalty: how much beam search favors longer translations.

        Raises:
            TypeError: if one string is given instead of a list, or no text at all.
            ValueError: if a sentence is empty or too long, or a size is impossible.
        """

        def write(src: Tensor) -> list[str]:
            found = self._write(src, beam_size, length_penalty)
            return [self.tgt_vocab.decode(ids) for ids in found]

        written = self._in_batches(sentences, batch_size, write)
        return [joined(found) for found in written]

    def translate_with_doubt(
        self,
        sentences: Iterable[str | Source],
        batch_size: int = 64,
        beam_size: int = 1,
        length_penalty: float = 0.6,
    ) -> list[Doubted]:
        """Translate sentences, and tell of each how sure the translator is.

        Arguments and errors are those of :meth:`translate`. A loop in a translation is
        cut short, and such a translation is never sure.
        """

        def write(src: Tensor) -> list[tuple[str, float]]:
            found = self._write(src, beam_size, length_penalty)
            doubt = doubts(self.model, src, found, self.tgt_vocab.sos_id)
            return list(zip(map(self.tgt_vocab.decode, found), doubt, strict=True))

        return [
            self._doubted(found)
            for found in self._in_batches(sentences, batch_size, write)
        ]

    def _doubted(self, found: list[tuple[Source, tuple[str, float]]]) -> Doubted:
        text = joined((source, text) for source, (text, _) in found)
        most = max(doubt for _, (_, doubt) in found)
        limit = math.inf if self.unsure_above is None else self.unsure_above
        cut = any(in_loop(text, source) for source, (text, _) in found)
        return Doubted(text, most, cut or most > limit)

    def _write(
        self, src: Tensor, beam_size: int, length_penalty: float
    ) -> list[list[int]]:
        if beam_size == 1:
            return greedy_decode(self.model, src, *self._ends).tolist()
        search = (beam_size, length_penalty)
        kept = beam_search(self.model, src, *self._ends, *search)
        return [hypotheses[0].ids for hypotheses in kept]

    def n_best(
        self, sentence: str, n_best: int = 4, length_penalty: float = 0.6
    ) -> list[tuple[str, float]]:
        """Translate one sentence in several ways, the best first, with their scores.

        Args:
            sentence: a sentence in the source language.
            n_best: how many translations; as many beginnings are kept on the way.
            length_penalty: how much beam search favors longer translations.

        Raises:
            TypeError: if it is no text.
            ValueError: if it is empty or too long, or ``n_best`` is impossible.
        """
        source = self.read(sentence)
        src = self._pad([source.ids])
        sos_id, eos_id = self._ends
        search = n_best, length_penalty, n_best
        (found,) = beam_search(self.model, src, sos_id, eos_id, *search)
        return [
            (joined([(source, self.tgt_vocab.decode(ids))]), score)
            for ids, score in found
        ]

    def _in_batches(
        self,
        sentences: Iterable[str | Source],
        batch_size: int,
        write: Callable[[Tensor], list[Written]],
    ) -> list[list[tuple[Source, Written]]]:
        """Write something for each sentence of each text, and keep their order."""

        def pad_and_write(ids: list[list[int]]) -> list[Written]:
            return write(self._pad(ids))

        return in_batches(sentences, batch_size, self.read_text, pad_and_write)

    def _pad(self, ids: list[list[int]]) -> Tensor:
        rows = [torch.tensor(row) for row in ids]
        return pad_sequence(rows, True, self.src_vocab.pad_id).to(self.device)  # (B, S)

    def save(self, folder: Path | str, half: bool = False) -> None:
        """Write the translator to a folder: its weights, and all else as JSON.

        Args:
            folder: where to write; made if it is not there.
            half: True to halve the file by keeping 16 bits of each weight.

        Raises:
            ValueError: if a weight is no finite number, or too large for 16 bits.
        """
        vocabularies = (self.src_vocab, self.tgt_vocab)
        told = write_reading(self.punctuate, self.prose, self.unsure_above)
        write_folder(Path(folder), self.model, vocabularies, told, half)

    @classmethod
    def load(cls, folder: Path | str) -> Translator:
        """Read a translator from a folder, or a shipped one by its name.

        Args:
            folder: a folder that :meth:`save` wrote, or a name like "grammar-en-es".

        Raises:
            FileNotFoundError: if there is no such folder, or a file is missing in it.
            ValueError: if its files are damaged, or belong to something else.
        """
        return read_folder(folder, cls)
