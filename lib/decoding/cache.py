"""The cache: what earlier steps computed, kept so that a step reads one new token."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lib.layers import DecoderLayer, LayerNorm, PositionwiseFeedForward, Residual
from lib.masks import padding_mask
from lib.model import Transformer
from lib.speed.pieces import are_unchanged

__all__ = ["DecoderCache", "can_be_cached"]


def can_be_cached(model: nn.Module) -> bool:
    """Tell whether a model's decoder is made of the book's own pieces, unchanged.

    Args:
        model: any module.

    Example:
        >>> from lib.config import TransformerConfig
        >>> model = Transformer(TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=16))
        >>> can_be_cached(model)
        True
        >>> _ = model.decoder.layers[0].register_forward_hook(print)
        >>> can_be_cached(model)
        False

    Built in chapter 12.
    """
    if type(model) is not Transformer or "decode" in vars(model):
        return False
    return are_unchanged(model, "decoder", "tgt_embedding", "positions", "output_proj")


class DecoderCache:
    r"""A decoder that reads its own words once each, the newest one in every step.

    Keys and values of a token never change once it is written, because no token sees a
    later one (§3.2.3). So they are kept, and a step computes those of the newest token
    alone. The keys and values of the source are computed once, at the start.

    Args:
        model: the Transformer; it should be in evaluation mode.
        src: token ids of the source sentences, padded.
        room: most steps that will be made.

    Shape:
        src: :math:`(B, S)`.

    Raises:
        ValueError: if a step is made beyond ``room``, or ``room`` beyond the positions
            of the model.

    Example:
        >>> from lib.config import TransformerConfig
        >>> model = Transformer(TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=16))
        >>> cache = DecoderCache(model.eval(), torch.tensor([[4, 5, 6]]), room=5)
        >>> cache.step(torch.tensor([1])).shape
        torch.Size([1, 9])

    Built in chapter 12.
    """

    def __init__(self, model: Transformer, src: Tensor, room: int) -> None:
        if not 1 <= room <= model.config.max_len:
            raise ValueError(
                f"room must lie between 1 and the model's {model.config.max_len} "
                f"positions, but it is {room}."
            )
        self.model = model
        self.length = 0
        self.room = room
        src_mask = padding_mask(src, model.config.pad_id)  # (B, 1, 1, S)
        memory = model.encode(src, src_mask)  # (B, S, D)
        # Without padding there is nothing to hide, and attention is faster.
        self.src_mask = None if bool(src_mask.all()) else src_mask
        self.layers = [
            _CachedLayer(layer, memory, room)
            for layer in model.decoder.layers
            if isinstance(layer, DecoderLayer)  # all are; the type checker asks
        ]

    def step(self, ids: Tensor) -> Tensor:
        """Read one token of each sentence (B), and score the next ones (B, V)."""
        if self.length == self.room:
            raise ValueError(f"The cache has room for {self.room} steps and no more.")
        model = self.model
        x = model.tgt_embedding.table(ids) * model.tgt_embedding.scale  # (B, D)
        x = x + model.positions.table[self.length]
        for layer in self.layers:
            x = layer.step(x, self.length, self.src_mask)
        self.length += 1
        return _on_the_left(model.output_proj, _norm(model.decoder.norm, x)).t()

    def select(self, rows: Tensor) -> None:
        """Go on with these sentences alone, in this order; one may stand twice."""
        if self.src_mask is not None:
            self.src_mask = self.src_mask[rows]
        for layer in self.layers:
            layer.select(rows)

    def reorder(self, rows: Tensor) -> None:
        """Let each row go on from what another row of its sentence has read."""
        for layer in self.layers:  # the source is the same, and stays where it is
            layer.reorder(rows, self.length)


class _Maps:
    """Linear maps of the same vectors side by side, as one product for few tokens."""

    def __init__(self, *maps: nn.Linear) -> None:
        # (in, out) in memory: for a thin matrix that is read faster than (out, in).
        self.weight = torch.cat([part.weight for part in maps]).t().contiguous()
        self.bias = torch.cat([part.bias for part in maps])

    def __call__(self, x: Tensor) -> Tensor:
        return torch.addmm(self.bias, x, self.weight)  # (B, out)


class _CachedLayer:
    """One decoder layer with the keys and values of everything it has read."""

    def __init__(self, layer: DecoderLayer, memory: Tensor, room: int) -> None:
        self.layer = layer
        own, cross = layer.self_attention, layer.cross_attention
        self.own_maps = _Maps(own.query_proj, own.key_proj, own.value_proj)
        self.own_output = _Maps(own.output_proj)
        self.query = _Maps(cross.query_proj)
        self.cross_output = _Maps(cross.output_proj)
        # They are read in every step: in one piece of memory that is faster.
        keys, values = cross.key_proj(memory), cross.value_proj(memory)  # (B, S, D)
        self.src_keys = cross.split_heads(keys).contiguous()  # (B, H, S, D/H)
        self.src_values = cross.split_heads(values).contiguous()
        batch, heads, _, d_head = self.src_keys.shape
        self.keys = memory.new_empty(batch, heads, room, d_head)
        self.values = memory.new_empty(batch, heads, room, d_head)

    def step(self, x: Tensor, place: int, src_mask: Tensor | None) -> Tensor:
        layer = self.layer
        y = _before(layer.self_attention_residual, x)
        y = self.own_output(self._look_back(y, place))
        x = _after(layer.self_attention_residual, x, y)
        y = _before(layer.cross_attention_residual, x)
        y = self.cross_output(self._look_at_source(y, src_mask))
        x = _after(layer.cross_attention_residual, x, y)
        y = _before(layer.feed_forward_residual, x)
        return _after(layer.feed_forward_residual, x, _think(layer.feed_forward, y))

    def _look_back(self, y: Tensor, place: int) -> Tensor:
        qkv = self.own_maps(y)  # (B, 3D)
        q, k, v = qkv.view(len(y), 3, self.keys.size(1), 1, -1).unbind(1)
        self.keys[:, :, place : place + 1] = k
        self.values[:, :, place : place + 1] = v
        # Only what is written so far stands there, so no causal mask is needed.
        keys, values = self.keys[:, :, : place + 1], self.values[:, :, : place + 1]
        return _attend(q, keys, values, None)

    def _look_at_source(self, y: Tensor, src_mask: Tensor | None) -> Tensor:
        q = self.query(y).view(len(y), self.keys.size(1), 1, -1)
        return _attend(q, self.src_keys, self.src_values, src_mask)

    def select(self, rows: Tensor) -> None:
        self.src_keys, self.src_values = self.src_keys[rows], self.src_values[rows]
        self.keys, self.values = self.keys[rows], self.values[rows]

    def reorder(self, rows: Tensor, length: int) -> None:
        for kept in (self.keys, self.values):
            kept[:, :, :length] = kept[rows, :, :length]  # no more than is written


def _attend(query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> Tensor:
    heads = F.scaled_dot_product_attention(query, keys, values, attn_mask=mask)
    return heads.reshape(len(heads), -1)  # (B, H, 1, D/H) -> (B, D)


def _on_the_left(linear: nn.Linear, x: Tensor) -> Tensor:
    # One token for each sentence makes a thin matrix. With the weights on the left,
    # each core computes and keeps its own rows of the answer.
    return torch.addmm(linear.bias[:, None], linear.weight, x.t())  # (out, B)


def _think(block: PositionwiseFeedForward, x: Tensor) -> Tensor:
    inner = _on_the_left(block.inner, x).relu_()  # (d_ff, B)
    return _on_the_left(block.outer, inner.t()).t()  # (B, D)


def _before(residual: Residual, x: Tensor) -> Tensor:
    return _norm(residual.norm, x) if residual.norm_first else x


def _after(residual: Residual, x: Tensor, y: Tensor) -> Tensor:
    return x + y if residual.norm_first else _norm(residual.norm, x + y)


def _norm(norm: nn.Module, x: Tensor) -> Tensor:
    if not isinstance(norm, LayerNorm):  # the Identity after a post-norm stack
        return norm(x)
    return F.layer_norm(x, norm.weight.shape, norm.weight, norm.bias, norm.eps)
