"""Attention to touch: bertviz's views, complete in themselves, so without a network.

A view as bertviz makes it asks other hosts for its scripts. Here they travel with it,
inside a frame of its own: it draws on the site, in Jupyter and in Colab alike.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING, Any

from torch import Tensor

from lib.figures.style import CYCLE, PALETTE

if TYPE_CHECKING:
    from IPython.display import HTML

__all__ = ["head_view"]

_SCRIPTS = ("d3-selection.min.js", "d3-color.min.js", "jquery.slim.min.js")
_DECIMALS = 4  # of a weight; more cannot be seen, and makes the page larger

# Pixels: what bertviz's head view gives a token, and what stands above and below.
_ROW, _REST = 22.5, 90

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

    Built in chapter 5.
    """
    try:
        from bertviz import head_view as draw
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "The interactive views need the package bertviz, which is not installed: "
            "run `pip install bertviz`."
        ) from error
    settings = {"attention": attention, "tokens": tokens, **settings}
    settings = {name: _readied(name, value) for name, value in settings.items()}
    view = draw(**settings, html_action="return")
    longest = max(len(v) for k, v in settings.items() if k.endswith("tokens") and v)
    return _framed(view.data, "Attention, head by head", round(_REST + _ROW * longest))


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


def _framed(view: str, title: str, height: int) -> HTML:
    """Put a view of bertviz, and the scripts that it would fetch, into one frame."""
    from IPython.display import HTML

    body, script = _parts(view)
    texts = [_asset(name) for name in _SCRIPTS]
    texts.append(
        _asset("prelude.js").replace(
            "VIEW_COLORS", repr([PALETTE[name] for name in CYCLE])
        )
    )
    scripts = "\n".join(f"<script>{text}</script>" for text in [*texts, script])
    page = _PAGE.format(title=title, body=body, scripts=scripts)
    # The wrapping <div> in _FRAME keeps IPython from warning about a bare <iframe>.
    return HTML(_FRAME.format(title=title, height=height, page=html.escape(page)))


def _parts(view: str) -> tuple[str, str]:
    """Take bertviz's HTML apart: the elements it draws in, and its script."""
    view = re.sub(r'<script src="[^"]*"></script>', "", view)
    view = re.sub(r"bertviz-[0-9a-f]{32}", "view", view)  # the same on every run
    body, opening, script = view.partition('<script type="text/javascript">')
    script, closing, _ = script.rpartition("</script>")
    if not (opening and closing):
        raise RuntimeError(
            "bertviz gave a view without a script: install the version that "
            "pyproject.toml names."
        )
    script = re.sub(r"require\.config\(\{.*?\}\);", "", script, count=1, flags=re.S)
    return body.strip(), script.replace("</", r"<\/")  # a token may be "</s>"


def _asset(name: str) -> str:
    folder = resources.files("lib") / "views_js"
    return (folder / name).read_text(encoding="utf-8").strip()
