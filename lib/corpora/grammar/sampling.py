"""Dividing the grammar's sentences: what is held out, and what goes where."""

from __future__ import annotations

from collections import Counter
from random import Random

from lib.corpora.base import normalize
from lib.corpora.grammar.choose_sentence import choose_sentence
from lib.corpora.grammar.combinations import (
    Combination,
    combinations,
    verb_and_noun,
)
from lib.corpora.grammar.english import english
from lib.corpora.grammar.lexicon import ADJECTIVES, FEELINGS, NOUNS, VERBS, Verb
from lib.corpora.grammar.meaning import Sentence

HELD_OUT_SHARE = 0.12
_FEWEST_PARTNERS = 7  # below that, a word would keep too little to learn from


def held_out_combinations(seed: int) -> frozenset[Combination]:
    """Choose what meets in one split only; every word keeps most of its partners."""
    random = Random(f"held out {seed}")
    possible = _possible()
    partners = Counter(word for each in possible for word in _words(each))
    missing: Counter[tuple[str, str]] = Counter()
    chosen: set[Combination] = set()
    for combination in random.sample(possible, len(possible)):
        if len(chosen) >= HELD_OUT_SHARE * len(possible):
            break
        words = _words(combination)
        if any(not _may_lose(partners[word], missing[word]) for word in words):
            continue
        chosen.add(combination)
        missing.update(words)
    return frozenset(chosen)


def _words(combination: Combination) -> list[tuple[str, str]]:
    """The two words, each with what it is combined as."""
    kind = combination.kind
    return [(kind, combination.word), (kind, combination.noun)]


def _may_lose(partners: int, missing: int) -> bool:
    """Whether a word can lose one more of its partners."""
    return partners >= _FEWEST_PARTNERS and missing < partners // 4


def _possible() -> list[Combination]:
    """All combinations of the lexicon that a reader could guess from others."""
    verbs = [
        verb_and_noun(each, noun.english)
        for each in VERBS + FEELINGS
        if _can_be_guessed(each)
        for noun in NOUNS
        if noun.kinds & each.objects
    ]
    adjectives = [
        Combination("adjective", each.english, noun.english)
        for each in ADJECTIVES
        for noun in NOUNS
        if noun.kinds & (each.modifies | each.predicated) and not _is_person(noun.kinds)
    ]
    return verbs + adjectives


def _can_be_guessed(verb: Verb) -> bool:
    """Nobody can know whether an unseen thing is played with tocar or jugar."""
    return "told-apart" not in verb.traits


def _is_person(kinds: frozenset[str]) -> bool:
    """People are described by any adjective for people; none is held out."""
    return bool(kinds & {"person", "kin"})


def split(seed: int, size: int) -> dict[str, list[Sentence]]:
    """Choose different sentences and divide them."""
    held_out = held_out_combinations(seed)
    validation, test = size // 50 + (size < 50), size // 20
    wanted = size + validation + test
    random = Random(f"sentences {seed}")
    seen: set[str] = set()
    usual: list[Sentence] = []
    unusual: list[Sentence] = []
    while len(usual) < wanted or len(unusual) < test:
        sentence = choose_sentence(random)
        part, limit = usual, wanted
        if combinations(sentence) & held_out:
            part, limit = unusual, test
        source = normalize(english(sentence))
        if len(part) == limit or source in seen:
            continue
        seen.add(source)
        part.append(sentence)
    # Short sentences come early and are soon used up: mix before dividing.
    random.shuffle(usual)
    return {
        "train": usual[:size],
        "validation": usual[size : size + validation],
        "unseen_sentences": usual[size + validation :],
        "unseen_combinations": unusual,
    }
