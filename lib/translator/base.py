"""The way of a sentence through any engine, and the engine of an export: no PyTorch."""

from __future__ import annotations

import importlib
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from lib.text import PAD, SOS, Vocabulary
from lib.text.files import read_json, read_reading, read_vocabularies
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
    max_len: int
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


DESCRIPTION, FORMAT = "engine.json", 1
_MORE = 50  # tokens that a translation may have beyond its source (§6.1)
# What is raised by a description that is missing a part, and by half a model.
_DAMAGE = (
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
    RuntimeError,
    MemoryError,
)


class ExportedTranslator(BaseTranslator):
    """Translate sentences with an exported model, as ``Translator`` does with its own.

    CTranslate2 divides by the length to the power of the penalty, the book by
    :func:`~lib.decoding.length_norm`: with a beam, a few translations differ.

    Args:
        folder: what ``lib.translator.export.export_translator`` wrote.
        threads: how many the engine may use; 0 leaves it to the engine.

    Raises:
        FileNotFoundError: if it is no export.
        OSError: if CTranslate2 is not installed.
        ValueError: if the export is damaged.
    """

    def __init__(self, folder: Path | str, threads: int = 0) -> None:
        folder = Path(folder)
        if not is_export(folder):
            raise FileNotFoundError(
                f"'{folder}' is no exported translator: it has no file {DESCRIPTION}; "
                "python -m lib export writes one."
            )
        try:
            told = read_json(folder / DESCRIPTION)
            if told["format"] != FORMAT:
                raise ValueError(f"format {told['format']} is not {FORMAT}")
            _check_sizes(folder, told["bytes"])
            self.src_vocab, self.tgt_vocab = read_vocabularies(folder, told)
            self.max_len, reading = int(told["max_len"]), read_reading(told)
            self.punctuate, self.prose = reading["punctuate"], reading["prose"]
            self.unsure_above = reading.get("unsure_above")
            self.engine = import_engine("ctranslate2").Translator(
                str(folder), compute_type="default", intra_threads=threads
            )
        except _DAMAGE as error:
            reason = " ".join(str(error).split())
            raise ValueError(
                f"{folder} is not a whole export of this book: {reason}"
            ) from error

    def write(
        self,
        sources: list[list[int]],
        beam_size: int,
        length_penalty: float,
        limit: int | None = None,
    ) -> list[Written]:
        """Turn token ids into translations, none of which holds ``<pad>`` or ``<sos>``.

        None has more ids than ``limit``, or else than its source and 50 more. The
        engine knows one limit for a batch; what goes beyond its own is cut.
        """
        limits = [limit or min(len(ids) + _MORE, self.max_len) for ids in sources]
        # <eos> comes with the model, which adds it to every source.
        tokens = [[self.src_vocab.tokens[n] for n in ids[:-1]] for ids in sources]
        results = self.engine.translate_batch(
            tokens,
            beam_size=beam_size,
            length_penalty=length_penalty,
            return_scores=True,
            suppress_sequences=[[PAD], [SOS]],
            min_decoding_length=0,
            max_decoding_length=max(limits),
            max_input_length=0,
        )
        found = []
        for result, most in zip(results, limits, strict=True):
            (tokens_written,), (score,) = result.hypotheses, result.scores
            # The engine counts <eos>, which it does not give back.
            length = min(len(tokens_written) + 1, max(limits))
            ids = [self.tgt_vocab.ids[token] for token in tokens_written[:most]]
            found.append(Written(ids, score * length**length_penalty))
        return found


def is_export(folder: Path | str) -> bool:
    """Tell an exported translator from any other folder."""
    return (Path(folder) / DESCRIPTION).is_file()


def _check_sizes(folder: Path, sizes: dict[str, int]) -> None:
    for name, size in sizes.items():
        file = folder / name
        found = file.stat().st_size if file.is_file() else 0
        if found != size:
            raise ValueError(f"its file {name} has {found:,} bytes, not {size:,}")


def import_engine(module: str) -> Any:
    """Import CTranslate2, which only an export needs."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise OSError(
            "An export needs the library ctranslate2, which is missing here; install "
            "it with: pip install ctranslate2"
        ) from error
