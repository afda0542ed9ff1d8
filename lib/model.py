"""The Transformer: an encoder that reads, a decoder that writes."""

from __future__ import annotations

from torch import Tensor, nn

from lib.config import TransformerConfig
from lib.layers import DecoderLayer, EncoderLayer, LayerNorm, TokenEmbedding
from lib.masks import causal_mask, padding_mask
from lib.positions import PositionalEncoding

__all__ = ["Decoder", "Encoder", "Transformer", "count_parameters"]


class Encoder(nn.Module):
    r"""A stack of encoder layers, each with weights of its own (§3.1).

    Args:
        config: the sizes of the Transformer.

    Shape:
        - x: :math:`(B, S, D)`.
        - src_mask: broadcasts to :math:`(B, H, S, S)`; True = may be attended to.
        - Output: the memory :math:`(B, S, D)`.

    Example:
        >>> import torch
        >>> encoder = Encoder(TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=16))
        >>> encoder(torch.ones(1, 3, 8)).shape
        torch.Size([1, 3, 8])

    Built in chapter 8.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            EncoderLayer(config) for _ in range(config.n_layers)
        )
        # Pre-norm leaves the last sum without a norm, so the stack ends in one.
        self.norm = LayerNorm(config.d_model) if config.norm_first else nn.Identity()

    def forward(self, x: Tensor, src_mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, src_mask)
        return self.norm(x)


class Decoder(nn.Module):
    r"""A stack of decoder layers, which all look at the same memory (§3.1).

    Args:
        config: the sizes of the Transformer.

    Shape:
        - x: :math:`(B, T, D)`; memory: :math:`(B, S, D)`.
        - tgt_mask: broadcasts to :math:`(B, H, T, T)`; src_mask: broadcasts to
          :math:`(B, H, T, S)`; True = may be attended to.
        - Output: :math:`(B, T, D)`.

    Example:
        >>> import torch
        >>> decoder = Decoder(TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=16))
        >>> decoder(torch.ones(1, 3, 8), memory=torch.ones(1, 5, 8)).shape
        torch.Size([1, 3, 8])

    Built in chapter 8.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            DecoderLayer(config) for _ in range(config.n_layers)
        )
        self.norm = LayerNorm(config.d_model) if config.norm_first else nn.Identity()

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        src_mask: Tensor | None = None,
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, memory, tgt_mask, src_mask)
        return self.norm(x)


class Transformer(nn.Module):
    r"""The whole model of §3: token ids in, a score for each next word out.

    The output are logits. The softmax belongs to the loss, or to whoever decodes.

    Args:
        config: the sizes.

    Shape:
        - src: token ids :math:`(B, S)`; tgt: token ids :math:`(B, T)`, beginning with
          ``<sos>``.
        - Output: logits :math:`(B, T, V)`.

    Raises:
        ValueError: if token ids do not fit the vocabulary, or a sentence is too long.

    Example:
        >>> import torch
        >>> model = Transformer(TransformerConfig(9, 11, d_model=8, n_heads=2, d_ff=16))
        >>> model(torch.tensor([[4, 5, 6]]), torch.tensor([[1, 4]])).shape
        torch.Size([1, 2, 11])

    Built in chapter 9.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        d_model, pad_id = config.d_model, config.pad_id
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)
        self.output_proj = nn.Linear(d_model, config.tgt_vocab_size)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
        # After the loop: embeddings have an initialization of their own.
        self.tgt_embedding = TokenEmbedding(config.tgt_vocab_size, d_model, pad_id)
        if config.tie_embeddings:
            self.src_embedding = self.tgt_embedding
            self.output_proj.weight = self.tgt_embedding.table.weight
        else:
            self.src_embedding = TokenEmbedding(config.src_vocab_size, d_model, pad_id)
        self.positions = PositionalEncoding(d_model, config.max_len)
        self.dropout = nn.Dropout(config.dropout)

    def encode(self, src: Tensor, src_mask: Tensor) -> Tensor:
        """Read the source: token ids (B, S) and their mask to the memory (B, S, D)."""
        x = self.dropout(self.positions(self.src_embedding(src)))  # (B, S, D)
        return self.encoder(x, src_mask)

    def decode(self, tgt: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        """Score each next word: token ids (B, T) and the memory to logits (B, T, V)."""
        no_padding = padding_mask(tgt, self.config.pad_id)  # (B, 1, 1, T)
        no_future = causal_mask(tgt.size(1), tgt.device)  # (T, T)
        tgt_mask = no_padding & no_future  # (B, 1, T, T)
        x = self.dropout(self.positions(self.tgt_embedding(tgt)))  # (B, T, D)
        return self.output_proj(self.decoder(x, memory, tgt_mask, src_mask))

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        if src.size(0) != tgt.size(0):
            raise ValueError(
                "There must be as many sources as targets, but src has shape "
                f"{tuple(src.shape)} and tgt {tuple(tgt.shape)}."
            )
        src_mask = padding_mask(src, self.config.pad_id)  # (B, 1, 1, S)
        return self.decode(tgt, self.encode(src, src_mask), src_mask)  # (B, T, V)


def count_parameters(module: nn.Module) -> int:
    """Count the numbers that training changes, shared ones once.

    Args:
        module: any module.

    Returns:
        The number of trainable parameters.

    Example:
        >>> count_parameters(nn.Linear(3, 2))
        8

    Built in chapter 9.
    """
    return sum(p.numel() for p in module.parameters() if p.requires_grad)
