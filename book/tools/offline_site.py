"""A small Sphinx extension: a site that asks nothing from another host.

It brings MathJax along, drops thebe (which would be fetched from a content network),
keeps `lib` importable for the reference page, and writes that page's list of modules.
"""

import pkgutil
import sys
import tomllib
from importlib.metadata import files
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util.fileutil import copy_asset

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = "book/reference"

# The parts of MathJax that a page can ask for; the package holds four times as much.
MATHJAX_PARTS = (
    "tex-chtml.js",
    "output/chtml/fonts",
    "input/tex/extensions",
    "a11y",
    "ui",
)


def lib_order() -> list[str]:
    """The modules of `lib`, each on top of those before it: import-linter's layers."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (layers,) = (c["layers"] for c in contracts if c["type"] == "layers")
    return list(reversed(layers))


LIB_ORDER = lib_order()


def mathjax_folder() -> Path:
    """Where the package sphinx-mathjax-offline keeps MathJax."""
    for file in files("sphinx-mathjax-offline") or []:
        if file.name == "tex-chtml.js":
            return Path(str(file.locate())).parent
    raise FileNotFoundError(
        "sphinx-mathjax-offline holds no tex-chtml.js: "
        "install the version that requirements.txt names."
    )


def copy_mathjax(app: Sphinx, error: Exception | None) -> None:
    """Put MathJax among the site's static files."""
    if error is None and app.builder.format == "html":
        for part in MATHJAX_PARTS:
            target = Path(app.outdir) / "_static" / "mathjax" / part
            source = mathjax_folder() / part
            copy_asset(source, target if source.is_dir() else target.parent)


REDIRECT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<title>The Transformer, Piece by Piece</title>
<link rel="icon" href="_static/favicon.svg">
<meta http-equiv="refresh" content="0; url=book/index.html">
</head><body><a href="book/index.html">To the book</a></body></html>
"""


def write_redirect(app: Sphinx, error: Exception | None) -> None:
    """Lead from the site's own address to the front page, which stands in `book/`."""
    (Path(app.outdir) / "index.html").write_text(REDIRECT, encoding="utf-8")


def drop_templates(app: Sphinx, error: Exception | None) -> None:
    """Remove the themes' templates, which they copy as if they were pages."""
    for template in (Path(app.outdir) / "_static").glob("*webpack-macros.html"):
        template.unlink()


def lib_modules() -> list[str]:
    """The modules of `lib`, each after those that it builds on."""
    names = [module.name for module in pkgutil.iter_modules([str(ROOT / "lib")])]
    names = [name for name in names if not name.startswith("_")]
    rank = {name: place for place, name in enumerate(LIB_ORDER)}
    return sorted(names, key=lambda name: (rank.get(name, len(rank)), name))


def module_section(name: str) -> str:
    """The Markdown of one module's section: its docstring and its public names."""
    lines = [f"## `lib.{name}`", "", "```{eval-rst}", f".. automodule:: lib.{name}"]
    # A package is shown through what it hands on, never through its files as well.
    if (ROOT / "lib" / name).is_dir():
        lines += ["   :imported-members:"]
    return "\n".join([*lines, "   :members:", "   :show-inheritance:", "```", "", ""])


def write_reference(app: Sphinx, document: str, source: list[str]) -> None:
    """Append a section for every module of `lib` to the reference page."""
    if document == REFERENCE:
        source[0] += "\n" + "".join(module_section(name) for name in lib_modules())


def drop_thebe_scripts(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Leave thebe's scripts and styles out of every page."""
    for kind in ("script_files", "css_files"):
        context[kind] = [
            file for file in context.get(kind, []) if "thebe" not in name_and_text(file)
        ]


def name_and_text(file: Any) -> str:
    """The name and the text of a script or a style sheet."""
    attributes = getattr(file, "attributes", {})
    return f"{getattr(file, 'filename', file)} {attributes.get('body', '')}"


def set_theme(app: Sphinx, config: Config) -> None:
    """Add to the theme's options, which must not be set as a whole in _config.yml."""
    config.html_context.setdefault("default_mode", "auto")
    config.html_theme_options |= {
        "show_toc_level": 2,
        # The search stands in the sidebar; a second one on top would be too much.
        "navbar_persistent": [],
        "use_download_button": True,
        "logo": {"alt_text": "", "text": config.html_title},
        "pygments_light_style": "a11y-high-contrast-light",
        "pygments_dark_style": "a11y-high-contrast-dark",
    }


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the extension to Sphinx."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    for event, listeners in app.events.listeners.items():
        app.events.listeners[event] = [
            listener
            for listener in listeners
            if not listener.handler.__module__.startswith("sphinx_thebe")
        ]
    app.connect("config-inited", set_theme)
    app.connect("source-read", write_reference)
    app.connect("html-page-context", drop_thebe_scripts, priority=900)
    app.connect("build-finished", copy_mathjax)
    app.connect("build-finished", drop_templates)
    app.connect("build-finished", write_redirect, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
