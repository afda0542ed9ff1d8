r"""Formulas set when the site is built: MathML, which a browser draws without a script.

The font travels with the site, cut down to the characters that its formulas use.
"""

import re
from collections.abc import Iterable
from html import escape, unescape
from importlib.metadata import distribution
from io import BytesIO
from logging import WARNING, getLogger
from pathlib import Path
from typing import Any

from docutils import nodes
from fontTools import subset
from latex2mathml.converter import convert
from sphinx.application import Sphinx

FONT = "formulas.woff2"
TAG = re.compile(r"\s*\\tag\{([^}]*)\}")
# One name, not a product of letters: MathML sets a text as a text.
UPRIGHT = re.compile(r"\\(?:mathrm|operatorname)\{([A-Za-z ]{2,})\}")
# What the theme's script makes reachable by keyboard when it is wider than the page.
SCROLLS = "pst-scrollable-table-container"
MATH = re.compile(r"<math.*?</math>", re.DOTALL)


def to_mathml(latex: str, display: bool = False) -> str:
    r"""The MathML of a formula.

    Raises:
        ValueError: If it holds a command that cannot be set.

    Example:
        >>> to_mathml("d_k").count("<msub>")
        1
    """
    source = UPRIGHT.sub(r"\\text{\1}", latex.strip())
    try:
        mathml = convert(source, display="block" if display else "inline")
    except Exception as error:  # the converter has a class for each slip
        raise ValueError(f"the formula {latex!r} cannot be set: {error!r}") from error
    unknown = re.search(r"\\[A-Za-z]+", mathml)
    if unknown:
        raise ValueError(f"the formula {latex!r} has an unknown {unknown[0]}")
    return str(mathml).replace("<math ", f'<math alttext="{escape(latex)}" ', 1)


def visit_inline(writer: Any, node: nodes.math) -> None:
    """Write a formula that stands in a line."""
    writer.body.append(f'<span class="math">{to_mathml(node.astext())}</span>')
    raise nodes.SkipNode


def visit_display(writer: Any, node: nodes.math_block) -> None:
    """Write a formula that stands alone, its number behind it."""
    latex = node.astext()
    formula = to_mathml(TAG.sub("", latex), display=True)
    identity = shown = ""
    if tag := TAG.search(latex):
        identity = f' id="equation-{tag[1].replace(".", "-")}"'
        shown = f'<span class="eqno">({escape(tag[1])})</span>'
    box = f'<div class="{SCROLLS}">{formula}</div>'
    writer.body.append(f'<div class="math"{identity}>{box}{shown}</div>')
    raise nodes.SkipNode


def characters(pages: Iterable[str]) -> set[str]:
    """Everything that the formulas of some pages write, slanted letters included."""
    used = set("=+-−()[]{}|,.√")
    for page in pages:
        for formula in MATH.findall(page):
            used |= set(unescape(re.sub(r"<[^>]*>", "", formula)))
    # A letter that stands alone is slanted by the browser, which has no slanted h.
    slanted = [range(0x1D434, 0x1D468), range(0x1D6FC, 0x1D715)]
    return {c for c in used if c > " "} | {chr(c) for r in slanted for c in r} | {"ℎ"}


def cut_font(text: str) -> bytes:
    """The font STIX Two Math with only what a text needs, ready for the web."""
    getLogger("fontTools").setLevel(WARNING)  # it tells each glyph
    options = subset.Options(
        flavor="woff2", layout_features=["*"], notdef_outline=True, hinting=False
    )
    path = "ziamath/fonts/STIXTwoMath-Regular.ttf"
    font = subset.load_font(str(distribution("ziamath").locate_file(path)), options)
    cutter = subset.Subsetter(options)
    cutter.populate(text=text)
    cutter.subset(font)
    file = BytesIO()
    subset.save_font(font, file, options)
    return file.getvalue()


def write_font(app: Sphinx, error: Exception | None) -> None:
    """Put the font of the formulas among the site's static files."""
    if error is None and app.builder.format == "html":
        site = Path(app.outdir)
        pages = (path.read_text(encoding="utf-8") for path in site.rglob("*.html"))
        text = "".join(sorted(characters(pages)))
        (site / "_static" / FONT).write_bytes(cut_font(text))
