"""Drawings, and figures that answer: one line, and nothing is asked of the network.

Drawings of boxes and arrows were made once, and lie in `drawings`. The scripts of the
figures that answer stand in `book/interactive`, as modules for reading. A page opened
as a file and the output of a cell can load no modules, so those that a figure needs are
packed into one plain script: each in a function of its own, after those it imports.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from lib.figures.style import ROLES
from lib.layers import TokenEmbedding
from lib.text.files import read_json

if TYPE_CHECKING:
    from IPython.display import HTML

IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";$', re.M)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.M)
NOTE = re.compile(r"^ *//.*\n|/\*\*(?:[^*]|\*(?!/))*\*/[ \n]?", re.M)
BESIDE = re.compile(r"(?<=[;,{)]) // .*$", re.M)
OPEN = re.compile(r"([,(\[{])\n")
INDENT = re.compile(r"^\s+", re.M)
FUNCTION = re.compile(r"^export function (\w+).*?^}\n", re.M | re.S)
OPENINGS = re.compile(r"^const OPENINGS = \{\n(.*?)^\};", re.M | re.S)

STORED = re.compile(
    r'<style>.*?</style>(<div class="interactive" data-figure="[\w-]+"'
    r'(?: data-opened="\w+")?) id="[\w-]+"(>.*?</div>)<script>.*</script>',
    re.DOTALL,
)

_numbers = itertools.count(1)


def interactive(name: str, opened: str | None = None, numbers: object = None) -> HTML:
    """Show a figure of the book that answers to mouse, finger and keyboard.

    Args:
        name: the figure's name, such as `"query"`.
        opened: where it opens, if it can open at several places.
        numbers: what its cell has computed for it, as JSON can hold it.

    Returns:
        What a notebook shows when it is the last line of a cell.

    Raises:
        ValueError: if there is no such figure, or it does not open there.
    """
    from IPython.display import HTML

    script = packed(name)
    if opened not in (None, *openings(name)):
        raise ValueError(
            f"The figure {name!r} does not open at {opened!r}: it opens at "
            f"{', '.join(openings(name)) or 'one place only'}."
        )
    place = f"interactive-{name}-{next(_numbers)}"
    at = f' data-opened="{opened}"' if opened else ""
    told = as_json(numbers)
    held = f'<script type="application/json">{told}</script>' if numbers else ""
    return HTML(
        f'<style>{style()}</style><div class="interactive" data-figure="{name}"{at} '
        f'id="{place}">{held}</div><script>{script}\n'
        f'bookFigures["{name}"](document.getElementById("{place}"));</script>'
    )


def stored(output: str) -> str:
    """What a notebook keeps of a figure: its place and its numbers, no script."""
    return STORED.sub(r"\1\2", output)


def as_json(numbers: object) -> str:
    """What may stand in a script of a page."""
    return json.dumps(numbers, ensure_ascii=False).replace("<", r"\u003c")


def sources() -> Path:
    """The folder of the modules: it stands beside lib, also where lib is installed."""
    return Path(__file__).parents[2] / "book" / "interactive"


def names() -> list[str]:
    """The names of all figures."""
    return sorted(file.stem for file in (sources() / "figures").glob("*.js"))


def openings(name: str) -> list[str]:
    """Where a figure may open, from the table of its script; nothing for most."""
    text = (sources() / "figures" / f"{name}.js").read_text(encoding="utf-8")
    table = OPENINGS.search(text)
    return re.findall(r"^  (\w+): \{", table[1], re.M) if table else []


def style() -> str:
    """The rules of the figures' looks, the colors of the roles first."""
    colors = "".join(f"--role-{role}:{color};" for role, color in ROLES.items())
    rules = (sources() / "interactive.css").read_text(encoding="utf-8")
    return f":root{{{colors}}}\n{rules}"


@functools.cache
def packed(name: str) -> str:
    """The script of one figure; it adds itself to `bookFigures` under its name.

    It hands itself to the figure, as a function, which may run it a second time in a
    worker (`book/interactive/worker.js`), and what is `given`.

    Args:
        name: the figure's name.

    Raises:
        ValueError: if there is no such figure.
    """
    if name not in names():
        raise ValueError(
            f"There is no interactive figure {name!r}: there are {', '.join(names())}."
        )
    modules = in_order(sources() / "figures" / f"{name}.js")
    wanted = {"mount", "work"}
    texts = []
    for path in reversed(modules):  # those that import before those imported
        text = used(path.read_text(encoding="utf-8"), wanted)
        wanted.update(re.findall(r"\w+", " ".join(m[1] for m in IMPORT.finditer(text))))
        texts.append(wrapped(path, text))
    body = "".join(reversed(texts))
    return (
        f'(function script(works) {{\n"use strict";\nconst modules = {{}};\n{body}'
        f"const {{mount, work}} = modules['figures/{name}'];\n"
        "if (works) return work();\n"
        f"(globalThis.bookFigures ??= {{}})[{name!r}] = "
        "root => mount(root, script, "
        "JSON.parse(root.querySelector('script')?.textContent ?? null) ?? "
        f"{as_json(given(name))});\n"
        "})();"
    )


def given(name: str) -> object:
    """What lib has for a figure, so that its script holds no copy; nothing for most."""
    if name == "words":  # what chapter 1 draws for its 60 tokens
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            table = TokenEmbedding(60, d_model=4, pad_id=0).table.weight
        return [[round(number, 2) for number in row] for row in table.tolist()]
    shipped = sources().parents[1] / "lib" / "shipped"
    if name == "since_2017":  # of what chapter 19 shows, three seeds at the usual rate
        runs = read_json(shipped / "measurements" / "since_2017.json")["runs"]
        return [run for run in runs if run["rate"] == 0.004 and run["seed"] < 3]
    if name == "merges":
        model = read_json(shipped / "tatoeba-en-es" / "tokenizer.json")["model"]
        characters = "".join(token for token in model["vocab"] if len(token) == 1)
        merges = "|".join(map(" ".join, model["merges"][:2000]))
        return {"characters": characters, "merges": merges}
    return None


def in_order(path: Path) -> list[Path]:
    """A module and all that it imports, each after what it imports itself.

    Raises:
        ValueError: if modules import one another in a circle.
    """
    found: list[Path] = []

    def visit(module: Path, above: tuple[Path, ...]) -> None:
        if module in above:
            raise ValueError(f"{module.name} imports itself, by way of others.")
        if module not in found:
            for _, imported in IMPORT.findall(module.read_text(encoding="utf-8")):
                visit((module.parent / imported).resolve(), (*above, module))
            found.append(module)

    visit(path.resolve(), ())
    return found


def used(text: str, wanted: set[str]) -> str:
    """A module without the exported functions that nobody asks for."""
    for found in FUNCTION.finditer(text):
        calls = len(re.findall(rf"\b{found[1]}\b", NOTE.sub("", text)))
        own = len(re.findall(rf"\b{found[1]}\b", NOTE.sub("", found[0])))
        if found[1] not in wanted and calls == own:
            text = text.replace(found[0], "")
    return text


def wrapped(path: Path, text: str) -> str:
    """A module as a function: its imports become its first lines, its exports its last.

    Comments, indents and line breaks inside of brackets are for those who read the
    modules; they do not travel.
    """

    def import_line(match: re.Match[str]) -> str:
        module = key((path.parent / match[2]).resolve())
        return f"const {{{match[1]}}} = modules[{module}];"

    given = ", ".join(EXPORT.findall(text))
    text = NOTE.sub("", EXPORT.sub("", IMPORT.sub(import_line, text)))
    text = OPEN.sub(r"\1", INDENT.sub("", BESIDE.sub("", text)))
    return f"modules[{key(path)}] = (() => {{\n{text}return {{ {given} }};\n}})();\n"


def key(path: Path) -> str:
    """The name of a module among those of one script."""
    return repr(path.relative_to(sources().resolve()).with_suffix("").as_posix())


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
    folder = Path(__file__).with_name("drawings")
    drawn = sorted(file.stem for file in folder.glob("*.svg"))
    if name not in drawn:
        raise ValueError(f"There is no drawing {name!r}: there are {', '.join(drawn)}.")
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
