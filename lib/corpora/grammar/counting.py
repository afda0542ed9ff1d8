"""How many sentences there are to draw from: a count of the plainest ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from lib.corpora.grammar.choose_phrases import adjectives_of, nouns_of
from lib.corpora.grammar.lexicon import NAMES
from lib.corpora.grammar.meaning import Act, Clause
from lib.corpora.grammar.referents import PRONOUNS, People, Phrase, Subject
from lib.corpora.grammar.verbs import VERBS
from lib.corpora.grammar.words import Verb

# With these, English leaves no doubt about the tense: "I don't read".
_TENSES = (("future", False), ("future", True), ("past", True), ("present", True))
_SUBJECTS: tuple[Subject, ...] = (*PRONOUNS, *(People((name,)) for name in NAMES))
_UNUSUAL = frozenset({"gives", "puts", "told-apart", "stative", "accident"})
PLAIN_VERBS = tuple(v for v in VERBS if v.objects and not v.traits & _UNUSUAL)


def count_plain(verb: Verb) -> int:
    """Count the statements of subject, verb and object without time or place.

    Args:
        verb: One of `PLAIN_VERBS`.

    Returns:
        How many `plain_sentences` yields.

    Built in chapter 10.
    """
    return len(_SUBJECTS) * len(_TENSES) * sum(1 for _ in _objects(verb))


def plain_sentences(verb: Verb) -> Iterator[Clause]:
    """Go through these statements; each is a different sentence.

    Args:
        verb: One of `PLAIN_VERBS`.

    Yields:
        Their meanings.

    Built in chapter 10.
    """
    for subject, (tense, negative), thing in product(
        _SUBJECTS, _TENSES, list(_objects(verb))
    ):
        yield Clause(subject, Act(verb, thing), tense, negative=negative)


def _objects(verb: Verb) -> Iterator[Phrase]:
    """Every noun of the verb with every determiner and adjective that it allows."""
    for noun in nouns_of(verb.objects):
        if noun.kinds & {"mass", "single", "kin", "own"}:
            continue
        for adjective in (None, *adjectives_of(noun)):
            for name in ("the", "this", "that", "a"):
                yield Phrase(noun, name, False, adjective)
            for name in ("the", "this", "that", "two", "three"):
                yield Phrase(noun, name, True, adjective)
