"""A corpus of sentence pairs: tidied, and split so that no source stands twice."""

from __future__ import annotations

import dataclasses
import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat

from lib.text import Pair, tokenize

# Different sources; a small corpus gives a tenth of its own to each of the two.
TEST_SOURCES = 2_500
VALIDATION_SOURCES = 1_000
_LEAST = 10
MAX_WORDS = 60


def normalize(sentence: str) -> str:
    """Reduce a sentence to what decides whether two sources count as the same.

    Upper and lower case, punctuation and spacing do not count.

    Args:
        sentence: one sentence.

    Returns:
        The words in lower case, one space between two of them.

    Example:
        >>> normalize("Where  is Ana?")
        'where is ana'
    """
    composed = unicodedata.normalize("NFKC", sentence).replace("\u2019", "'")
    folded = composed.casefold()
    # Marks on letters count: in Hindi, they are the vowels.
    marks = {sign for sign in folded if unicodedata.category(sign)[0] == "M"}
    return " ".join(re.findall(rf"[\w'][\w'{''.join(sorted(marks))}]*", folded))


@dataclasses.dataclass(frozen=True, repr=False)
class Corpus:
    """Sentence pairs of two languages, divided into named splits.

    Args:
        name: the name that `load` knows the corpus by.
        source_language: language code of the first sentence of a pair.
        target_language: language code of the second sentence of a pair.
        splits: the pairs (source, target) of each split, by the split's name.
        attribution: whose sentences they are, and under which license.
        notes: what was left out of the corpus, and why.
        generated: whether this project wrote the sentences, so that the one right
            answer to each of them is known.
        punctuated: whether each source begins with a capital and ends with a mark, so
            that a translator trained on it adds to a sentence what of these it lacks.
        prose: whether its sentences are what people write, with capitals where they
            belong, so that a translator trained on it may read what others type.
        columns: those of a file of one's own, from 1 on, if they were chosen by hand.

    Example:
        >>> corpus = Corpus("two", "en", "es", {"train": [("yes", "sí")]})
        >>> corpus
        Corpus('two', en to es, train: 1)
    """

    name: str
    source_language: str
    target_language: str
    splits: Mapping[str, Sequence[Pair]]
    attribution: str = ""
    notes: tuple[str, ...] = ()
    generated: bool = False
    punctuated: bool = False
    prose: bool = False
    columns: tuple[int, int] | None = None

    def __repr__(self) -> str:
        """Name, languages and sizes: never the thousands of pairs themselves."""
        sizes = ", ".join(
            f"{name}: {len(rows):,}" for name, rows in self.splits.items()
        )
        languages = f"{self.source_language} to {self.target_language}"
        return f"Corpus({self.name!r}, {languages}, {sizes})"

    @property
    def title(self) -> str:
        """The name with both languages, as translators and their folders are called."""
        languages = f"{self.source_language}-{self.target_language}"
        return self.name.removesuffix(f"-{languages}") + f"-{languages}"


def tidy(
    pairs: Iterable[Pair], max_words: int = MAX_WORDS
) -> tuple[list[Pair], list[str]]:
    """Leave out what cannot be learned from, and say how much that was.

    Args:
        pairs: sentences and their translations.
        max_words: longest sentence, in words and punctuation marks.

    Example:
        >>> tidy([("yes", "sí"), ("yes", "sí"), ("no", "")])
        ([('yes', 'sí')], ['left out: 1 pair without words on one side', \
'left out: 1 pair that stood there before'])
    """
    kept: dict[Pair, None] = {}
    empty = repeated = long = 0
    for source, target in pairs:
        pair = source.strip(), target.strip()
        if not all(map(normalize, pair)):
            empty += 1
        elif pair in kept:
            repeated += 1
        # No sentence has more tokens than characters, which are counted faster.
        elif any(max_words < len(s) and max_words < len(tokenize(s)) for s in pair):
            long += 1
        else:
            kept[pair] = None
    notes = left_out(empty, "without words on one side")
    notes += left_out(repeated, "that stood there before")
    notes += left_out(long, f"with more than max_words = {max_words} words and marks")
    return list(kept), notes


def looks_like_prose(sentences: Iterable[str]) -> bool:
    """Tell whether sentences are written as prose is: no small letter begins them.

    One in ten may.

    Example:
        >>> looks_like_prose(["Where is he?", "Here."]), looks_like_prose(["lets go"])
        (True, False)
    """
    small = [sentence.lstrip("\"'¿¡-– ")[:1].islower() for sentence in sentences]
    return 10 * sum(small) <= len(small)


def left_out(count: int, why: str) -> list[str]:
    """Say how many pairs are missing and why; nothing if none is."""
    return [f"left out: {counted(count, 'pair')} {why}"] if count else []


def counted(count: int, what: str) -> str:
    """Say how many there are: one pair, or several pairs."""
    return f"{count:,} {what}{'s' * (count != 1)}"


def split_by_source(pairs: Sequence[Pair], seed: int = 0) -> dict[str, list[Pair]]:
    """Divide pairs so that all translations of a source stay in one split.

    Sources that differ in case, punctuation or spacing alone count as one. Which of
    them are held out follows from the seed and the sources, whatever their order.

    Args:
        pairs: sentences and their translations.
        seed: chooses what is held out.

    Returns:
        The pairs of "train", "validation" and "test", each in the order they came in.

    Raises:
        ValueError: if there are fewer than 10 different sources.

    Example:
        >>> pairs = [(f"{number} cats", f"{number} gatos") for number in range(20)]
        >>> {name: len(part) for name, part in split_by_source(pairs).items()}
        {'train': 16, 'validation': 2, 'test': 2}
    """
    keys = {normalize(source) for source, _ in pairs}
    if len(keys) < _LEAST:
        raise ValueError(
            f"There are only {len(keys)} different sources, and {_LEAST} are needed to "
            "hold some of them out; the file holds too little."
        )
    drawn = sorted(keys, key=lambda key: (_lot(key, seed), key))
    test = min(TEST_SOURCES, len(keys) // 10)
    validation = min(VALIDATION_SOURCES, len(keys) // 10)
    held_out = repeat("test", test), repeat("validation", validation)
    place = dict(zip(drawn, chain(*held_out, repeat("train")), strict=False))
    splits: dict[str, list[Pair]] = {"train": [], "validation": [], "test": []}
    for pair in pairs:
        splits[place[normalize(pair[0])]].append(pair)
    return splits


def _lot(key: str, seed: int) -> bytes:
    """Draw a number that is the same on every machine and in every version."""
    return hashlib.blake2b(f"{seed} {key}".encode(), digest_size=8).digest()


def limit_training(corpus: Corpus, limit: int) -> Corpus:
    """Keep so many training pairs, chosen by lot; what is held out stays whole.

    Scores of runs with different limits can be compared, because all of them are
    measured on the same sentences. A smaller limit keeps some of a larger one's pairs.

    Args:
        corpus: any corpus.
        limit: most pairs to train on.

    Returns:
        The corpus with a smaller training part, and a note about it; the same corpus
        if it has no more pairs than that.

    Example:
        >>> pairs = [("go", "ir"), ("read", "leer"), ("see", "ver")]
        >>> limit_training(Corpus("three", "en", "es", {"train": pairs}), 2)
        Corpus('three', en to es, train: 2)
    """
    pairs = corpus.splits["train"]
    if len(pairs) <= limit:
        return corpus
    lots = [(_lot(normalize(src), 0), number) for number, (src, _) in enumerate(pairs)]
    chosen = sorted(number for _, number in sorted(lots)[:limit])
    splits = {**corpus.splits, "train": [pairs[number] for number in chosen]}
    notes = left_out(len(pairs) - limit, f"of train, by limit = {limit:,}")
    return dataclasses.replace(corpus, splits=splits, notes=(*corpus.notes, *notes))


def keep_apart(
    splits: Mapping[str, Sequence[Pair]],
) -> tuple[dict[str, list[Pair]], list[str]]:
    """Take out of a ready-made split the sources that an earlier one holds.

    Example:
        >>> splits = {"test": [("yes", "sí")], "train": [("Yes!", "sí"), ("no", "no")]}
        >>> keep_apart(splits)[1]
        ['left out: 1 pair of train whose source stands in test']
    """
    holder: dict[str, str] = {}
    apart: dict[str, list[Pair]] = {name: [] for name in splits}
    notes: list[str] = []
    for name, pairs in splits.items():
        lost = Counter[str]()
        for pair in pairs:
            other = holder.setdefault(normalize(pair[0]), name)
            if other == name:
                apart[name].append(pair)
            else:
                lost[other] += 1
        for other, count in lost.items():
            notes += left_out(count, f"of {name} whose source stands in {other}")
    return apart, notes


def references(pairs: Iterable[Pair]) -> dict[str, list[str]]:
    """Collect all right translations of each source.

    Args:
        pairs: sentences and their translations, such as a split of a corpus.

    Returns:
        For each source, in the order of their first pairs, its different targets.

    Example:
        >>> pairs = [("Hi.", "Hola."), ("No.", "No."), ("Hi.", "Buenas.")]
        >>> references([*pairs, ("Hi.", "Hola.")])
        {'Hi.': ['Hola.', 'Buenas.'], 'No.': ['No.']}
    """
    found: dict[str, list[str]] = {}
    for source, target in pairs:
        targets = found.setdefault(source, [])
        if target not in targets:
            targets.append(target)
    return found
