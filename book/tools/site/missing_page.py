"""The page that a reader meets at an address where there is none: 404.html.

It is shown at any depth of the site, so it asks for no file beside it: its style and
its drawing stand in it, and its links name the whole address.
"""

from html import escape
from pathlib import Path

import yaml
from sphinx.application import Sphinx

from book.tools.project.address import ROOT, read_address
from book.tools.site.front_page import title_of

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="There is no page at this address.">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>No such page — The Transformer, Piece by Piece</title>
<style>
body {{ margin: 0 auto; max-width: 40rem; padding: 2rem 1rem; line-height: 1.6;
  font-family: system-ui, sans-serif; color: #222832; background: #fff; }}
svg {{ height: 4.5rem; }}
a {{ color: #0059a8; }}
@media (prefers-color-scheme: dark) {{
  body {{ color: #ced6dd; background: #121212; }}
  a {{ color: #7fb8f0; }}
}}
</style></head>
<body><main>
{logo}
<h1>There is no page here</h1>
<p>The address may be mistyped, or the page has moved.
Begin at <a href="{site}/book/index.html">the front page</a>,
look into <a href="{site}/search.html">the search</a>, or open a chapter:</p>
<ol>
{chapters}
</ol>
</main></body></html>
"""


def missing_page(root: Path = ROOT) -> str:
    """The HTML of the page."""
    site = read_address(root).site
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    files = [chapter["file"] for part in toc["parts"] for chapter in part["chapters"]]
    notebooks = [f for f in files if (root / f"{f}.ipynb").is_file()]
    chapters = "\n".join(
        f'<li><a href="{site}/{file}.html">'
        f"{escape(title_of(root / f'{file}.ipynb'))}</a></li>"
        for file in notebooks
    )
    logo = (root / "book" / "static" / "logo.svg").read_text(encoding="utf-8")
    return PAGE.format(site=site, chapters=chapters, logo=logo)


def write_missing_page(app: Sphinx, error: Exception | None) -> None:
    """Write the page where GitHub Pages looks for it."""
    if error is None and app.builder.format == "html":
        (Path(app.outdir) / "404.html").write_text(missing_page(), encoding="utf-8")
