"""A translator that CTranslate2 runs: sentences in, translations out, no PyTorch."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from lib.text import PAD, SOS
from lib.text.files import read_json, read_reading, read_vocabularies
from lib.translator.base import BaseTranslator, Written

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
            self._max_len, reading = int(told["max_len"]), read_reading(told)
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

    @property
    def max_len(self) -> int:
        """The tokens that the engine can read."""
        return self._max_len

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
            max_decoding_length=max(limits, default=1),
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
