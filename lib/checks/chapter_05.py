"""The checks of chapter 5: parameters, splitting, one head's share, packing, a test."""

from itertools import permutations
from typing import Any

import torch
from torch import Tensor, nn

from lib.attention import MultiHeadAttention, scaled_dot_product_attention
from lib.checks import expect
from lib.checks.core import exercise
from lib.masks import causal_mask
from lib.positions import sinusoidal_encoding

__all__ = [
    "attention_parameters",
    "contribution",
    "follows_the_tokens",
    "gather_dealt_heads",
    "pack",
]


@exercise(
    "5.1",
    praise="The number of heads does not appear: heads share the D numbers out.",
    cases=[(8, 4), (8, 1), (512, 8)],
)
def attention_parameters(answer: Any, d_model: int, n_heads: int) -> None:
    """Check `attention_parameters(d_model, n_heads)`: how many numbers it learns."""
    matrix, bias, width = d_model * d_model, d_model, d_model // n_heads
    what = f"attention_parameters({d_model}, {n_heads})"
    slips: expect.Slips = {
        "The biases are missing: each linear map has D of them.": 4 * matrix,
        "The output projection is missing: there are four linear maps.": (
            3 * (matrix + bias)
        ),
        "Each head is only D/H wide, so do not count all matrices once for each "
        "head.": 4 * (matrix + bias) * n_heads,
        "Each head is only D/H wide, so its matrices are D × D/H and not D × D.": (
            (3 * n_heads + 1) * (matrix + bias)
        ),
        "These are the maps of one head: there are H of them.": (
            4 * (width * d_model + width)
        ),
    }
    expect.equal(answer(d_model, n_heads), 4 * (matrix + bias), what, slips)


@exercise(
    "5.2",
    praise="Any split is good if the way back undoes it, and all weights are its own.",
    cases=[(2,), (4,)],
)
def gather_dealt_heads(answer: Any, n_heads: int) -> None:
    """Check `gather_dealt_heads(heads)`: the way back from heads dealt in turns."""
    batch, length, d_model = shape = (2, 3, 8)
    width = d_model // n_heads
    x = torch.arange(48.0).reshape(shape)
    heads = x.unflatten(-1, (width, n_heads)).permute(0, 3, 1, 2)  # (B, H, T, D/H)
    what = f"gather_dealt_heads of {n_heads} heads"
    got = answer(heads)
    slips: expect.Slips = {
        "The dimensions stand in the right order: join the last two, for example with "
        "flatten(-2).": (batch, length, width, n_heads),
        "This permutes in the same way once more: find the order that undoes "
        "permute(0, 3, 1, 2).": (batch, width, n_heads * length),
    }
    expect.shape(got, shape, what, slips)
    slips = {
        "This joins the pieces head by head, as MultiHeadAttention does: here "
        "neighbors in a vector went to different heads.": (
            heads.transpose(1, 2).flatten(-2)
        ),
        "This is reshape alone: it mixes tokens and heads, so permute first.": (
            heads.reshape(shape)
        ),
    }
    expect.close(got, x, what, slips)


def _heads(attention: MultiHeadAttention, x: Tensor, scale: float = 1.0) -> Tensor:
    """What all heads answer; `scale` multiplies their scores."""
    split = (attention.query_proj, attention.key_proj, attention.value_proj)
    q, k, v = (attention.split_heads(projection(x)) for projection in split)
    return scaled_dot_product_attention(scale * q, k, v)[0]  # (B, H, T, D/H)


@exercise(
    "5.3",
    praise="The contributions of all heads and one bias add up to the output.",
)
def contribution(answer: Any) -> None:
    """Check `contribution(attention, x, head)`: what one head adds to the output."""
    attention, x = MultiHeadAttention(d_model=6, n_heads=3), torch.randn(2, 4, 6)
    nn.init.normal_(attention.output_proj.bias)
    heads = _heads(attention, x).detach()
    # The scores of right answers are divided by √(D/H) = √2.
    by_width = _heads(attention, x, 2**0.5 / 6**0.5).detach()
    unscaled = _heads(attention, x, 2**0.5).detach()
    matrix = attention.output_proj.weight.detach()
    bias = attention.output_proj.bias.detach()

    def through(heads: Tensor, head: int) -> Tensor:
        return heads[:, head] @ matrix[:, 2 * head : 2 * head + 2].T

    def right(head: int) -> Tensor:
        return through(heads, head)

    for head in (1, 0, 2):
        got = answer(attention, x, head)
        what = f"contribution(attention, x, {head})"
        own = slice(2 * head, 2 * head + 2)
        slips: expect.Slips = {
            "This is the head's answer: take it through its columns of the output "
            "projection.": (2, 4, 2)
        }
        expect.shape(got, (2, 4, 6), what, slips)
        slips = {
            "The bias belongs to no head: it is added once, to the sum.": (
                right(head) + bias
            ),
            "These are rows of the output projection: nn.Linear stores (outputs, "
            "inputs), and a head's answer is an input, so take columns.": (
                heads[:, head] @ matrix[own]
            ),
            "The scores are divided by √D here: a head divides by the root of its own "
            "width, √(D/H).": through(by_width, head),
            "The scores are not scaled here: divide by the root of the head's width, "
            "√(D/H).": through(unscaled, head),
            "This is the sum over all heads: only one is asked for.": (
                sum(right(h) for h in range(3))
            ),
            "This is another head: they are counted from 0.": right((head - 1) % 3),
        }
        expect.close(got, right(head), what, slips)


@exercise(
    "5.4",
    praise="With these two, the output projection is all that is left to copy.",
)
def pack(answer: Any) -> None:
    """Check `pack(attention)`: the in_proj weight and bias of PyTorch's class."""
    attention = MultiHeadAttention(d_model=4, n_heads=2)
    parts = (attention.query_proj, attention.key_proj, attention.value_proj)
    weights = [part.weight.detach() for part in parts]
    biases = [part.bias.detach() for part in parts]

    def in_another_order(parts: list[Tensor]) -> expect.AnyOf:
        return expect.AnyOf(*map(torch.cat, list(permutations(parts))[1:]))

    got = answer(attention)
    expect.pair(got, "pack should return two tensors, the weight and the bias.")
    slips: expect.Slips = {
        "The matrices stand side by side: put one below the other.": (4, 12),
        "The output projection is not among them: pack three matrices.": (16, 4),
        "The matrices are stacked in a new dimension: use torch.cat.": (3, 4, 4),
    }
    expect.shape(got[0], (12, 4), "The weight", slips)
    wrong_order = "The parts stand in another order: queries, keys, values."
    slips = {
        wrong_order: in_another_order(weights),
        "Each matrix is transposed: PyTorch's class stores (outputs, inputs) too.": (
            torch.cat([weight.T for weight in weights])
        ),
    }
    expect.close(got[0], torch.cat(weights), "The weight", slips)
    slips = {"The output projection's bias is not among them: pack three.": (16,)}
    expect.shape(got[1], (12,), "The bias", slips)
    slips = {
        wrong_order: in_another_order(biases),
        "The biases are left at zero: pack ours.": torch.zeros(12),
    }
    expect.close(got[1], torch.cat(biases), "The bias", slips)


class _MergedByReshape(MultiHeadAttention):
    """Puts the heads back with `reshape` alone."""

    def merge_heads(self, x: Tensor) -> Tensor:
        return x.reshape(x.size(0), x.size(2), -1)


class _SplitByReshape(MultiHeadAttention):
    """Splits the heads with `reshape` alone."""

    def split_heads(self, x: Tensor) -> Tensor:
        return x.reshape(x.size(0), self.n_heads, x.size(1), -1)


class _WithPositions(MultiHeadAttention):
    """Mixes positions into its keys."""

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        key = key + sinusoidal_encoding(key.size(1), key.size(2))
        return super().forward(query, key, value, mask)


class _Causal(MultiHeadAttention):
    """Hides what comes later."""

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        return super().forward(query, key, value, causal_mask(query.size(1)))


class _Unchanged(nn.Module):
    """Follows its tokens to the last digit."""

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor
    ) -> tuple[Tensor, Tensor]:
        weights = torch.eye(value.size(1)).expand(value.size(0), 1, -1, -1)
        return value.clone(), weights


@exercise("5.5", praise="It needs no reference, so it runs on anybody's attention.")
def follows_the_tokens(answer: Any) -> None:
    """Check `follows_the_tokens(attention)`: a test that accepts and rejects."""
    accepts = {n_heads: MultiHeadAttention(8, n_heads) for n_heads in (1, 2, 4)}
    rejects = {
        "whose heads are put back by reshape alone": _MergedByReshape(8, 4),
        "whose heads are split by reshape alone": _SplitByReshape(8, 4),
        "that knows positions": _WithPositions(8, 2),
        "that sees only earlier tokens": _Causal(8, 2),
    }
    expect.that(
        answer(_Unchanged()),
        "Your test rejects a module that returns its input unchanged: compare the "
        "second output with the first one in the same new order.",
    )
    for n_heads, module in accepts.items():
        expect.that(
            all(answer(module) for _ in range(5)),
            f"Your test rejects the right class with {n_heads} heads: a sum in another "
            "order rounds differently, so compare with torch.allclose and an atol.",
        )
    for name, module in rejects.items():
        verdicts = [bool(answer(module)) for _ in range(5)]
        slips = {
            f"Your test accepts an attention {name}: feed tokens that differ, and "
            "compare all numbers of the output, not its shape or its "
            "weights.": all(verdicts),
            f"Your test sometimes accepts an attention {name}: use an order that moves "
            "every token.": any(verdicts),
        }
        expect.none_of(slips)
