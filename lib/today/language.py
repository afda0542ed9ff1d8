"""A language model: the book's encoder alone, under the causal mask or without it."""

from __future__ import annotations

import dataclasses
from typing import Any

from torch import Tensor, nn

from lib.config import TransformerConfig
from lib.masks import causal_mask
from lib.model import Encoder
from lib.positions import PositionalEncoding
from lib.today.blocks import UnpaddedEmbedding


@dataclasses.dataclass(frozen=True)
class LanguageConfig:
    """All sizes of one language model.

    Args:
        vocab_size: number of tokens, **V**.
        d_model: numbers in the vector of one token, **D**.
        n_heads: attention heads, **H**; must divide ``d_model``.
        n_layers: layers of the stack.
        d_ff: inner width of the feed-forward block.
        dropout: share of numbers set to zero in training, from 0 up to but not 1.
        max_len: longest text in tokens that has positions.
        norm_first: False for post-norm, True for pre-norm.
        tie_embeddings: True to use one matrix for embedding and output.
        causal: True if no token sees a later one, as in GPT; False if all see all, as
            in BERT.

    Raises:
        TypeError: if a setting has the wrong type.
        ValueError: if a setting is impossible; the message names it.

    Example:
        >>> LanguageConfig(vocab_size=2000, d_model=10, n_heads=3)
        Traceback (most recent call last):
        ...
        ValueError: n_heads must divide d_model, but 3 does not divide 10.
    """

    vocab_size: int
    d_model: int = 128
    n_heads: int = 4
    n_layers: int = 4
    d_ff: int = 512
    dropout: float = 0.1
    max_len: int = 128
    norm_first: bool = True
    tie_embeddings: bool = True
    causal: bool = True

    def __post_init__(self) -> None:
        size = self.vocab_size
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            raise ValueError(
                f"vocab_size must be a whole number of at least 1, but it is {size!r}."
            )
        if not isinstance(self.causal, bool):
            raise TypeError(f"causal must be True or False, but it is {self.causal!r}.")
        self.of_encoder()  # which checks all the other sizes

    def of_encoder(self) -> TransformerConfig:
        """Return the sizes that the book's encoder asks for."""
        own = ("vocab_size", "causal")
        sizes = {k: value for k, value in self.to_dict().items() if k not in own}
        return TransformerConfig(self.vocab_size, self.vocab_size, **sizes)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain values, for a JSON file."""
        return dataclasses.asdict(self)


class LanguageModel(nn.Module):
    r"""One vocabulary, and the encoder of §3.1 alone: token ids in, logits out.

    Under the causal mask the logits of a place are scores for the token behind it, as
    in GPT (Radford et al., 2018). Without it they are scores for the token at that
    place, as in BERT (Devlin et al., 2019). No id is padding by itself: a mask says
    what is.

    Args:
        config: the sizes.

    Shape:
        - ids: token ids :math:`(B, T)`.
        - mask: :math:`(B, T)`, boolean, True for a token, False for padding; None if
          there is no padding.
        - Output: logits :math:`(B, T, V)`.

    Raises:
        ValueError: if token ids do not fit the vocabulary, a text is too long, or the
            mask has another shape.

    Example:
        >>> import torch
        >>> model = LanguageModel(LanguageConfig(9, d_model=8, n_heads=2, d_ff=16))
        >>> model(torch.tensor([[4, 5, 6]])).shape
        torch.Size([1, 3, 9])

    Built in chapter 18.
    """

    def __init__(self, config: LanguageConfig) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config.of_encoder())
        self.output_proj = nn.Linear(config.d_model, config.vocab_size)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
        # After the loop: the embedding has an initialization of its own.
        self.embedding = UnpaddedEmbedding(config.vocab_size, config.d_model)
        if config.tie_embeddings:
            self.output_proj.weight = self.embedding.table.weight
        self.positions = PositionalEncoding(config.d_model, config.max_len)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, ids: Tensor, mask: Tensor | None = None) -> Tensor:
        x = self.dropout(self.positions(self.embedding(ids)))  # (B, T, D)
        return self.output_proj(self.encoder(x, self.may_see(ids, mask)))

    def may_see(self, ids: Tensor, mask: Tensor | None) -> Tensor | None:
        """Return who may see whom: None for all, or a mask for (B, H, T, T)."""
        if mask is not None and mask.shape != ids.shape:
            raise ValueError(
                "The mask must say of each token id whether it is a token, but its "
                f"shape is {tuple(mask.shape)} and that of the ids {tuple(ids.shape)}."
            )
        tokens = None if mask is None else mask[:, None, None, :]  # (B, 1, 1, T)
        if not self.config.causal:
            return tokens
        no_future = causal_mask(ids.size(1), ids.device)  # (T, T)
        return no_future if tokens is None else tokens & no_future
