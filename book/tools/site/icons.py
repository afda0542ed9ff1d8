"""The few icons of the site, drawn by hand on a square of 24 by 24.

The theme would bring a script of half a megabyte and two fonts for them.
"""

from bs4 import BeautifulSoup, Tag

# The theme's name of each icon, and its lines.
LINES = {
    "bars": "M4 6h16M4 12h16M4 18h16",
    "list": "M9 6h11M9 12h11M9 18h11M4 6h.5M4 12h.5M4 18h.5",
    "magnifying-glass": "M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13z"
    "M15.5 15.5L20 20",
    "sun": "M12 8a4 4 0 1 0 0 8a4 4 0 1 0 0-8z"
    "M12 2v2.5M12 19.5V22M2 12h2.5M19.5 12H22"
    "M5 5l1.7 1.7M17.3 17.3L19 19M5 19l1.7-1.7M17.3 6.7L19 5",
    "moon": "M20 14.5A8.5 8.5 0 0 1 9.5 4A8.5 8.5 0 1 0 20 14.5z",
    "circle-half-stroke": "M12 3.5a8.5 8.5 0 1 0 0 17a8.5 8.5 0 1 0 0-17z"
    "M12 3.5v17M15 5v14M18 7.5v9",
    "arrow-up": "M12 20V5M5.5 11.5L12 5l6.5 6.5",
    "angle-left": "M15 5l-7 7l7 7",
    "angle-right": "M9 5l7 7l-7 7",
    "chevron-down": "M5 9l7 7l7-7",
    "expand": "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
    "download": "M12 4v11M7 10.5l5 5l5-5M4 20h16",
    "file": "M6 3h8l4 4v14H6zM14 3v4h4",
    "file-pdf": "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
    "lightbulb": "M9.5 17a6.5 6.5 0 1 1 5 0v1.5h-5zM10 21.5h4",
    "rocket": "M8 15c0-5 3-10 8.5-11.5C20 9 17 13.5 13 16.5zM8 11H4.5L3.5 14L8 15"
    "M13 16.5l.5 4l3-1.5v-4.5M14 9h.5",
    "github": "M7 5v9M7 8c0 4 10 2 10 6M7 3a2 2 0 1 0 .1 0zM7 15.5a2 2 0 1 0 .1 0z"
    "M17 15.5a2 2 0 1 0 .1 0z",
}
NAMES = {f"fa-{name}": name for name in LINES}


def draw(name: str) -> str:
    """The SVG of an icon; what it means is said by the button around it.

    Example:
        >>> draw("angle-left").startswith("<svg")
        True
    """
    return (
        '<svg class="drawn-icon" viewBox="0 0 24 24" aria-hidden="true" '
        f'focusable="false"><path d="{LINES[name]}"/></svg>'
    )


def replace_icons(page: BeautifulSoup) -> None:
    """Put a drawing into each element that asks for an icon of the theme's font.

    Raises:
        ValueError: If the page asks for one that is not drawn here.
    """
    for element in page.find_all(["i", "span"], class_=asks_for_icon):
        classes = element["class"]
        names = [NAMES[css] for css in classes if css in NAMES]
        if not names:
            raise ValueError(f"no icon is drawn for {' '.join(classes)}: see icons.py")
        element["class"] = " ".join(css for css in classes if not asks_for_icon(css))
        element.append(drawing(names[0]))


def asks_for_icon(css: str | None) -> bool:
    """Whether a class belongs to the theme's icon font."""
    return css is not None and (css in ("fas", "fab", "far") or css.startswith("fa-"))


def drawing(name: str) -> Tag:
    """An icon as an element."""
    (svg,) = BeautifulSoup(draw(name), "html.parser").find_all("svg")
    return svg
