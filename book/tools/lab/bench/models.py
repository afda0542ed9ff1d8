"""Who runs in the benchmark: the book's Transformer, and what it is compared with."""

from __future__ import annotations

import dataclasses
import functools
import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from lib.attention import MultiHeadAttention
from lib.config import TransformerConfig
from lib.model import Transformer
from lib.positions import PositionalEncoding
from lib.speed import fuse
from lib.text import Batch, TokenBatchSampler, collate
from lib.text.files import read_json
from lib.training import translation_loss

CHAPTER = Path(__file__).parents[3] / "15_speed.ipynb"
SOS, EOS = 1, 2
Loss = Callable[[nn.Module, Batch], Tensor]


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

    def config(self, **changes: Any) -> TransformerConfig:
        names = ("d_model", "n_heads", "n_layers", "d_ff", "dropout", "max_len")
        sizes: dict[str, Any] = {name: getattr(self, name) for name in names}
        vocabularies = {
            "src_vocab_size": self.vocab_size,
            "tgt_vocab_size": self.vocab_size,
        }
        return TransformerConfig(**{**vocabularies, **sizes, **changes})


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
    decoded=4,
    decoded_tokens=5,
    cache_lengths=(3, 6),
    rounds=2,
    few_rounds=1,
)


def sentence_pairs(sizes: Sizes) -> list[tuple[Tensor, Tensor]]:
    """Draw token ids whose lengths are those of everyday sentences: nine or ten tokens.

    Measured on English and Spanish sentences of Tatoeba in sub-words: the lengths are
    log-normal, and a target differs from its source by a normal number of tokens that
    spreads with the root of the length.
    """
    random = torch.Generator().manual_seed(0)
    count, longest = sizes.sentences, min(60, sizes.padded_length)
    first, second = torch.randn(2, count, generator=random)
    src = (2.18 + 0.34 * first).exp().round().clamp(3, longest - 2)
    more = 0.6 + 0.6 * src.sqrt() * second
    tgt = (src + more).round().clamp(2, longest - 1).long()

    def draw(length: int) -> Tensor:
        return torch.randint(4, sizes.vocab_size, (length,), generator=random)

    ends = torch.tensor([SOS]), torch.tensor([EOS])
    return [
        (
            torch.cat([draw(source - 1), ends[1]]),
            torch.cat([ends[0], draw(target - 1), ends[1]]),
        )
        for source, target in zip(src.long().tolist(), tgt.tolist(), strict=True)
    ]


def batches_by_length(sizes: Sizes) -> list[Batch]:
    """Group the pairs as the book trains: similar lengths, so many tokens a batch."""
    pairs = sentence_pairs(sizes)
    lengths = [max(len(src), len(tgt)) for src, tgt in pairs]
    sampler = TokenBatchSampler(lengths, sizes.max_tokens, seed=0)
    return [collate([pairs[i] for i in group], pad_id=0) for group in sampler]


def batches_as_they_come(sizes: Sizes) -> list[Batch]:
    """Group the pairs in the order in which they stand, as many tokens a batch."""
    pairs, groups = sentence_pairs(sizes), [[]]  # type: ignore[var-annotated]
    widest = 0
    for pair in pairs:
        widest = max(widest, len(pair[0]), len(pair[1]))
        if (len(groups[-1]) + 1) * widest > sizes.max_tokens:
            groups.append([])
            widest = max(len(pair[0]), len(pair[1]))
        groups[-1].append(pair)
    return [collate(group, pad_id=0) for group in groups[:-1]]


def batches_of_one_length(sizes: Sizes) -> list[Batch]:
    """Pad every sentence to one length, a few sentences a batch."""
    pairs, size, length = sentence_pairs(sizes), sizes.padded_batch, sizes.padded_length

    def widen(ids: Tensor) -> Tensor:
        return nn.functional.pad(ids, (0, length - ids.size(1)))

    starts = range(0, len(pairs) - size, size)
    batches = (collate(pairs[start : start + size], pad_id=0) for start in starts)
    return [Batch(*map(widen, batch)) for batch in batches]


def padding_share(batches: list[Batch]) -> float:
    """Return the share of places, sources and targets, that hold padding."""
    sides = [side for batch in batches for side in (batch.src, batch.tgt_in)]
    empty = sum(int((side == 0).sum()) for side in sides)
    return empty / sum(side.numel() for side in sides)


def book_model(sizes: Sizes, tied: bool = True) -> Transformer:
    """Build the book's Transformer, as its training does: with embeddings tied."""
    return Transformer(sizes.config(tie_embeddings=tied)).train()


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
            self._leave_out_dropout()
        self.src_embedding = nn.Embedding(sizes.vocab_size, d_model, padding_idx=0)
        self.tgt_embedding = nn.Embedding(sizes.vocab_size, d_model, padding_idx=0)
        self.positions = PositionalEncoding(d_model, sizes.max_len)
        self.dropout = nn.Dropout(sizes.dropout)
        self.output = nn.Linear(d_model, sizes.vocab_size)
        self.scale = math.sqrt(d_model)

    def _leave_out_dropout(self) -> None:
        for part in self.transformer.modules():
            if isinstance(part, nn.MultiheadAttention):
                part.dropout = 0.0
            if isinstance(
                part, nn.TransformerEncoderLayer | nn.TransformerDecoderLayer
            ):
                part.dropout = nn.Dropout(0.0)

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


def plain_loss(model: nn.Module, batch: Batch) -> Tensor:
    """Let PyTorch compute the loss of chapter 11."""
    logits = model(batch.src, batch.tgt_in)
    return translation_loss(logits, batch.tgt_out, 0, label_smoothing=0.1)


def book_loss(model: nn.Module, batch: Batch) -> Tensor:
    """Let the fused leaves compute the same number, as the book's training does."""
    return plain_loss(fuse(model), batch)


def packed_loss(model: nn.Module, batch: Batch) -> Tensor:
    """Let the demonstration of chapter 15 compute the same number, packed."""
    logits, order = packed_logits()(model, batch.src, batch.tgt_in)
    real = batch.tgt_in[order] != 0
    return nn.functional.cross_entropy(
        logits, batch.tgt_out[order][real], ignore_index=0, label_smoothing=0.1
    )


@functools.cache
def packed_logits() -> Callable[..., tuple[Tensor, Tensor]]:
    """Return the function of chapter 15, which stands there alone."""
    cells = read_json(CHAPTER)["cells"]
    (cell,) = (each for each in cells if "packing" in each["metadata"].get("tags", ()))
    names: dict[str, Any] = {"torch": torch, "F": nn.functional, "Tensor": Tensor}
    names["MultiHeadAttention"] = MultiHeadAttention
    exec("".join(cell["source"]), names)  # the book's own code, from its own file
    return names["packed_logits"]


def trainer(
    model: nn.Module, batches: list[Batch], loss: Loss, half: bool = False
) -> Callable[[int], int]:
    """Return the loop that all share: one step a round, its target tokens returned."""
    optimizer = torch.optim.Adam(
        model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9
    )

    def step(number: int) -> int:
        batch = batches[number % len(batches)]
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=half):
            value = loss(model, batch)
        optimizer.zero_grad()
        value.backward()
        optimizer.step()
        return int((batch.tgt_out != 0).sum())

    return step


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
