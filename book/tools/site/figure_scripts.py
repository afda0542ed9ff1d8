"""The figures that answer, on the site: their styles, their scripts, their places.

A cell `figures.interactive("query")` is stored with an empty place as its output. Here
the place learns where its script lies, which the loader brings in when it is near; how
high the figure will be, so that its room is kept and nothing moves when it comes; and
where the parts of its model lie, if it needs one, with something that it can show
without them: a translation, or the scores behind one beginning.
"""

import functools
import hashlib
import json
import shutil
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from sphinx.application import Sphinx
from sphinx.config import Config

from book.tools.project.address import ROOT
from book.tools.site.first_shown import opening, trace
from book.tools.site.page_model import LANGUAGE_MODEL, MODEL, write_parts
from lib.figures.interactive import packed, sources, style
from lib.text.files import read_json
from lib.translator import SHIPPED

STATIC = ROOT / ".cache" / "site"
FOLDER = "_static/interactive"
TRANSLATORS = ("translate", "translate_small")
WRITER = "writing"


def prepare(app: Sphinx, config: Config) -> None:
    """Hand Sphinx the style of the figures and the loader, for every page."""
    STATIC.mkdir(parents=True, exist_ok=True)
    (STATIC / "interactive.css").write_text(style(), encoding="utf-8")
    shutil.copy(sources() / "loader.js", STATIC)
    config.html_static_path = [*config.html_static_path, str(STATIC)]
    config.html_css_files = [*config.html_css_files, "interactive.css"]
    config.html_js_files = [*config.html_js_files, "loader.js"]


def connect_figures(site: Path, path: Path, page: BeautifulSoup, up: str) -> None:
    """Tell each place on a page where the script of its figure lies."""
    for place in page.select("div.interactive[data-figure]"):
        name = str(place["data-figure"])
        text = packed(name)
        folder = site / FOLDER
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.js").write_text(text, encoding="utf-8")
        place["data-script"] = versioned(f"{up}{FOLDER}/{name}.js", text)
        # What a cell computed for a figure is as high as there is of it.
        which = path.stem if place.script else place.get("data-opened")
        phone, wide = heights()[f"{name} {which}" if which else name]
        place["style"] = f"--phone: {phone}px; --wide: {wide}px"
        if name in TRANSLATORS:
            place["data-page"] = f"{up}book/translate.html"
            place["data-model"] = f"{up}{FOLDER}/"
            place.attrs |= model_parts(folder)
            tell(page, place)
        if name == WRITER:
            place["data-model"] = f"{up}{FOLDER}/{LANGUAGE_MODEL}/"
            place.attrs |= model_parts(folder / LANGUAGE_MODEL, LANGUAGE_MODEL)
            place["data-opening"] = json.dumps(opening(), separators=(",", ":"))


def versioned(address: str, text: str) -> str:
    """An address that changes with the text behind it, so that no old copy is used."""
    return f"{address}?v={hashlib.sha256(text.encode()).hexdigest()[:8]}"


def tell(page: BeautifulSoup, place: Tag) -> None:
    """Hand a place the stored translation: to play, and to read without scripts."""
    stored = trace()
    place["class"] = "interactive translate"  # in print it is not left out
    place["data-trace"] = json.dumps(stored, ensure_ascii=False, separators=(",", ":"))
    for language, text in zip(("en", "es"), stored["texts"], strict=True):
        line = page.new_tag("p", lang=language)
        line.string = text
        place.append(line)


@functools.cache
def heights() -> dict[str, tuple[int, int]]:
    """How high each figure is where it opens: on a phone, and on a wide page."""
    return read_json(sources() / "heights.json")


@functools.cache
def model_parts(folder: Path, model: str = MODEL) -> dict[str, str]:
    """Write the parts of a model; their version and their size in bytes."""
    parts = [file.read_bytes() for file in write_parts(folder, SHIPPED / model)]
    version = hashlib.sha256(b"".join(parts)).hexdigest()[:8]
    return {"data-version": version, "data-size": str(sum(map(len, parts)))}
