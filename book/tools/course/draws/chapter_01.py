"""Hidden values for chapter 1."""

from collections.abc import Iterator

from book.tools.course.hidden import Draw, Observe, call, draws
from lib.text import EOS, PAD, SOS, UNK, Vocabulary

_WORDS = ["casa", "perro", "gato", "ve", "come", "grande", "rojo", "la"]


@draws("1.1")
def frame(draw: Draw) -> Iterator[Observe]:
    """Another vocabulary, its special tokens in any order."""
    words = draw.sample(_WORDS, 6)
    specials = draw.sample([PAD, SOS, EOS, UNK], 4)
    sentence = " ".join(draw.choices(_WORDS, k=draw.randint(2, 7)))
    yield call(Vocabulary(words, specials=tuple(specials)), sentence)


@draws("1.2")
def lookup(draw: Draw) -> Iterator[Observe]:
    """Tables and ids of other sizes."""
    rows = draw.randint(6, 12)
    ids = draw.ids(0, rows - 1, draw.randint(1, 3), draw.randint(2, 6))
    yield call(ids, draw.normal(rows, draw.randint(2, 7)))


@draws("1.3")
def cosine(draw: Draw) -> Iterator[Observe]:
    """Vectors of other lengths."""
    width = draw.randint(3, 9)
    yield call(draw.normal(width), 4 * draw.normal(width))


@draws("1.4")
def pad_batch(draw: Draw) -> Iterator[Observe]:
    """Other sentences and another id of the padding."""
    lengths = [draw.randint(1, 8) for _ in range(draw.randint(2, 5))]
    yield call([draw.ids(20, 60, n).tolist() for n in lengths], draw.randint(0, 15))


@draws("1.5")
def padding_share(draw: Draw) -> Iterator[Observe]:
    """Other batches and another id of the padding."""
    ids = draw.ids(0, 5, draw.randint(1, 4), draw.randint(3, 9))
    yield lambda answer: float(answer(ids, 2))
