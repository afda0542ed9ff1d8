"""Attention to touch: bertviz's views, complete in themselves, so without a network.

A view as bertviz makes it asks other hosts for its scripts. Here they travel with it,
inside a frame of its own: it draws on the site, in Jupyter and in Colab alike.
"""

from __future__ import annotations

import html
import importlib
import re
from importlib import resources
from types import ModuleType
from typing import TYPE_CHECKING

from lib.figures.style import CYCLE, PALETTE

if TYPE_CHECKING:
    from IPython.display import HTML

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


def bertviz() -> ModuleType:
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


def framed(view: str, title: str, height: int, smaller: str) -> HTML:
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
    body, opening, script = view.partition('<script type="text/javascript">')
    script, closing, _ = script.rpartition("</script>")
    if not (opening and closing):
        raise RuntimeError(
            "bertviz gave a view without a script: install the version that "
            "pyproject.toml names."
        )
    script = re.sub(r"require\.config\(\{.*?\}\);", "", script, count=1, flags=re.S)
    # bertviz replaces its marker in the comment behind it, too: all weights once more.
    script = re.sub(r'; // HACK: \{"attention": .*', ";", script, count=1)
    return body.strip(), script.replace("</", r"<\/")  # a token may be "</s>"


def _asset(name: str) -> str:
    folder = resources.files("lib") / "figures" / "views_js"
    return (folder / name).read_text(encoding="utf-8").strip()
