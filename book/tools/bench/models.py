"""Who runs in the benchmark: the book's Transformer, and what it is compared with."""

import dataclasses
import math
import warnings
from typing import Any

import torch
from torch import Tensor, nn

from lib.config import TransformerConfig
from lib.model import Transformer
from lib.positions import PositionalEncoding

SOS, EOS = 1, 2
LAYERS = nn.TransformerEncoderLayer, nn.TransformerDecoderLayer


@dataclasses.dataclass(frozen=True)
class Sizes:
    """What is measured at: the sizes of the model and of the work."""

    d_model: int = 256
    n_heads: int = 4
    n_layers: int = 3
    d_ff: int = 1024
    vocab_size: int = 4000
    dropout: float = 0.1
    max_len: int = 512
    max_tokens: int = 2048
    sentences: int = 6000
    padded_length: int = 350
    padded_batch: int = 8
    decoded: int = 64
    decoded_tokens: int = 20
    cache_lengths: tuple[int, ...] = (20, 60, 200)
    rounds: int = 12
    few_rounds: int = 5


QUICK = Sizes(
    d_model=16,
    n_heads=2,
    n_layers=1,
    d_ff=32,
    vocab_size=50,
    max_len=64,
    max_tokens=128,
    sentences=200,
    padded_length=40,
    padded_batch=4,
    decoded=8,
    decoded_tokens=5,
    cache_lengths=(3, 6),
    rounds=2,
    few_rounds=1,
)


def book_model(sizes: Sizes, tied: bool = True) -> Transformer:
    """Build the book's Transformer, as its training does: with embeddings tied."""
    names = ("d_model", "n_heads", "n_layers", "d_ff", "dropout", "max_len")
    how: dict[str, Any] = {name: getattr(sizes, name) for name in names}
    words = sizes.vocab_size, sizes.vocab_size
    return Transformer(TransformerConfig(*words, tie_embeddings=tied, **how)).train()


class PyTorchModel(nn.Module):
    """A translator made of `nn.Transformer`, as its documentation suggests.

    `paper_dropout` switches off what the paper does not have: dropout on the weights of
    attention, and between the two linear maps of the feed-forward block.
    """

    def __init__(self, sizes: Sizes, paper_dropout: bool) -> None:
        super().__init__()
        d_model = sizes.d_model
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="enable_nested_tensor")
            self.transformer = nn.Transformer(
                d_model,
                sizes.n_heads,
                sizes.n_layers,
                sizes.n_layers,
                sizes.d_ff,
                sizes.dropout,
                batch_first=True,
            )
        if paper_dropout:
            leave_out_dropout(self.transformer)
        self.src_embedding = nn.Embedding(sizes.vocab_size, d_model, padding_idx=0)
        self.tgt_embedding = nn.Embedding(sizes.vocab_size, d_model, padding_idx=0)
        self.positions = PositionalEncoding(d_model, sizes.max_len)
        self.dropout = nn.Dropout(sizes.dropout)
        self.output = nn.Linear(d_model, sizes.vocab_size)
        self.scale = math.sqrt(d_model)

    def embed(self, table: nn.Embedding, ids: Tensor) -> Tensor:
        return self.dropout(self.positions(table(ids) * self.scale))

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        src_padding, tgt_padding = src == 0, tgt == 0  # here True means blocked
        length = tgt.size(1)
        future = torch.ones(length, length, dtype=torch.bool).triu(1)
        x = self.transformer(
            self.embed(self.src_embedding, src),
            self.embed(self.tgt_embedding, tgt),
            tgt_mask=future,
            src_key_padding_mask=src_padding,
            tgt_key_padding_mask=tgt_padding,
            memory_key_padding_mask=src_padding,
        )
        return self.output(x)


def leave_out_dropout(transformer: nn.Transformer) -> None:
    """Switch off the dropout in attention and inside the feed-forward block."""
    for part in transformer.modules():
        if isinstance(part, nn.MultiheadAttention):
            part.dropout = 0.0
        elif isinstance(part, LAYERS):
            part.dropout = nn.Dropout(0.0)


def marian(sizes: Sizes, activation: str = "relu") -> Any:
    """Build Hugging Face's Marian model of the same size, with random weights.

    The book's feed-forward block has a ReLU; Marian's has a GELU unless told otherwise.

    Raises:
        ModuleNotFoundError: if `transformers` is not installed.
    """
    from transformers import MarianConfig, MarianMTModel

    config = MarianConfig(
        vocab_size=sizes.vocab_size,
        d_model=sizes.d_model,
        encoder_layers=sizes.n_layers,
        decoder_layers=sizes.n_layers,
        encoder_attention_heads=sizes.n_heads,
        decoder_attention_heads=sizes.n_heads,
        encoder_ffn_dim=sizes.d_ff,
        decoder_ffn_dim=sizes.d_ff,
        activation_function=activation,
        max_position_embeddings=sizes.max_len,
        scale_embedding=True,
        pad_token_id=0,
        eos_token_id=EOS,
        decoder_start_token_id=SOS,
        forced_eos_token_id=None,
    )
    model = MarianMTModel(config).eval()
    model.generation_config.eos_token_id = None  # nobody stops before the last token
    model.generation_config.forced_eos_token_id = None
    return model
