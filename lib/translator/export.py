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
from lib.text import EOS, SOS, UNK
from lib.text.files import write_json, write_reading, write_vocabularies
from lib.translator.base import DESCRIPTION, FORMAT, import_engine
from lib.translator.translator import Translator

WEIGHTS = ("float32", "int8")
_UNCHANGED = (
    "Only a model made of the book's own pieces, unchanged, can be exported; of this "
    "one: "
)


def export_translator(
    translator: Translator, folder: Path | str, weights: str = "float32"
) -> Path:
    """Write a translator for CTranslate2.

    Args:
        translator: what to write.
        folder: a folder that is empty or not there yet.
        weights: "float32", or "int8" for weights of 8 bits.

    Raises:
        FileExistsError: if there is something in the folder.
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
    _refuse_what_is_there(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = folder.with_name(f"{folder.name}.unfinished-{os.getpid()}")
    unfinished.mkdir()
    try:
        _write_model(translator, unfinished, weights)
        _write_description(translator, unfinished)
        if folder.is_dir():
            folder.rmdir()  # it is empty
        os.replace(unfinished, folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)  # half an export helps nobody
    return folder


def _refuse_other_pieces(model: Transformer) -> None:
    """Raise a ValueError if the model is not what its config builds."""
    with torch.device("meta"):  # no numbers: only classes and shapes
        plain = Transformer(model.config)
    own, book = dict(model.named_modules()), dict(plain.named_modules())
    shapes, expected = (
        {name: weight.shape for name, weight in each.state_dict().items()}
        for each in (model, plain)
    )
    for name in [*book, *own]:
        change = _change_of(own.get(name), book.get(name))
        if change:
            raise ValueError(f"{_UNCHANGED}{name or 'the model'} {change}.")
    if shapes != expected:
        raise ValueError(f"{_UNCHANGED}its weights have other names or shapes.")


def _change_of(part: nn.Module | None, piece: nn.Module | None) -> str | None:
    """Say in what a part of a model differs from the piece that the book builds."""
    if type(part) is not type(piece) or part is None:
        return "is not what the book builds there"
    if part._forward_hooks or part._forward_pre_hooks or "forward" in vars(part):
        return "has a hook, or a method of its own"
    heads = getattr(piece, "n_heads", None)
    if getattr(part, "n_heads", None) != heads:
        return f"has not {heads} heads"
    return None


def _refuse_what_is_there(folder: Path) -> None:
    """Raise a FileExistsError if an export would overwrite something there."""
    if folder.resolve() == Path.cwd():
        raise FileExistsError(
            "The folder that you stand in cannot become an export; name a new folder."
        )
    if folder.is_dir():
        for file in sorted(folder.iterdir()):
            raise FileExistsError(
                f"{folder} holds something already, such as {file.name}; name a new "
                "folder for the export."
            )
    elif folder.exists():
        raise FileExistsError(f"{folder} is a file; name a folder for the export.")


def _write_description(translator: Translator, folder: Path) -> None:
    """Write what CTranslate2's own files do not tell, and how long these are."""
    # The sizes tell later whether the folder was copied whole.
    sizes = {file.name: file.stat().st_size for file in sorted(folder.iterdir())}
    description: dict[str, Any] = {
        "format": FORMAT,
        "max_len": translator.model.config.max_len,
        **write_reading(
            translator.punctuate, translator.prose, translator.unsure_above
        ),
        "bytes": sizes,
        **write_vocabularies(folder, (translator.src_vocab, translator.tgt_vocab)),
    }
    write_json(folder / DESCRIPTION, description)


def _write_model(translator: Translator, folder: Path, weights: str) -> None:
    """Hand every weight over to CTranslate2, which lays them out as it likes them."""
    specs = import_engine("ctranslate2.specs")
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
