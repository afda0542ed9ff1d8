"""What strangers type, and whether its translation carries what it must."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lib.evaluation.intervals import share_interval
from lib.text.reading import plain
from lib.translator.translator import Translator

# What `evaluate --part` calls them, and what the first column of the file does.
TYPED = {"strangers": "test"} | {
    name: name for name in ("first", "phrases", "words", "names")
}
_FILE = Path(__file__).with_name("strangers.tsv")  # its first lines say how to read it
_BRACKETS = re.compile(r"\[([^]]*)\]")
_QUOTES = str.maketrans("«»", '""')


class Stranger(NamedTuple):
    """A sentence, and what its translation must carry.

    Args:
        kind: everyday, names, numbers, quotes, several, form or rare; or the part.
        english: what was typed.
        spanish: a right translation.
        wanted: what any right translation carries, each in one of several ways.
        barred: what may stand in none.
    """

    kind: str
    english: str
    spanish: str
    wanted: tuple[tuple[str, ...], ...]
    barred: tuple[str, ...] = ()


def strangers(part: str = "test") -> list[Stranger]:
    """Return the sentences to measure with, or those to choose with.

    Args:
        part: ``"test"`` or ``"validation"``; ``"first"``, what people type first;
            ``"phrases"``, ``"words"`` and ``"names"`` of the phrase book, in sentences
            that it does not have.

    Example:
        >>> len(strangers()), len(strangers("validation"))
        (300, 100)
        >>> strangers()[2].wanted[2:]
        (('comprar',), ('leche', 'la leche'))
    """
    lines = _FILE.read_text(encoding="utf-8").split("\n")
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return [_stranger(*row[1:]) for row in rows if row[0] == part]


def _stranger(kind: str, english: str, spanish: str, barred: str = "") -> Stranger:
    english = re.sub(r"\\u(\w{4})", lambda found: chr(int(found[1], 16)), english)
    wanted = tuple(tuple(found.split("|")) for found in _BRACKETS.findall(spanish))
    right = _BRACKETS.sub(lambda found: found[1].split("|")[0], spanish)
    return Stranger(
        kind, english, right, wanted, tuple(filter(None, barred.split("|")))
    )


def what_is_wrong(sentence: Stranger, translation: str) -> list[str]:
    """Tell what a translation lacks or should not hold; nothing if it is right.

    Case does not count, accents do; words are found whole, and a number is not found
    inside a longer one. More than twice the words that were typed are wrong as well.

    Args:
        sentence: what was typed.
        translation: what was written for it.

    Example:
        >>> milk = strangers()[2]
        >>> what_is_wrong(milk, "De nuevo me olvidé de comprar la leche.")
        []
        >>> what_is_wrong(milk, "Olvidé comprar pan otra vez.")
        ['it lacks leche']
    """
    text = _folded(translation)
    found = [f"it lacks {ways[0]}" for ways in sentence.wanted if not _has(text, ways)]
    found += [f"it holds {word}" for word in sentence.barred if _has(text, [word])]
    if len(text.split()) > 2 * len(sentence.english.split()):
        found.append("it is too long")
    return found


def _has(text: str, ways: Iterable[str]) -> bool:
    return any(re.search(_pattern(_folded(way)), text) for way in ways)


def _pattern(way: str) -> str:
    """Find a phrase that is no part of a longer word or number: 12 not in 12,50."""
    before = r"(?<!\w)(?<!\d[.,:])" if way[0].isalnum() else ""
    after = r"(?!\w|[.,:]\d)" if way[-1].isalnum() else ""
    return before + re.escape(way) + after


def _folded(text: str) -> str:
    return " ".join(plain(text).translate(_QUOTES).lower().split())


def score_strangers(
    translator: Translator,
    beam_size: int = 1,
    length_penalty: float = 0.6,
    limit: int | None = None,
    part: str = "test",
) -> tuple[dict[str, Any], list[tuple[str, str, str]]]:
    """Count the strangers' sentences whose translation carries what it must.

    Args:
        translator: from English to Spanish.
        beam_size: how many beginnings are kept; 1 writes greedily.
        length_penalty: how much beam search favors longer translations.
        limit: the first so many sentences; None for all.
        part: as :func:`strangers` takes it.

    Returns:
        The counts as :func:`count_strangers` gives them, with the search; and each
        mistake as source, a right answer and what was written.
    """
    asked = strangers(part)[:limit]
    how: dict[str, Any] = {"beam_size": beam_size, "length_penalty": length_penalty}
    written = translator.translate([sentence.english for sentence in asked], **how)
    wrong = [
        (sentence.english, sentence.spanish, text)
        for sentence, text in zip(asked, written, strict=True)
        if what_is_wrong(sentence, text)
    ]
    return count_strangers(asked, written) | how, wrong


def count_strangers(
    asked: Sequence[Stranger], written: Sequence[str]
) -> dict[str, Any]:
    """Count right translations, by kind and in all, with the interval of their share.

    Args:
        asked: the sentences.
        written: a translation for each.

    Example:
        >>> asked = strangers()
        >>> found = count_strangers(asked, [sentence.spanish for sentence in asked])
        >>> found["right"], found["kinds"]["names"]
        (300, {'right': 45, 'sentences': 45})
    """
    right: Counter[str] = Counter()
    for sentence, text in zip(asked, written, strict=True):
        right[sentence.kind] += not what_is_wrong(sentence, text)
    every = Counter(sentence.kind for sentence in asked)
    low, high = share_interval(right.total(), len(asked))[1:]
    return {
        "sentences": len(asked),
        "right": right.total(),
        "interval": [round(low, 4), round(high, 4)],
        "kinds": {
            kind: {"right": right[kind], "sentences": count}
            for kind, count in every.items()
        },
    }
