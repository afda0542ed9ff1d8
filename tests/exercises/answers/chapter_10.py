"""Right and wrong answers to the exercises of chapter 10."""

from collections import Counter
from itertools import pairwise

from lib.checks import chapter_10 as check
from lib.corpora import normalize


def sources(pairs, fold=normalize):
    return {fold(source) for source, _ in pairs}


def leaks(train, test, fold=normalize):
    return sources(train, fold) & sources(test, fold)


def pairs_of(cut, counts):
    found = Counter()
    for word, pieces in cut.items():
        for pair in pairwise(pieces):
            found[pair] += counts[word]
    return found


def next_merge(cut, counts):
    found = pairs_of(cut, counts)
    return min(found, key=lambda pair: (-found[pair], pair))


def merge(pieces, pair):
    merged = []
    for piece in pieces:
        if merged and (merged[-1], piece) == pair:
            merged[-1] += piece
        else:
            merged.append(piece)
    return merged


def apply_merges(word, merges, start=("▁",)):
    pieces = [*start, *word]
    for pair in merges:
        pieces = merge(pieces, pair)
    return pieces


def merge_first(word, merges):
    """Join each pair where it stands first, and nowhere else."""
    pieces = ["▁", *word]
    for pair in merges:
        for place in range(len(pieces) - 1):
            if tuple(pieces[place : place + 2]) == pair:
                pieces[place : place + 2] = ["".join(pair)]
                break
    return pieces


def padded(lengths, size, order=sorted):
    rows = list(order(lengths))
    batches = [rows[i : i + size] for i in range(0, len(rows), size)]
    return sum(len(batch) * max(batch) for batch in batches)


def best_cut(word, chances, better=max):
    best = {0: (1.0, [])}
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


def longest_first(word, chances):
    pieces = []
    while word:
        end = next(e for e in range(len(word), 0, -1) if word[:e] in chances)
        pieces.append(word[:end])
        word = word[end:]
    return pieces


RIGHT = [
    (check.leaks, leaks),
    (check.leaks, lambda a, b: sorted(leaks(a, b))),
    (check.next_merge, next_merge),
    (check.next_merge, lambda c, n: list(next_merge(c, n))),
    (check.apply_merges, apply_merges),
    (check.padded_positions, padded),
    (check.best_cut, best_cut),
    (check.best_cut, lambda w, c: tuple(best_cut(w, c))),
]

WRONG = [
    (check.leaks, lambda a, b: leaks(a, b, str), "normalize both sides"),
    (
        check.leaks,
        lambda a, b: {normalize(t) for _, t in a} & {normalize(t) for _, t in b},
        "Targets were compared",
    ),
    (check.leaks, lambda a, b: sources(b), "stand in both"),
    (check.leaks, lambda a, b: sources(a) & sources(b, str), "of both parts"),
    (check.leaks, lambda a, b: {"come in", "STOP"}, "back normalized"),
    (check.leaks, lambda a, b: "come in", "set of sources"),
    (
        check.next_merge,
        lambda c, n: next_merge(c, dict.fromkeys(c, 1)),
        "as often as the word occurs",
    ),
    (check.next_merge, lambda c, n: ("▁", "s"), "which comes first"),
    (
        check.next_merge,
        lambda c, n: min(pairs_of(c, n), key=pairs_of(c, n).get),
        "rarest",
    ),
    (
        check.next_merge,
        lambda c, n: pairs_of(c, n).most_common(1)[0][1],
        "not its count",
    ),
    (
        check.next_merge,
        lambda c, n: next_merge(c, n) if len(c) > 2 else ("▁", "c"),
        "not the last",
    ),
    (check.apply_merges, lambda w, m: ["▁", *w], "No merge"),
    (check.apply_merges, lambda w, m: apply_merges(w, m, ()), "Begin with ▁"),
    (check.apply_merges, lambda w, m: apply_merges(w, m[::-1]), "another order"),
    (check.apply_merges, lambda w, m: apply_merges(w, m[:1]), "Only the first"),
    (check.apply_merges, lambda w, m: "".join(apply_merges(w, m)), "a list of pieces"),
    (check.apply_merges, lambda w, m: merge_first(w, m), "wherever it stands"),
    (
        check.padded_positions,
        lambda n, b: padded(n, b, lambda rows: sorted(rows, reverse=True)),
        "from long to short",
    ),
    (check.padded_positions, lambda n, b: sum(n), "real tokens"),
    (check.padded_positions, lambda n, b: padded(n, b, list), "not sorted"),
    (check.padded_positions, lambda n, b: len(n) * max(n), "its own width"),
    (check.padded_positions, lambda n, b: 38, "one row, not two"),
    (check.padded_positions, lambda n, b: 20, "smaller, but it counts"),
    (check.best_cut, longest_first, "longest piece was taken first"),
    (check.best_cut, lambda w, c: best_cut(w, c, min), "smallest product"),
    (check.best_cut, lambda w, c: ["▁cas", "as"], "not the largest product"),
    (
        check.best_cut,
        lambda w, c: best_cut(w, c) if w == "▁casas" else list(w),
        "smaller product",
    ),
    (
        check.best_cut,
        lambda w, c: best_cut(w, c) if len(w) < 9 else list(w),
        "aa",
    ),
    (check.best_cut, lambda w, c: best_cut(w, c)[::-1], "give the word back"),
    (check.best_cut, lambda w, c: [w], "not in chances"),
    (check.best_cut, lambda w, c: w, "a list of pieces"),
]
