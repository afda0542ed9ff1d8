"""What the tests share: small sizes, seeded tensors, tolerances."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import torch
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from lib.config import TransformerConfig
from lib.model import Transformer

TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-10}
PRECISIONS = list(TOLERANCE)
EVERY_DTYPE = [torch.float32, torch.float64, torch.float16, torch.bfloat16]


@dataclasses.dataclass(frozen=True)
class Sizes:
    """The sizes of one small example, and the seed of its numbers."""

    batch: int
    heads: int
    target: int
    source: int
    d_head: int
    dtype: torch.dtype
    seed: int

    @property
    def d_model(self) -> int:
        return self.heads * self.d_head

    def tensors(self, *shapes: tuple[int, ...]) -> list[Tensor]:
        """Return one tensor of normal numbers for each shape."""
        random = torch.Generator().manual_seed(self.seed)
        return [torch.randn(s, dtype=self.dtype, generator=random) for s in shapes]

    def vectors(self, *lengths: int) -> list[Tensor]:
        """Return a batch of sentences for each length."""
        return self.tensors(*((self.batch, each, self.d_model) for each in lengths))

    def config(self, **changes: Any) -> TransformerConfig:
        """Return the config of a small model of this width and these heads."""
        return tiny_config(d_model=self.d_model, n_heads=self.heads, **changes)

    def mask(self, *shape: int, full_rows: bool = False) -> Tensor:
        """Return a random mask; with full_rows, some rows may be masked whole."""
        random = torch.Generator().manual_seed(self.seed + 1)
        mask = torch.rand(shape, generator=random) < 0.6
        if not full_rows:
            mask[..., 0] |= ~mask.any(dim=-1)
        return mask


SIZES = st.builds(
    Sizes,
    batch=st.integers(1, 3),
    heads=st.integers(1, 4),
    target=st.integers(1, 6),
    source=st.integers(1, 6),
    d_head=st.sampled_from([2, 4, 6]),
    dtype=st.sampled_from(PRECISIONS),
    seed=st.integers(0, 10_000),
)


def assert_close(got: Tensor, expected: Tensor) -> None:
    """Demand 1e-5 in single precision and 1e-10 in double, in the same dtype."""
    tolerance = TOLERANCE[expected.dtype]
    torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance)


def tiny_config(**changes: Any) -> TransformerConfig:
    """Return the smallest config that still has two layers and two heads."""
    config = TransformerConfig(
        src_vocab_size=11,
        tgt_vocab_size=13,
        d_model=8,
        n_heads=2,
        n_layers=2,
        d_ff=16,
        dropout=0.0,
        max_len=12,
    )
    return dataclasses.replace(config, **changes)


def randomize(module: nn.Module, seed: int = 0) -> None:
    """Give each parameter normal numbers, so that no weight is 0 or 1 by chance."""
    random = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            noise = torch.randn(
                parameter.shape, generator=random, dtype=torch.float64
            ).to(parameter.dtype)
            # Around 1 for the scales of norms, around 0 for the others.
            parameter.copy_(0.3 * noise + (parameter if parameter.dim() == 1 else 0))


def tiny_model(
    dtype: torch.dtype = torch.float64, seed: int = 0, **changes: Any
) -> Transformer:
    """Return a small model with seeded weights, ready to be asked."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Transformer(tiny_config(**changes)).to(dtype).eval()


def pad(sentences: Iterable[Iterable[int]], pad_id: int = 0) -> Tensor:
    """Put sentences of token ids into one batch, the shorter ones padded."""
    rows = [torch.tensor([*ids], dtype=torch.int64) for ids in sentences]
    return pad_sequence(rows, True, pad_id)
