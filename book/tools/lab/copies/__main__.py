"""Draw the sentences around names, numbers and quotations: lib/corpora/copies.tsv.gz.

    .venv/bin/python -m book.tools.lab.copies

From the frames and names of lib/corpora/copying.toml and of the two files beside this
one, and, inside quotation marks, from the sentences of the phrase book. With the corpus
tatoeba-en-es at hand, what it holds out is left out, should a frame come upon it. No
name that a stranger's sentence has is drawn.
"""

import gzip
import random
import re
import sys
import tomllib
from pathlib import Path

from lib import corpora
from lib.corpora import copying, normalize
from lib.corpora.drawn import Drawn, lists
from lib.evaluation import strangers

HERE, FOLDER = Path(__file__).parent, Path(corpora.__file__).parent
BOOK, COPIES = FOLDER / "phrase-book.tsv", FOLDER / "copies.tsv.gz"
FRAMED, QUOTED = 15_000, 5_500
MORE = tomllib.loads((HERE / "names.toml").read_text("utf-8"))
ASKED = [
    stranger.english
    for name in ("phrases", "words", "names")
    for part in (name, f"{name}-validation")
    for stranger in strangers(part)
] + [
    each.english for part in ("test", "validation", "first") for each in strangers(part)
]
WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]{2,})*")
MET = {word for text in ASKED for word in WORD.findall(text)}


def unmet(names: list[str]) -> list[str]:
    """Return the names of which no word with a capital is typed by a stranger."""
    words = {name: WORD.findall(name) for name in names}
    return [
        name
        for name in sorted({*names})
        if not {word for word in words[name] if word[0].isupper() and word[2:]} & MET
    ]


class Names(Drawn):
    """Names of several words as well."""

    long = unmet(MORE["surnames_long"].strip().splitlines())
    full = unmet(MORE["full"].strip().splitlines())

    def _surname(self) -> str:
        if self.numbers.random() < 0.06:
            return str(self.numbers.choice(self.long))
        return super()._surname()

    def _person(self) -> str:
        if self.numbers.random() < 0.05:
            return str(self.numbers.choice(self.full))
        return super()._person()


def main() -> None:
    """Draw as many sentences as there are to be, none twice, and pack them."""
    names = lists()
    for kind in ("masculine", "feminine", "surnames", "places", "companies"):
        names[kind] = unmet([*names[kind], *MORE[kind].split()])
    more = (HERE / "frames.tsv").read_text("utf-8").splitlines()
    frames: list[list[str]] = [
        line.split("\t") for line in [*names["frames"], *more] if "{" in line
    ]
    setattr(copying, "Drawn", Names)  # noqa: B010
    draw, way, found = random.Random(0), copying.Copying([]), dict[str, str]()
    held = {normalize(text) for text in ASKED}
    if "--corpus" in sys.argv:
        splits = corpora.load("tatoeba-en-es").splits
        held |= {
            normalize(src) for part in ("validation", "test") for src, _ in splits[part]
        }
    lines: list[list[str]] = [
        line.split("\t")[:2] for line in BOOK.read_text("utf-8").splitlines()
    ]
    short = [
        pair for pair in lines if copying._can_be_said(*pair) and pair[0].count(" ") > 1
    ]

    def add(src: str, tgt: str) -> None:
        if normalize(src) not in held:
            found.setdefault(src, copying._spelled(tgt))

    while len(found) < FRAMED:
        src, tgt = draw.choice(frames)
        add(*copying._filled(src, tgt, draw))
    while len(found) < FRAMED + QUOTED:
        src, tgt = draw.choice(short)
        add(*way._quoted(src, tgt, draw))
    rows = [f"{src}\t{tgt}\n" for src, tgt in found.items()]
    draw.shuffle(rows)
    with COPIES.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        packed.write("".join(rows).encode())


if __name__ == "__main__":
    main()
