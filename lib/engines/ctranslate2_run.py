"""An exported translator, run by CTranslate2."""

from __future__ import annotations

from pathlib import Path

from lib.engines.folder import Exported, damaged, import_engine
from lib.text import PAD, SOS


class CTranslate2Engine:
    """Let CTranslate2 write, with the weights as they were exported.

    Its beam search divides by the length to the power of the penalty, ours by
    :func:`~lib.decoding.length_norm`: with a beam, a few translations differ.
    """

    def __init__(self, folder: Path, exported: Exported, threads: int) -> None:
        ctranslate2 = import_engine("ctranslate2", "ctranslate2")
        self.src_tokens = exported.src_vocab.tokens
        self.tgt_ids = exported.tgt_vocab.ids
        try:
            self.model = ctranslate2.Translator(
                str(folder), compute_type="default", intra_threads=threads
            )
        except Exception as error:  # of C++, of several kinds
            raise damaged(folder, error) from error

    def write(
        self,
        sources: list[list[int]],
        limits: list[int],
        beam_size: int,
        length_penalty: float,
    ) -> list[list[int]]:
        """Translate a batch: as :meth:`lib.engines.served.Engine.write`."""
        # <eos> comes with the model, which adds it to every source.
        tokens = [[self.src_tokens[number] for number in ids[:-1]] for ids in sources]
        results = self.model.translate_batch(
            tokens,
            beam_size=beam_size,
            length_penalty=length_penalty,
            suppress_sequences=[[PAD], [SOS]],
            min_decoding_length=0,
            max_decoding_length=max(limits),
            max_input_length=0,
        )
        return [
            [self.tgt_ids[token] for token in result.hypotheses[0]]
            for result in results
        ]
