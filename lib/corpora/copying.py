"""Pairs that teach to copy: other names and numbers in the places of known ones.

A translator that has met "Tom" ten thousand times has learned a word, no way of names.
Where another name stands each time, only copying it sub-word by sub-word pays.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from lib.corpora.drawn import MONTHS, Drawn, lists, spanish_number
from lib.text import Pair
from lib.text.reading import PLACEHOLDER, plain

_WORD = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]{2,})*")
_NUMBER = re.compile(r"(?<![\d.,:])\d+(?:[.,:]\d+)*(?![\d%])")
_DATE = re.compile(rf"\b({'|'.join(MONTHS)}) (\d\d?)(?:st|nd|rd|th)?\b")
_END = re.compile(r'(?<=})"$')  # of a frame, where the mark is that of what is said
_SLOT = re.compile(r"{(\w\w+)}")
_TITLES = (
    ("Mr.", "el señor"), ("Mrs.", "la señora"), ("Ms.", "la señora"),
    ("Miss", "la señorita"), ("Dr.", "el doctor"), ("Dr.", "la doctora"),
    ("Professor", "el profesor"), ("Professor", "la profesora"),
)  # fmt: skip
# Of the pairs that are drawn anew.
_SHARES = {"named": 0.4, "numbered": 0.1, "framed": 0.2, "quoted": 0.12, "odd": 0.18}
_OFTEN = 5  # so often a name must have been met, nearly always with a capital


class Copying:
    """Draw the pairs of a corpus with other names, numbers and forms in them.

    Args:
        pairs: English sentences and their Spanish, those to train on.

    Example:
        >>> pairs = [("Yes, I saw Tom.", "Sí, vi a Tom."), ("Go on!", "¡Sigue!")]
        >>> copying = Copying(pairs * 9)
        >>> copying.names("I saw Tom.", "Vi a Tom.")
        ['Tom']
        >>> len(copying.mixed(share=0.5, seed=0))
        18
    """

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self.pairs = [_by_the_rule(plain(src), plain(tgt)) for src, tgt in pairs]
        self._known = _names_of(src for src, _ in self.pairs)
        self._known &= _names_of(tgt for _, tgt in self.pairs)
        self._places = _places_of((src for src, _ in self.pairs), self._known)
        self._with_names = [pair for pair in self.pairs if self.names(*pair)]
        self._with_numbers = [pair for pair in self.pairs if _shared(*pair)]
        self._short = [pair for pair in self.pairs if _can_be_said(*pair)]
        self._lines = {
            name: [
                (src, tgt) for line in lists()[name] for src, tgt in [line.split("\t")]
            ]
            for name in ("frames", "quotes", "questions")
        }

    def mixed(
        self, share: float, seed: int, ways: Sequence[str] = tuple(_SHARES)
    ) -> list[Pair]:
        """Return as many pairs as there are, a share of them drawn anew.

        Args:
            share: how many are drawn anew: between 0 and 1.
            seed: decides which, and what stands in them.
            ways: in which ways, as :meth:`drawn` knows them.
        """
        numbers = random.Random(seed)
        kept = numbers.sample(self.pairs, len(self.pairs))
        new = round(share * len(kept))
        chosen = numbers.choices(ways, [_SHARES[way] for way in ways], k=new)
        return [self.drawn(way, numbers) for way in chosen] + kept[new:]

    def drawn(self, way: str, numbers: random.Random) -> Pair:
        """Draw one pair: "named", "numbered", "framed", "quoted" or "odd".

        Where the corpus has nothing of the kind, a frame is filled.
        """
        ways: dict[str, tuple[Callable[..., Pair], list[Pair]]] = {
            "named": (self._named, self._with_names),
            "numbered": (_numbered, self._with_numbers),
            "quoted": (self._quoted, self._short),
            "odd": (_odd, self.pairs),
        }
        change, pairs = ways.get(way, (_filled, []))
        if not pairs:
            change, pairs = _filled, self._lines["frames"]
        src, tgt = change(*numbers.choice(pairs), numbers)
        if way == "named" and numbers.random() < 0.12:
            src, tgt = _in_small_letters(src, tgt)
        return src, _spelled(tgt)

    def names(self, src: str, tgt: str) -> list[str]:
        """Return the names that stand on both sides, equally often."""
        left, right = Counter(_WORD.findall(src)), Counter(_WORD.findall(tgt))
        return [
            name for name in left if name in self._known and left[name] == right[name]
        ]

    def _named(self, src: str, tgt: str, numbers: random.Random) -> Pair:
        drawn = Drawn(numbers)
        for name in self.names(src, tgt):
            title, spanish, kind = "", "", self._kind(name)
            if numbers.random() < 0.04:
                kind = "unknown"
            elif (
                kind == "man" and not _is_called(src, name) and numbers.random() < 0.15
            ):
                (title, spanish), kind = numbers.choice(_TITLES), "surname"
            new = drawn.draw(kind)[0]
            src = _put(src, name, f"{title} {new}".strip())
            tgt = _put(tgt, name, f"{spanish} {new}".strip())
        return src, tgt

    def _kind(self, name: str) -> str:
        if name in self._places:
            return "place"
        return "woman" if name.endswith("a") or name in ("Mary", "Alice") else "man"

    def _quoted(self, src: str, tgt: str, numbers: random.Random) -> Pair:
        """Put a pair, or what stands for one, into quotation marks; say who speaks."""
        frames = self._lines["quotes" if src.endswith(".") else "questions"]
        around, spanish = _filled(*numbers.choice(frames), numbers)
        if numbers.random() < 0.5:
            src = tgt = PLACEHOLDER
            around, spanish = _END.sub('."', around), _END.sub('".', spanish)
        return (
            around.replace("{s}", src.removesuffix(".")),
            spanish.replace("{t}", tgt.removesuffix(".")),
        )


def _by_the_rule(src: str, tgt: str) -> Pair:
    """Write the numbers of the target as the rule says, where the source has them."""
    for number in _NUMBER.findall(src):
        if re.search(r"[.,]", number) and number in tgt:
            tgt = tgt.replace(number, spanish_number(number))
    return src, tgt


def _names_of(sentences: Iterable[str]) -> set[str]:
    """Collect the words that have a capital inside sentences, nearly each time."""
    large: Counter[str] = Counter()
    small: Counter[str] = Counter()
    for sentence in sentences:
        for word in _WORD.findall(sentence)[1:]:
            (large if word[0].isupper() else small)[word.lower()] += 1
    return {
        word.capitalize()
        for word, count in large.items()
        if count >= _OFTEN and len(word) > 1 and count > 9 * small[word]
    }


def _places_of(sentences: Iterable[str], names: set[str]) -> set[str]:
    """Tell places among names: most of the time they stand behind in, to or from."""
    behind: Counter[str] = Counter()
    all_of: Counter[str] = Counter()
    for sentence in sentences:
        words = _WORD.findall(sentence)
        all_of.update(words)
        behind.update(
            word
            for before, word in pairwise(words)
            if before in ("in", "to", "from", "of", "at")
        )
    return {name for name in names if behind[name] > 0.5 * all_of[name]}


def _shared(src: str, tgt: str) -> list[str]:
    """Return the numbers above 1 that stand on both sides, and no more than once."""
    left, right = _NUMBER.findall(src), _NUMBER.findall(tgt)
    same = [number for number in left if right.count(spanish_number(number)) == 1]
    return [n for n in same if left.count(n) == 1 and re.search(r"[2-9]|\d\d", n)]


def _numbered(src: str, tgt: str, numbers: random.Random) -> Pair:
    for number in _shared(src, tgt):
        new = _alike(number, numbers, in_date=bool(_DATE.search(src)))
        src = _put(src, number, new)
        tgt = _put(tgt, spanish_number(number), spanish_number(new))
    for english, spanish in MONTHS.items():
        if _DATE.search(src) and english in src and re.search(rf"\b{spanish}\b", tgt):
            month = numbers.choice([*MONTHS])
            return _put(src, english, month), _put(tgt, spanish, MONTHS[month])
    return src, tgt


def _alike(number: str, numbers: random.Random, in_date: bool) -> str:
    """Draw a number of the same kind: a time for a time, a year for a year."""
    for kind, shape in (
        ("clock", r"\d\d?:\d\d"),
        ("thousands", r"\d+(,\d{3})+"),
        ("decimal", r"\d+\.\d+"),
        ("year", r"[12]\d{3}"),
    ):
        if re.fullmatch(shape, number):
            return Drawn(numbers).draw(kind)[0]
    if in_date and len(number) < 3:
        return str(numbers.randrange(2, 32))
    return "".join(
        numbers.choices("23456789", k=1)
        + numbers.choices("0123456789", k=len(number) - 1)
    )


def _filled(src: str, tgt: str, numbers: random.Random) -> Pair:
    """Fill the slots of a frame."""
    for kind in _SLOT.findall(src):
        english, spanish = Drawn(numbers).draw(kind)
        src = src.replace(f"{{{kind}}}", english, 1)
        tgt = tgt.replace(f"{{{kind}}}", spanish, 1)
    # One period ends "at 6 p.m." and its sentence.
    return src.replace(".m..", ".m."), tgt.replace(".m..", ".m.")


def _can_be_said(src: str, tgt: str) -> bool:
    return (
        len(src) <= 60 and '"' not in src + tgt and bool(re.search(r"[^.][.?!]$", src))
    )


def _odd(src: str, tgt: str, numbers: random.Random) -> Pair:
    """End a question with a period, as text first would, or take its capitals."""
    way = numbers.randrange(3)
    if way < 2 and src.endswith("?"):
        src = src.rstrip("?") + "."
    if numbers.random() < 0.25:
        src = src.replace("'", "")
    return _in_small_letters(src, tgt) if way else (src, tgt)


def _in_small_letters(*pair: str) -> Pair:
    src, tgt = (side.lower() for side in pair)
    return src[:1].upper() + src[1:], tgt


def _is_called(src: str, name: str) -> bool:
    """Tell whether somebody is spoken to, where Spanish has no article."""
    return bool(re.search(rf"(?:^|, ){name},|, {name}\W|'{name}|{name} [A-Z]", src))


def _put(sentence: str, old: str, new: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(old)}(?![\d]|[^\W\d])", lambda _: new, sentence)


def _spelled(tgt: str) -> str:
    """Contract a and de with el, write e for y before an i; begin with a capital."""
    tgt = re.sub(r"\b([Aa]|[Dd]e) el (?=señor|doctor|profesor)", r"\1l ", tgt)
    tgt = re.sub(r"\by (?=H?[IÍ](?![aeiouáéó]))", "e ", tgt)
    return re.sub(r'^([¿¡"]*)(\w)', lambda at: at[1] + at[2].upper(), tgt)
