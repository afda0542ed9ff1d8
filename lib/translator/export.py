"""Write a translator for CTranslate2, into a folder of its own, whole or not at all."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from lib.attention import MultiHeadAttention
from lib.layers import LayerNorm
from lib.model import Transformer
from lib.speed.fused import is_plain
from lib.text import EOS, SOS, UNK
from lib.text.files import write_json, write_reading, write_vocabularies
from lib.translator.base import DESCRIPTION, FORMAT, import_engine
from lib.translator.translator import Translator

WEIGHTS = ("float32", "int8")


def export_translator(
    translator: Translator, folder: Path | str, weights: str = "float32"
) -> Path:
    """Write a translator for CTranslate2.

    Args:
        translator: what to write.
        folder: a folder that is empty or not there yet.
        weights: "float32", or "int8" for weights of 8 bits.

    Raises:
        FileExistsError: if there is something in the folder, or it is a file.
        OSError: if CTranslate2 is not installed, or the disk is full.
        ValueError: if there are no such weights, or the model is not made of the book's
            own pieces.

    Example:
        >>> export_translator(Translator.load("grammar-en-es"), "there", "int4")
        Traceback (most recent call last):
        ...
        ValueError: An export has weights in float32 or int8, not in 'int4'.
    """
    if weights not in WEIGHTS:
        raise ValueError(
            f"An export has weights in {' or '.join(WEIGHTS)}, not in {weights!r}."
        )
    _refuse_other_pieces(translator.model)
    folder = Path(folder)
    if folder.is_file():
        raise FileExistsError(f"{folder} is a file; name a folder for the export.")
    for file in folder.iterdir() if folder.exists() else ():
        raise FileExistsError(
            f"{folder} holds something already, such as {file.name}; name a new folder "
            "for the export."
        )
    unfinished = folder.with_name(f"{folder.name}.unfinished-{os.getpid()}")
    unfinished.mkdir(parents=True)
    try:
        _write_model(translator, unfinished, weights)
        _write_description(translator, unfinished)
        if folder.exists():
            folder.rmdir()  # it is empty
        os.replace(unfinished, folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)  # half an export helps nobody
    return folder


def _refuse_other_pieces(model: Transformer) -> None:
    """Raise a ValueError if the model is not what its config builds."""
    with torch.device("meta"):  # no numbers: only classes and shapes
        plain = Transformer(model.config)
    if not is_plain(model) or _built(model) != _built(plain):
        raise ValueError(
            "Only a model made of the book's own pieces, unchanged, can be exported; "
            "this one has other pieces or shapes, a hook, or a method of its own."
        )


def _built(model: Transformer) -> list[tuple[str, object, object]]:
    """Return the parts of a model, each with its kind, and heads or shape."""
    parts = model.named_modules()
    return [
        *((name, type(part), getattr(part, "n_heads", None)) for name, part in parts),
        *((name, None, each.shape) for name, each in model.state_dict().items()),
    ]


def _write_description(translator: Translator, folder: Path) -> None:
    """Write what CTranslate2's own files do not tell, and how long these are."""
    # The sizes tell later whether the folder was copied whole.
    sizes = {file.name: file.stat().st_size for file in sorted(folder.iterdir())}
    reading = translator.punctuate, translator.prose, translator.unsure_above
    description: dict[str, Any] = {
        "format": FORMAT,
        "max_len": translator.max_len,
        **write_reading(*reading),
        "bytes": sizes,
        **write_vocabularies(folder, (translator.src_vocab, translator.tgt_vocab)),
    }
    write_json(folder / DESCRIPTION, description)


def _write_model(translator: Translator, folder: Path, weights: str) -> None:
    """Hand every weight over to CTranslate2, which lays them out as it likes them."""
    specs = import_engine("ctranslate2.specs")
    model = translator.model
    spec = specs.TransformerSpec.from_config(
        model.config.n_layers, model.config.n_heads, pre_norm=model.config.norm_first
    )
    spec.encoder.embeddings[0].weight = _array(model.src_embedding.table.weight)
    spec.decoder.embeddings.weight = _array(model.tgt_embedding.table.weight)
    _linear(spec.decoder.projection, model.output_proj)
    _stack(spec.encoder, model.encoder, model)
    _stack(spec.decoder, model.decoder, model)
    spec.register_source_vocabulary(translator.src_vocab.tokens)
    spec.register_target_vocabulary(translator.tgt_vocab.tokens)
    config = spec.config
    config.unk_token, config.eos_token = UNK, EOS
    config.bos_token = config.decoder_start_token = SOS
    config.add_source_eos = True
    config.layer_norm_epsilon = _epsilon(model)
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
