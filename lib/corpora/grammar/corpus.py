"""The default corpus: English and Spanish sentences made from one meaning.

Because the grammar knows every right answer, a translation can be marked right or
wrong exactly. Its conventions make that answer the only one:

- I, you and we are left to the Spanish verb; he, she and they are said. Where two
  subjects stand against each other, all are said: "Ana canta y yo bailo".
- "You" is one person, *tú*. Whoever speaks or is spoken to is masculine, and so are
  "they" and "them": *ellos, los*.
- An object pronoun stands before the whole verb: "La quiero ver".
- The past is the preterite. States that would ask for the imperfect are left out.
- In a question the subject follows the verb: "¿Compró Ana el coche?"
- Words and usage are those of Spain: *coche, patata, zumo, jugar al tenis*.
"""

from __future__ import annotations

from lib.corpora.base import Corpus, Pair
from lib.corpora.grammar.english import english
from lib.corpora.grammar.meaning import Sentence
from lib.corpora.grammar.sampling import split
from lib.corpora.grammar.spanish import spanish

SMALLEST, LARGEST = 50, 200_000


def load(seed: int = 0, size: int = 50_000) -> Corpus:
    """Generate the corpus; the same seed and size always give the same pairs.

    Args:
        seed: chooses the sentences and which combinations are held out.
        size: number of training pairs; the validation split gets a fiftieth of
            it, each of the two test splits a twentieth.

    Returns:
        A corpus with the splits "train", "validation", "unseen_sentences" and
        "unseen_combinations". No source stands twice. Each sentence of the last
        split has a verb with an object, or an adjective with a noun, that meet
        in no other split.

    Raises:
        ValueError: if the size is out of range.

    Example:
        >>> corpus = load(seed=1, size=100)
        >>> {name: len(pairs) for name, pairs in corpus.splits.items()}
        {'train': 100, 'validation': 2, 'unseen_sentences': 5, 'unseen_combinations': 5}
    """
    if not SMALLEST <= size <= LARGEST:
        raise ValueError(
            f"The grammar cannot make a corpus of size {size}; "
            f"choose a size from {SMALLEST:,} to {LARGEST:,}."
        )
    meanings = split(seed, size)
    pairs = {name: tuple(map(realize, part)) for name, part in meanings.items()}
    return Corpus("grammar", "en", "es", pairs, generated=True)


def realize(sentence: Sentence) -> Pair:
    """Say a meaning in both languages."""
    return english(sentence), spanish(sentence)
