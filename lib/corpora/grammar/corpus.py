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

import re
from collections.abc import Iterable
from random import Random

from lib.corpora.base import Corpus, Pair
from lib.corpora.grammar.choose_sentence import choose_sentence
from lib.corpora.grammar.counting import PLAIN_VERBS, count_plain
from lib.corpora.grammar.english import english
from lib.corpora.grammar.meaning import Sentence
from lib.corpora.grammar.sampling import held_out_combinations, split
from lib.corpora.grammar.spanish import spanish

SMALLEST, LARGEST = 50, 200_000
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")


def load(seed: int = 0, size: int = 50_000) -> Corpus:
    """Generate the corpus; the same seed and size always give the same pairs.

    Args:
        seed: Chooses the sentences and which combinations are held out.
        size: Number of training pairs; the validation split gets a fiftieth of
            it, each of the two test splits a twentieth.

    Returns:
        A corpus with the splits "train", "validation", "unseen_sentences" and
        "unseen_combinations". No source stands twice. Each sentence of the last
        split has a verb with an object, or an adjective with a noun, that meet
        in no other split.

    Raises:
        ValueError: If the size is out of range.

    Example:
        >>> corpus = load(seed=1, size=100)
        >>> {name: len(pairs) for name, pairs in corpus.splits.items()}
        {'train': 100, 'validation': 2, 'unseen_sentences': 5, 'unseen_combinations': 5}

    Built in chapter 10.
    """
    if not SMALLEST <= size <= LARGEST:
        raise ValueError(
            f"The grammar cannot make a corpus of size {size}; "
            f"choose a size from {SMALLEST:,} to {LARGEST:,}."
        )
    meanings = split(seed, size)
    pairs = {name: tuple(map(realize, part)) for name, part in meanings.items()}
    return Corpus("grammar", "en", "es", pairs)


def realize(sentence: Sentence) -> Pair:
    """Say a meaning in both languages.

    Args:
        sentence: A meaning.

    Returns:
        The English sentence and the Spanish one.

    Built in chapter 10.
    """
    return english(sentence), spanish(sentence)


def draw(seed: int, count: int) -> list[Pair]:
    """Draw pairs freely, without splits; one may come more than once.

    Args:
        seed: Chooses the sentences.
        count: Number of pairs.

    Returns:
        The pairs.

    Example:
        >>> draw(seed=0, count=3) == draw(seed=0, count=3)
        True

    Built in chapter 10.
    """
    random = Random(f"draw {seed}")
    return [realize(choose_sentence(random)) for _ in range(count)]


def vocabulary(sentences: Iterable[str]) -> list[str]:
    """List the different words of some sentences, in lower case.

    Args:
        sentences: Sentences of one language.

    Returns:
        The words in alphabetical order of their letters.

    Example:
        >>> vocabulary(["Yo no.", "No."])
        ['no', 'yo']

    Built in chapter 10.
    """
    return sorted(
        {word.casefold() for text in sentences for word in _WORD.findall(text)}
    )


def possible_pairs() -> int:
    """Count the pairs that there are at least to draw from.

    Only the plainest sentences are counted, those of subject, verb and object
    without time, place, question or second clause. Each of them is different.

    Returns:
        A number far above the size of any corpus.

    Example:
        >>> possible_pairs() > 200_000
        True

    Built in chapter 10.
    """
    return sum(map(count_plain, PLAIN_VERBS))


def describe(seed: int = 0, size: int = 50_000) -> dict[str, int]:
    """Count what the corpus holds.

    Args:
        seed: As for `load`.
        size: As for `load`.

    Returns:
        The number of pairs, of different words on each side, of held-out
        combinations, and of pairs that there are at least to draw from.

    Example:
        >>> describe(size=50)["pairs"]
        55

    Built in chapter 10.
    """
    corpus = load(seed, size)
    pairs = [pair for part in corpus.splits.values() for pair in part]
    return {
        "pairs": len(pairs),
        "english_words": len(vocabulary(pair[0] for pair in pairs)),
        "spanish_words": len(vocabulary(pair[1] for pair in pairs)),
        "held_out_combinations": len(held_out_combinations(seed)),
        "possible_pairs_at_least": possible_pairs(),
    }
