"""The layers: embedding, norm, feed-forward, residual, and the two that stack them."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from lib.attention import MultiHeadAttention
from lib.config import TransformerConfig

__all__ = [
    "DecoderLayer",
    "EncoderLayer",
    "LayerNorm",
    "PositionwiseFeedForward",
    "Residual",
    "TokenEmbedding",
]


class TokenEmbedding(nn.Module):
    r"""Look up a vector for each token, and scale it by :math:`\sqrt{D}` (§3.4).

    Args:
        vocab_size: number of tokens, **V**.
        d_model: numbers in the vector of one token, **D**.
        pad_id: the token id of padding; its vector is zero, and stays zero
            unless the output layer shares the table.

    Shape:
        - Input: token ids :math:`(B, T)`.
        - Output: :math:`(B, T, D)`.

    Raises:
        ValueError: if an id is not in the vocabulary.

    Example:
        >>> embedding = TokenEmbedding(vocab_size=5, d_model=2, pad_id=0)
        >>> embedding(torch.tensor([[3, 4, 0]])).shape
        torch.Size([1, 3, 2])

    Built in chapter 1.
    """

    def __init__(self, vocab_size: int, d_model: int, pad_id: int) -> None:
        super().__init__()
        self.table = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.scale = math.sqrt(d_model)
        # Small at the start, so that the scaled vectors have numbers of size one.
        nn.init.normal_(self.table.weight, std=1 / self.scale)
        with torch.no_grad():
            self.table.weight[pad_id].zero_()

    def forward(self, token_ids: Tensor) -> Tensor:
        size = self.table.num_embeddings
        if token_ids.numel() and not 0 <= token_ids.min() <= token_ids.max() < size:
            raise ValueError(
                f"Token ids must lie between 0 and {size - 1}, but they go from "
                f"{token_ids.min().item()} to {token_ids.max().item()}."
            )
        return self.table(token_ids) * self.scale  # (B, T) -> (B, T, D)


class LayerNorm(nn.Module):
    r"""Give each token's vector mean 0 and variance 1, then a learned scale and shift.

    The norm of §3.1, from Ba et al. (2016). The mean and the variance are taken over
    the D numbers of one token alone; the variance divides by D, and ε stands inside
    the root.

    Args:
        d_model: numbers in the vector of one token, **D**.
        eps: keeps the root away from zero.

    Shape:
        Input and output: :math:`(..., D)`.

    Raises:
        ValueError: if the last dimension is not ``d_model``.

    Example:
        >>> LayerNorm(d_model=2)(torch.tensor([[1.0, 3.0]]))
        tensor([[-1.0000,  1.0000]], grad_fn=<AddBackward0>)

    Built in chapter 7.
    """

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        if x.size(-1) != self.weight.size(0):
            raise ValueError(
                f"Expected vectors of shape (..., {self.weight.size(0)}), but got "
                f"{tuple(x.shape)}."
            )
        mean = x.mean(dim=-1, keepdim=True)  # (..., 1)
        variance = x.var(dim=-1, correction=0, keepdim=True)  # (..., 1)
        normed = (x - mean) / torch.sqrt(variance + self.eps)
        return normed * self.weight + self.bias


class PositionwiseFeedForward(nn.Module):
    r"""Send each token on its own through two linear maps with a ReLU between (§3.3).

    Args:
        d_model: numbers in the vector of one token, **D**.
        d_ff: numbers in between; 4 × ``d_model`` in the paper.

    Shape:
        Input and output: :math:`(..., D)`.

    Raises:
        ValueError: if the last dimension is not ``d_model``.

    Example:
        >>> PositionwiseFeedForward(d_model=4, d_ff=16)(torch.ones(1, 3, 4)).shape
        torch.Size([1, 3, 4])

    Built in chapter 7.
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.d_model = d_model
        self.inner = nn.Linear(d_model, d_ff)
        self.outer = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        if x.size(-1) != self.d_model:
            raise ValueError(
                f"Expected vectors of shape (..., {self.d_model}), but got "
                f"{tuple(x.shape)}."
            )
        return self.outer(self.inner(x).relu())  # (..., D) -> (..., d_ff) -> (..., D)


class Residual(nn.Module):
    r"""Add a sublayer's output to its input; the norm after or before (§3.1, §5.4).

    Args:
        d_model: numbers in the vector of one token, **D**.
        dropout: share of the sublayer's output set to zero in training.
        norm_first: False for ``norm(x + sublayer(x))``, True for
            ``x + sublayer(norm(x))``.

    Shape:
        Input and output: :math:`(B, T, D)`.

    Example:
        >>> residual = Residual(d_model=4, dropout=0.0, norm_first=True)
        >>> x = torch.ones(1, 3, 4)
        >>> torch.equal(residual(x, lambda y: 0 * y), x)
        True

    Built in chapter 7.
    """

    def __init__(self, d_model: int, dropout: float, norm_first: bool) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm_first:
            return x + self.dropout(sublayer(self.norm(x)))
        return self.norm(x + self.dropout(sublayer(x)))


class EncoderLayer(nn.Module):
    r"""Let the source words look at one another, then think each on its own (§3.1).

    Args:
        config: the sizes of the Transformer.

    Shape:
        - x: :math:`(B, S, D)`.
        - src_mask: broadcasts to :math:`(B, H, S, S)`; True = may be attended to.
        - Output: :math:`(B, S, D)`.

    Example:
        >>> layer = EncoderLayer(TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=16))
        >>> layer(torch.ones(1, 3, 8)).shape
        torch.Size([1, 3, 8])

    Built in chapter 8.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        sizes = (config.d_model, config.dropout, config.norm_first)
        self.self_attention = MultiHeadAttention(config.d_model, config.n_heads)
        self.self_attention_residual = Residual(*sizes)
        self.feed_forward = PositionwiseFeedForward(config.d_model, config.d_ff)
        self.feed_forward_residual = Residual(*sizes)

    def forward(self, x: Tensor, src_mask: Tensor | None = None) -> Tensor:
        x = self.self_attention_residual(
            x, lambda y: self.self_attention(y, y, y, src_mask)[0]
        )
        return self.feed_forward_residual(x, self.feed_forward)  # (B, S, D)


class DecoderLayer(nn.Module):
    r"""Look at the words written so far, then at the source, then think (§3.1).

    Args:
        config: the sizes of the Transformer.

    Shape:
        - x: :math:`(B, T, D)`; memory: :math:`(B, S, D)`.
        - tgt_mask: broadcasts to :math:`(B, H, T, T)`; src_mask: broadcasts to
          :math:`(B, H, T, S)`; True = may be attended to.
        - Output: :math:`(B, T, D)`.

    Example:
        >>> layer = DecoderLayer(TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=16))
        >>> layer(torch.ones(1, 3, 8), memory=torch.ones(1, 5, 8)).shape
        torch.Size([1, 3, 8])

    Built in chapter 8.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        sizes = (config.d_model, config.dropout, config.norm_first)
        self.self_attention = MultiHeadAttention(config.d_model, config.n_heads)
        self.self_attention_residual = Residual(*sizes)
        self.cross_attention = MultiHeadAttention(config.d_model, config.n_heads)
        self.cross_attention_residual = Residual(*sizes)
        self.feed_forward = PositionwiseFeedForward(config.d_model, config.d_ff)
        self.feed_forward_residual = Residual(*sizes)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        src_mask: Tensor | None = None,
    ) -> Tensor:
        x = self.self_attention_residual(
            x, lambda y: self.self_attention(y, y, y, tgt_mask)[0]
        )
        x = self.cross_attention_residual(
            x, lambda y: self.cross_attention(y, memory, memory, src_mask)[0]
        )
        return self.feed_forward_residual(x, self.feed_forward)  # (B, T, D)
