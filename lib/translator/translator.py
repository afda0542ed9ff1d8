"""A translator: model, vocabularies and decoding, kept together in one folder."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from lib.decoding import beam_search, length_norm
from lib.model import Transformer
from lib.text import Vocabulary
from lib.text.files import write_reading
from lib.text.reading import joined
from lib.translator.base import BaseTranslator, Written
from lib.translator.folder import read_folder, write_folder


class Translator(BaseTranslator):
    """Translate sentences with a trained Transformer.

    Args:
        model: the Transformer.
        src_vocab: the words of the source language.
        tgt_vocab: the words of the target language.
        punctuate: True to give a sentence its capital and its period, if it lacks them
            or ends in "!", because the model has never seen one like that.
        prose: True to read what people type (:mod:`lib.text.reading`): several
            sentences, in any letters; what the vocabulary cannot write is put through.
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
        self.max_len = model.config.max_len
        self._ends = (tgt_vocab.sos_id, tgt_vocab.eos_id)

    @property
    def device(self) -> torch.device:
        """Where the model computes."""
        return next(self.model.parameters()).device

    def write(
        self, sources: list[list[int]], beam_size: int, length_penalty: float
    ) -> list[Written]:
        """Turn token ids into translations; a beam of 1 is greedy decoding."""
        src = self._pad(sources)
        kept = beam_search(self.model, src, *self._ends, beam_size, length_penalty)
        return [
            Written(ids, score * length_norm(len(ids), length_penalty))
            for ((ids, score),) in kept
        ]

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
