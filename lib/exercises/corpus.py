"""The exercises of chapter 11: leaks, merges, what padding costs, a unigram cut."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import pairwise
from typing import Any

from lib.corpora import normalize
from lib.exercises.guard import brief
from lib.exercises.record import Cases, Draw, case, exercise, that

Pairs = Sequence[tuple[str, str]]


def _sources(pairs: Pairs, fold: Callable[[str], str] = normalize) -> set[str]:
    return {fold(source) for source, _ in pairs}


def _leaks(train: Pairs, test: Pairs, fold: Callable[[str], str] = normalize) -> Any:
    return _sources(train, fold) & _sources(test, fold)


def _turned(pairs: Pairs) -> Pairs:
    return [(target, source) for source, target in pairs]


@exercise(
    "An empty set is what every test part should give.",
    right=_leaks,
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


def _not_all_normalized(train: Pairs, test: Pairs) -> set[str]:
    found = _leaks(train, test)
    return {source for source, _ in test if normalize(source) in found}


leaks.slips = {
    "Nothing was found: normalize both sides before comparing.": (
        lambda train, test: _leaks(train, test, str)
    ),
    "STOP and Stop! were not found: normalize the sources of both parts.": (
        lambda train, test: _sources(train) & _sources(test, str)
    ),
    "Targets were compared; the sources must not meet.": (
        lambda train, test: _leaks(_turned(train), _turned(test))
    ),
    "All of the test part came back: keep those that stand in both.": (
        lambda train, test: _sources(test)
    ),
    "The sources are leaks, but give them back normalized.": _not_all_normalized,
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
    }
    counts = {"sol": 9, "soles": 1, "es": 4, "e": 1}
    yield case(cut, counts, what="next_merge(cut, counts)")
    tie = {"ab": ["▁", "a", "b"], "cd": ["▁", "c", "d"]}
    what = "next_merge for pairs that are equally frequent"
    yield case(tie, {"ab": 2, "cd": 2}, what=what)
    words = {"".join(draw.choices("abc", k=draw.randint(2, 6))) for _ in range(5)}
    cut = {word: ["▁", *word] for word in sorted(words)}
    yield case(cut, {word: draw.randint(1, 3) for word in cut})


def _last_of_equals(cut: Cut, counts: dict[str, int]) -> Pair:
    found = _counted(cut, counts)
    most = max(found.values())
    return max(pair for pair, count in found.items() if count == most)


def _last_of_begun(cut: Cut, counts: dict[str, int]) -> Pair:
    """Right but where no pair is more frequent than those that begin a word."""
    alike = len(set(_counted(cut, counts).values())) == 1
    return _last_of_equals(cut, counts) if alike else _next_merge(cut, counts)


next_merge.slips = {
    "Each pair was counted once for each word: it counts as often as the word "
    "occurs.": lambda cut, counts: _next_merge(cut, dict.fromkeys(cut, 1)),
    "It is as frequent as s + ol, which comes first in the alphabet.": _last_of_equals,
    "That is the rarest pair: the most frequent one is wanted.": (
        lambda cut, counts: min(_counted(cut, counts).items(), key=lambda one: one[1])[
            0
        ]
    ),
    "Return the pair, not its count.": (
        lambda cut, counts: max(_counted(cut, counts).values())
    ),
    "The first in the alphabet is wanted, not the last.": _last_of_begun,
}


def _merged(pieces: list[str], pair: Pair, most: int | None = None) -> list[str]:
    """Join a pair of neighbors, at most so many times."""
    merged: list[str] = []
    joined = 0
    for piece in pieces:
        if merged and (merged[-1], piece) == pair and joined != most:
            merged[-1] += piece
            joined += 1
        else:
            merged.append(piece)
    return merged


def _apply_merges(
    word: str, merges: Iterable[Pair], begin: str = "▁", most: int | None = None
) -> list[str]:
    pieces = [*begin, *word]
    for pair in merges:
        pieces = _merged(pieces, pair, most)
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
    "Begin with ▁, which marks the beginning of a word.": [
        lambda word, merges: _apply_merges(word, merges, ""),
        lambda word, merges: [word],
    ],
    "The merges were applied in another order than they were learned in.": (
        lambda word, merges: _apply_merges(word, merges[::-1])
    ),
    "Only the first merge was applied: go on with all.": [
        lambda word, merges: _apply_merges(word, merges[:1]),
        lambda word, merges: _apply_merges(word, merges[:2]),
    ],
    "Only the first l + a of 'lala' was joined: a merge joins its pair wherever it "
    "stands.": lambda word, merges: _apply_merges(word, merges, most=1),
}


def _padded(
    lengths: Sequence[int],
    size: int,
    order: Callable[[Sequence[int]], Iterable[int]] = sorted,
    last: Callable[[int, int], int] = lambda rows, size: rows,
) -> int:
    """Tokens and padding; `last` says how many rows the smaller last batch has."""
    rows = list(order(lengths))
    batches = [rows[start : start + size] for start in range(0, len(rows), size)]
    counts = [len(b) if len(b) == size else last(len(b), size) for b in batches]
    return sum(n * max(batch) for n, batch in zip(counts, batches, strict=True))


@exercise("Divide the real tokens by it, and you know what is wasted.", right=_padded)
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
    "The sentences were not sorted by length.": (
        lambda lengths, size: _padded(lengths, size, list)
    ),
    "The sentences were sorted from long to short: begin with the short ones.": (
        lambda lengths, size: _padded(
            lengths, size, lambda rows: sorted(rows, reverse=True)
        )
    ),
    "Everything was padded to the longest of all: each batch has its own width.": (
        lambda lengths, size: len(lengths) * max(lengths)
    ),
    "The last batch has one row, not two.": (
        lambda lengths, size: _padded(lengths, size, last=lambda rows, size: size)
    ),
    "The last batch is smaller, but it counts too.": (
        lambda lengths, size: _padded(lengths, size, last=lambda rows, size: 0)
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


def _cut(answer: Any, word: str, chances: Chances) -> Any:
    """The pieces, if they are pieces of the word."""
    got, what = answer(word, dict(chances)), f"best_cut({word!r}, chances)"
    if not _are_pieces(got):
        return got
    joined = "".join(got)
    that(
        joined == word,
        f"The pieces of {what} should give the word back when they are joined, but "
        f"they give {joined!r}.",
    )
    odd = [piece for piece in got if piece not in chances][:1]
    that(not odd, f"{what} has the piece {brief(odd)}, which is not in chances.")
    return got


def _are_pieces(got: Any) -> bool:
    return isinstance(got, list | tuple) and all(isinstance(p, str) for p in got)


def _in_any_order(pieces: list[str], word: str, chances: Chances) -> list[str]:
    """The pieces sorted: "a" and "aa" have the same product as "aa" and "a"."""
    return sorted(pieces)


@exercise(
    "A tokenizer of the unigram kind reads in this way.",
    right=_best_cut,
    form=("a list of pieces", _are_pieces),
)
def best_cut(draw: Draw) -> Cases:
    """`best_cut(word, chances)`: the pieces with the largest product."""
    chances = {"▁casa": 0.02, "▁cas": 0.01, "▁": 0.1, "casas": 0.015, "as": 0.04}
    chances |= {"s": 0.05, "a": 0.06, "c": 0.03, "o": 0.06}
    # Each word of 25 letters has millions of cuts; its best one has pairs of letters.
    pairs = {"▁": 0.5, "a": 0.1, "aa": 0.2}
    for word, known in (
        ("▁casas", chances),
        ("▁caso", chances),
        ("▁" + "a" * 24, pairs),
    ):
        yield case(word, known, what=f"best_cut({word!r}, chances)", use=_cut)
    letters = "▁" + "".join(draw.choices("ab", k=draw.choice([5, 8, 40])))
    pieces = ["▁", "a", "b", "ab", "ba", "aa", "▁a", "▁b", "abb", "bab"]
    drawn = {piece: draw.uniform(0.01, 0.2) for piece in pieces}
    what = f"best_cut({letters!r}, chances), its pieces sorted,"
    yield case(letters, drawn, what=what, use=_cut, judge=_in_any_order)


best_cut.slips = {
    "The longest piece was taken first; its product, 0.02 · 0.05 = 0.001, is less than "
    "0.1 · 0.015.": _longest_first,
    "0.01 · 0.04 is not the largest product; ▁ and casas give 0.0015.": (
        lambda word, chances: ["▁cas", "as"]
    ),
    "These are the single letters, the smallest product: look for the largest.": (
        lambda word, chances: _best_cut(word, chances, min)
    ),
    "The single letters have a smaller product than ▁cas and o.": (
        lambda word, chances: (
            _best_cut(word, chances) if word == "▁casas" else list(word)
        )
    ),
}
