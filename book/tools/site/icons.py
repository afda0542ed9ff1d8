"""The few icons of the site, those of `icons.svg`.

The theme would bring a script of half a megabyte and two fonts for them.
"""

from pathlib import Path

from bs4 import BeautifulSoup

SHEET = BeautifulSoup(Path(__file__).with_suffix(".svg").read_text("utf-8"), "xml")
LINES = {f"fa-{path['id']}": path["d"] for path in SHEET.find_all("path")}
# What an icon means is said by the button around it.
DRAWN = (
    '<svg class="drawn-icon" viewBox="0 0 24 24" aria-hidden="true" '
    'focusable="false"><path d="{}"/></svg>'
)


def replace_icons(page: BeautifulSoup) -> None:
    """Put a drawing into each element that asks for an icon of the theme's font.

    Raises:
        ValueError: If the page asks for one that is not drawn here.
    """
    for element in page.find_all(["i", "span"], class_=asks_for_icon):
        classes = element["class"]
        lines = [LINES[css] for css in classes if css in LINES]
        if not lines:
            raise ValueError(f"no icon is drawn for {' '.join(classes)}: see icons.svg")
        element["class"] = " ".join(css for css in classes if not asks_for_icon(css))
        drawing = BeautifulSoup(DRAWN.format(lines[0]), "html.parser")
        element.append(drawing.contents[0])


def asks_for_icon(css: str | None) -> bool:
    """Whether a class belongs to the theme's icon font."""
    return css is not None and (css in ("fas", "fab", "far") or css.startswith("fa-"))
