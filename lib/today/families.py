"""Four families of models, built of the book's pieces by what their config says.

What each calls its weights stands in ``names.toml``; what is odd in how it computes,
below, as leaves for the places where it does it.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from lib.attention import MultiHeadAttention
from lib.config import TransformerConfig
from lib.layers import LayerNorm
from lib.masks import causal_mask
from lib.model import Transformer
from lib.positions import PositionalEncoding
from lib.text.files import read_toml
from lib.today.blocks import ACTIVATIONS, LearnedPositionalEncoding
from lib.today.modernize import LanguageConfig, LanguageModel, modernize


class HalvedSines(PositionalEncoding):
    """Marian's positions: all sines in the first half of a row, all cosines behind.

    They are the numbers of §3.5 in another order, in which no sine stands beside its
    cosine.
    """

    def __init__(self, d_model: int, max_len: int) -> None:
        super().__init__(d_model, max_len)
        self.table = torch.cat([self.table[:, 0::2], self.table[:, 1::2]], dim=1)


class BeginsWithPad(MultiHeadAttention):
    """Marian's decoder looks at padding too, because its text begins with the pad.

    `decode` hides the pad's id, and so would hide the token that every text begins
    with. What stands behind the end of a text is hidden by the causal mask already.
    """

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        no_future = causal_mask(query.size(1), query.device)  # (T, T)
        return super().forward(query, key, value, no_future)


class TypedPositions(LearnedPositionalEncoding):
    """BERT's positions: a token's type is added as well, then everything is normed.

    A type says whether a token is of the first of two texts or of the second. This one
    takes all for the first, as `transformers` does when it is told nothing.
    """

    def __init__(self, d_model: int, max_len: int, n_types: int, eps: float) -> None:
        super().__init__(d_model, max_len)
        self.types = nn.Parameter(torch.zeros(n_types, d_model))
        self.norm = LayerNorm(d_model, eps)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(super().forward(x) + self.types[0])  # (B, T, D)


class TwoPartHead(nn.Linear):
    """BERT's output: a layer with activation and norm comes before the scores."""

    def __init__(
        self, d_model: int, vocab_size: int, activation: str, eps: float
    ) -> None:
        super().__init__(d_model, vocab_size)
        self.activation = activation
        self.transform = nn.Linear(d_model, d_model)
        self.norm = LayerNorm(d_model, eps)

    def forward(self, x: Tensor) -> Tensor:
        x = self.norm(ACTIVATIONS[self.activation](self.transform(x)))
        return super().forward(x)  # (B, T, D) -> (B, T, V)


Settings = dict[str, Any]
Model = LanguageModel | Transformer

NAMES = read_toml(Path(__file__).with_name("names.toml"))
"""Of each family: what it calls its settings and weights."""


def build(settings: Settings) -> Model:
    """Build the model that a ``config.json`` describes, with weights yet to come.

    Args:
        settings: what the file says.

    Raises:
        KeyError: if a setting is missing.
        TypeError: if a setting has the wrong type.
        ValueError: if a setting is one that the book's pieces cannot have.
    """
    names = NAMES[settings["model_type"]]
    for name, only in names.get("fixed", {}).items():
        if settings.get(name, only) != only:
            raise ValueError(f"{name} is {settings[name]!r}, and the book has {only!r}")
    sizes = {ours: settings[name] for ours, name in names["sizes"].items()}
    tied = settings.get("tie_word_embeddings", names.get("tied", True))
    return FAMILIES[settings["model_type"]](sizes | {"tie_embeddings": tied}, settings)


def plan(settings: Settings) -> dict[str, Tensor]:
    """Return the tensors of such a model without their numbers, for their shapes."""
    with torch.device("meta"):
        return build(settings).state_dict(keep_vars=True)


def _llama(sizes: Settings, settings: Settings) -> Model:
    """RMS norms, rotary positions, few keys and values, gates; no √D, few biases."""
    config = LanguageConfig(**sizes, dropout=0.0)
    wide, usual = settings.get("head_dim"), config.d_model // config.n_heads
    if wide not in (None, usual):
        given = "hidden_size / num_attention_heads"
        raise ValueError(f"head_dim is {wide!r}, and the book has {given}, {usual}")
    turns: Settings = {}
    for name in ("rope_scaling", "rope_parameters"):
        turns |= settings.get(name) or {}
        if (kind := turns.get("rope_type", turns.get("type", "default"))) != "default":
            raise ValueError(f"rope_type is {kind!r}, and the book has 'default'")
    biases = {"self_attention": "attention_bias", "feed_forward": "mlp_bias"}
    bare = [part for part, name in biases.items() if not settings.get(name, False)]
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
        bias=len(bare) < len(biases),
    )
    for layer in model.encoder.layers:
        for part in bare:
            _drop_biases(getattr(layer, part))
    _drop_biases(model.output_proj)
    model.embedding.scale = 1.0  # no √D
    return model


def _gpt2(sizes: Settings, settings: Settings) -> Model:
    """Learned positions, GELU by tanh, an ε of its own; no √D, no bias at the end."""
    d_ff = settings.get("n_inner") or 4 * sizes["d_model"]
    model = LanguageModel(LanguageConfig(**sizes, d_ff=d_ff))
    eps, act = settings["layer_norm_epsilon"], settings["activation_function"]
    model = modernize(model, eps=eps, activation=_activation(act), positions="learned")
    _drop_biases(model.output_proj)
    model.embedding.scale = 1.0  # no √D
    return model


def _bert(sizes: Settings, settings: Settings) -> Model:
    """Post-norm, types of tokens, a norm behind the embedding, a head in two parts."""
    config = LanguageConfig(**sizes, norm_first=False, causal=False)
    eps, act = settings["layer_norm_eps"], _activation(settings["hidden_act"])
    model = modernize(LanguageModel(config), eps=eps, activation=act)
    types = settings.get("type_vocab_size", 2)
    typed = TypedPositions(config.d_model, config.max_len, types, eps)
    model.positions = typed  # type: ignore[assignment]  # a leaf in its place
    head = TwoPartHead(config.d_model, config.vocab_size, act, eps)
    head.weight, model.output_proj = model.output_proj.weight, head
    model.embedding.scale = 1.0  # no √D
    return model


def _marian(sizes: Settings, settings: Settings) -> Model:
    """Sines in halves, swish, a decoder that begins with the pad, √D if it says so.

    Its final bias for each token is the bias of the book's output.
    """
    for name in ("layers", "attention_heads", "ffn_dim"):
        if settings[f"encoder_{name}"] != settings[f"decoder_{name}"]:
            raise ValueError(f"encoder_{name} and decoder_{name} are not the same")
    shared = settings.get("share_encoder_decoder_embeddings", True)
    tied, src = sizes.pop("tie_embeddings"), settings["vocab_size"]
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
    """Return the book's name of it; `modernize` refuses one that the book lacks."""
    return NAMES["activations"].get(name, name)


def _drop_biases(part: nn.Module) -> None:
    for each in part.modules():
        if isinstance(each, nn.Linear):
            each.register_parameter("bias", None)


FAMILIES = {"llama": _llama, "gpt2": _gpt2, "bert": _bert, "marian": _marian}
"""What builds a model of each family."""
