"""The checks of chapter 5: parameters, splitting, one head's share, packing, a test."""

from itertools import permutations
from typing import Any

import torch
from torch import Tensor, nn

from lib.attention import MultiHeadAttention, scaled_dot_product_attention
from lib.checks.core import (
    CheckFailed,
    exercise,
    expect,
    expect_close,
    expect_equal,
    expect_shape,
)
from lib.checks.mistaken_heads import (
    Causal,
    MergedByReshape,
    SplitByReshape,
    Unchanged,
    WithPositions,
)

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
)
def attention_parameters(answer: Any) -> None:
    """Check `attention_parameters(d_model, n_heads)`: how many numbers it learns."""
    for d_model, n_heads in ((8, 4), (8, 1), (512, 8)):
        matrix, bias = d_model * d_model, d_model
        width = d_model // n_heads
        expect_equal(
            answer(d_model, n_heads),
            4 * (matrix + bias),
            f"attention_parameters({d_model}, {n_heads})",
            [
                (4 * matrix, "The biases are missing: each linear map has D of them."),
                (
                    3 * (matrix + bias),
                    "The output projection is missing: there are four linear maps.",
                ),
                (
                    4 * (matrix + bias) * n_heads,
                    "Each head is only D/H wide, so do not count all matrices once for "
                    "each head.",
                ),
                (
                    (3 * n_heads + 1) * (matrix + bias),
                    "Each head is only D/H wide, so its matrices are D × D/H and not "
                    "D × D.",
                ),
                (
                    4 * (width * d_model + width),
                    "These are the maps of one head: there are H of them.",
                ),
            ],
        )


def _deal(x: Tensor, n_heads: int) -> Tensor:
    """Split heads by dealing the numbers out in turns."""
    return x.unflatten(-1, (-1, n_heads)).permute(0, 3, 1, 2)  # (B, H, T, D/H)


@exercise(
    "5.2",
    praise="Any split is good if the way back undoes it, and all weights are its own.",
)
def gather_dealt_heads(answer: Any) -> None:
    """Check `gather_dealt_heads(heads)`: the way back from heads dealt in turns."""
    batch, length, d_model = 2, 3, 8
    x = torch.arange(batch * length * d_model).float().reshape(batch, length, d_model)
    for n_heads in (2, 4):
        heads = _deal(x, n_heads)
        width = d_model // n_heads
        what = f"gather_dealt_heads of {n_heads} heads"
        got = answer(heads)
        again = (batch, width, n_heads * length)
        expect_shape(
            got,
            (batch, length, d_model),
            what,
            [
                (
                    (batch, length, width, n_heads),
                    "The dimensions stand in the right order: join the last two, for "
                    "example with flatten(-2).",
                ),
                (
                    again,
                    "This permutes in the same way once more: find the order that "
                    "undoes permute(0, 3, 1, 2).",
                ),
            ],
        )
        expect_close(
            got,
            x,
            what,
            [
                (
                    heads.transpose(1, 2).flatten(-2),
                    "This joins the pieces head by head, as MultiHeadAttention does: "
                    "here neighbors in a vector went to different heads.",
                ),
                (
                    heads.reshape(batch, length, d_model),
                    "This is reshape alone: it mixes tokens and heads, so permute "
                    "first.",
                ),
            ],
        )


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
        expect_shape(
            got,
            (2, 4, 6),
            what,
            [
                (
                    (2, 4, 2),
                    "This is the head's answer: take it through its columns of the "
                    "output projection.",
                )
            ],
        )
        expect_close(
            got,
            right(head),
            what,
            [
                (
                    right(head) + bias,
                    "The bias belongs to no head: it is added once, to the sum.",
                ),
                (
                    heads[:, head] @ matrix[own],
                    "These are rows of the output projection: nn.Linear stores "
                    "(outputs, inputs), and a head's answer is an input, so take "
                    "columns.",
                ),
                (
                    through(by_width, head),
                    "The scores are divided by √D here: a head divides by the root of "
                    "its own width, √(D/H).",
                ),
                (
                    through(unscaled, head),
                    "The scores are not scaled here: divide by the root of the head's "
                    "width, √(D/H).",
                ),
                (
                    sum(right(h) for h in range(3)),
                    "This is the sum over all heads: only one is asked for.",
                ),
                (
                    right((head - 1) % 3),
                    "This is another head: they are counted from 0.",
                ),
            ],
        )


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
    got = answer(attention)
    if not isinstance(got, tuple | list) or len(got) != 2:
        raise CheckFailed("pack should return two tensors, the weight and the bias.")
    orders = [order for order in permutations(range(3)) if order != (0, 1, 2)]
    wrong_order = "The parts stand in another order: queries, keys, values."
    expect_shape(
        got[0],
        (12, 4),
        "The weight",
        [
            ((4, 12), "The matrices stand side by side: put one below the other."),
            ((16, 4), "The output projection is not among them: pack three matrices."),
            ((3, 4, 4), "The matrices are stacked in a new dimension: use torch.cat."),
        ],
    )
    transposed = torch.cat([weight.T for weight in weights])
    expect_close(
        got[0],
        torch.cat(weights),
        "The weight",
        [
            *(
                (torch.cat([weights[i] for i in order]), wrong_order)
                for order in orders
            ),
            (
                transposed,
                "Each matrix is transposed: PyTorch's class stores (outputs, inputs) "
                "too.",
            ),
        ],
    )
    expect_shape(
        got[1],
        (12,),
        "The bias",
        [((16,), "The output projection's bias is not among them: pack three.")],
    )
    expect_close(
        got[1],
        torch.cat(biases),
        "The bias",
        [
            *((torch.cat([biases[i] for i in order]), wrong_order) for order in orders),
            (torch.zeros(12), "The biases are left at zero: pack ours."),
        ],
    )


@exercise("5.5", praise="It needs no reference, so it runs on anybody's attention.")
def follows_the_tokens(answer: Any) -> None:
    """Check `follows_the_tokens(attention)`: a test that accepts and rejects."""
    accepts = {n_heads: MultiHeadAttention(8, n_heads) for n_heads in (1, 2, 4)}
    rejects = {
        "whose heads are put back by reshape alone": MergedByReshape(8, 4),
        "whose heads are split by reshape alone": SplitByReshape(8, 4),
        "that knows positions": WithPositions(8, 2),
        "that sees only earlier tokens": Causal(8, 2),
    }
    if not answer(Unchanged()):
        raise CheckFailed(
            "Your test rejects a module that returns its input unchanged: compare the "
            "second output with the first one in the same new order."
        )
    for n_heads, module in accepts.items():
        expect(
            all(answer(module) for _ in range(5)),
            f"Your test rejects the right class with {n_heads} heads: a sum in another "
            "order rounds differently, so compare with torch.allclose and an atol.",
        )
    for name, module in rejects.items():
        verdicts = [bool(answer(module)) for _ in range(5)]
        expect(
            not all(verdicts),
            f"Your test accepts an attention {name}: feed tokens that differ, and "
            "compare all numbers of the output, not its shape or its weights.",
        )
        expect(
            not any(verdicts),
            f"Your test sometimes accepts an attention {name}: use an order that moves "
            "every token.",
        )
