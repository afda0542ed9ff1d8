"""Drawings of boxes and arrows: files that were made once, and stand beside this."""

import dataclasses
import re
from collections.abc import Sequence
from importlib import resources


@dataclasses.dataclass(frozen=True)
class Drawing:
    """What a notebook shows when it is the last line of a cell.

    Args:
        name: the name of the drawing.
        picture: the drawing as SVG, complete in itself.
    """

    name: str
    picture: str = dataclasses.field(repr=False)

    def _repr_svg_(self) -> str:
        return self.picture


def drawing(name: str, mark: str | Sequence[str] = ()) -> Drawing:
    """Show a drawing of boxes and arrows, such as the map of the whole model (§3).

    Args:
        name: the name of a file in `lib/figures/drawings`, such as `"model_map"`.
        mark: the pieces of the map to fill and to frame in bold, such as
            `"attention"`; `"model"` marks everything.

    Raises:
        ValueError: if there is no such drawing, or no such piece in it.

    Example:
        >>> drawing("model_map", mark="positions")
        Drawing(name='model_map')
    """
    folder = resources.files("lib") / "figures" / "drawings"
    files = sorted(file.name for file in folder.iterdir())
    names = [file.removesuffix(".svg") for file in files if file.endswith(".svg")]
    if name not in names:
        raise ValueError(f"There is no drawing {name!r}: there are {', '.join(names)}.")
    # The first line of a file names its rules; a picture carries them along.
    _, _, picture = (folder / f"{name}.svg").read_text(encoding="utf-8").partition("\n")
    rules = (folder / "drawing.css").read_text(encoding="utf-8")
    piece_of = r'<(?:g|svg) class="'
    pieces = dict.fromkeys(re.findall(piece_of + r"([\w-]+)", picture))
    for piece in [mark] if isinstance(mark, str) else mark:
        if piece not in pieces:
            raise ValueError(
                f"The drawing {name!r} has no piece {piece!r}: it has "
                f"{', '.join(pieces)}."
            )
        picture = re.sub(rf'{piece_of}{piece}(?=[ "])', r"\g<0> marked", picture)
    return Drawing(name, picture.replace(">", f">\n<style>\n{rules}</style>", 1))
