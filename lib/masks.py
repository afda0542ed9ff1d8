"""Masks: who may attend to whom.

The convention of the whole book stands here once. A mask is boolean, and **True means
"may be attended to"**, as in ``F.scaled_dot_product_attention``. Rows are queries,
columns are keys. (``nn.Transformer`` uses the opposite: there True means "blocked".)
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["causal_mask", "padding_mask"]


def causal_mask(length: int, device: torch.device | str | None = None) -> Tensor:
    r"""Let each position attend to itself and to those before it (§3.2.3).

    Args:
        length: number of tokens, **T**.
        device: where the mask shall live; the CPU if None.

    Shape:
        Output: :math:`(T, T)`, boolean, True on and below the diagonal.

    Raises:
        ValueError: if ``length`` is below 1.

    Example:
        >>> causal_mask(3)
        tensor([[ True, False, False],
                [ True,  True, False],
                [ True,  True,  True]])

    Built in chapter 4.
    """
    if length < 1:
        raise ValueError(f"length must be at least 1, but it is {length}.")
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()


def padding_mask(token_ids: Tensor, pad_id: int) -> Tensor:
    r"""Let every query attend to the real tokens, and to no padding.

    Args:
        token_ids: a batch of sentences as whole numbers.
        pad_id: the token id of padding.

    Shape:
        - token_ids: :math:`(B, S)`.
        - Output: :math:`(B, 1, 1, S)`, boolean; the two ones stand for all heads and
          all queries.

    Raises:
        TypeError: if ``token_ids`` are not whole numbers.
        ValueError: if ``token_ids`` do not have two dimensions.

    Example:
        >>> padding_mask(torch.tensor([[5, 7, 0], [5, 7, 9]]), pad_id=0)
        tensor([[[[ True,  True, False]]],
        <BLANKLINE>
        <BLANKLINE>
                [[[ True,  True,  True]]]])

    Built in chapter 4.
    """
    if token_ids.is_floating_point() or token_ids.dtype == torch.bool:
        raise TypeError(
            f"token_ids must be whole numbers, but they are {token_ids.dtype}."
        )
    if token_ids.dim() != 2:
        raise ValueError(
            f"token_ids must have shape (B, S), but got {tuple(token_ids.shape)}."
        )
    return (token_ids != pad_id)[:, None, None, :]  # (B, 1, 1, S)
