"""What lies here: sentences of which every answer is known, and the first phrases.

The sentences, the default corpus, stand in one table, grammar.tsv.bz2; grammar.md
beside it says how it was made, what its columns mean, and how to mend a pair.
"""

from __future__ import annotations

import bz2
import functools
from pathlib import Path
from typing import NamedTuple

from lib.corpora.corpus import Corpus
from lib.text import Pair

FILE = Path(__file__).with_name("grammar.tsv.bz2")
_PARTS = ("train", "validation", "unseen_sentences", "unseen_combinations")
_WORD = "word"  # what stands in place of a part before the pairs of the dictionary

# The phrases of the first translator: two to begin with, then eight.
TINY = (
    ("lets go", "vamos"),
    ("to go", "ir"),
)

# Each phrase shows one way in which the two languages part: gustar turns the
# sentence round, an adjective follows its noun and agrees with it, a subject
# disappears into the verb, an object pronoun moves before the verb.
EIGHT = (
    ("I like the red car", "me gusta el coche rojo"),
    ("I like the white houses", "me gustan las casas blancas"),
    ("she is tired", "ella está cansada"),
    ("they are from Spain", "ellos son de España"),
    ("I see her", "la veo"),
    ("he gives me the book", "él me da el libro"),
    ("we want to go", "queremos ir"),
    ("my head hurts", "me duele la cabeza"),
)


class Features(NamedTuple):
    """What the meaning of a sentence says of its main clause.

    Args:
        subject: the English subject as it is said, such as ``"the girl"``.
        gender: of the subject in Spanish, ``"m"`` or ``"f"``.
        number: of the subject, ``"singular"`` or ``"plural"``.
        tense: of the verb that carries it: ``"present"``, ``"past"`` or ``"future"``.
        verb: the English verb in its basic form, such as ``"look for"``.
        object: the English object as it is said; ``""`` if there is none.
        combinations: the pairs of words that meet anywhere in the sentence: a verb with
            the noun of its object, ``"read+book"``; an adjective with its noun,
            ``"red car"``.
    """

    subject: str
    gender: str
    number: str
    tense: str
    verb: str
    object: str
    combinations: tuple[str, ...]


def load() -> Corpus:
    """Load the sentences that the book's own grammar made.

    Returns:
        A corpus with the splits "train" (50,000 pairs), "validation" (1,000),
        "unseen_sentences" (2,500) and "unseen_combinations" (2,500). No source stands
        twice. Each sentence of the last split has a verb with an object, or an
        adjective with a noun, that meet in no other split.

    Example:
        >>> load().splits["train"][1]
        ('He will help the women.', 'Él ayudará a las mujeres.')
    """
    pairs: dict[str, list[Pair]] = {part: [] for part in _PARTS}
    for line in _lines():
        part, english, spanish, _ = line.split("\t", maxsplit=3)
        if part != _WORD:
            pairs[part].append((english, spanish))
    splits = {part: tuple(rows) for part, rows in pairs.items()}
    return Corpus("grammar", "en", "es", splits, generated=True, punctuated=True)


def load_phrases() -> Corpus:
    """Load the phrases of the first translator.

    Returns:
        A corpus with the splits "tiny" (two pairs) and "train" (eight pairs).

    Example:
        >>> load_phrases().splits["tiny"]
        (('lets go', 'vamos'), ('to go', 'ir'))
    """
    splits = {"tiny": TINY, "train": EIGHT}
    return Corpus("phrases", "en", "es", splits, generated=True)


def features() -> dict[str, Features]:
    """Return what is known of each sentence, by the English sentence.

    Example:
        >>> found = features()["He will help the women."]
        >>> found.subject, found.number, found.tense, found.verb, found.object
        ('he', 'singular', 'future', 'help', 'the women')
        >>> found.combinations
        ('help+woman',)
    """
    found = {}
    for line in _lines():
        part, english, _, *cells, met = line.split("\t")
        if part != _WORD:
            met_words = tuple(met.split(", ")) if met else ()
            found[english] = Features._make((*cells, met_words))
    return found


def word_pairs() -> frozenset[Pair]:
    """Return all pairs of an English and a Spanish word that translate each other.

    Nouns, verbs, adjectives, names and numbers are in it, in all their forms and in
    small letters. Articles, pronouns, prepositions and the verb "be" are not: which
    word of the other language they come from is often a matter of opinion.

    Example:
        >>> pairs = word_pairs()
        >>> ("women", "mujeres") in pairs, ("went", "fuimos") in pairs
        (True, True)
        >>> ("the", "la") in pairs
        False
    """
    rows = (line.split("\t", maxsplit=3) for line in _lines())
    return frozenset((row[1], row[2]) for row in rows if row[0] == _WORD)


@functools.cache
def _lines() -> list[str]:
    """Unpack the table, once for all; its first line names the columns."""
    return bz2.decompress(FILE.read_bytes()).decode("utf-8").splitlines()[1:]
