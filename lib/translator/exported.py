"""A translator that CTranslate2 runs: sentences in, translations out, no PyTorch."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lib.text import PAD, SOS
from lib.text.files import read_json
from lib.text.sentences import (
    Source,
    check_beam,
    in_batches,
    joined,
    read_source,
    read_text,
    unknown_words,
)
from lib.text.stored import read_reading, read_vocabularies

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


class ExportedTranslator:
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
            self.max_len, self.reading = int(told["max_len"]), read_reading(told)
            self.engine = import_engine("ctranslate2").Translator(
                str(folder), compute_type="default", intra_threads=threads
            )
        except _DAMAGE as error:
            reason = " ".join(str(error).split())
            raise ValueError(
                f"{folder} is not a whole export of this book: {reason}"
            ) from error

    def read(self, sentence: str | Source) -> Source:
        """Return the sentence with its token ids; see `Translator`."""
        return read_source(sentence, self.src_vocab, self.max_len, **self.reading)

    def read_text(self, text: str | Source) -> list[Source]:
        """Return the sentences of a text with their token ids; see `Translator`."""
        return read_text(text, self.src_vocab, self.max_len, **self.reading)

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

        Raises:
            TypeError: if one string is given instead of a list, or no text at all.
            ValueError: if a sentence is empty or too long, or a size is impossible.
        """
        check_beam(beam_size, length_penalty, len(self.tgt_vocab))

        def write(sources: list[list[int]]) -> list[str]:
            limits = [min(len(ids) + _MORE, self.max_len) for ids in sources]
            found = self.write(sources, max(limits), beam_size, length_penalty)
            return [
                self.tgt_vocab.decode(ids[:most])
                for ids, most in zip(found, limits, strict=True)
            ]

        written = in_batches(sentences, batch_size, self.read_text, write)
        return [joined(found) for found in written]

    def write(
        self,
        sources: list[list[int]],
        limit: int,
        beam_size: int,
        length_penalty: float,
    ) -> list[list[int]]:
        """Turn the token ids of sources, which end in ``<eos>``, into translations.

        No translation holds ``<pad>`` or ``<sos>``; none has more than ``limit`` ids.
        """
        # <eos> comes with the model, which adds it to every source.
        tokens = [[self.src_vocab.tokens[n] for n in ids[:-1]] for ids in sources]
        results = self.engine.translate_batch(
            tokens,
            beam_size=beam_size,
            length_penalty=length_penalty,
            suppress_sequences=[[PAD], [SOS]],
            min_decoding_length=0,
            max_decoding_length=limit,
            max_input_length=0,
        )
        return [
            [self.tgt_vocab.ids[token] for token in result.hypotheses[0]]
            for result in results
        ]


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
