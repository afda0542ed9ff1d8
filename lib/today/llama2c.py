"""The flat files of llama2.c: all numbers of a Llama in a row, and its sub-words."""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, normalizers, processors
from tokenizers.models import BPE
from torch import Tensor

# What the seven whole numbers at its beginning are, as a Llama's config.json says it.
_SIZES = (
    *("hidden_size", "intermediate_size", "num_hidden_layers"),
    *("num_attention_heads", "num_key_value_heads"),
    *("vocab_size", "max_position_embeddings"),
)
_REST = {
    "model_type": "llama",
    "rms_norm_eps": 1e-5,
    "hidden_act": "silu",
    "pairs": "neighbors",
    "eos_token_id": 1,  # a story ends where the next one begins
}
_START = 28  # bytes before the weights
_SPECIALS = ["<unk>", "<s>", "</s>"]  # ids 0, 1, 2; the file writes them otherwise


def read_flat(file: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Read a Llama from a flat file, as if it were a folder of its family.

    Args:
        file: seven whole numbers of 32 bits, then floats of 32 bits, each kind of
            weight for all layers.

    Returns:
        The settings and the weights, under the names that they have in a Llama's
        ``config.json`` and ``model.safetensors``.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if it is not as long as its sizes ask.
    """
    with file.open("rb") as opened:
        start = opened.read(_START).ljust(_START, b"\0")
    sizes = dict(zip(_SIZES, struct.unpack("<7i", start), strict=True))
    tied = sizes["vocab_size"] > 0  # below 0: an output of its own is at the end
    sizes["vocab_size"] = abs(sizes["vocab_size"])
    if min(sizes.values()) < 1:
        raise ValueError(f"it is no flat file of llama2.c: its sizes are {sizes}")
    kinds = _kinds([*sizes.values()], tied)
    lengths = [math.prod(shape) for _, shape in kinds]
    wanted, found = _START + 4 * sum(lengths), file.stat().st_size
    if found != wanted:
        raise ValueError(f"it has {found:,} bytes, and {sizes} ask for {wanted:,}")
    data = bytearray(file.read_bytes())
    numbers = torch.frombuffer(data, dtype=torch.float32, offset=_START)
    weights: dict[str, Tensor] = {}
    for (name, shape), part in zip(kinds, numbers.split(lengths), strict=True):
        if "{}" in name:  # one for each layer
            for layer, one in enumerate(part.view(shape)):
                weights[name.format(layer)] = one
        elif name:
            weights[name] = part.view(shape)
    return {**_REST, **sizes, "tie_word_embeddings": tied}, weights


def _kinds(sizes: list[int], tied: bool) -> list[tuple[str, tuple[int, ...]]]:
    """List what the file holds, in its order, under the names of a Llama's tensors."""
    d_model, d_ff, layers, heads, kv_heads, vocab_size, max_len = sizes
    d_kv, layer = d_model // heads * kv_heads, "model.layers.{}."
    of_layers = {
        "input_layernorm": (d_model,),
        "self_attn.q_proj": (d_model, d_model),
        "self_attn.k_proj": (d_kv, d_model),
        "self_attn.v_proj": (d_kv, d_model),
        "self_attn.o_proj": (d_model, d_model),
        "post_attention_layernorm": (d_model,),
        "mlp.gate_proj": (d_ff, d_model),
        "mlp.down_proj": (d_model, d_ff),
        "mlp.up_proj": (d_ff, d_model),
    }
    return [
        ("model.embed_tokens.weight", (vocab_size, d_model)),
        *((f"{layer}{name}.weight", (layers, *of)) for name, of in of_layers.items()),
        ("model.norm.weight", (d_model,)),
        ("", (max_len, 2, d_model // heads // 2)),  # old cosines and sines
        *([] if tied else [("lm_head.weight", (vocab_size, d_model))]),
    ]


def read_tokens(file: Path, vocab_size: int) -> Tokenizer:
    """Read the sub-words of a flat file: byte pairs, and bytes for what they lack.

    Args:
        file: the longest length, then for each token a score, a length, and its text.
        vocab_size: how many tokens there are.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if it does not hold so many tokens, to the byte.
    """
    data, at = file.read_bytes(), 4
    scores: dict[str, float] = {}
    try:
        for number in range(vocab_size):
            score, length = struct.unpack_from("<fI", data, at)
            text = data[at + 8 : at + 8 + length].decode("utf-8")
            scores[text if number >= len(_SPECIALS) else _SPECIALS[number]] = score
            at += 8 + length
    except (struct.error, UnicodeDecodeError) as error:
        raise ValueError(f"{file} is damaged at token {number}: {error}.") from error
    if at != len(data) or len(scores) != vocab_size or "<0x00>" not in scores:
        raise ValueError(f"{file} does not hold {vocab_size} tokens and their bytes.")
    return _tokenizer(scores)


def _tokenizer(scores: dict[str, float]) -> Tokenizer:
    ids = {token: number for number, token in enumerate(scores)}
    # Whatever two tokens make a third is merged, the best score first.
    merges = sorted(
        (-scores[token], cut, (token[:cut], token[cut:]))
        for token in list(scores)[len(_SPECIALS) + 256 :]  # behind the bytes
        for cut in range(1, len(token))
        if token[:cut] in ids and token[cut:] in ids
    )
    pairs = [pair for _, _, pair in merges]
    tokenizer = Tokenizer(BPE(ids, pairs, unk_token="<unk>", byte_fallback=True))
    tokenizer.normalizer = normalizers.Prepend(" ")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    tokenizer.decoder = decoders.Sequence(
        [decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.add_special_tokens(_SPECIALS)
    tokenizer.encode_special_tokens = True  # typed in a text, they are text
    return tokenizer
