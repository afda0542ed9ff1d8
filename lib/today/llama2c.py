"""The flat files of llama2.c: all numbers of a Llama in a row, and its sub-words."""

from __future__ import annotations

import struct
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, normalizers
from tokenizers.models import BPE
from tokenizers.processors import TemplateProcessing
from torch import Tensor

from lib.today.families import NAMES, Settings, plan
from lib.today.weights import wanted

_START = 28  # bytes before the weights
_SPECIALS = ["<unk>", "<s>", "</s>"]  # ids 0, 1, 2; the file writes them otherwise


def flat_settings(file: Path) -> Settings:
    """Read the sizes of a flat file, as a Llama's ``config.json`` would say them.

    Args:
        file: it begins with seven whole numbers of 32 bits.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if it is too short for such sizes.
    """
    with file.open("rb") as opened:
        start = opened.read(_START).ljust(_START, b"\0")
    names, settings = NAMES["llama2c"]["sizes"], NAMES["llama2c"]["settings"]
    sizes = dict(zip(names, struct.unpack("<7i", start), strict=True))
    tied = sizes["vocab_size"] > 0  # below 0: an output of its own is at the end
    sizes["vocab_size"] = abs(sizes["vocab_size"])
    least = 4 * sizes["num_hidden_layers"] * sizes["hidden_size"] ** 2
    if min(sizes.values()) < 1 or least > file.stat().st_size:
        raise ValueError(f"it is no flat file of llama2.c: its sizes are {sizes}")
    return {**settings, **sizes, "tie_word_embeddings": tied}


def read_flat(file: Path) -> tuple[Settings, dict[str, Tensor]]:
    """Read a Llama from a flat file, as if it were a folder of its family.

    Args:
        file: seven whole numbers of 32 bits, then floats of 32 bits.

    Returns:
        The settings and the weights, under the names that they have in a Llama's
        ``config.json`` and ``model.safetensors``.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if it is not as long as its sizes ask.
    """
    settings = flat_settings(file)
    ours, shapes = plan(settings), dict[str, torch.Size]()
    places = wanted(NAMES["llama"]["weights"], ours)
    angles = settings["hidden_size"] // settings["num_attention_heads"]
    rest = torch.Size([settings["max_position_embeddings"], angles])
    for template in NAMES["llama2c"]["order"]:
        for layer in range(settings["num_hidden_layers"] if "{}" in template else 1):
            name = template.replace("{}", str(layer))
            shapes[name] = ours[places[name][0]].shape if name in places else rest
    if settings["tie_word_embeddings"]:
        del shapes["lm_head.weight"]
    lengths = [shape.numel() for shape in shapes.values()]
    length, found = _START + 4 * sum(lengths), file.stat().st_size
    if found != length:
        raise ValueError(f"it has {found:,} bytes, and its sizes ask for {length:,}")
    data = bytearray(file.read_bytes())
    parts = torch.frombuffer(data, dtype=torch.float32, offset=_START).split(lengths)
    named = zip(shapes.items(), parts, strict=True)
    return settings, {
        name: part.view(shape) for (name, shape), part in named if name in places
    }


def read_tokens(file: Path, vocab_size: int) -> Tokenizer:
    """Read the sub-words of a flat file: byte pairs, and bytes for what they lack.

    Args:
        file: the longest length, then for each token a score, a length, and its text.
        vocab_size: how many tokens there are.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if it does not hold so many tokens, to the byte.
    """
    data, at, scores = file.read_bytes(), 4, dict[str, float]()
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
    tokenizer.post_processor = TemplateProcessing("<s> $A", special_tokens=[("<s>", 1)])
    steps = [decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    tokenizer.decoder = decoders.Sequence(steps)
    tokenizer.add_special_tokens(_SPECIALS)
    tokenizer.encode_special_tokens = True  # typed in a text, they are text
    return tokenizer
