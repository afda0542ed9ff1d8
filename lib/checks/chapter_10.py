"""The checks of chapter 10: leaks, merges, what padding costs, a unigram cut."""

from typing import Any

from lib.checks.core import brief, exercise, expect, expect_equal

__all__ = ["apply_merges", "best_cut", "leaks", "next_merge", "padded_positions"]


@exercise("10.1", praise="An empty set is what every test part should give.")
def leaks(answer: Any) -> None:
    """Check `leaks(train, test)`."""
    train = [("Come in!", "Pasa."), ("Thank you.", "Gracias."), ("Stop!", "¡Alto!")]
    test = [("come in", "Adelante."), ("Good night.", "Gracias."), ("STOP", "Para.")]
    got = answer(train, test)
    expect(
        not isinstance(got, dict | str),
        f"leaks(train, test) should be a set of sources, but it is {brief(got)}.",
    )
    if isinstance(got, list | tuple | frozenset):
        got = set(got)
    expect_equal(
        got,
        {"come in", "stop"},
        "leaks(train, test)",
        diagnoses=[
            (set(), "Nothing was found: normalize both sides before comparing."),
            (
                {"come in"},
                "STOP and Stop! were not found: normalize the sources of both parts.",
            ),
            ({"gracias"}, "Targets were compared; the sources must not meet."),
            (
                {"come in", "stop", "good night"},
                "All of the test part came back: keep those that stand in both.",
            ),
            (
                {"come in", "STOP"},
                "The sources are leaks, but give them back normalized.",
            ),
        ],
    )
    expect_equal(set(answer(train, [("No.", "No.")])), set(), "leaks without a leak")


@exercise("10.2", praise="Repeat it a few thousand times, and you have a tokenizer.")
def next_merge(answer: Any) -> None:
    """Check `next_merge(cut, counts)`."""
    cut = {
        "sol": ["▁", "s", "ol"],
        "soles": ["▁", "s", "ol", "e", "s"],
        "es": ["▁", "e", "s"],
        "e": ["▁", "e"],
    }
    counts = {"sol": 9, "soles": 1, "es": 4, "e": 1}
    expect_equal(
        _as_tuple(answer(cut, counts)),
        ("s", "ol"),
        "next_merge(cut, counts)",
        diagnoses=[
            (
                lambda got: got in (("e", "s"), ("▁", "e")),
                "Each pair was counted once for each word: it counts as often as the "
                "word occurs.",
            ),
            (
                ("▁", "s"),
                "It is as frequent as s + ol, which comes first in the alphabet.",
            ),
            (("ol", "e"), "That is the rarest pair: the most frequent one is wanted."),
            (10, "Return the pair, not its count."),
        ],
    )
    tie = {"ab": ["▁", "a", "b"], "cd": ["▁", "c", "d"]}
    expect_equal(
        _as_tuple(answer(tie, {"ab": 2, "cd": 2})),
        ("a", "b"),
        "next_merge for pairs that are equally frequent",
        diagnoses=[(("▁", "c"), "The first in the alphabet is wanted, not the last.")],
    )


def _as_tuple(got: Any) -> Any:
    return tuple(got) if isinstance(got, list) else got


@exercise("10.3", praise="That is all a tokenizer does when it reads.")
def apply_merges(answer: Any) -> None:
    """Check `apply_merges(word, merges)`."""
    merges = [("l", "a"), ("▁", "la"), ("a", "s"), ("▁la", "s")]
    got = answer("las", merges)
    expect(
        isinstance(got, list | tuple),
        f"apply_merges('las', merges) should be a list of pieces, but it is "
        f"{brief(got)}.",
    )
    expect_equal(
        list(got),
        ["▁las"],
        "apply_merges('las', merges)",
        diagnoses=[
            (["▁", "l", "a", "s"], "No merge was applied."),
            (["las"], "Begin with ▁, which marks the beginning of a word."),
            (["la", "s"], "Begin with ▁, which marks the beginning of a word."),
            (
                ["▁", "l", "as"],
                "The merges were applied in another order than they were learned in.",
            ),
            (["▁", "la", "s"], "Only the first merge was applied: go on with all."),
        ],
    )
    expect_equal(
        list(answer("sala", merges)),
        ["▁", "s", "a", "la"],
        "apply_merges('sala', merges)",
    )
    expect_equal(
        list(answer("lala", merges)),
        ["▁la", "la"],
        "apply_merges('lala', merges)",
        diagnoses=[
            (
                ["▁la", "l", "a"],
                "Only the first l + a of 'lala' was joined: a merge joins its pair "
                "wherever it stands.",
            )
        ],
    )


@exercise("10.4", praise="Divide the real tokens by it, and you know what is wasted.")
def padded_positions(answer: Any) -> None:
    """Check `padded_positions(lengths, batch_size)`."""
    lengths = [9, 2, 3, 8, 2]
    expect_equal(
        answer(list(lengths), 2),
        2 * 2 + 2 * 8 + 1 * 9,
        "padded_positions([9, 2, 3, 8, 2], 2)",
        diagnoses=[
            (
                sum(lengths),
                "These are the real tokens: each row is as wide as the "
                "longest of its batch.",
            ),
            (2 * 9 + 2 * 8 + 1 * 2, "The sentences were not sorted by length."),
            (
                2 * 9 + 2 * 3 + 1 * 2,
                "The sentences were sorted from long to short: begin with the short "
                "ones.",
            ),
            (
                5 * 9,
                "Everything was padded to the longest of all: each batch has its "
                "own width.",
            ),
            (2 * 2 + 2 * 8 + 2 * 9, "The last batch has one row, not two."),
            (2 * 2 + 2 * 8, "The last batch is smaller, but it counts too."),
        ],
    )
    expect_equal(answer([4, 4, 4], 8), 12, "padded_positions([4, 4, 4], 8)")


@exercise("10.5", praise="A tokenizer of the unigram kind reads in this way.")
def best_cut(answer: Any) -> None:
    """Check `best_cut(word, chances)`."""
    chances = {
        "▁casa": 0.02,
        "▁cas": 0.01,
        "▁": 0.1,
        "casas": 0.015,
        "as": 0.04,
        "s": 0.05,
        "a": 0.06,
        "c": 0.03,
        "o": 0.06,
    }
    _expect_cut(
        answer,
        "▁casas",
        chances,
        ["▁", "casas"],
        [
            (
                ["▁casa", "s"],
                "The longest piece was taken first; its product, 0.02 · 0.05 = 0.001, "
                "is less than 0.1 · 0.015.",
            ),
            (
                ["▁cas", "as"],
                "0.01 · 0.04 is not the largest product; ▁ and casas give 0.0015.",
            ),
            (
                ["▁", "c", "a", "s", "a", "s"],
                "These are the single letters, the smallest product: look for the "
                "largest.",
            ),
        ],
    )
    _expect_cut(
        answer,
        "▁caso",
        chances,
        ["▁cas", "o"],
        [
            (
                ["▁", "c", "a", "s", "o"],
                "The single letters have a smaller product than ▁cas and o.",
            )
        ],
    )
    # Each word of 25 letters has millions of cuts; its best one has pairs of letters.
    long = "▁" + "a" * 24
    _expect_cut(answer, long, {"▁": 0.5, "a": 0.1, "aa": 0.2}, ["▁", *["aa"] * 12], [])


def _expect_cut(
    answer: Any,
    word: str,
    chances: dict[str, float],
    right: list[str],
    diagnoses: list[tuple[Any, str]],
) -> None:
    what = f"best_cut({word!r}, chances)"
    got = answer(word, dict(chances))
    expect(
        isinstance(got, list | tuple) and all(isinstance(p, str) for p in got),
        f"{what} should be a list of pieces, but it is {brief(got)}.",
    )
    expect(
        "".join(got) == word,
        f"The pieces of {what} should give the word back when they are joined, but "
        f"they give {''.join(got)!r}.",
    )
    odd = [piece for piece in got if piece not in chances]
    expect(not odd, f"{what} has the piece {brief(odd[:1])}, which is not in chances.")
    expect_equal(list(got), right, what, diagnoses)
