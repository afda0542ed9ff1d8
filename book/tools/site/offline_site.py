"""A small Sphinx extension: a site that asks nothing from another host.

It drops thebe (which would be fetched from a content network), keeps `lib` importable
for the reference page, writes that page's list of modules, and lets the other modules
of this folder do their part: formulas set at build time, links, light pages.
"""

import tomllib
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

from book.tools.course.written import written
from book.tools.project.address import ROOT, read_address
from book.tools.site.cross_links import link_page
from book.tools.site.figure_scripts import prepare
from book.tools.site.finish_pages import finish, join_menus
from book.tools.site.formulas import visit_display, visit_inline, write_font
from book.tools.site.front_page import Map, tell_templates
from book.tools.site.page_links import read_notebook
from book.tools.site.solutions import leave_out, leave_out_of_downloads

REFERENCE = "book/reference"
COURSE = "book/course/"


def lib_order() -> list[str]:
    """The modules of `lib`, each on top of those before it: import-linter's layers."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    downward, *_ = settings["tool"]["importlinter"]["contracts"]
    return list(reversed(downward["layers"]))


LIB_ORDER = lib_order()


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
        names = [name for name in LIB_ORDER if not name.startswith("_")]
        source[0] += "\n" + "".join(map(module_section, names))


def write_numbers(app: Sphinx, document: str, source: list[str]) -> None:
    """Put the numbers into a page for teachers."""
    if document.startswith(COURSE):
        source[0] = written(source[0], document.removeprefix(COURSE))


def set_theme(app: Sphinx, config: Config) -> None:
    """Add to the theme's options, which must not be set as a whole in _config.yml."""
    address = read_address(ROOT)
    config.html_context.setdefault("default_mode", "auto")
    config.html_theme_options |= {
        "show_toc_level": 2,
        # The search stands in the sidebar; a second one on top would be too much.
        "navbar_persistent": [],
        "use_download_button": True,
        "logo": {"alt_text": "", "text": config.html_title},
        "pygments_light_style": "a11y-high-contrast-light",
        "pygments_dark_style": "a11y-high-contrast-dark",
        # What a reader opens elsewhere is what the page was built from.
        "repository_branch": address.revision,
        **({} if address.colab else {"launch_buttons": {}}),
    }


def is_of_thebe(handler: Any) -> bool:
    """Whether a function that waits for an event would fetch thebe."""
    return str(handler.__module__).startswith("sphinx_thebe")


# In the order in which they listen.
LISTENERS = (
    ("config-inited", set_theme),
    ("config-inited", prepare),
    ("source-read", write_reference),
    ("source-read", write_numbers),
    ("source-read", read_notebook),
    ("source-read", leave_out),
    ("doctree-resolved", link_page),
    ("html-page-context", tell_templates),
    ("build-finished", write_font),
    ("build-finished", leave_out_of_downloads),
)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the extension to Sphinx."""
    for listeners in app.events.listeners.values():
        listeners[:] = [each for each in listeners if not is_of_thebe(each.handler)]
    app.add_config_value("show_solutions", True, "env", types=[bool])
    app.add_directive("map", Map)
    formula = (visit_inline, None), (visit_display, None)
    app.add_html_math_renderer("mathml", *formula)
    for event, listener in LISTENERS:
        app.connect(event, listener)
    app.connect("html-page-context", join_menus, priority=600)  # after the theme's
    app.connect("build-finished", finish, priority=700)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
