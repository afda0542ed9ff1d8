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

_words = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]{2,})*").findall
_numbers = re.compile(r"\d+(?:[.,:]\d+)*").findall
_digits = re.compile(r"\d").findall


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
        met, both = Counter[str](), Counter[str]()
        for src, tgt in self.pairs:
            met.update(inside := _words(src)[1:])
            both.update({*inside}.intersection(_words(tgt)))
        # Written alike more often than not, and hardly ever with a small letter.
        large = (w for w in both if len(w) > 2 and w[0].isupper() and w[-1].islower())
        self._known = {w for w in large if met[w] < 2 * both[w] > 18 * met[w.lower()]}
        names = {(_place(p[0], n), n) for p in self.pairs for n in self.names(*p)}
        numbers = [(_shape(n), n) for src, _ in self.pairs for n in _numbers(src)]
        self._of_kind: dict[object, list[str]] = defaultdict(list)
        for kind, one in [*sorted(names), *numbers]:
            self._of_kind[kind].append(one)

    def names(self, src: str, tgt: str) -> list[str]:
        """Return the names that stand on both sides, equally often."""
        left, right = Counter(_words(src)), Counter(_words(tgt))
        return [w for w in left if w in self._known and left[w] == right[w]]

    def drawn(self, share: float, seed: int) -> list[Pair]:
        """Return all pairs, with other names and numbers in a share of them.

        Args:
            share: from 0 to 1; a sixth of it is the share that loses marks or capitals.
            seed: decides which, and what stands in them.
        """
        draw, drawn = random.Random(seed), []
        for src, tgt in self.pairs:
            if draw.random() < share:
                src, tgt = self._exchanged(src, tgt, draw)
            if draw.random() < share / 6:
                src, tgt = draw.choice(_bare(src, tgt))
            drawn.append((src, tgt))
        return drawn

    def _exchanged(self, src: str, tgt: str, draw: random.Random) -> Pair:
        for name, place in [(name, _place(src, name)) for name in self.names(src, tgt)]:
            new, other = draw.choices(self._of_kind[place], k=2)
            halves = new[: (len(new) + 1) // 2] + other[len(other) // 2 :].lower()
            (new,) = draw.choices([halves, f"{new} {other}", new], [0.5, 0.15, 0.35])
            src, tgt = (re.sub(rf"\b{name}\b", new, side) for side in (src, tgt))
        for old in dict.fromkeys(_numbers(src)):
            new = draw.choice(self._of_kind[_shape(old)])
            there = [n for n in _numbers(tgt) if _digits(n) == _digits(old)]
            if len(there) == src.count(old) == 1 and int(old[0]) > 1 < int(new[0]):
                src, tgt = _put(src, old, new), _put(tgt, there[0], new)
        return src, tgt


def _place(src: str, name: str) -> tuple[str, bool]:
    """Tell where a name stands: behind which word, and whether it ends in -a."""
    before = re.search(rf"(\w*)[^\w.?!]*\b{name}\b", src)
    return before[1].lower() if before else "", name[-1] == "a"


def _shape(number: str) -> str:
    return re.sub(r"\d", "{}", number)


def _put(side: str, old: str, new: str) -> str:
    """Put other digits into a number, which keeps its own marks between them."""
    there = rf"(?<![\d.,:]){re.escape(old)}(?![\d])"
    return re.sub(there, _shape(old).format(*_digits(new)), side)


def _bare(src: str, tgt: str) -> list[Pair]:
    """Return a pair without its question mark, its apostrophes, or its capitals."""
    small = src[:1] + src[1:].lower(), tgt.lower()
    return [(re.sub(r"\?$", ".", src), tgt), (src.replace("'", ""), tgt), small]
