"""How many sentences the grammar has to choose from, and how many words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import product
from random import Random

from lib.corpora.base import Pair
from lib.corpora.grammar.choose_phrases import adjectives_of, nouns_of
from lib.corpora.grammar.choose_sentence import choose_sentence
from lib.corpora.grammar.corpus import realize
from lib.corpora.grammar.lexicon import NAMES, VERBS, Verb
from lib.corpora.grammar.meaning import PRONOUNS, Act, Clause, People, Phrase, Subject

# With these, English leaves no doubt about the tense: "I don't read".
_TENSES = (("future", False), ("future", True), ("past", True), ("present", True))
_SUBJECTS: tuple[Subject, ...] = (*PRONOUNS, *(People((name,)) for name in NAMES))
_UNUSUAL = frozenset({"gives", "puts", "told-apart", "stative", "accident"})
PLAIN_VERBS = tuple(v for v in VERBS if v.objects and not v.traits & _UNUSUAL)
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")


def choose_pairs(seed: int, count: int) -> list[Pair]:
    """Choose pairs freely, without splits; one may come more than once."""
    random = Random(f"draw {seed}")
    return [realize(choose_sentence(random)) for _ in range(count)]


def words_of(sentences: Iterable[str]) -> set[str]:
    """Collect the different words of some sentences, in lower case."""
    return {word.casefold() for text in sentences for word in _WORD.findall(text)}


def possible_pairs() -> int:
    """Count the pairs that there are at least to choose from.

    Only the plainest sentences are counted, those of subject, verb and object
    without time, place, question or second clause. Each of them is different.
    """
    return sum(map(count_plain, PLAIN_VERBS))


def count_plain(verb: Verb) -> int:
    """Count the statements of subject, verb and object without time or place."""
    return len(_SUBJECTS) * len(_TENSES) * sum(1 for _ in _objects(verb))


def plain_sentences(verb: Verb) -> Iterator[Clause]:
    """Go through these statements; each is a different sentence."""
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
