"""What people call the columns of a file, in the languages that they write in."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

from babel import Locale, UnknownLocaleError
from babel.core import get_global

from lib.corpora.base import normalize

# In these, and in the two of the file itself, the names of languages are known.
_WRITTEN_IN = "en de es fr it pt nl ru pl tr ar he hi zh ja ko"
_SIDES = ("source|src|original", "target|tgt|trg|translation")
_EITHER = "sentences?|text"
_LONGEST = 60  # characters of a title


def named_columns(cells: Sequence[str], languages: str) -> tuple[int, int] | None:
    """Find the two columns that a row of titles names.

    Args:
        cells: the first row of a file.
        languages: the two codes, such as "en-es".

    Returns:
        The places of source and target, from 0 on; None if the row is no such titles.

    Raises:
        ValueError: if the row names one of the two languages and another one.

    Example:
        >>> named_columns(["id", "Español", "Inglés"], "en-es")
        (2, 1)
    """
    titles = [_title(cell) for cell in cells]
    codes = languages.split("-")
    sides = zip(codes, _SIDES, strict=True)
    names = [f"{_names(code, *codes)}|{side}" for code, side in sides]
    source, target = (_first(titles, each) for each in names)
    if source is None and target is None:
        return None
    if source is None:
        source = _first(titles, _EITHER)
    if target is None:
        target = _first(titles, _EITHER)
    if source is not None and target is not None and source != target:
        return source, target
    own = re.compile("|".join(names))
    for other in _all_languages().intersection(titles):
        if not own.fullmatch(other):
            raise ValueError(
                f"it names {other!r} as the language of a column, but the languages "
                f"are {languages}; if that is right, say which columns to read with "
                "--columns, such as --columns 1,2."
            )
    return None


def canonical(code: str) -> str:
    """Return the one code that stands for a language.

    Args:
        code: a code of two or three letters, perhaps with a country behind it.

    Example:
        >>> canonical("spa"), canonical("en-US")
        ('es', 'en')
    """
    code = re.split("[-_]", code.strip().lower())[0]
    return str(get_global("language_aliases").get(code, code))


def _title(cell: str) -> str:
    code = re.fullmatch(r"\s*([a-z]{2,3})[-_][A-Z]{2}\s*", cell)  # such as en-US
    words = code[1] if code else cell.replace("_", " ")
    return normalize(words) if len(words) <= _LONGEST else ""


def _first(titles: Sequence[str], names: str) -> int | None:
    """Return the place of the first title that has one of these names."""
    behind = rf"(?: (?:{names}|{_EITHER}))*"
    pattern = re.compile(rf"(?:(?:{_EITHER}) )*(?:{names}){behind}")
    return next((n for n, title in enumerate(titles) if pattern.fullmatch(title)), None)


@functools.cache
def _names(code: str, *written_in: str) -> str:
    """Return a pattern of the codes and names of a language."""
    code = canonical(code)
    aliases = get_global("language_aliases").items()
    names = {code, *(other for other, meant in aliases if meant == code)}
    for languages in _languages_in((*written_in, *_WRITTEN_IN.split())):
        names.add(normalize(languages.get(code, code)))
    return "|".join(map(re.escape, sorted(names - {""})))


def _languages_in(codes: Sequence[str]) -> Iterator[dict[str, str]]:
    for code in dict.fromkeys(map(canonical, codes)):
        try:
            yield dict(Locale(code).languages)
        except UnknownLocaleError:  # Babel knows its code and no more
            continue


@functools.cache
def _all_languages() -> frozenset[str]:
    (names,) = _languages_in(["en"])
    codes = {*names, *get_global("language_aliases")}
    return frozenset({*codes, *map(normalize, names.values())})
