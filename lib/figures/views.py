"""Attention to touch: bertviz's views, complete in themselves, so without a network.

A view as bertviz makes it asks other hosts for its scripts. Here they travel with it,
inside a frame of its own: it draws on the site, in Jupyter and in Colab alike.
"""

from __future__ import annotations

import contextlib
import functools
import html
import importlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor, nn

from lib.attention import MultiHeadAttention
from lib.figures.style import CYCLE, PALETTE

if TYPE_CHECKING:
    from IPython.display import HTML

# More cannot be seen, and makes the page larger.
_WEIGHT_DECIMALS, _NUMBER_DECIMALS = 4, 3

_SCRIPTS = ("d3-selection.min.js", "d3-color.min.js", "jquery.slim.min.js")

_LARGE = 5_000_000  # characters from which on a view is told to be large

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>body {{ margin: 8px; background: #fff; color: #222; }}</style></head>
<body>
{body}
{scripts}
</body></html>"""

_FRAME = (
    '<div class="attention-view"><iframe title="{title}" sandbox="allow-scripts" '
    'style="width: 100%; height: {height}px; border: 0; background: #fff" '
    'srcdoc="{page}"></iframe></div>'
)


def _bertviz() -> ModuleType:
    """The package that draws the views.

    Raises:
        ModuleNotFoundError: if it is not installed.
    """
    try:
        return importlib.import_module("bertviz")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "The interactive views need the package bertviz, which is not installed: "
            "run `pip install bertviz`."
        ) from error


def _framed(view: str, title: str, height: int, smaller: str) -> HTML:
    """Put a view of bertviz, and the scripts that it would fetch, into one frame.

    Of a large one its size is printed, as notebooks and browsers may choke on it.

    Args:
        view: as bertviz makes it.
        title: what a screen reader calls it.
        height: of the frame, in pixels.
        smaller: what makes such a view smaller.
    """
    from IPython.display import HTML

    body, script = _parts(view)
    colors = repr([PALETTE[name] for name in CYCLE])
    prelude = _asset("prelude.js").replace("VIEW_COLORS", colors)
    texts = [*map(_asset, _SCRIPTS), prelude, script, _asset("fit.js")]
    scripts = "\n".join(f"<script>{text}</script>" for text in texts)
    page = _PAGE.format(title=title, body=body, scripts=scripts)
    # The wrapping <div> in _FRAME keeps IPython from warning about a bare <iframe>.
    whole = _FRAME.format(title=title, height=height, page=html.escape(page))
    if len(whole) >= _LARGE:
        print(f"This view has {len(whole) / 1e6:.0f} MB; it gets smaller by {smaller}.")
    return HTML(whole)


def _parts(view: str) -> tuple[str, str]:
    """Take bertviz's HTML apart: the elements it draws in, and its script."""
    view = re.sub(r'<script src="[^"]*"></script>', "", view)
    view = re.sub(r"bertviz-[0-9a-f]{32}", "view", view)  # the same on every run
    body, _, script = view.partition('<script type="text/javascript">')
    script = script.rpartition("</script>")[0]
    script = re.sub(r"require\.config\(\{.*?\}\);", "", script, count=1, flags=re.S)
    # bertviz replaces its marker in the comment behind it, too: all weights once more.
    script = re.sub(r'; // HACK: \{"attention": .*', ";", script, count=1)
    return body.strip(), script.replace("</", r"<\/")  # a token may be "</s>"


def _asset(name: str) -> str:
    folder = Path(__file__).with_name("views_js")
    return (folder / name).read_text(encoding="utf-8").strip()


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
    return _framed(view, "Attention, head by head", height, smaller)


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
    return _framed(view, "Attention of all layers and heads", height, smaller)


def _drawn(
    name: str, attention: Any, tokens: Any, settings: Mapping[str, Any]
) -> tuple[str, list[list[Tensor]], int]:
    """Let bertviz draw; give its HTML, all weights, and the most tokens in a column."""
    settings = {"attention": attention, "tokens": tokens, **settings}
    given = {key: _readied(key, value) for key, value in settings.items()}
    view = getattr(_bertviz(), name)(**given, html_action="return")
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
    return [
        layer.detach().cpu().double().round(decimals=_WEIGHT_DECIMALS)
        for layer in value
    ]


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
        "attn": [_rounded(lookup.weights) for lookup in lookups],
        "queries": [_rounded(lookup.queries) for lookup in lookups],
        "keys": [_rounded(lookup.keys) for lookup in lookups],
        "left_text": list(tokens),
        "right_text": list(looked_at),
    }
    params = {
        "attention": {"all": shown},
        "default_filter": "all",
        "root_div_id": "view",
        "bidirectional": True,
        "display_mode": "light",
        "layer": layer,
        "head": head,
    }
    code = (resources.files(_bertviz()) / "neuron_view.js").read_text(encoding="utf-8")
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
    return _framed(view, "Queries, keys and weights", 130 + 30 * rows, smaller)


def _rounded(x: Tensor) -> Any:
    return x[0].detach().cpu().double().round(decimals=_NUMBER_DECIMALS).tolist()
