"""A translator that an engine runs: sentences in, translations out, no PyTorch."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from lib.engines.folder import Exported, read_description
from lib.text.sentences import (
    Source,
    check_beam,
    in_batches,
    read_source,
    unknown_words,
)

_MORE = 50  # tokens that a translation may have beyond its source (§6.1)


class Engine(Protocol):
    """Whoever turns the token ids of sources into those of translations."""

    def write(
        self,
        sources: list[list[int]],
        limits: list[int],
        beam_size: int,
        length_penalty: float,
    ) -> list[list[int]]:
        """Translate a batch of sources, which end in ``<eos>`` and are not padded.

        No translation holds ``<pad>`` or ``<sos>``; what follows ``<eos>``, or the
        limit of its sentence, does not count.
        """
        ...


class EngineTranslator:
    """Translate sentences with an exported model, as ``Translator`` does with its own.

    Args:
        exported: what the folder of the export tells.
        engine: who runs the model.

    Example:
        >>> from lib.text import Vocabulary
        >>> class Parrot:
        ...     def write(self, sources, limits, beam_size, length_penalty):
        ...         return sources
        >>> words = Vocabulary(["lets", "go"])
        >>> translator = EngineTranslator(
        ...     Exported("onnx", 9, False, words, words), Parrot()
        ... )
        >>> translator.translate(["go", "lets go"])
        ['go', 'lets go']
        >>> translator.unknown_words("lets fly")
        ['fly']
    """

    def __init__(self, exported: Exported, engine: Engine) -> None:
        self.exported = exported
        self.engine = engine

    def unknown_words(self, sentence: str | Source) -> list[str]:
        """Return the words of a sentence that the translator has never seen."""
        return unknown_words(self.read(sentence), self.exported.src_vocab)

    def translate(
        self,
        sentences: Iterable[str | Source],
        batch_size: int = 64,
        beam_size: int = 1,
        length_penalty: float = 0.6,
    ) -> list[str]:
        """Translate sentences, and give the translations in the same order.

        Raises:
            TypeError: if one string is given instead of a list, or no text at all.
            ValueError: if a sentence is empty or too long, a size is impossible, or
                the engine has no beam search.
        """
        check_beam(beam_size, length_penalty, len(self.exported.tgt_vocab))

        def write(sources: list[list[int]]) -> list[list[int]]:
            limits = [min(len(ids) + _MORE, self.exported.max_len) for ids in sources]
            found = self.engine.write(sources, limits, beam_size, length_penalty)
            return [ids[:most] for ids, most in zip(found, limits, strict=True)]

        written = in_batches(sentences, batch_size, self.read, write)
        return [self.exported.tgt_vocab.decode(ids) for ids in written]

    def read(self, sentence: str | Source) -> Source:
        """Return the sentence with its token ids; see `Translator`."""
        told = self.exported
        return read_source(sentence, told.src_vocab, told.max_len, told.punctuate)


def open_engine(folder: Path | str, threads: int = 0) -> EngineTranslator:
    """Open an exported translator with the engine that it was exported for.

    Args:
        folder: what ``python -m lib export`` wrote.
        threads: how many the engine may use; 0 leaves it to the engine.

    Raises:
        FileNotFoundError: if it is no export.
        OSError: if the engine is not installed.
        ValueError: if the export is damaged.
    """
    folder = Path(folder)
    exported = read_description(folder)
    engine: Engine
    if exported.engine == "ctranslate2":
        from lib.engines.ctranslate2_run import CTranslate2Engine

        engine = CTranslate2Engine(folder, exported, threads)
    else:
        from lib.engines.onnx_run import OnnxEngine

        engine = OnnxEngine(folder, exported, threads)
    return EngineTranslator(exported, engine)
