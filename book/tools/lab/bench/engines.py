"""The section of the benchmark that sets an engine beside PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor

from book.tools.lab.bench.decoders import generator, sources, writer
from book.tools.lab.bench.models import EOS, Sizes, marian
from book.tools.lab.bench.timing import race, ratio, rows
from lib.model import Transformer
from lib.text import Vocabulary
from lib.translator import ExportedTranslator, Translator
from lib.translator.export import export_translator

OURS, MARIAN = "this book", "Marian, cached"
CTRANSLATE2, EIGHT_BITS = "CTranslate2", "CTranslate2, 8 bits"
EXPORTS = {
    CTRANSLATE2: "float32",
    EIGHT_BITS: "int8",
}


def engines(sizes: Sizes) -> dict[str, Any]:
    """Measure greedy decoding to a fixed length in PyTorch and in the engine."""
    tokens = sizes.decoded_tokens
    src = sources(sizes, sizes.decoded, tokens // 2 + 1)
    src[:, -1] = EOS
    translator = endless(sizes)
    contenders = {}
    with TemporaryDirectory() as place:
        for name, weights in EXPORTS.items():
            folder = Path(place) / name
            export_translator(translator, folder, weights)
            contenders[name] = engine_writer(folder, src, tokens)
        contenders[OURS] = writer(translator.model, src, tokens, cached=True)
        contenders[MARIAN] = generator(marian(sizes), src, tokens)
        rates = race(contenders, sizes.rounds)
    return {
        "title": "Engines",
        "unit": "sentences a second",
        "what": f"greedy, {len(src)} sentences side by side, {tokens} tokens each, as "
        "above; the engines run exports of the same model, each on as many threads as "
        "PyTorch",
        "rows": rows(rates),
        "ratios": [
            *(ratio(rates, name, MARIAN) for name in (*EXPORTS, OURS)),
            *(ratio(rates, name, OURS) for name in EXPORTS),
        ],
    }


def endless(sizes: Sizes) -> Translator:
    """Return a translator with random weights that never writes ``<eos>``."""
    model = Transformer(sizes.config(tie_embeddings=True))
    with torch.no_grad():
        model.output_proj.bias[EOS] = -1e4
    words = Vocabulary([f"w{number}" for number in range(4, sizes.vocab_size)])
    return Translator(model, words, words)


def engine_writer(folder: Path, src: Tensor, tokens: int) -> Callable[[int], int]:
    """Let an engine write so many tokens for each sentence."""
    engine = ExportedTranslator(folder, torch.get_num_threads())
    ids = src.tolist()

    def write(_number: int) -> int:
        written = engine.write(ids, tokens, 1, 0.0)
        if {len(row) for row in written} != {tokens}:
            raise RuntimeError(f"{folder.name} did not write {tokens} tokens")
        return len(ids)

    return write
