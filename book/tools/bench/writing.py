"""Who writes in the benchmark, always to a fixed length: nobody may stop early."""

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor

from book.tools.bench.models import EOS, SOS, Sizes, book_model, marian
from book.tools.bench.timing import Contender, Turns
from book.tools.bench.training import OURS
from lib.decoding import beam_search, greedy_decode
from lib.model import Transformer
from lib.text import Vocabulary
from lib.translator import ExportedTranslator, Translator
from lib.translator.export import export_translator

NO_EOS = -1  # no id is -1: every sentence is written to its last token
MARIAN, AGAIN = "Marian, cached", "this book, recomputing"
EXPORTS = {"CTranslate2": "float32", "CTranslate2, 8 bits": "int8"}
Write = Callable[[], Any]  # returns the ids of each sentence


def sources(sizes: Sizes, count: int, length: int) -> Tensor:
    """Choose sentences of one length at random."""
    random = torch.Generator().manual_seed(1)
    return torch.randint(4, sizes.vocab_size, (count, length), generator=random)


def whole(write: Write, count: int, tokens: int) -> Contender:
    """Let somebody write, and look that so many sentences have so many tokens."""

    def run(_number: int) -> int:
        written = write()
        if [len(ids) for ids in written] != [tokens] * count:
            raise RuntimeError(f"not {tokens} tokens in each of {count} sentences")
        return count

    return run


def writer(
    model: Transformer, src: Tensor, tokens: int, cached: bool = True
) -> Contender:
    """Let the book write so many tokens for each sentence."""
    return whole(
        lambda: greedy_decode(model, src, SOS, NO_EOS, tokens, cached=cached),
        len(src),
        tokens,
    )


def generator(model: Any, src: Tensor, tokens: int) -> Contender:
    """Let Marian write so many tokens for each sentence, after the one at the start."""
    how: dict[str, Any] = {"max_new_tokens": tokens, "do_sample": False, "num_beams": 1}
    how |= {"attention_mask": torch.ones_like(src), "use_cache": True}
    generate = torch.no_grad()(model.generate)
    return whole(lambda: generate(input_ids=src, **how), len(src), tokens + 1)


def engine_writer(folder: Path, src: Tensor, tokens: int) -> Contender:
    """Let an engine write so many tokens for each sentence."""
    engine = ExportedTranslator(folder, torch.get_num_threads())
    ids = src.tolist()

    def write() -> list[list[int]]:
        return [written.ids for written in engine.write(ids, 1, 0.0, tokens)]

    return whole(write, len(src), tokens)


# --- the sections ---------------------------------------------------------------------


def decoding(sizes: Sizes) -> Iterator[Turns]:
    """Greedy decoding against Hugging Face's Marian."""
    model, tokens = book_model(sizes), sizes.decoded_tokens
    src = sources(sizes, sizes.decoded, tokens // 2 + 1)
    gelu = f"{MARIAN}, with its own GELU"
    contenders = {
        OURS: writer(model, src, tokens),
        MARIAN: generator(marian(sizes), src, tokens),
        gelu: generator(marian(sizes, "gelu"), src, tokens),
        AGAIN: writer(model, src, tokens, cached=False),
    }
    others = (MARIAN, gelu, AGAIN)
    yield Turns(contenders, sizes.rounds, [(OURS, name) for name in others])


def cache(sizes: Sizes) -> Iterator[Turns]:
    """What the cache gains, the longer the text the more."""
    model = book_model(sizes)
    src = sources(sizes, sizes.decoded // 4, 12)
    for tokens in sizes.cache_lengths:
        kept, again = f"{tokens} tokens, cached", f"{tokens} tokens, recomputing"
        contenders = {
            kept: writer(model, src, tokens),
            again: writer(model, src, tokens, cached=False),
        }
        yield Turns(contenders, min(3, sizes.few_rounds), [(kept, again)])


def beam(sizes: Sizes) -> Iterator[Turns]:
    """A beam over a batch against one sentence after the other."""
    model, tokens = book_model(sizes), sizes.decoded_tokens
    src = sources(sizes, sizes.decoded // 2, tokens // 2 + 1)

    def search(parts: int) -> Contender:
        def run(_number: int) -> int:
            for part in src.split(parts):
                beam_search(model, part, SOS, NO_EOS, 4, max_len=tokens, cached=True)
            return len(src)

        return run

    batch, loop = "all together", "one after the other"
    contenders = {batch: search(len(src)), loop: search(1)}
    yield Turns(contenders, min(3, sizes.few_rounds), [(batch, loop)])


def engines(sizes: Sizes) -> Iterator[Turns]:
    """The same greedy decoding in PyTorch and in the engine that runs exports."""
    tokens = sizes.decoded_tokens
    src = sources(sizes, sizes.decoded, tokens // 2 + 1)
    src[:, -1] = EOS
    translator = endless(sizes)
    contenders = {}
    with TemporaryDirectory() as place:
        for name, weights in EXPORTS.items():
            export_translator(translator, Path(place) / name, weights)
            contenders[name] = engine_writer(Path(place) / name, src, tokens)
        contenders[OURS] = writer(translator.model, src, tokens)
        contenders[MARIAN] = generator(marian(sizes), src, tokens)
        pairs = [(name, MARIAN) for name in (*EXPORTS, OURS)]
        pairs += [(name, OURS) for name in EXPORTS]
        yield Turns(contenders, sizes.rounds, pairs)


def endless(sizes: Sizes) -> Translator:
    """Return a translator with random weights that never writes ``<eos>``."""
    model = book_model(sizes)
    with torch.no_grad():
        model.output_proj.bias[EOS] = -1e4
    words = Vocabulary([f"w{number}" for number in range(4, sizes.vocab_size)])
    return Translator(model, words, words)
