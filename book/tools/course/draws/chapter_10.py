"""Hidden values for chapter 10."""

from collections.abc import Iterator

from book.tools.course.hidden import Draw, Observe, call, draws

_SENTENCES = ["The dog sleeps.", "I like tea", "Where is it?", "We go", "You sing."]


@draws("10.1")
def leaks(draw: Draw) -> Iterator[Observe]:
    """Other pairs, some of which differ in capitals and spaces alone."""
    train = [(one, "…") for one in draw.sample(_SENTENCES, 3)]
    test = [(one.upper() + " ", "–") for one in draw.sample(_SENTENCES, 3)]
    yield lambda answer: set(answer(train, test))


@draws("10.2")
def next_merge(draw: Draw) -> Iterator[Observe]:
    """Other words and counts, many of them equal."""
    words = {"".join(draw.choices("abc", k=draw.randint(2, 6))) for _ in range(5)}
    cut = {word: ["▁", *word] for word in sorted(words)}
    yield call(cut, {word: draw.randint(1, 3) for word in cut})


@draws("10.3")
def apply_merges(draw: Draw) -> Iterator[Observe]:
    """Other words and merges."""
    pairs = [("▁", "a"), ("a", "b"), ("b", "a"), ("ab", "a"), ("▁a", "b"), ("c", "c")]
    word = "".join(draw.choices("abc", k=draw.randint(3, 9)))
    yield call(word, draw.sample(pairs, draw.randint(2, 6)))


@draws("10.4")
def padded_positions(draw: Draw) -> Iterator[Observe]:
    """Other lengths, with a last batch that may be smaller."""
    lengths = [draw.randint(1, 30) for _ in range(draw.randint(3, 20))]
    yield call(lengths, draw.randint(1, 6))


@draws("10.5")
def best_cut(draw: Draw) -> Iterator[Observe]:
    """Other words and chances, and a word too long to try all cuts."""
    letters = "▁" + "".join(draw.choices("ab", k=draw.choice([5, 8, 40])))
    pieces = ["▁", "a", "b", "ab", "ba", "aa", "▁a", "▁b", "abb", "bab"]
    yield call(letters, {piece: draw.uniform(0.01, 0.2) for piece in pieces})
