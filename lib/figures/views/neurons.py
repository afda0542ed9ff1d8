"""The neuron view: how a query and a key, number by number, become a weight."""

from __future__ import annotations

import contextlib
import functools
import json
from collections.abc import Iterator, Sequence
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor, nn

from lib.attention import MultiHeadAttention
from lib.figures.views.frames import bertviz, framed

if TYPE_CHECKING:
    from IPython.display import HTML

_DECIMALS = 3  # of a weight or a number in a vector; more cannot be seen


class Lookup(NamedTuple):
    r"""What one attention compared, and what came of it.

    Args:
        queries: one vector for each head and position.
        keys: the same for the positions that are looked at.
        values: what these hand over.
        weights: the attention weights.

    Shape:
        queries: :math:`(B, H, T, d_k)`; keys and values: :math:`(B, H, S, d_k)`;
        weights: :math:`(B, H, T, S)`.
    """

    queries: Tensor
    keys: Tensor
    values: Tensor
    weights: Tensor


@contextlib.contextmanager
def record_lookups(model: nn.Module) -> Iterator[dict[str, Lookup]]:
    """Collect what every attention compares that is called in a ``with`` block.

    Args:
        model: any module that holds :class:`~lib.attention.MultiHeadAttention`.

    Returns:
        A dictionary from the name of the attention to what it last compared.

    Example:
        >>> model = nn.ModuleDict({"self": MultiHeadAttention(d_model=4, n_heads=2)})
        >>> x = torch.ones(1, 3, 4)
        >>> with record_lookups(model) as found:
        ...     _ = model["self"](x, x, x)
        >>> tuple(found["self"].queries.shape)
        (1, 2, 3, 2)
    """
    found: dict[str, Lookup] = {}

    def keep(name: str, attention: Any, inputs: Any, output: Any) -> None:
        query, key, value = inputs[:3]
        with torch.no_grad():
            found[name] = Lookup(
                attention.split_heads(attention.query_proj(query)),
                attention.split_heads(attention.key_proj(key)),
                attention.split_heads(attention.value_proj(value)),
                output[1].detach(),
            )

    with contextlib.ExitStack() as hooks:
        for name, part in model.named_modules():
            if isinstance(part, MultiHeadAttention):
                hook = part.register_forward_hook(functools.partial(keep, name))
                hooks.callback(hook.remove)
        yield found


def neuron_view(
    lookups: Sequence[Lookup],
    tokens: Sequence[str],
    looked_at: Sequence[str] | None = None,
    layer: int = 0,
    head: int = 0,
) -> HTML:
    r"""Show the queries and keys behind each weight; a click on ⊕ opens a token.

    Blue is positive, orange negative, and the deeper the larger. Query and key are
    multiplied number by number, the products are added, and the softmax makes the
    weight of the sum.

    Args:
        lookups: one for each layer, as :func:`record_lookups` collects them.
        tokens: the tokens that look.
        looked_at: the tokens that are looked at; the same ones if None.
        layer: the layer to show first.
        head: the head to show first.

    Returns:
        What a notebook displays when it ends a cell.

    Raises:
        ModuleNotFoundError: if bertviz is not installed.
        ValueError: if there is more than one sentence, or the tokens do not fit.

    Example:
        >>> model = nn.ModuleDict({"self": MultiHeadAttention(d_model=4, n_heads=2)})
        >>> x = torch.ones(1, 2, 4)
        >>> with record_lookups(model) as found:
        ...     _ = model["self"](x, x, x)
        >>> view = neuron_view([found["self"]], ["lets", "go"])
        >>> "lets" in view.data, "src=" in view.data
        (True, False)
    """
    looked_at = tokens if looked_at is None else looked_at
    for lookup in lookups:
        wanted = (1, lookup.weights.size(1), len(tokens), len(looked_at))
        if tuple(lookup.weights.shape) != wanted:
            raise ValueError(
                f"The weights must have shape {wanted}, for one sentence and its "
                f"tokens, but theirs is {tuple(lookup.weights.shape)}."
            )
    shown = {
        name: [_rounded(getattr(lookup, part)) for lookup in lookups]
        for name, part in (
            ("attn", "weights"),
            ("queries", "queries"),
            ("keys", "keys"),
        )
    }
    texts = {"left_text": list(tokens), "right_text": list(looked_at)}
    params = {
        "attention": {"all": shown | texts},
        "default_filter": "all",
        "root_div_id": "view",
        "bidirectional": True,
        "display_mode": "light",
        "layer": layer,
        "head": head,
    }
    code = (resources.files(bertviz()) / "neuron_view.js").read_text(encoding="utf-8")
    view = (
        # All five columns, opened with ⊕, are this wide; a narrow page scrolls.
        "<style>#vis { overflow-x: auto } #vis > svg { min-width: 1060px }"
        "#vis::-webkit-scrollbar { height: 8px }"  # seen also where it would hide
        "#vis::-webkit-scrollbar-thumb { background: #999; border-radius: 4px }</style>"
        '<div id="view" style="padding: 8px; font-family: sans-serif">'
        '<span style="user-select: none">Layer: <select id="layer"></select> '
        'Head: <select id="att_head"></select></span><div id="vis"></div></div>'
        '<script type="text/javascript">'
        f"window.bertviz_params = {json.dumps(params)};\n{code}</script>"
    )
    rows = max(len(tokens), len(looked_at))
    smaller = "fewer tokens, or fewer lookups"
    return framed(view, "Queries, keys and weights", 130 + 30 * rows, smaller)


def _rounded(x: Tensor) -> Any:
    return x[0].detach().cpu().double().round(decimals=_DECIMALS).tolist()
