"""The head view and the model view: attention as lines between tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from torch import Tensor

from lib.figures.views.frames import bertviz, framed

if TYPE_CHECKING:
    from IPython.display import HTML

_DECIMALS = 4  # of a weight; more cannot be seen, and makes the page larger

# Pixels: what bertviz's head view gives a token, and what stands above and below.
_ROW, _REST = 22.5, 90


def head_view(
    attention: Sequence[Tensor] | None = None,
    tokens: Sequence[str] | None = None,
    **settings: Any,
) -> HTML:
    r"""Show each head's weights as lines between tokens, to hover over and to click.

    Lines run from the token that looks (left) to the tokens that it looks at (right),
    the stronger the larger the weight. A click on a colored square switches its head
    off or on, a double click leaves it alone.

    Args:
        attention: the weights of self-attention, one tensor for each layer, as
            :func:`lib.attention.record_attention` collects them.
        tokens: the tokens between which the lines run.
        settings: anything else that ``bertviz.head_view`` takes, such as ``heads``, or
            ``cross_attention`` with ``encoder_tokens`` and ``decoder_tokens``.

    Shape:
        Each tensor: :math:`(1, H, T, S)`, the weights of one sentence.

    Returns:
        What a notebook displays when it ends a cell.

    Raises:
        ModuleNotFoundError: if bertviz is not installed.
        ValueError: if there is more than one sentence, or the tokens do not fit.

    Example:
        >>> import torch
        >>> weights = torch.tensor([[[[0.9, 0.1], [0.2, 0.8]]]])
        >>> view = head_view([weights], ["lets", "go"])
        >>> "lets" in view.data, "src=" in view.data
        (True, False)
    """
    view, _, longest = _drawn("head_view", attention, tokens, settings)
    smaller = "fewer tokens, include_layers=, or tensors cut to some heads, as by "
    smaller += "`weights[:, :2]`, but not by heads="
    height = round(_REST + _ROW * longest)
    return framed(view, "Attention, head by head", height, smaller)


def model_view(
    attention: Sequence[Tensor] | None = None,
    tokens: Sequence[str] | None = None,
    **settings: Any,
) -> HTML:
    r"""Show all heads of all layers at once, small, and one of them large on a click.

    Each row is a layer, each column a head.

    Args:
        attention: the weights of self-attention, one tensor for each layer.
        tokens: the tokens between which the lines run.
        settings: anything else that ``bertviz.model_view`` takes, such as
            ``cross_attention`` with ``encoder_tokens`` and ``decoder_tokens``.

    Shape:
        Each tensor: :math:`(1, H, T, S)`, the weights of one sentence.

    Returns:
        What a notebook displays when it ends a cell.

    Raises:
        ModuleNotFoundError: if bertviz is not installed.
        ValueError: if there is more than one sentence, or the tokens do not fit.

    Example:
        >>> import torch
        >>> weights = torch.tensor([[[[0.9, 0.1], [0.2, 0.8]]]])
        >>> view = model_view([weights, weights], ["lets", "go"])
        >>> "lets" in view.data, "src=" in view.data
        (True, False)
    """
    settings = {"display_mode": "light", **settings}
    view, weights, longest = _drawn("model_view", attention, tokens, settings)
    layers, heads = len(weights[0]), weights[0][0].size(1)
    # bertviz's own measures: the small pictures, or one head shown large.
    small, large = layers * (longest * 84 / heads + 10) + 38, longest * 18 + 55
    smaller = "fewer tokens, include_layers=, or include_heads="
    height = round(max(small, large)) + 20 + 24 * (len(weights) > 1)
    return framed(view, "Attention of all layers and heads", height, smaller)


def _drawn(
    name: str, attention: Any, tokens: Any, settings: Mapping[str, Any]
) -> tuple[str, list[list[Tensor]], int]:
    """Let bertviz draw; give its HTML, all weights, and the most tokens in a column."""
    settings = {"attention": attention, "tokens": tokens, **settings}
    given = {key: _readied(key, value) for key, value in settings.items()}
    view = getattr(bertviz(), name)(**given, html_action="return")
    weights = [v for key, v in given.items() if key.endswith("attention") and v]
    longest = max(len(v) for key, v in given.items() if key.endswith("tokens") and v)
    return view.data, weights, longest


def _readied(name: str, value: Any) -> Any:
    """Check one argument of bertviz, and round it if it holds weights."""
    if value is None or not name.endswith("attention"):
        return list(value) if name.endswith("tokens") and value is not None else value
    for layer in value:
        if layer.dim() != 4 or layer.size(0) != 1:
            raise ValueError(
                f"{name} must hold the weights of one sentence, of shape (1, H, T, S), "
                f"but has a layer of shape {tuple(layer.shape)}; keep one sentence "
                "with `weights[:1]`."
            )
    return [layer.detach().cpu().double().round(decimals=_DECIMALS) for layer in value]
