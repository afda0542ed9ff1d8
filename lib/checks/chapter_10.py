"""The checks of chapter 10: leaks, merges, what padding costs, a unigram cut."""

from typing import Any

from lib.checks import expect
from lib.checks.core import exercise
from lib.exercises.guard import brief

__all__ = ["apply_merges", "best_cut", "leaks", "next_merge", "padded_positions"]


@exercise("10.1", praise="An empty set is what every test part should give.")
def leaks(answer: Any) -> None:
    """Check `leaks(train, test)`: the sources that stand in both parts."""
    what = "leaks(train, test)"
    train = [("Come in!", "Pasa."), ("Thank you.", "Gracias."), ("Stop!", "¡Alto!")]
    test = [("come in", "Adelante."), ("Good night.", "Gracias."), ("STOP", "Para.")]
    got = answer(train, test)
    expect.that(
        not isinstance(got, dict | str),
        f"{what} should be a set of sources, but it is {brief(got)}.",
    )
    if isinstance(got, list | tuple | frozenset):
        got = set(got)
    slips: expect.Slips = {
        "Nothing was found: normalize both sides before comparing.": set(),
        "STOP and Stop! were not found: normalize the sources of both parts.": (
            {"come in"}
        ),
        "Targets were compared; the sources must not meet.": {"gracias"},
        "All of the test part came back: keep those that stand in both.": (
            {"come in", "stop", "good night"}
        ),
        "The sources are leaks, but give them back normalized.": {"come in", "STOP"},
    }
    expect.equal(got, {"come in", "stop"}, what, slips)
    expect.equal(set(answer(train, [("No.", "No.")])), set(), "leaks without a leak")


@exercise("10.2", praise="Repeat it a few thousand times, and you have a tokenizer.")
def next_merge(answer: Any) -> None:
    """Check `next_merge(cut, counts)`: the most frequent pair of neighbors."""
    cut = {
        "sol": ["▁", "s", "ol"],
        "soles": ["▁", "s", "ol", "e", "s"],
        "es": ["▁", "e", "s"],
        "e": ["▁", "e"],
    }
    counts = {"sol": 9, "soles": 1, "es": 4, "e": 1}
    slips: expect.Slips = {
        "Each pair was counted once for each word: it counts as often as the word "
        "occurs.": lambda got: got in (("e", "s"), ("▁", "e")),
        "It is as frequent as s + ol, which comes first in the alphabet.": ("▁", "s"),
        "That is the rarest pair: the most frequent one is wanted.": ("ol", "e"),
        "Return the pair, not its count.": 10,
    }
    got = _as_tuple(answer(cut, counts))
    expect.equal(got, ("s", "ol"), "next_merge(cut, counts)", slips)
    tie = {"ab": ["▁", "a", "b"], "cd": ["▁", "c", "d"]}
    what = "next_merge for pairs that are equally frequent"
    slips = {"The first in the alphabet is wanted, not the last.": ("▁", "c")}
    got = _as_tuple(answer(tie, {"ab": 2, "cd": 2}))
    expect.equal(got, ("a", "b"), what, slips)


def _as_tuple(got: Any) -> Any:
    return tuple(got) if isinstance(got, list) else got


@exercise("10.3", praise="That is all a tokenizer does when it reads.")
def apply_merges(answer: Any) -> None:
    """Check `apply_merges(word, merges)`: the pieces of a new word."""
    merges = [("l", "a"), ("▁", "la"), ("a", "s"), ("▁la", "s")]
    got, what = answer("las", merges), "apply_merges('las', merges)"
    expect.that(
        isinstance(got, list | tuple),
        f"{what} should be a list of pieces, but it is {brief(got)}.",
    )
    slips: expect.Slips = {
        "No merge was applied.": ["▁", "l", "a", "s"],
        "Begin with ▁, which marks the beginning of a word.": (
            expect.AnyOf(["las"], ["la", "s"])
        ),
        "The merges were applied in another order than they were learned in.": (
            ["▁", "l", "as"]
        ),
        "Only the first merge was applied: go on with all.": ["▁", "la", "s"],
    }
    expect.equal(list(got), ["▁las"], what, slips)
    got, what = list(answer("sala", merges)), "apply_merges('sala', merges)"
    expect.equal(got, ["▁", "s", "a", "la"], what)
    got, what = list(answer("lala", merges)), "apply_merges('lala', merges)"
    slips = {
        "Only the first l + a of 'lala' was joined: a merge joins its pair wherever it "
        "stands.": ["▁la", "l", "a"]
    }
    expect.equal(got, ["▁la", "la"], what, slips)


@exercise("10.4", praise="Divide the real tokens by it, and you know what is wasted.")
def padded_positions(answer: Any) -> None:
    """Check `padded_positions(lengths, batch_size)`: tokens and padding together."""
    lengths, what = [9, 2, 3, 8, 2], "padded_positions([9, 2, 3, 8, 2], 2)"
    slips: expect.Slips = {
        "These are the real tokens: each row is as wide as the longest of its batch.": (
            sum(lengths)
        ),
        "The sentences were not sorted by length.": 2 * 9 + 2 * 8 + 1 * 2,
        "The sentences were sorted from long to short: begin with the short ones.": (
            2 * 9 + 2 * 3 + 1 * 2
        ),
        "Everything was padded to the longest of all: each batch has its own width.": (
            5 * 9
        ),
        "The last batch has one row, not two.": 2 * 2 + 2 * 8 + 2 * 9,
        "The last batch is smaller, but it counts too.": 2 * 2 + 2 * 8,
    }
    expect.equal(answer(lengths, 2), 2 * 2 + 2 * 8 + 1 * 9, what, slips)
    expect.equal(answer([4, 4, 4], 8), 12, "padded_positions([4, 4, 4], 8)")


@exercise("10.5", praise="A tokenizer of the unigram kind reads in this way.")
def best_cut(answer: Any) -> None:
    """Check `best_cut(word, chances)`: the pieces with the largest product."""
    chances = {"▁casa": 0.02, "▁cas": 0.01, "▁": 0.1, "casas": 0.015, "as": 0.04}
    chances |= {"s": 0.05, "a": 0.06, "c": 0.03, "o": 0.06}
    slips: expect.Slips = {
        "The longest piece was taken first; its product, 0.02 · 0.05 = 0.001, is less "
        "than 0.1 · 0.015.": ["▁casa", "s"],
        "0.01 · 0.04 is not the largest product; ▁ and casas give 0.0015.": (
            ["▁cas", "as"]
        ),
        "These are the single letters, the smallest product: look for the largest.": (
            ["▁", "c", "a", "s", "a", "s"]
        ),
    }
    _expect_cut(answer, chances, ["▁", "casas"], slips)
    slips = {
        "The single letters have a smaller product than ▁cas and o.": (
            ["▁", "c", "a", "s", "o"]
        )
    }
    _expect_cut(answer, chances, ["▁cas", "o"], slips)
    # Each word of 25 letters has millions of cuts; its best one has pairs of letters.
    _expect_cut(answer, {"▁": 0.5, "a": 0.1, "aa": 0.2}, ["▁", *["aa"] * 12], {})


def _expect_cut(
    answer: Any, chances: dict[str, float], right: list[str], slips: expect.Slips
) -> None:
    word = "".join(right)
    what = f"best_cut({word!r}, chances)"
    got = answer(word, dict(chances))
    expect.that(
        isinstance(got, list | tuple) and all(isinstance(p, str) for p in got),
        f"{what} should be a list of pieces, but it is {brief(got)}.",
    )
    expect.that(
        "".join(got) == word,
        f"The pieces of {what} should give the word back when they are joined, but "
        f"they give {''.join(got)!r}.",
    )
    odd = [piece for piece in got if piece not in chances][:1]
    expect.that(not odd, f"{what} has the piece {brief(odd)}, which is not in chances.")
    expect.equal(list(got), right, what, slips)
