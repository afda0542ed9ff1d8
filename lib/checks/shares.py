"""Exercise 3.2: outputs of attention whose shares were found in another way."""

import torch
from torch import Tensor

__all__ = ["other_shares"]


def other_shares(
    query: Tensor, keys: Tensor, values: Tensor
) -> list[tuple[Tensor, str]]:
    """Outputs of 3.2 when the shares are found in another way than by the softmax."""
    scores = keys @ query
    cosines = torch.cosine_similarity(keys, query.unsqueeze(0))
    times = "The scores were multiplied by the root of d_k: divide by it."
    sigmoid = (
        "A sigmoid looks at each score alone, so the weights need not sum to 1: take "
        "the softmax over all keys."
    )
    no_exp = (
        "The scores were divided by their sum without an exponential: use the softmax, "
        "which keeps shares positive for every score."
    )
    cosine = (
        "The scores are cosines: take the plain dot product, whose size also depends "
        "on the lengths of the vectors."
    )
    sigmoids = [f.sigmoid() for f in (scores / 2, scores)]
    shares = [
        ((2 * scores).softmax(dim=-1), times),
        *((s, sigmoid) for s in sigmoids),
        *((s / s.sum(), sigmoid) for s in sigmoids),
        (scores / scores.sum(), no_exp),
        *((f.softmax(dim=-1), cosine) for f in (cosines, cosines / 2)),
    ]
    return [(weights @ values, sentence) for weights, sentence in shares]
