"""What one family alone does, as leaves for the places where it does it."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from lib.attention import MultiHeadAttention
from lib.layers import LayerNorm
from lib.masks import causal_mask
from lib.positions import PositionalEncoding
from lib.today.blocks import ACTIVATIONS
from lib.today.positions import LearnedPositionalEncoding


class HalvedSines(PositionalEncoding):
    """Marian's positions: all sines in the first half of a row, all cosines behind.

    They are the numbers of §3.5 in another order, in which no sine stands beside its
    cosine.
    """

    def __init__(self, d_model: int, max_len: int) -> None:
        super().__init__(d_model, max_len)
        self.table = torch.cat([self.table[:, 0::2], self.table[:, 1::2]], dim=1)


class BeginsWithPad(MultiHeadAttention):
    """Marian's decoder looks at padding too, because its text begins with the pad.

    `decode` hides the pad's id, and so would hide the token that every text begins
    with. What stands behind the end of a text is hidden by the causal mask already.
    """

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        no_future = causal_mask(query.size(1), query.device)  # (T, T)
        return super().forward(query, key, value, no_future)


class TypedPositions(LearnedPositionalEncoding):
    """BERT's positions: a token's type is added as well, then everything is normed.

    A type says whether a token is of the first of two texts or of the second. This one
    takes all for the first, as `transformers` does when it is told nothing.
    """

    def __init__(self, d_model: int, max_len: int, n_types: int, eps: float) -> None:
        super().__init__(d_model, max_len)
        self.types = nn.Parameter(torch.zeros(n_types, d_model))
        self.norm = LayerNorm(d_model, eps)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(super().forward(x) + self.types[0])  # (B, T, D)


class TwoPartHead(nn.Linear):
    """BERT's output: a layer with activation and norm comes before the scores."""

    def __init__(
        self, d_model: int, vocab_size: int, activation: str, eps: float
    ) -> None:
        super().__init__(d_model, vocab_size)
        self.activation = activation
        self.transform = nn.Linear(d_model, d_model)
        self.norm = LayerNorm(d_model, eps)

    def forward(self, x: Tensor) -> Tensor:
        x = self.norm(ACTIVATIONS[self.activation](self.transform(x)))
        return super().forward(x)  # (B, T, D) -> (B, T, V)
