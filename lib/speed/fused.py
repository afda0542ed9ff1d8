"""Fused pieces: the same weights and answers, in fewer steps."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import torch
from numpy.random import SFC64
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from lib.attention import MultiHeadAttention, check_attention_shapes
from lib.layers import LayerNorm

__all__ = [
    "FusedAttention",
    "FusedDropout",
    "FusedLayerNorm",
    "fuse",
    "fused_cross_entropy",
]

AnyModule = TypeVar("AnyModule", bound=nn.Module)


class FusedAttention(MultiHeadAttention):
    r"""Multi-head attention (§3.2.2) that never writes its weights down.

    PyTorch's one kernel goes through the scores piece by piece and keeps no matrix of
    them. So there are no weights to give back: they come as an empty tensor, unless a
    hook is set to see them, as :func:`~lib.attention.record_attention` does. What is
    projected from the same vectors is projected by one matrix product.

    Args:
        d_model: numbers in the vector of one token, **D**.
        n_heads: number of heads, **H**; must divide ``d_model``.

    Shape:
        As in :class:`~lib.attention.MultiHeadAttention`; the weights are
        :math:`(0)`.

    Raises:
        ValueError: if ``n_heads`` does not divide ``d_model``, or a shape does not fit.

    Example:
        >>> plain = MultiHeadAttention(d_model=8, n_heads=2)
        >>> fused = FusedAttention(d_model=8, n_heads=2)
        >>> _ = fused.load_state_dict(plain.state_dict())
        >>> x = torch.ones(1, 3, 8)
        >>> torch.allclose(fused(x, x, x)[0], plain(x, x, x)[0], atol=1e-6)
        True

    Built in chapter 15.
    """

    def project(self, x: Tensor, *linears: nn.Linear) -> tuple[Tensor, ...]:
        """Send x through several linear maps by one matrix product, and split heads."""
        weight = torch.cat([linear.weight for linear in linears])
        bias = torch.cat([linear.bias for linear in linears])
        parts = F.linear(x, weight, bias).chunk(len(linears), dim=-1)
        return tuple(self.split_heads(part) for part in parts)  # (B, H, T, D/H) each

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        if self._forward_hooks:  # somebody wants to see the weights
            return super().forward(query, key, value, mask)
        d_model = self.output_proj.in_features
        for x in (query, key, value):
            if x.dim() != 3 or x.size(-1) != d_model:
                raise ValueError(
                    f"Expected vectors of shape (B, T, {d_model}), but got "
                    f"{tuple(x.shape)}."
                )
        maps = (self.query_proj, self.key_proj, self.value_proj)
        if query is key is value:  # self-attention
            q, k, v = self.project(query, *maps)
        elif key is value:  # cross-attention
            (q,) = self.project(query, maps[0])
            k, v = self.project(key, *maps[1:])
        else:
            q, k, v = (
                self.project(x, one)[0]
                for x, one in zip((query, key, value), maps, strict=True)
            )
        check_attention_shapes(q, k, v, mask)
        heads = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.output_proj(self.merge_heads(heads)), query.new_empty(0)


class FusedLayerNorm(LayerNorm):
    r"""The layer norm of chapter 6 through PyTorch's one kernel.

    Args:
        d_model: numbers in the vector of one token, **D**.
        eps: keeps the root away from zero.

    Shape:
        Input and output: :math:`(..., D)`.

    Raises:
        ValueError: if the last dimension is not ``d_model``.

    Example:
        >>> FusedLayerNorm(d_model=2)(torch.tensor([[1.0, 3.0]])).tolist()
        [[-0.999..., 0.999...]]

    Built in chapter 15.
    """

    def forward(self, x: Tensor) -> Tensor:
        if x.size(-1) != self.weight.size(0):
            raise ValueError(
                f"Expected vectors of shape (..., {self.weight.size(0)}), but got "
                f"{tuple(x.shape)}."
            )
        return F.layer_norm(x, self.weight.shape, self.weight, self.bias, self.eps)


class FusedDropout(nn.Dropout):
    """Dropout (§5.4) with cheap dice: four numbers share one random number of 64 bits.

    On most processors PyTorch draws one random number for each place, on one core. Here
    each place gets 16 random bits of NumPy's quickest generator, so the share is
    rounded to a multiple of 1/65536. On a GPU PyTorch's own is fast, and is used.

    Args:
        p: share of the numbers that is set to zero in training.
        inplace: True to write over the input, as PyTorch's own does elsewhere.

    Shape:
        Input and output: any, the same.

    Example:
        >>> dropout = FusedDropout(0.5)
        >>> sorted(set(dropout(torch.ones(100)).tolist()))
        [0.0, 2.0]
        >>> dropout.eval()(torch.ones(2)).tolist()
        [1.0, 1.0]

    Built in chapter 15.
    """

    def forward(self, x: Tensor) -> Tensor:
        cheap = x.device.type == "cpu" and not torch.compiler.is_compiling()
        if not (self.training and cheap and 0 < self.p < 1):
            return super().forward(x)
        size, lost = x.numel(), min(round(self.p * 65536), 65535)
        seed = int(torch.randint(2**63 - 1, ()))  # so that torch.manual_seed decides
        dice = SFC64(seed).random_raw(-(-size // 4)).view(np.int16)
        bits = torch.from_numpy(dice)[:size].view(x.shape)  # from -32768 to 32767
        keep = (bits >= lost - 32768).to(x.dtype)
        return x * keep.mul_(65536 / (65536 - lost))  # the mean stays what it was


class _CrossEntropy(torch.autograd.Function):
    """Cross-entropy that turns its own logarithms into the gradient, in place."""

    @staticmethod
    def forward(
        ctx: Any,
        logits: Tensor,
        labels: Tensor,
        pad_id: int,
        smoothing: float,
        overwrite: bool,
    ) -> Tensor:
        kind = torch.promote_types(logits.dtype, torch.float32)  # never half precision
        place = logits.detach() if overwrite and logits.dtype == kind else None
        log_probs = torch.log_softmax(logits.to(kind), dim=-1, out=place)  # (N, V)
        real = labels != pad_id  # (N)
        weights = real.to(kind) / real.sum()  # not rounded more than the rest
        surprise = -log_probs.gather(1, labels[:, None])[:, 0]
        if smoothing:
            surprise = surprise.lerp(-log_probs.mean(dim=-1), smoothing)
        ctx.save_for_backward(labels, weights)
        ctx.log_probs, ctx.smoothing, ctx.dtype = log_probs, smoothing, logits.dtype
        return (surprise * weights).masked_fill(~real, 0).sum()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor | None, ...]:
        labels, weights = ctx.saved_tensors
        if ctx.log_probs is None:
            raise RuntimeError(
                "The fused loss has given its memory to the gradient; for a second "
                "backward pass use translation_loss."
            )
        gradient, ctx.log_probs = ctx.log_probs.exp_(), None  # softmax - wanted
        gradient.sub_(ctx.smoothing / gradient.size(1))
        least = gradient.new_full((len(labels), 1), ctx.smoothing - 1)
        gradient.scatter_add_(1, labels[:, None], least)
        gradient.mul_((weights * outer[0])[:, None])
        return gradient.to(ctx.dtype), None, None, None, None


def fused_cross_entropy(
    logits: Tensor,
    labels: Tensor,
    pad_id: int,
    label_smoothing: float = 0.0,
    overwrite: bool = False,
) -> Tensor:
    r"""Return the mean surprise at the right words (§5.4), with little memory.

    PyTorch's keeps the logarithms of the probabilities, and makes two more tables of
    that size for the gradient. Here the gradient takes the place of the logarithms, so
    there can be one backward pass and no more.

    Args:
        logits: the scores that the model gives each word of the vocabulary.
        labels: the right words.
        pad_id: the label that does not count.
        label_smoothing: share of the probability that is spread over all words.
        overwrite: True if nobody needs the logits any more; the logarithms then take
            their place, and a third of the memory is saved.

    Shape:
        - logits: :math:`(N, V)`; labels: :math:`(N)`.
        - Output: one number, in nats per token.

    Raises:
        RuntimeError: from a second backward pass.

    Example:
        >>> fused_cross_entropy(torch.zeros(2, 4), torch.tensor([3, 0]), pad_id=0)
        tensor(1.3863)

    Built in chapter 15.
    """
    loss: Tensor = _CrossEntropy.apply(
        logits, labels, pad_id, label_smoothing, overwrite
    )
    return loss


def fuse(model: AnyModule) -> AnyModule:
    """Exchange attention, layer norm and dropout inside a model for fused twins.

    The weights stay where they are, under their names: a fused model saves and loads
    as a plain one. It answers as before.

    Args:
        model: any module that holds them; it is changed.

    Returns:
        The same model.

    Example:
        >>> from lib.config import TransformerConfig
        >>> from lib.model import Transformer
        >>> model = Transformer(TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=16))
        >>> type(fuse(model).encoder.layers[0].self_attention).__name__
        'FusedAttention'

    Built in chapter 15.
    """
    for name, part in list(model.named_children()):
        # Exactly these classes: whoever made a variant of their own wants it kept.
        if type(part) is MultiHeadAttention:
            setattr(model, name, _twin_of_attention(part))
        elif type(part) is LayerNorm:
            setattr(model, name, _twin_of_norm(part))
        elif type(part) is nn.Dropout:
            setattr(model, name, FusedDropout(part.p).train(part.training))
        else:
            fuse(part)
    return model


def _twin_of_attention(part: MultiHeadAttention) -> FusedAttention:
    d_model = part.output_proj.in_features
    with torch.device("meta"):  # no numbers: the weights come from the plain one
        twin = FusedAttention(d_model, part.n_heads)
    for name in ("query_proj", "key_proj", "value_proj", "output_proj"):
        setattr(twin, name, getattr(part, name))
    return twin.train(part.training)


def _twin_of_norm(part: LayerNorm) -> FusedLayerNorm:
    with torch.device("meta"):
        twin = FusedLayerNorm(part.weight.size(0), part.eps)
    twin.weight, twin.bias = part.weight, part.bias
    return twin.train(part.training)
