"""The flat files of llama2.c: all numbers of a Llama in a row, and its sub-words."""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken, Tokenizer, decoders, normalizers, processors
from tokenizers.models import BPE
from torch import Tensor

_HEADER = struct.Struct("<7i")
_SIZES = (
    *("dim", "hidden_dim", "n_layers", "n_heads", "n_kv_heads"),
    *("vocab_size", "seq_len"),
)
_SPECIALS = ("<unk>", "<s>", "</s>")  # ids 0, 1, 2; the file writes them otherwise


def read_flat(file: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Read a Llama from a flat file, as if it were a folder of its family.

    Args:
        file: seven whole numbers of 32 bits, then floats of 32 bits, each kind of
            weight for all layers.

    Returns:
        The settings and the weights, under the names that they have in Llama's
        ``config.json`` and ``model.safetensors``.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if its length is not what its sizes ask.
    """
    with file.open("rb") as opened:
        header = opened.read(_HEADER.size)
    sizes = dict.fromkeys(_SIZES, 0)
    if len(header) == _HEADER.size:
        sizes = dict(zip(_SIZES, _HEADER.unpack(header), strict=True))
    tied = sizes["vocab_size"] > 0  # below 0: an output of its own stands at the end
    sizes["vocab_size"] = abs(sizes["vocab_size"])
    if min(sizes.values()) < 1 or sizes["dim"] % sizes["n_heads"]:
        raise ValueError(f"{file} is no flat file of llama2.c: its sizes are {sizes}.")
    kinds = _kinds(sizes, tied)
    wanted = _HEADER.size + 4 * sum(math.prod(shape) for _, shape in kinds)
    if file.stat().st_size != wanted:
        raise ValueError(
            f"{file} has {file.stat().st_size:,} bytes, but its sizes {sizes} ask for "
            f"{wanted:,}."
        )
    numbers = torch.frombuffer(
        bytearray(file.read_bytes()), dtype=torch.float32, offset=_HEADER.size
    )
    parts = numbers.split([math.prod(shape) for _, shape in kinds])
    weights: dict[str, Tensor] = {}
    for (name, shape), part in zip(kinds, parts, strict=True):
        if "{}" in name:  # one for each layer
            for layer, one in enumerate(part.view(shape)):
                weights[name.format(layer)] = one
        elif name:
            weights[name] = part.view(shape)
    return _settings(sizes, tied), weights


def _kinds(sizes: dict[str, int], tied: bool) -> list[tuple[str, tuple[int, ...]]]:
    """List what the file holds, in its order, under the names of Llama's tensors."""
    d_model, d_ff, layers, heads, kv_heads, vocab_size, max_len = sizes.values()
    d_kv = d_model // heads * kv_heads
    layer = "model.layers.{}."
    of_layers = [
        ("input_layernorm", (d_model,)),
        ("self_attn.q_proj", (d_model, d_model)),
        ("self_attn.k_proj", (d_kv, d_model)),
        ("self_attn.v_proj", (d_kv, d_model)),
        ("self_attn.o_proj", (d_model, d_model)),
        ("post_attention_layernorm", (d_model,)),
        ("mlp.gate_proj", (d_ff, d_model)),
        ("mlp.down_proj", (d_model, d_ff)),
        ("mlp.up_proj", (d_ff, d_model)),
    ]
    return [
        ("model.embed_tokens.weight", (vocab_size, d_model)),
        *((f"{layer}{name}.weight", (layers, *shape)) for name, shape in of_layers),
        ("model.norm.weight", (d_model,)),
        # Cosines and sines of old, which can be computed again.
        ("", (max_len, 2, d_model // heads // 2)),
        *([] if tied else [("lm_head.weight", (vocab_size, d_model))]),
    ]


def _settings(sizes: dict[str, int], tied: bool) -> dict[str, Any]:
    return {
        "model_type": "llama",
        "hidden_size": sizes["dim"],
        "intermediate_size": sizes["hidden_dim"],
        "num_hidden_layers": sizes["n_layers"],
        "num_attention_heads": sizes["n_heads"],
        "num_key_value_heads": sizes["n_kv_heads"],
        "vocab_size": sizes["vocab_size"],
        "max_position_embeddings": sizes["seq_len"],
        "rms_norm_eps": 1e-5,
        "hidden_act": "silu",
        "pairs": "neighbors",
        "tie_word_embeddings": tied,
        "bos_token_id": 1,
        "eos_token_id": 1,  # a new story begins where the old one ends
    }


def read_tokens(file: Path, vocab_size: int) -> Tokenizer:
    """Read the sub-words of a flat file: byte pairs, and bytes for what they lack.

    Args:
        file: the longest length, then for each token a score, a length, and its bytes.
        vocab_size: how many tokens the model knows.

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
            scores[_SPECIALS[number] if number < len(_SPECIALS) else text] = score
            at += 8 + length
    except (struct.error, UnicodeDecodeError) as error:
        raise ValueError(f"{file} is damaged at token {number}: {error}.") from error
    if at != len(data) or len(scores) != vocab_size or "<0x00>" not in scores:
        raise ValueError(
            f"{file} does not hold {vocab_size} different tokens with their bytes."
        )
    return _tokenizer(list(scores), list(scores.values()))


def _tokenizer(tokens: list[str], scores: list[float]) -> Tokenizer:
    ids = {token: number for number, token in enumerate(tokens)}
    # Whatever two tokens make a third is merged, the best score first.
    merges = [
        (-score, cut, (token[:cut], token[cut:]))
        for token, score in zip(tokens[259:], scores[259:], strict=True)
        for cut in range(1, len(token))
        if token[:cut] in ids and token[cut:] in ids
    ]
    pairs = [pair for _, _, pair in sorted(merges)]
    tokenizer = Tokenizer(BPE(ids, pairs, unk_token="<unk>", byte_fallback=True))
    tokenizer.normalizer = normalizers.Prepend(" ")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    tokenizer.decoder = decoders.Sequence(
        [decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.add_special_tokens([AddedToken(t, special=True) for t in _SPECIALS])
    tokenizer.encode_special_tokens = True  # typed in a text, they are text
    return tokenizer
