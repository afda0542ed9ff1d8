"""A translator, written down as two ONNX graphs: the encoder, one step of the decoder.

What is written is what the book's own classes compute while PyTorch watches them. For
the step, each attention of the decoder is exchanged for a twin that is given the keys
and values of what was read before.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor, nn

from lib.attention import MultiHeadAttention, scaled_dot_product_attention
from lib.engines.folder import import_engine
from lib.layers import DecoderLayer
from lib.masks import padding_mask
from lib.model import Transformer
from lib.translator import Translator

OPSET = 17


def write_onnx(translator: Translator, folder: Path) -> None:
    """Write ``encoder.onnx`` and ``decoder.onnx``; batch and lengths stay open."""
    onnx = import_engine("onnx", "onnx")
    model = copy.deepcopy(translator.model).cpu().float().eval()
    src = torch.full((2, 3), translator.src_vocab.eos_id)  # any batch serves to watch
    ids = src[:, 0]
    encoder = _Encoder(model)
    with torch.no_grad():
        memory = encoder(src)
        _export(folder / "encoder.onnx", encoder, {"src": src}, _names("memory", model))
        given = {"ids": ids, "src": src}
        for name in ("kept", "memory"):
            given |= dict(zip(_names(name, model), memory, strict=True))
        step = _Step(model)  # exchanges the attention, so the encoder comes first
        grown = _names("grown", model)
        _export(folder / "decoder.onnx", step, given, ["logits", *grown])
    for file in folder.glob("*.onnx"):
        onnx.checker.check_model(str(file))


def _names(name: str, model: Transformer) -> list[str]:
    """Name the keys and the values of each layer, one after the other."""
    return [f"{name}_{number}" for number in range(2 * model.config.n_layers)]


_OPEN = {"memory": "source", "kept": "read", "grown": "written"}


def _axes(names: list[str]) -> dict[str, dict[int, str]]:
    """Say which dimensions may differ from call to call."""
    shapes: dict[str, dict[int, str]] = {}
    for name in names:
        shapes[name] = {0: "batch"}
        if name == "src":
            shapes[name][1] = "source"
        elif name.partition("_")[0] in _OPEN:
            shapes[name][2] = _OPEN[name.partition("_")[0]]
    return shapes


def _export(
    file: Path, graph: nn.Module, given: dict[str, Tensor], got: list[str]
) -> None:
    with warnings.catch_warnings():
        # The checks of shapes are not part of the graph, and PyTorch says so.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            graph,
            tuple(given.values()),
            str(file),
            input_names=list(given),
            output_names=got,
            dynamic_axes=_axes([*given, *got]),
            opset_version=OPSET,
            dynamo=False,  # the newer exporter takes twenty times as long
        )


def _attentions(model: Transformer) -> Iterator[tuple[nn.Module, str]]:
    """Yield where the attentions of the decoder are: of themselves, of the source."""
    for name in ("self_attention", "cross_attention"):
        for layer in model.decoder.layers:
            yield layer, name


class _Encoder(nn.Module):
    """From the source to the keys and values that the decoder wants of it."""

    def __init__(self, model: Transformer) -> None:
        super().__init__()
        self.model = model

    def forward(self, src: Tensor) -> tuple[Tensor, ...]:
        model = self.model
        memory = model.encode(src, padding_mask(src, model.config.pad_id))
        crosses = [
            layer.cross_attention
            for layer in model.decoder.layers
            if isinstance(layer, DecoderLayer)  # all are; the type checker asks
        ]
        return tuple(
            cross.split_heads(project(memory))  # (B, H, S, D/H)
            for cross in crosses
            for project in (cross.key_proj, cross.value_proj)
        )


class _KeptAttention(MultiHeadAttention):
    """The book's attention, with keys and values that were computed before."""

    keys: Tensor  # (B, H, T, D/H)
    values: Tensor

    def __init__(self, attention: MultiHeadAttention, grows: bool) -> None:
        nn.Module.__init__(self)
        self.n_heads, self.grows = attention.n_heads, grows
        self.query_proj, self.key_proj = attention.query_proj, attention.key_proj
        self.value_proj, self.output_proj = attention.value_proj, attention.output_proj

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        if self.grows:
            new = self.split_heads(self.key_proj(key))
            self.keys = torch.cat([self.keys, new], dim=2)
            new = self.split_heads(self.value_proj(value))
            self.values = torch.cat([self.values, new], dim=2)
        q = self.split_heads(self.query_proj(query))
        heads, weights = scaled_dot_product_attention(q, self.keys, self.values, mask)
        return self.output_proj(self.merge_heads(heads)), weights


class _Step(nn.Module):
    """From the newest token, and what is kept of others, to the next one's scores."""

    def __init__(self, model: Transformer) -> None:
        super().__init__()
        self.model = model
        self.kept: list[_KeptAttention] = []
        for layer, name in _attentions(model):
            grows = name == "self_attention"
            self.kept.append(_KeptAttention(getattr(layer, name), grows))
            setattr(layer, name, self.kept[-1])

    def forward(self, ids: Tensor, src: Tensor, *kept: Tensor) -> tuple[Tensor, ...]:
        model = self.model
        for number, attention in enumerate(self.kept):
            attention.keys, attention.values = kept[2 * number : 2 * number + 2]
        read = kept[0].size(2)
        x = model.tgt_embedding(ids[:, None])  # (B, 1, D)
        x = x + model.positions.table[read : read + 1]
        src_mask = padding_mask(src, model.config.pad_id)
        # The memory is in the twins already; x stands where it would.
        x = model.decoder(x, x, None, src_mask)
        grown = [part for part in self.kept if part.grows]
        return (
            model.output_proj(x)[:, 0],  # (B, V)
            *(each for part in grown for each in (part.keys, part.values)),
        )
