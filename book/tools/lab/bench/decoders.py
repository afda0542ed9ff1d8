"""Who writes in the benchmark, always to a fixed length: nobody may stop early."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from book.tools.lab.bench.models import SOS, Sizes
from lib.decoding import greedy_decode
from lib.model import Transformer

NO_EOS = -1  # no id is -1: every sentence is written to its last token


def sources(sizes: Sizes, count: int, length: int) -> Tensor:
    """Choose sentences of one length at random."""
    random = torch.Generator().manual_seed(1)
    return torch.randint(4, sizes.vocab_size, (count, length), generator=random)


def decoder(sizes: Sizes) -> Transformer:
    """Build the book's Transformer as it decodes, with random weights."""
    return Transformer(sizes.config(tie_embeddings=True))


def writer(
    model: Transformer, src: Tensor, tokens: int, cached: bool
) -> Callable[[int], int]:
    """Let the book write so many tokens for each sentence."""

    def write(_number: int) -> int:
        written = greedy_decode(model, src, SOS, NO_EOS, tokens, cached=cached)
        if written.shape != (len(src), tokens):
            raise RuntimeError(f"wrote {tuple(written.shape)}, not {tokens} tokens")
        return len(src)

    return write


def generator(model: Any, src: Tensor, tokens: int) -> Callable[[int], int]:
    """Let Marian write so many tokens for each sentence."""
    attended = torch.ones_like(src)

    def generate(_number: int) -> int:
        with torch.no_grad():
            written = model.generate(
                input_ids=src,
                attention_mask=attended,
                max_new_tokens=tokens,
                do_sample=False,
                num_beams=1,
                use_cache=True,
            )
        if written.shape != (len(src), tokens + 1):
            raise RuntimeError(f"Marian wrote {tuple(written.shape)}")
        return len(src)

    return generate
