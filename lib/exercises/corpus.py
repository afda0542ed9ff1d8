"""The exercises of chapter 11: leaks, merges, what padding costs, a unigram cut."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import pairwise
from typing import Any

from lib.corpora import normalize
from lib.exercises.record import Cases, Draw, case, exercise

Pairs = Sequence[tuple[str, str]]


def _sources(
    pairs: Pairs, fold: Callable[[str], str] = normalize, side: int = 0
) -> set[str]:
    return {fold(pair[side]) for pair in pairs}


@exercise(
    "An empty set is what every test part should give.",
    right=lambda train, test: _sources(train) & _sources(test),
    form=(
        "a set of sources",
        lambda got: isinstance(got, Collection) and not isinstance(got, dict | str),
    ),
    read=set,
)
def leaks(draw: Draw) -> Cases:
    """`leaks(train, test)`: the sources that stand in both parts."""
    train = [("Come in!", "Pasa."), ("Thank you.", "Gracias."), ("Stop!", "¡Alto!")]
    test = [("come in", "Adelante."), ("Good night.", "Gracias."), ("STOP", "Para.")]
    yield case(train, test, what="leaks(train, test)")
    yield case(train, [("No.", "No.")], what="leaks without a leak")
    sentences = ["The dog sleeps.", "I like tea", "Where is it?", "We go", "You sing."]
    train = [(one, "…") for one in draw.sample(sentences, 3)]
    test = [(f"{one.upper()} ", "–") for one in draw.sample(sentences, 3)]
    yield case(train, test)


leaks.slips = {
    "Nothing was found: normalize both sides before comparing.": (
        lambda train, test: _sources(train, str) & _sources(test, str)
    ),
    "STOP and Stop! were not found: normalize the sources of both parts.": (
        lambda train, test: _sources(train) & _sources(test, str)
    ),
    "Targets were compared; the sources must not meet.": (
        lambda train, test: _sources(train, side=1) & _sources(test, side=1)
    ),
    "All of the test part came back: keep those that stand in both.": (
        lambda train, test: _sources(test)
    ),
}

Cut = dict[str, list[str]]
Pair = tuple[str, str]


def _counted(cut: Cut, counts: dict[str, int]) -> Counter[Pair]:
    found: Counter[Pair] = Counter()
    for word, pieces in cut.items():
        for pair in pairwise(pieces):
            found[pair] += counts[word]
    return found


def _next_merge(cut: Cut, counts: dict[str, int]) -> Pair:
    found = _counted(cut, counts)
    return min(found, key=lambda pair: (-found[pair], pair))


@exercise(
    "Repeat it a few thousand times, and you have a tokenizer.", right=_next_merge
)
def next_merge(draw: Draw) -> Cases:
    """`next_merge(cut, counts)`: the most frequent pair of neighbors."""
    cut = {
        "sol": ["▁", "s", "ol"],
        "soles": ["▁", "s", "ol", "e", "s"],
        "es": ["▁", "e", "s"],
        "e": ["▁", "e"],
        "da": ["▁", "d", "a"],
    }
    counts = {"sol": 9, "soles": 1, "es": 4, "e": 1, "da": 1}
    yield case(cut, counts, what="next_merge(cut, counts)")
    words = {"".join(draw.choices("abc", k=draw.randint(2, 6))) for _ in range(5)}
    cut = {word: ["▁", *word] for word in sorted(words)}
    yield case(cut, {word: draw.randint(1, 3) for word in cut})


next_merge.slips = {
    "Each pair was counted once for each word: it counts as often as the word "
    "occurs.": lambda cut, counts: _next_merge(cut, dict.fromkeys(cut, 1)),
    "It is as frequent as s + ol, which comes first in the alphabet.": (
        lambda cut, counts: _counted(cut, counts).most_common(1)[0][0]
    ),
    "Return the pair, not its count.": (
        lambda cut, counts: max(_counted(cut, counts).values())
    ),
}


def _merged(pieces: list[str], pair: Pair) -> list[str]:
    merged: list[str] = []
    for piece in pieces:
        if merged and (merged[-1], piece) == pair:
            merged[-1] += piece
        else:
            merged.append(piece)
    return merged


def _apply_merges(word: str, merges: Iterable[Pair], begin: str = "▁") -> list[str]:
    pieces = [*begin, *word]
    for pair in merges:
        pieces = _merged(pieces, pair)
    return pieces


@exercise(
    "That is all a tokenizer does when it reads.",
    right=_apply_merges,
    form=("a list of pieces", lambda got: isinstance(got, list | tuple)),
)
def apply_merges(draw: Draw) -> Cases:
    """`apply_merges(word, merges)`: the pieces of a new word."""
    merges = [("l", "a"), ("▁", "la"), ("a", "s"), ("▁la", "s")]
    for word in ("las", "sala", "lala"):
        yield case(word, merges, what=f"apply_merges({word!r}, merges)")
    pairs = [("▁", "a"), ("a", "b"), ("b", "a"), ("ab", "a"), ("▁a", "b"), ("c", "c")]
    word = "".join(draw.choices("abc", k=draw.randint(3, 9)))
    yield case(word, draw.sample(pairs, draw.randint(2, 6)))


apply_merges.slips = {
    "No merge was applied.": lambda word, merges: ["▁", *word],
    "Begin with ▁, which marks the beginning of a word.": (
        lambda word, merges: _apply_merges(word, merges, "")
    ),
    "The merges were applied in another order than they were learned in.": (
        lambda word, merges: _apply_merges(word, merges[::-1])
    ),
    "Only the first merge was applied: go on with all.": (
        lambda word, merges: _apply_merges(word, merges[:1])
    ),
}


def _padded(lengths: Iterable[int], size: int) -> int:
    """Tokens and padding, in batches of the order in which the lengths come."""
    rows = list(lengths)
    batches = [rows[start : start + size] for start in range(0, len(rows), size)]
    return sum(len(batch) * max(batch) for batch in batches)


@exercise(
    "Divide the real tokens by it, and you know what is wasted.",
    right=lambda lengths, batch_size: _padded(sorted(lengths), batch_size),
)
def padded_positions(draw: Draw) -> Cases:
    """`padded_positions(lengths, batch_size)`: tokens and padding together."""
    yield case([9, 2, 3, 8, 2], 2)
    yield case([4, 4, 4], 8)
    lengths = [draw.randint(1, 30) for _ in range(draw.randint(3, 20))]
    yield case(lengths, draw.randint(1, 6))


padded_positions.slips = {
    "These are the real tokens: each row is as wide as the longest of its batch.": (
        lambda lengths, size: sum(lengths)
    ),
    "The sentences were not sorted by length.": _padded,
    "Everything was padded to the longest of all: each batch has its own width.": (
        lambda lengths, size: len(lengths) * max(lengths)
    ),
}

Chances = dict[str, float]


def _best_cut(word: str, chances: Chances, better: Any = max) -> list[str]:
    best: dict[int, tuple[float, list[str]]] = {0: (1.0, [])}
    for end in range(1, len(word) + 1):
        ways = [
            (
                best[start][0] * chances[word[start:end]],
                [*best[start][1], word[start:end]],
            )
            for start in range(end)
            if start in best and word[start:end] in chances
        ]
        if ways:
            best[end] = better(ways)
    return best[len(word)][1]


def _longest_first(word: str, chances: Chances) -> list[str]:
    pieces = []
    while word:
        end = next(end for end in range(len(word), 0, -1) if word[:end] in chances)
        pieces.append(word[:end])
        word = word[end:]
    return pieces


def _are_pieces(got: Any) -> bool:
    return isinstance(got, list | tuple) and all(isinstance(p, str) for p in got)


def _sorted(answer: Any, word: str, chances: Chances) -> list[str]:
    """The pieces in any order: "a" and "aa" have the same product as "aa" and "a"."""
    pieces: list[str] = answer(word, chances)
    return sorted(pieces) if "".join(pieces) == word else pieces


@exercise(
    "A tokenizer of the unigram kind reads in this way.",
    right=_best_cut,
    form=("a list of pieces", _are_pieces),
)
def best_cut(draw: Draw) -> Cases:
    """`best_cut(word, chances)`: the pieces with the largest product."""
    chances = {"▁casa": 0.02, "▁cas": 0.01, "▁": 0.1, "casas": 0.015, "as": 0.04}
    chances |= {"s": 0.05, "a": 0.06, "c": 0.03, "o": 0.06, "cas": 0.2}
    # Each word of 25 letters has millions of cuts; its best one has pairs of letters.
    pairs = {"▁": 0.5, "a": 0.1, "aa": 0.2}
    for word, known in (
        ("▁casas", chances),
        ("▁caso", chances),
        ("▁" + "a" * 24, pairs),
    ):
        yield case(word, known, what=f"best_cut({word!r}, chances)")
    letters = "▁" + "".join(draw.choices("ab", k=draw.choice([5, 8, 40])))
    pieces = ["▁", "a", "b", "ab", "ba", "aa", "▁a", "▁b", "abb", "bab"]
    drawn = {piece: draw.uniform(0.01, 0.2) for piece in pieces}
    what = f"best_cut({letters!r}, chances), its pieces sorted,"
    yield case(letters, drawn, what=what, use=_sorted)


best_cut.slips = {
    "The longest piece was taken first; its product, 0.02 · 0.05 = 0.001, is less than "
    "0.1 · 0.015.": _longest_first,
    "0.01 · 0.04 is not the largest product; ▁ and casas give 0.0015.": (
        lambda word, chances: ["▁cas", "as"]
    ),
    "These are the single letters, the smallest product: look for the largest.": (
        lambda word, chances: _best_cut(word, chances, min)
    ),
}
