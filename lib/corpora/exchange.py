"""Other names, numbers and forms in pairs that are known, so that copying pays.

A translator that has met "Tom" ten thousand times has learned a word, no way of names.
Where another name stands each time, only copying it sub-word by sub-word pays.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from lib.text import Pair
from lib.text.reading import plain

_WORD = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]{2,})*")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


class Exchange:
    """Pairs as an epoch reads them: with other names, numbers and forms in some.

    A name is a word with a capital that both sides write alike. Another takes its
    place that was met behind the same word, as a place is behind "in", and that ends
    in -a or does not, as it did; half of the new names are two halves of names. A
    number that both sides hold becomes another of its shape: a time stays a time.
    Marks and capitals go as people leave them out.

    Args:
        pairs: sentences and their translations, of any two languages.

    Example:
        >>> pairs = [("Yes, I saw Tom.", "Sí, vi a Tom."), ("Go at 9!", "¡Ve a las 9!")]
        >>> pairs += [("At 7 I saw Ken.", "A las 7 vi a Ken.")]
        >>> exchange = Exchange(pairs)
        >>> exchange.names(*pairs[2])
        ['Ken']
        >>> exchange.drawn(share=0.9, seed=14)[2]
        ('At 9 I saw Tom.', 'A las 9 vi a Tom.')
    """

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self.pairs = [(plain(src), plain(tgt)) for src, tgt in pairs]
        met: Counter[str] = Counter()
        alike: Counter[str] = Counter()
        for src, tgt in self.pairs:
            inside, there = _WORD.findall(src)[1:], set(_WORD.findall(tgt))
            met.update(inside)
            alike.update(there.intersection(inside))
        self._known = {
            name
            for name, count in alike.items()
            if len(name) > 2 and name[0].isupper() and name[-1].islower()
            if 2 * count > met[name] and count > 9 * met[name.lower()]
        }
        self._names: dict[tuple[str, bool], list[str]] = defaultdict(list)
        self._numbers: dict[str, list[str]] = defaultdict(list)
        for src, tgt in self.pairs:
            for name in self.names(src, tgt):
                self._names[_place(src, name)].append(name)
            for number in _NUMBER.findall(src):
                self._numbers[re.sub(r"\d", "0", number)].append(number)
        for names in self._names.values():
            names[:] = sorted({*names})

    def names(self, src: str, tgt: str) -> list[str]:
        """Return the names that stand on both sides, equally often."""
        left, right = Counter(_WORD.findall(src)), Counter(_WORD.findall(tgt))
        return [
            name for name in left if name in self._known if left[name] == right[name]
        ]

    def drawn(self, share: float, seed: int) -> list[Pair]:
        """Return all pairs, with other names and numbers in a share of them.

        Args:
            share: from 0 to 1; a sixth of it is the share that loses marks or capitals.
            seed: decides which, and what stands in them.
        """
        draw, drawn = random.Random(seed), []
        for src, tgt in self.pairs:
            if draw.random() < share:
                src, tgt = self._renumbered(*self._renamed(src, tgt, draw), draw)
            if draw.random() < share / 6:
                src, tgt = _bare(src, tgt, draw.randrange(3))
            drawn.append((src, tgt))
        return drawn

    def _renamed(self, src: str, tgt: str, draw: random.Random) -> Pair:
        for name, place in [(name, _place(src, name)) for name in self.names(src, tgt)]:
            new, other = draw.choices(self._names[place], k=2)
            if (lot := draw.random()) < 0.5:
                new = new[: (len(new) + 1) // 2] + other[len(other) // 2 :].lower()
            elif lot < 0.65:
                new = f"{new} {other}"
            src, tgt = (re.sub(rf"\b{name}\b", new, side) for side in (src, tgt))
        return src, tgt

    def _renumbered(self, src: str, tgt: str, draw: random.Random) -> Pair:
        for old in dict.fromkeys(_NUMBER.findall(src)):
            new = _digits(draw.choice(self._numbers[re.sub(r"\d", "0", old)]))
            there = [n for n in _NUMBER.findall(tgt) if _digits(n) == _digits(old)]
            if len(there) == src.count(old) == 1 and int(old[0]) > 1 < int(new[0]):
                src, tgt = _put(src, old, new), _put(tgt, there[0], new)
        return src, tgt


def _place(src: str, name: str) -> tuple[str, bool]:
    """Tell where a name stands: behind which word, and whether it ends in -a."""
    before = re.search(rf"(\w*)[^\w.?!]*\b{name}\b", src)
    return before[1].lower() if before else "", name[-1] == "a"


def _digits(number: str) -> str:
    return re.sub(r"\D", "", number)


def _put(side: str, old: str, digits: str) -> str:
    """Put other digits into a number, which keeps its own marks between them."""
    new = re.sub(r"\d", "{}", old).format(*digits)
    return re.sub(rf"(?<![\d.,:]){re.escape(old)}(?![\d])", new, side)


def _bare(src: str, tgt: str, way: int) -> Pair:
    """Leave out the question mark, the apostrophes or the capitals."""
    if way == 0:
        return re.sub(r"\?$", ".", src), tgt
    if way == 1:
        return src.replace("'", ""), tgt
    return src[:1] + src[1:].lower(), tgt.lower()
