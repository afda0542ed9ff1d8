"""Position encoding: the order of the words, written into their vectors."""

from __future__ import annotations

import torch
from torch import Tensor, nn

__all__ = ["PositionalEncoding", "sinusoidal_encoding"]


def sinusoidal_encoding(max_len: int, d_model: int) -> Tensor:
    r"""Return the table of sines and cosines of §3.5, one row for each position.

    Column :math:`2i` holds :math:`\sin(pos / 10000^{2i/D})`, column :math:`2i+1` the
    cosine of the same angle.

    Args:
        max_len: number of positions.
        d_model: numbers for each position, **D**; even, because they come in pairs.

    Shape:
        Output: :math:`(\mathit{max\_len}, D)`.

    Returns:
        The table, in PyTorch's default floating-point type.

    Raises:
        ValueError: if ``max_len`` is below 1, or ``d_model`` is odd or below 2.

    Example:
        >>> sinusoidal_encoding(max_len=3, d_model=2)
        tensor([[ 0.0000,  1.0000],
                [ 0.8415,  0.5403],
                [ 0.9093, -0.4161]])

    Built in chapter 2.
    """
    if max_len < 1:
        raise ValueError(f"max_len must be at least 1, but it is {max_len}.")
    if d_model < 2 or d_model % 2:
        raise ValueError(
            f"d_model must be even and at least 2, because sines and cosines come in "
            f"pairs, but it is {d_model}."
        )
    # Double precision, because sin and cos of a large rounded angle are far off.
    position = torch.arange(max_len, dtype=torch.float64).unsqueeze(1)  # (max_len, 1)
    even = torch.arange(
        0, d_model, 2, dtype=torch.float64
    )  # 2i, already doubled: (D/2)
    angle = position / 10000 ** (even / d_model)  # (max_len, D/2)
    table = torch.stack([angle.sin(), angle.cos()], dim=-1)  # (max_len, D/2, 2)
    return table.flatten(1).to(torch.get_default_dtype())  # (max_len, D)


class PositionalEncoding(nn.Module):
    r"""Add to each token's vector the row of its position (§3.5).

    Args:
        d_model: numbers in the vector of one token, **D**.
        max_len: longest sentence in tokens.

    Shape:
        Input and output: :math:`(B, T, D)` with :math:`T \le \mathit{max\_len}`.

    Raises:
        ValueError: if a sentence is longer than ``max_len``, or its vectors do not
            have ``d_model`` numbers.

    Example:
        >>> positions = PositionalEncoding(d_model=2, max_len=10)
        >>> positions(torch.zeros(1, 2, 2))
        tensor([[[0.0000, 1.0000],
                 [0.8415, 0.5403]]])
        >>> list(positions.parameters())  # nothing to learn
        []

    Built in chapter 2.
    """

    table: Tensor

    def __init__(self, d_model: int, max_len: int) -> None:
        super().__init__()
        # A buffer moves to the GPU with the module but is no parameter; it is not
        # saved, because it can be computed again.
        table = sinusoidal_encoding(max_len, d_model)
        self.register_buffer("table", table, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        max_len, d_model = self.table.shape
        if x.dim() != 3 or x.size(-1) != d_model:
            raise ValueError(
                f"Expected vectors of shape (B, T, {d_model}), but got "
                f"{tuple(x.shape)}."
            )
        if x.size(1) > max_len:
            raise ValueError(
                f"A sentence of {x.size(1)} tokens is longer than max_len = {max_len}; "
                "shorten it or build the model with a larger max_len."
            )
        return x + self.table[: x.size(1)]  # (B, T, D) + (T, D)
