"""The phrases of the first translator: two to begin with, then eight."""

from __future__ import annotations

from lib.corpora.base import Corpus

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


def load() -> Corpus:
    """Load the phrases of the first translator.

    Returns:
        A corpus with the splits "tiny" (two pairs) and "train" (eight pairs).

    Example:
        >>> load().splits["tiny"]
        (('lets go', 'vamos'), ('to go', 'ir'))
    """
    splits = {"tiny": TINY, "train": EIGHT}
    return Corpus("phrases", "en", "es", splits, generated=True)
