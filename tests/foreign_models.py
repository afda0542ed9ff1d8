"""Small models of `transformers`, of random sizes, as its own code makes them.

Everything in them that is learned is shaken, so that no norm is one and no bias zero:
a weight that is forgotten, or put in another's place, then shows in the logits. So does
an ε, since some are far from the usual ones. What is frozen, such as Marian's sines,
stays as it is: `save_pretrained` leaves it out.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import (
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MarianConfig,
    MarianMTModel,
    PreTrainedModel,
)
from transformers.utils import logging

logging.set_verbosity_error()
logging.disable_progress_bar()

EPSILONS = (1e-12, 1e-6, 1e-5, 1e-2, 0.3)
LENGTH = 48  # positions of every model


def foreign(family: str, seed: int, **settings: object) -> PreTrainedModel:
    """Make a model of a family: the seed decides its sizes, its weights, its ids."""
    sizes = random.Random(f"{family} {seed}")
    torch.manual_seed(seed)
    kind, config, drawn = _MADE[family]
    model: PreTrainedModel = kind(config(**{**drawn(sizes), **settings}))
    shake(model)
    return model.eval()


def shake(model: PreTrainedModel) -> None:
    """Move all that is learned away from where it begins."""
    learned: list[Tensor] = [p for p in model.parameters() if p.requires_grad]
    learned += [b for name, b in model.named_buffers() if name == "final_logits_bias"]
    with torch.no_grad():
        for tensor in learned:
            tensor.add_(0.3 * torch.randn_like(tensor))


def saved(model: PreTrainedModel, folder: Path) -> Path:
    """Save a model as everyone does."""
    model.save_pretrained(folder)
    return folder


def some_ids(model: PreTrainedModel, rows: int, length: int) -> Tensor:
    """Draw ids (B, T) of the whole vocabulary; id 0 and the pad's are among them."""
    ids = torch.randint(model.config.vocab_size, (rows, length))
    ids[:, 1] = 0
    if model.config.pad_token_id is not None:
        ids[:, 2] = model.config.pad_token_id
    return ids


def some_lengths(rows: int, length: int, side: str) -> Tensor:
    """Say which tokens (B, T) are real: all of the first row, fewer of the others."""
    real = torch.tensor([length, *random.sample(range(3, length), rows - 1)])
    mask = torch.arange(length) < real[:, None]
    return mask if side == "right" else mask.flip(1)


def _width(sizes: random.Random) -> tuple[int, int]:
    """Draw heads, and an even width that they divide."""
    heads, d_head = sizes.choice((1, 2, 3, 4)), sizes.choice((2, 3, 4, 6, 8))
    return heads, heads * d_head * (1 + heads * d_head % 2)


def _llama(sizes: random.Random) -> dict[str, object]:
    heads, groups = sizes.choice(((1, 1), (2, 1), (2, 2), (4, 1), (4, 2), (6, 3)))
    d_model = heads * sizes.choice((2, 4, 6, 8))
    theta = sizes.choice((100.0, 10_000.0, 500_000.0))
    pad = sizes.choice((None, 0, 7))
    return {
        "vocab_size": sizes.randint(20, 60),
        "hidden_size": d_model,
        "num_hidden_layers": sizes.randint(1, 3),
        "num_attention_heads": heads,
        "num_key_value_heads": groups
        if groups < heads
        else sizes.choice((None, heads)),
        "intermediate_size": sizes.randint(5, 40),
        "hidden_act": sizes.choice(("silu", "silu", "gelu")),
        "rms_norm_eps": sizes.choice(EPSILONS),
        "rope_parameters": {"rope_type": "default", "rope_theta": theta},
        "attention_bias": sizes.choice((False, True)),
        "mlp_bias": sizes.choice((False, True)),
        "tie_word_embeddings": sizes.choice((False, True)),
        "max_position_embeddings": LENGTH,
        "pad_token_id": pad,
    }


def _gpt2(sizes: random.Random) -> dict[str, object]:
    heads, d_model = _width(sizes)
    vocab_size = sizes.randint(20, 60)
    return {
        "vocab_size": vocab_size,
        "n_embd": d_model,
        "n_layer": sizes.randint(1, 3),
        "n_head": heads,
        "n_inner": sizes.choice((None, 9, 30)),
        "activation_function": sizes.choice(("gelu_new", "gelu_new", "gelu", "relu")),
        "layer_norm_epsilon": sizes.choice(EPSILONS),
        "tie_word_embeddings": sizes.choice((True, True, False)),
        "n_positions": LENGTH,
        "pad_token_id": sizes.choice((None, 0, 7)),
        "bos_token_id": vocab_size - 1,
        "eos_token_id": vocab_size - 1,
    }


def _bert(sizes: random.Random) -> dict[str, object]:
    heads, d_model = _width(sizes)
    return {
        "vocab_size": sizes.randint(20, 60),
        "hidden_size": d_model,
        "num_hidden_layers": sizes.randint(1, 3),
        "num_attention_heads": heads,
        "intermediate_size": sizes.randint(5, 40),
        "hidden_act": sizes.choice(("gelu", "gelu", "gelu_new", "relu")),
        "layer_norm_eps": sizes.choice(EPSILONS),
        "type_vocab_size": sizes.randint(1, 3),
        "tie_word_embeddings": sizes.choice((True, True, False)),
        "max_position_embeddings": LENGTH,
        "pad_token_id": sizes.choice((0, 7)),
    }


def _marian(sizes: random.Random) -> dict[str, object]:
    heads, d_model = _width(sizes)
    layers, d_ff = sizes.randint(1, 3), sizes.randint(5, 40)
    vocab_size, shared = sizes.randint(20, 60), sizes.choice((True, True, False))
    pad = sizes.choice((vocab_size - 1, 7))
    return {
        "vocab_size": vocab_size,
        "decoder_vocab_size": vocab_size if shared else sizes.randint(vocab_size, 70),
        "share_encoder_decoder_embeddings": shared,
        "tie_word_embeddings": sizes.choice((True, True, False)),
        "d_model": d_model,
        **{f"{side}_layers": layers for side in ("encoder", "decoder")},
        **{f"{side}_attention_heads": heads for side in ("encoder", "decoder")},
        **{f"{side}_ffn_dim": d_ff for side in ("encoder", "decoder")},
        "activation_function": sizes.choice(("swish", "swish", "gelu", "relu")),
        "scale_embedding": sizes.choice((True, False)),
        "max_position_embeddings": LENGTH,
        "pad_token_id": pad,
        "decoder_start_token_id": pad,
        "forced_eos_token_id": None,
    }


_MADE: dict[str, tuple[Any, Any, Callable[[random.Random], dict[str, object]]]] = {
    "llama": (LlamaForCausalLM, LlamaConfig, _llama),
    "gpt2": (GPT2LMHeadModel, GPT2Config, _gpt2),
    "bert": (BertForMaskedLM, BertConfig, _bert),
    "marian": (MarianMTModel, MarianConfig, _marian),
}
FAMILIES = tuple(_MADE)
