"""What four families call their weights and sizes, and what the book calls them.

In a table of weights the family's name is on the left and the book's on the right; {}
is the number of a layer, and a module stands for its weight and its bias. If two on the
left are the same on the right, the later one counts. If there are several on the right,
theirs is ours put one below the other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

_PROJECTIONS = ("query_proj", "key_proj", "value_proj", "output_proj")


@dataclasses.dataclass(frozen=True)
class Names:
    """How one family writes down a model.

    Args:
        sizes: the book's settings, and what ``config.json`` calls them.
        weights: the table of weights.
        lying_about: patterns of tensors that are known to lie in such files though
            nothing needs them, each with why.
        fixed: settings that the book's pieces can have in one way alone; one that is
            not written down is so.
        old: patterns of what old files call something, and its name of today.
        transposed: pattern of the weights with a row for each number that comes in.
        rows: pattern of the biases that are matrices of one row.
    """

    sizes: Mapping[str, str]
    weights: Mapping[str, str | tuple[str, ...]]
    lying_about: Mapping[str, str]
    fixed: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    old: Mapping[str, str] = dataclasses.field(default_factory=dict)
    transposed: str = r"(?!)"  # nothing
    rows: str = r"(?!)"


def _attention(ours: str, *theirs: str) -> dict[str, str]:
    """Name the four linear maps of an attention."""
    return {
        each: f"{ours}.{name}" for each, name in zip(theirs, _PROJECTIONS, strict=True)
    }


def _layers(
    theirs: str, ours: str, names: Mapping[str, str | tuple[str, ...]]
) -> dict[str, str | tuple[str, ...]]:
    """Put the layer in front of the names of its parts."""
    return {
        f"{theirs}.{{}}.{left}": f"{ours}.layers.{{}}.{right}"
        if isinstance(right, str)
        else tuple(f"{ours}.layers.{{}}.{each}" for each in right)
        for left, right in names.items()
    }


LLAMA = Names(
    sizes={
        "vocab_size": "vocab_size",
        "d_model": "hidden_size",
        "n_heads": "num_attention_heads",
        "n_layers": "num_hidden_layers",
        "d_ff": "intermediate_size",
        "max_len": "max_position_embeddings",
    },
    weights={
        "model.embed_tokens": "embedding.table",
        **_layers(
            "model.layers",
            "encoder",
            {
                "input_layernorm": "self_attention_residual.norm",
                **_attention(
                    "self_attention", *(f"self_attn.{each}_proj" for each in "qkvo")
                ),
                "post_attention_layernorm": "feed_forward_residual.norm",
                "mlp.gate_proj": "feed_forward.gate",
                "mlp.up_proj": "feed_forward.inner",
                "mlp.down_proj": "feed_forward.outer",
            },
        ),
        "model.norm": "encoder.norm",
        "lm_head": "output_proj",
    },
    lying_about={r".*\.rotary_emb\.inv_freq": "old files keep what can be computed"},
)

GPT2 = Names(
    sizes={
        "vocab_size": "vocab_size",
        "d_model": "n_embd",
        "n_heads": "n_head",
        "n_layers": "n_layer",
        "dropout": "resid_pdrop",
        "max_len": "n_positions",
    },
    weights={
        "transformer.wte": "embedding.table",
        "transformer.wpe.weight": "positions.table",
        **_layers(
            "transformer.h",
            "encoder",
            {
                "ln_1": "self_attention_residual.norm",
                "attn.c_attn": tuple(f"self_attention.{p}" for p in _PROJECTIONS[:3]),
                "attn.c_proj": "self_attention.output_proj",
                "ln_2": "feed_forward_residual.norm",
                "mlp.c_fc": "feed_forward.inner",
                "mlp.c_proj": "feed_forward.outer",
            },
        ),
        "transformer.ln_f": "encoder.norm",
        "lm_head": "output_proj",
    },
    lying_about={
        r".*\.attn\.bias": "the causal mask, which old versions kept",
        r".*\.attn\.masked_bias": "the score of what it hides, kept by old versions",
    },
    fixed={
        "scale_attn_weights": True,
        "scale_attn_by_inverse_layer_idx": False,
        "add_cross_attention": False,
    },
    old={r"^(?=(h|wte|wpe|ln_f)\.)": "transformer."},
    transposed=r"\.c_(attn|proj|fc)\.weight$",
)

BERT = Names(
    sizes={**LLAMA.sizes, "dropout": "hidden_dropout_prob"},
    weights={
        "bert.embeddings.word_embeddings": "embedding.table",
        "bert.embeddings.position_embeddings.weight": "positions.table",
        "bert.embeddings.token_type_embeddings.weight": "positions.types",
        "bert.embeddings.LayerNorm": "positions.norm",
        **_layers(
            "bert.encoder.layer",
            "encoder",
            {
                **_attention(
                    "self_attention",
                    *(f"attention.self.{each}" for each in ("query", "key", "value")),
                    "attention.output.dense",
                ),
                "attention.output.LayerNorm": "self_attention_residual.norm",
                "intermediate.dense": "feed_forward.inner",
                "output.dense": "feed_forward.outer",
                "output.LayerNorm": "feed_forward_residual.norm",
            },
        ),
        "cls.predictions.transform.dense": "output_proj.transform",
        "cls.predictions.transform.LayerNorm": "output_proj.norm",
        "cls.predictions.bias": "output_proj.bias",
        "cls.predictions.decoder": "output_proj",
    },
    lying_about={
        r"bert\.pooler\..*": "a layer on top of the first token, which scores no token",
        r"cls\.seq_relationship\..*": "it scores whether one text follows another",
        r"bert\.embeddings\.position_ids": "0, 1, 2 and so on, kept by old versions",
    },
    fixed={
        "is_decoder": False,
        "add_cross_attention": False,
        "position_embedding_type": "absolute",
    },
    old={
        r"\bLayerNorm\.gamma$": "LayerNorm.weight",
        r"\bLayerNorm\.beta$": "LayerNorm.bias",
    },
)

_MARIAN_LAYER = {
    **_attention(
        "self_attention", *(f"self_attn.{each}_proj" for each in ("q", "k", "v", "out"))
    ),
    "self_attn_layer_norm": "self_attention_residual.norm",
    "fc1": "feed_forward.inner",
    "fc2": "feed_forward.outer",
    "final_layer_norm": "feed_forward_residual.norm",
}

MARIAN = Names(
    sizes={
        "d_model": "d_model",
        "n_heads": "encoder_attention_heads",
        "n_layers": "encoder_layers",
        "d_ff": "encoder_ffn_dim",
        "dropout": "dropout",
        "max_len": "max_position_embeddings",
        "pad_id": "pad_token_id",
    },
    weights={
        "model.shared": "tgt_embedding.table",
        "model.encoder.embed_tokens": "src_embedding.table",
        "model.decoder.embed_tokens": "tgt_embedding.table",
        **_layers("model.encoder.layers", "encoder", _MARIAN_LAYER),
        **_layers("model.decoder.layers", "decoder", _MARIAN_LAYER),
        **_layers(
            "model.decoder.layers",
            "decoder",
            {
                **_attention(
                    "cross_attention",
                    *(f"encoder_attn.{each}_proj" for each in ("q", "k", "v", "out")),
                ),
                "encoder_attn_layer_norm": "cross_attention_residual.norm",
            },
        ),
        "lm_head": "output_proj",
        "final_logits_bias": "output_proj.bias",
    },
    lying_about={r"model\.(en|de)coder\.embed_positions\.weight": "sines and cosines"},
    rows=r"^final_logits_bias$",
)
