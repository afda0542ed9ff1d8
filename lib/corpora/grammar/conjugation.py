"""Spanish verbs: present, preterite and future, regular and irregular."""

from __future__ import annotations

from typing import NamedTuple

from lib.corpora.grammar.tables import read

# The five persons of the grammar: yo, tú, él, nosotros, ellos.
PERSONS = ("1s", "2s", "3s", "1p", "3p")

_ENDINGS = {
    ("present", "ar"): "o as a amos an",
    ("present", "er"): "o es e emos en",
    ("present", "ir"): "o es e imos en",
    ("past", "ar"): "é aste ó amos aron",
    ("past", "er"): "í iste ió imos ieron",
    ("past", "ir"): "í iste ió imos ieron",
    ("strong", "j"): "e iste o imos eron",  # traje, trajo, trajeron
    ("strong", ""): "e iste o imos ieron",  # puse, puso, pusieron
    ("future", ""): "é ás á emos án",
}


class _Irregular(NamedTuple):
    """What a verb has instead of the regular forms."""

    infinitive: str
    stem_change: tuple[str, ...] = ()  # under stress: o to ue makes puedo of poder
    first_person: str = ""
    present: tuple[str, ...] = ()  # all of it
    preterite_stem: str = ""
    preterite: tuple[str, ...] = ()  # all of it
    preterite_change: tuple[str, ...] = ()  # in the third person: pidió, pidieron
    future_stem: str = ""


_IRREGULAR = {each.infinitive: each for each in read("irregular_verbs.csv", _Irregular)}
# Before -é the spelling keeps the sound: busqué, llegué.
_SPELLINGS = {"car": "qu", "gar": "gu"}


def conjugate(infinitive: str, tense: str, person: str) -> str:
    """Conjugate a Spanish verb of the lexicon.

    Args:
        infinitive: the verb, such as "pedir".
        tense: "present", "past" (the preterite) or "future".
        person: one of `PERSONS`.

    Example:
        >>> [conjugate("pedir", "past", person) for person in ("1s", "3s")]
        ['pedí', 'pidió']
    """
    if tense not in _TENSES or person not in PERSONS:
        raise ValueError(
            f"Cannot conjugate {infinitive!r} for {tense!r} and {person!r}; "
            f"use a tense of {list(_TENSES)} and a person of {list(PERSONS)}."
        )
    verb = _IRREGULAR.get(infinitive) or _Irregular(infinitive)
    return _TENSES[tense](verb, PERSONS.index(person))


def _present(verb: _Irregular, index: int) -> str:
    """The present: stem change under stress, own first person."""
    if verb.present:
        return verb.present[index]
    if index == 0 and verb.first_person:
        return verb.first_person
    stem, ending = verb.infinitive[:-2], verb.infinitive[-2:]
    if PERSONS[index] != "1p":
        stem = _change(stem, verb.stem_change)
    return stem + _ENDINGS["present", ending].split()[index]


def _past(verb: _Irregular, index: int) -> str:
    """The preterite: whole tables, strong stems, or the regular endings."""
    if verb.preterite:
        return verb.preterite[index]
    if verb.preterite_stem:
        kind = "j" if verb.preterite_stem.endswith("j") else ""
        return verb.preterite_stem + _ENDINGS["strong", kind].split()[index]
    stem, ending = verb.infinitive[:-2], verb.infinitive[-2:]
    tail = _ENDINGS["past", ending].split()[index]
    if index == 0 and verb.infinitive[-3:] in _SPELLINGS:
        return stem[:-1] + _SPELLINGS[verb.infinitive[-3:]] + tail
    if stem[-1] in "aeo" and ending != "ar":
        return stem + _after_vowel(tail)
    if PERSONS[index] in ("3s", "3p"):
        stem = _change(stem, verb.preterite_change)
    return stem + tail


def _future(verb: _Irregular, index: int) -> str:
    """The future: the infinitive, or a shortened one, and one set of endings."""
    stem = verb.future_stem or verb.infinitive
    return stem + _ENDINGS["future", ""].split()[index]


def _change(stem: str, change: tuple[str, ...]) -> str:
    """Replace the last vowel that the change names."""
    if not change:
        return stem
    old, new = change
    before, _, after = stem.rpartition(old)
    return before + new + after


def _after_vowel(tail: str) -> str:
    """An i between vowels becomes y, otherwise it takes a mark: leyó, leíste."""
    if tail.startswith(("ió", "ie")):
        return "y" + tail[1:]
    return "í" + tail[1:]


_TENSES = {"present": _present, "past": _past, "future": _future}
