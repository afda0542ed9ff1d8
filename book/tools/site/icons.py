"""The few icons of the site, those of `icons.svg`.

The theme would bring a script of half a megabyte and two fonts for them.
"""

import re
from pathlib import Path

from bs4 import BeautifulSoup

SHEET = BeautifulSoup(Path(__file__).with_suffix(".svg").read_text("utf-8"), "xml")
LINES = {f"fa-{path['id']}": path["d"] for path in SHEET.find_all("path")}
# What an icon means is said by the button around it.
DRAWN = (
    '<svg class="drawn-icon" viewBox="0 0 24 24" aria-hidden="true" '
    'focusable="false"><path d="{}"/></svg>'
)
OF_THE_FONT = re.compile(r"^fa[srb]$|^fa-")


def replace_icons(page: BeautifulSoup) -> None:
    """Put a drawing into each element that asks for an icon of the theme's font.

    Raises:
        StopIteration: If the page asks for one that is not drawn in icons.svg.
    """
    for element in page.find_all(["i", "span"], class_=OF_THE_FONT):
        classes = element["class"]
        lines = next(LINES[css] for css in classes if css in LINES)
        kept = [css for css in classes if not OF_THE_FONT.match(css)]
        element["class"] = " ".join(kept)
        element.append(BeautifulSoup(DRAWN.format(lines), "html.parser"))
