"""The exercises of chapter 11: leaks, merges, what padding costs, a unigram cut."""

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Any

from lib.corpora import normalize
from lib.exercises.forms import several
from lib.exercises.record import Cases, Draw, case, exercise

Pairs = Sequence[tuple[str, str]]


def _parts(draw: Draw) -> Cases:
    train, test = [("stop", "para"), ("go", "ve")], [("stop", "para"), ("go", "anda")]
    yield case(train, test, what="leaks of pairs that are normalized already")
    train = [("Come in!", "Pasa."), ("Thank you.", "Gracias."), ("Stop!", "¡Alto!")]
    test = [("come in", "Adelante."), ("Good night.", "Gracias."), ("STOP", "Para.")]
    yield case(train, test, what="leaks(train, test)")
    sentences = ["The dog sleeps.", "I like tea", "Where is it?", "We go", "You sing."]
    train = [(one, "…") for one in draw.sample(sentences, 3)]
    test = [(f"{one.upper()} ", "–") for one in draw.sample(sentences, 3)]
    yield case(train, test)


@exercise(
    _parts,
    form=(
        "a set of sources",
        lambda got: isinstance(got, Collection) and not isinstance(got, dict | str),
    ),
    read=set,
)
def leaks(train: Pairs, test: Pairs) -> set[str]:
    """The sources that stand in both parts."""
    known, asked = ({normalize(source) for source, _ in part} for part in (train, test))
    return known & asked


Cut = dict[str, list[str]]
Pair = tuple[str, str]


def _cuts(draw: Draw) -> Cases:
    cut = {
        "sol": ["▁", "s", "ol"],
        "soles": ["▁", "s", "ol", "e", "s"],
        "es": ["▁", "e", "s"],
        "e": ["▁", "e"],
        "da": ["▁", "d", "a"],
    }
    counts = {"sol": 9, "soles": 1, "es": 4, "e": 1, "da": 1}
    yield case(cut, counts, what="next_merge(cut, counts)")
    words = {"".join(draw.choices("abc", k=5)) for _ in range(5)}
    cut = {word: ["▁", *word] for word in sorted(words)}
    yield case(cut, {word: draw.randint(1, 3) for word in cut})


@exercise(_cuts)
def next_merge(cut: Cut, counts: dict[str, int]) -> Pair:
    """The most frequent pair of neighbors."""
    found: Counter[Pair] = Counter()
    for word, pieces in cut.items():
        for pair in pairwise(pieces):
            found[pair] += counts[word]
    return min(found, key=lambda pair: (-found[pair], pair))


def _merge(pieces: list[str], pair: Pair) -> list[str]:
    merged: list[str] = []
    for piece in pieces:
        if merged and (merged[-1], piece) == pair:
            merged[-1] += piece
        else:
            merged.append(piece)
    return merged


def _longest_first(word: str, known: Collection[str]) -> list[str]:
    pieces = []
    while word:
        end = next(end for end in range(len(word), 0, -1) if word[:end] in known)
        pieces.append(word[:end])
        word = word[end:]
    return pieces


def _words(draw: Draw) -> Cases:
    merges = [("l", "a"), ("▁", "la"), ("a", "s"), ("▁la", "s")]
    for word in ("las", "salas"):
        yield case(word, merges, what=f"apply_merges({word!r}, merges)")
    yield case("las", [("a", "s"), ("l", "a")])
    pairs = [("▁", "a"), ("a", "b"), ("b", "a"), ("ab", "a"), ("▁a", "b"), ("c", "c")]
    yield case("".join(draw.choices("abc", k=8)), draw.sample(pairs, 4))


@exercise(_words, form=several("a list of pieces", object))
def apply_merges(word: str, merges: Sequence[Pair]) -> list[str]:
    """The pieces of a new word."""
    pieces = ["▁", *word]
    for pair in merges:
        pieces = _merge(pieces, pair)
    return pieces


def _lengths(draw: Draw) -> Cases:
    yield case([9, 2, 3, 8, 2], 2)
    yield case([4, 4, 4], 8)
    yield case(draw.ids(1, 30, 13).tolist(), draw.randint(1, 6))


@exercise(_lengths)
def padded_positions(lengths: Sequence[int], batch_size: int) -> int:
    """Tokens and padding together."""
    order = sorted(lengths)
    batches = [order[i : i + batch_size] for i in range(0, len(order), batch_size)]
    return sum(len(batch) * max(batch) for batch in batches)


Chances = dict[str, float]


def _sorted(answer: Any, word: str, chances: Chances) -> list[str]:
    """The pieces in any order: "a" and "aa" have the same product as "aa" and "a"."""
    pieces: list[str] = answer(word, chances)
    return sorted(pieces) if "".join(pieces) == word else pieces


def _known_pieces(draw: Draw) -> Cases:
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
    letters = "▁" + "".join(draw.choices("ab", k=9))
    pieces = ["▁", "a", "b", "ab", "ba", "aa", "▁a", "▁b", "abb", "bab"]
    drawn = {piece: draw.uniform(0.01, 0.2) for piece in pieces}
    what = f"best_cut({letters!r}, chances), its pieces sorted,"
    yield case(letters, drawn, what=what, use=_sorted)


@exercise(_known_pieces, form=several("a list of pieces", str))
def best_cut(word: str, chances: Chances) -> list[str]:
    """The pieces with the largest product."""
    best: dict[int, tuple[float, list[str]]] = {0: (1.0, [])}  # of each beginning
    for end in range(1, len(word) + 1):
        for start in range(end):
            piece = word[start:end]
            if start in best and piece in chances:
                product = best[start][0] * chances[piece]
                if product > best.get(end, (0.0, []))[0]:
                    best[end] = product, [*best[start][1], piece]
    return best[len(word)][1]
