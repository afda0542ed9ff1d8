"""Four families of models, built of the book's pieces by what their config says."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from torch import nn

from lib.config import TransformerConfig
from lib.model import Transformer
from lib.today.language import LanguageConfig, LanguageModel
from lib.today.modernize import modernize
from lib.today.names import BERT, GPT2, LLAMA, MARIAN, Names
from lib.today.oddities import BeginsWithPad, HalvedSines, TwoPartHead, TypedPositions

Settings = Mapping[str, Any]
Model = LanguageModel | Transformer

_ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",  # GPT-2's, which approximates it by tanh
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",  # Marian's name of it
}


def build(family: str, settings: Settings) -> Model:
    """Build a model of a family, with weights that are yet to come.

    Args:
        family: one of :data:`FAMILIES`.
        settings: what its ``config.json`` says.

    Raises:
        KeyError: if a setting is missing.
        TypeError: if a setting has the wrong type.
        ValueError: if a setting is one that the book's pieces cannot have.
    """
    names, make = FAMILIES[family]
    for name, only in names.fixed.items():
        if settings.get(name, only) != only:
            raise ValueError(f"{name} is {settings[name]!r}, but the book has {only!r}")
    sizes = {ours: settings[theirs] for ours, theirs in names.sizes.items()}
    return make(sizes, settings)


def _llama(sizes: dict[str, Any], settings: Settings) -> Model:
    """RMS norms, rotary positions, few keys and values, gates; no √D, few biases."""
    tied = settings.get("tie_word_embeddings", False)
    config = LanguageConfig(**sizes, dropout=0.0, tie_embeddings=tied)
    turns = settings.get("rope_parameters") or settings.get("rope_scaling") or {}
    kind = turns.get("rope_type", turns.get("type", "default"))
    if kind != "default":
        raise ValueError(f"rope_type is {kind!r}, but the book has 'default'")
    width = settings.get("head_dim") or config.d_model // config.n_heads
    if width * config.n_heads != config.d_model:
        raise ValueError(
            f"head_dim is {width}, but the book's {config.n_heads} heads share "
            f"{config.d_model} numbers"
        )
    bias = {"self_attention": "attention_bias", "feed_forward": "mlp_bias"}
    has = {part: settings.get(name, False) for part, name in bias.items()}
    model = modernize(
        LanguageModel(config),
        norm="rms",
        eps=settings["rms_norm_eps"],
        feed_forward="gated",
        activation=_activation(settings["hidden_act"]),
        d_ff=config.d_ff,
        positions="rotary",
        base=turns.get("rope_theta") or settings.get("rope_theta", 10_000.0),
        # The two halves of a head make pairs in transformers, neighbors in llama2.c.
        pairs=settings.get("pairs", "halves"),
        kv_heads=settings.get("num_key_value_heads") or config.n_heads,
        bias=any(has.values()),
    )
    for layer in model.encoder.layers:
        for part in (part for part in bias if not has[part]):
            _drop_biases(*getattr(layer, part).children())
    _drop_biases(model.output_proj)
    model.embedding.scale = 1.0  # no √D
    return model


def _gpt2(sizes: dict[str, Any], settings: Settings) -> Model:
    """Learned positions, GELU by tanh, an ε of its own; no √D, an output without bias.

    That its linear maps are transposed, and queries, keys and values joined, is a
    matter of the file: its table of names says it.
    """
    d_ff = settings.get("n_inner") or 4 * sizes["d_model"]
    tied = settings.get("tie_word_embeddings", True)
    model = modernize(
        LanguageModel(LanguageConfig(**sizes, d_ff=d_ff, tie_embeddings=tied)),
        eps=settings["layer_norm_epsilon"],
        activation=_activation(settings["activation_function"]),
        positions="learned",
    )
    _drop_biases(model.output_proj)
    model.embedding.scale = 1.0  # no √D
    return model


def _bert(sizes: dict[str, Any], settings: Settings) -> Model:
    """Post-norm, types of tokens, a norm behind the embedding, a head in two parts."""
    tied = settings.get("tie_word_embeddings", True)
    config = LanguageConfig(
        **sizes, norm_first=False, tie_embeddings=tied, causal=False
    )
    eps, act = settings["layer_norm_eps"], _activation(settings["hidden_act"])
    model = modernize(LanguageModel(config), eps=eps, activation=act)
    types = settings.get("type_vocab_size", 2)
    typed = TypedPositions(config.d_model, config.max_len, types, eps)
    model.positions = typed  # type: ignore[assignment]  # a leaf in its place
    head = TwoPartHead(config.d_model, config.vocab_size, act, eps)
    head.weight, model.output_proj = model.output_proj.weight, head
    model.embedding.scale = 1.0  # no √D
    return model


def _marian(sizes: dict[str, Any], settings: Settings) -> Model:
    """Sines in two halves, swish, a decoder that begins with the pad, √D if it says so.

    Its final bias for each token is the bias of the book's output.
    """
    for name in ("layers", "attention_heads", "ffn_dim"):
        read, write = (settings[f"{side}_{name}"] for side in ("encoder", "decoder"))
        if read != write:
            raise ValueError(
                f"encoder_{name} is {read} and decoder_{name} is {write}, but in the "
                "book both are the same"
            )
    shared = settings.get("share_encoder_decoder_embeddings", True)
    tied, src = settings.get("tie_word_embeddings", True), settings["vocab_size"]
    tgt = src if shared else settings.get("decoder_vocab_size") or src
    config = TransformerConfig(src, tgt, **sizes, tie_embeddings=shared and tied)
    act = _activation(settings["activation_function"])
    model = modernize(Transformer(config), activation=act)
    model.positions = HalvedSines(config.d_model, config.max_len)
    for layer in model.decoder.layers:
        layer.self_attention = BeginsWithPad(config.d_model, config.n_heads)
    if tied:
        model.output_proj.weight = model.tgt_embedding.table.weight
    scale = math.sqrt(config.d_model) if settings.get("scale_embedding") else 1.0
    model.src_embedding.scale = model.tgt_embedding.scale = scale
    return model


def _activation(name: str) -> str:
    if name not in _ACTIVATIONS:
        known = ", ".join(_ACTIVATIONS)
        raise ValueError(f"the activation is {name!r}, but the book has {known}")
    return _ACTIVATIONS[name]


def _drop_biases(*maps: nn.Module) -> None:
    for each in maps:
        each.register_parameter("bias", None)


FAMILIES: dict[str, tuple[Names, Callable[[dict[str, Any], Settings], Model]]] = {
    "llama": (LLAMA, _llama),
    "gpt2": (GPT2, _gpt2),
    "bert": (BERT, _bert),
    "marian": (MARIAN, _marian),
}
"""Each family that can be read: its names, and what builds a model of it."""
