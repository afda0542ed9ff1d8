"""A translator, written down for CTranslate2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from lib.attention import MultiHeadAttention
from lib.engines.folder import import_engine
from lib.layers import LayerNorm
from lib.model import Transformer
from lib.text import EOS, SOS, UNK
from lib.translator import Translator


def write_ctranslate2(translator: Translator, folder: Path, weights: str) -> None:
    """Hand every weight over to CTranslate2, which lays them out as it likes them."""
    specs = import_engine("ctranslate2", "ctranslate2.specs")
    model = translator.model
    config = model.config
    spec = specs.TransformerSpec.from_config(
        config.n_layers, config.n_heads, pre_norm=config.norm_first
    )
    spec.encoder.embeddings[0].weight = _array(model.src_embedding.table.weight)
    spec.decoder.embeddings.weight = _array(model.tgt_embedding.table.weight)
    _linear(spec.decoder.projection, model.output_proj)
    _stack(spec.encoder, model.encoder, model)
    _stack(spec.decoder, model.decoder, model)
    spec.register_source_vocabulary(list(translator.src_vocab.tokens))
    spec.register_target_vocabulary(list(translator.tgt_vocab.tokens))
    names = {"unk_token": UNK, "eos_token": EOS, "bos_token": SOS}
    for name, value in {**names, "decoder_start_token": SOS}.items():
        setattr(spec.config, name, value)
    spec.config.add_source_eos = True
    spec.config.layer_norm_epsilon = _epsilon(model)
    spec.validate()
    spec.optimize(quantization=None if weights == "float32" else weights)
    spec.save(str(folder))


def _array(tensor: Tensor) -> Any:
    # A copy: the library scales what it is given in place, for 8 bits.
    return tensor.detach().to("cpu", torch.float32, copy=True).contiguous().numpy()


def _linear(spec: Any, *maps: nn.Linear) -> None:
    """Set one linear map, or several of the same vectors side by side."""
    spec.weight = _array(torch.cat([part.weight for part in maps]))
    spec.bias = _array(torch.cat([part.bias for part in maps]))


def _norm(spec: Any, norm: LayerNorm) -> None:
    spec.gamma, spec.beta = _array(norm.weight), _array(norm.bias)


def _stack(spec: Any, stack: Any, model: Transformer) -> None:
    # The engine has sines and cosines of its own, in another order than ours.
    spec.position_encodings.encodings = _array(model.positions.table)
    if model.config.norm_first:
        _norm(spec.layer_norm, stack.norm)
    for layer_spec, layer in zip(spec.layer, stack.layers, strict=True):
        _self_attention(layer_spec.self_attention, layer.self_attention)
        _norm(layer_spec.self_attention.layer_norm, layer.self_attention_residual.norm)
        if stack is model.decoder:
            _cross_attention(layer_spec.attention, layer.cross_attention)
            _norm(layer_spec.attention.layer_norm, layer.cross_attention_residual.norm)
        _linear(layer_spec.ffn.linear_0, layer.feed_forward.inner)
        _linear(layer_spec.ffn.linear_1, layer.feed_forward.outer)
        _norm(layer_spec.ffn.layer_norm, layer.feed_forward_residual.norm)


def _self_attention(spec: Any, part: MultiHeadAttention) -> None:
    _linear(spec.linear[0], part.query_proj, part.key_proj, part.value_proj)
    _linear(spec.linear[1], part.output_proj)


def _cross_attention(spec: Any, part: MultiHeadAttention) -> None:
    _linear(spec.linear[0], part.query_proj)
    _linear(spec.linear[1], part.key_proj, part.value_proj)
    _linear(spec.linear[2], part.output_proj)


def _epsilon(model: Transformer) -> float:
    """Return the ε of the norms: the engine knows one for all."""
    found = {part.eps for part in model.modules() if isinstance(part, LayerNorm)}
    if len(found) > 1:
        raise ValueError(
            f"CTranslate2 knows one eps for all norms, but the model has {found}."
        )
    return found.pop()
