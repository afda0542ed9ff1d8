"""Hidden values for chapter 4."""

from collections.abc import Iterator

from book.tools.course.hidden import Draw, Observe, call, draws


@draws("4.1")
def window_mask(draw: Draw) -> Iterator[Observe]:
    """Other lengths and widths."""
    yield call(draw.randint(3, 12), draw.randint(1, 6))


@draws("4.2")
def decoder_mask(draw: Draw) -> Iterator[Observe]:
    """Other batches and another id of the padding."""
    yield call(draw.ids(0, 3, draw.randint(1, 4), draw.randint(2, 8)), 2)


@draws("4.3")
def masked_softmax(draw: Draw) -> Iterator[Observe]:
    """Other scores, high and low, with rows that are blocked as a whole."""
    keys = draw.randint(3, 6)
    mask = draw.ids(0, 1, 4, keys).bool()
    mask[draw.randrange(4)] = False
    yield call(20 * draw.normal(2, 4, keys), mask)
    yield call(draw.normal(4, keys).half() - 60_000, mask)


@draws("4.4")
def for_pytorch(draw: Draw) -> Iterator[Observe]:
    """Other batches and another id of the padding."""
    yield call(draw.ids(0, 3, draw.randint(1, 4), draw.randint(2, 8)), 1)
