"""Spanish verbs: present, preterite and future, regular and irregular."""

from __future__ import annotations

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

# Where the stress falls on the stem, its last vowel changes: poder, puedo.
_STEM_CHANGES = {
    "cerrar": ("e", "ie"),
    "costar": ("o", "ue"),
    "doler": ("o", "ue"),
    "dormir": ("o", "ue"),
    "encontrar": ("o", "ue"),
    "enviar": ("i", "í"),
    "jugar": ("u", "ue"),
    "pedir": ("e", "i"),
    "perder": ("e", "ie"),
    "poder": ("o", "ue"),
    "querer": ("e", "ie"),
    "volver": ("o", "ue"),
}
# Verbs in -ir change in the third person of the preterite as well.
_PRETERITE_CHANGES = {"dormir": ("o", "u"), "pedir": ("e", "i")}

_FIRST_PERSONS = {
    "dar": "doy",
    "hacer": "hago",
    "poner": "pongo",
    "saber": "sé",
    "salir": "salgo",
    "tener": "tengo",
    "traer": "traigo",
    "venir": "vengo",
    "ver": "veo",
}
_PRESENTS = {
    "estar": "estoy estás está estamos están",
    "ir": "voy vas va vamos van",
    "ser": "soy eres es somos son",
    "decir": "digo dices dice decimos dicen",
    "tener": "tengo tienes tiene tenemos tienen",
    "venir": "vengo vienes viene venimos vienen",
}
_STRONG_STEMS = {
    "estar": "estuv",
    "poner": "pus",
    "tener": "tuv",
    "traer": "traj",
    "venir": "vin",
}
_PRETERITES = {
    "decir": "dije dijiste dijo dijimos dijeron",
    "dar": "di diste dio dimos dieron",
    "hacer": "hice hiciste hizo hicimos hicieron",
    "ir": "fui fuiste fue fuimos fueron",
    "ser": "fui fuiste fue fuimos fueron",
    "ver": "vi viste vio vimos vieron",
}
_FUTURE_STEMS = {
    "hacer": "har",
    "poner": "pondr",
    "salir": "saldr",
    "tener": "tendr",
    "venir": "vendr",
}
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
    return _TENSES[tense](infinitive, PERSONS.index(person))


def _present(verb: str, index: int) -> str:
    """The present: stem change under stress, own first person."""
    if verb in _PRESENTS:
        return _PRESENTS[verb].split()[index]
    if index == 0 and verb in _FIRST_PERSONS:
        return _FIRST_PERSONS[verb]
    stem, ending = verb[:-2], verb[-2:]
    if index != PERSONS.index("1p"):
        stem = _change(stem, _STEM_CHANGES.get(verb))
    return stem + _ENDINGS["present", ending].split()[index]


def _past(verb: str, index: int) -> str:
    """The preterite: whole tables, strong stems, or the regular endings."""
    if verb in _PRETERITES:
        return _PRETERITES[verb].split()[index]
    if verb in _STRONG_STEMS:
        stem = _STRONG_STEMS[verb]
        kind = "j" if stem.endswith("j") else ""
        return stem + _ENDINGS["strong", kind].split()[index]
    stem, ending = verb[:-2], verb[-2:]
    tail = _ENDINGS["past", ending].split()[index]
    if index == 0 and verb[-3:] in _SPELLINGS:
        return stem[:-1] + _SPELLINGS[verb[-3:]] + tail
    if stem[-1] in "aeo" and ending != "ar":
        return stem + _after_vowel(tail)
    if index in (PERSONS.index("3s"), PERSONS.index("3p")):
        stem = _change(stem, _PRETERITE_CHANGES.get(verb))
    return stem + tail


def _future(verb: str, index: int) -> str:
    """The future: the infinitive, or a shortened one, and one set of endings."""
    stem = _FUTURE_STEMS.get(verb, verb)
    return stem + _ENDINGS["future", ""].split()[index]


def _change(stem: str, change: tuple[str, str] | None) -> str:
    """Replace the last vowel that the change names."""
    if change is None:
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
