"""What the benchmark measures: one line for each section of its table."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch

from book.tools.bench import training, writing
from book.tools.bench.models import Sizes
from book.tools.bench.timing import Row, Turns, in_fresh_process


class Section(NamedTuple):
    """One part of the table.

    Args:
        title: its heading.
        unit: what is counted.
        what: how it was measured; may name sizes.
        turns: who takes turns.
        apart: whether a process of its own measures it, since it may fail.
    """

    title: str
    unit: str
    what: str
    turns: Callable[[Sizes], Iterator[Turns]]
    apart: bool = False


TOKENS, SENTENCES = "target tokens a second", "sentences a second"
OURS = "the book's Transformer in training"
GREEDY = "greedy, {sizes.decoded} sentences side by side, {sizes.decoded_tokens} tokens"
SECTIONS = {
    "training": Section(
        "Training",
        TOKENS,
        "one loop, one loss, one optimizer and the same batches, in float32; memory is "
        "the peak of three steps in a process of their own, above what Python and "
        "PyTorch take",
        training.training,
    ),
    "products": Section(
        "Matrix products",
        "million operations a second",
        "{sizes.max_tokens} vectors of {sizes.d_ff} numbers times a square matrix, "
        "again and again: the most that a model could reach here; in turns with them "
        f"{OURS}, at six operations a target token for each number in its matrices",
        training.products,
    ),
    "pieces": Section("Plain and fused pieces", TOKENS, OURS, training.pieces),
    "batching": Section(
        "Batches by length",
        TOKENS,
        f"{OURS}; padding is the share of places in the batch that hold none of the "
        "sentences; packed, as in chapter 17, nothing is computed there",
        training.batching,
    ),
    "precision": Section(
        "Half precision",
        TOKENS,
        f"{OURS}, bfloat16 by autocast; attention mixes the values in float32",
        training.precision,
    ),
    "threads": Section("Threads", TOKENS, OURS, training.threads),
    "compile": Section(
        "Compiling",
        TOKENS,
        f"{OURS}, shapes that change; the time to compile is not counted",
        training.compiled,
        apart=True,
    ),
    "decoding": Section(
        "Decoding",
        SENTENCES,
        f"{GREEDY} each; Marian is Hugging Face's, of the same size, its generate; "
        "with a ReLU as here unless the name says otherwise",
        writing.decoding,
    ),
    "cache": Section(
        "The cache",
        SENTENCES,
        "greedy, {quarter} sentences side by side",
        writing.cache,
    ),
    "beam": Section(
        "Beam search",
        SENTENCES,
        "a beam of 4, {half} sentences, {sizes.decoded_tokens} tokens each",
        writing.beam,
    ),
    "engines": Section(
        "Engines",
        SENTENCES,
        f"{GREEDY} each, as above; the engines run exports of the same model, each on "
        "as many threads as PyTorch",
        writing.engines,
    ),
}


def measure(name: str, sizes: Sizes) -> dict[str, Any]:
    """Measure a section, or say why there is nothing to measure."""
    section = SECTIONS[name]
    half, quarter = sizes.decoded // 2, sizes.decoded // 4
    what = section.what.format(sizes=sizes, half=half, quarter=quarter)
    head = {"title": section.title, "unit": section.unit, "what": what}
    if not section.apart:
        return head | run_turns(name, sizes)
    try:
        return head | in_fresh_process(run_turns, name, sizes, seconds=150)
    except Exception as error:  # whatever a compiler may say
        last = str(error).strip().rpartition("\n")[2][:200]
        return {**head, "rows": [], "ratios": [], "note": f"Not measured: {last}."}


def run_turns(name: str, sizes: Sizes) -> dict[str, list[Row]]:
    """Let the contenders of a section take their turns in this process."""
    torch.manual_seed(0)
    rows: dict[str, Row] = {}
    ratios: list[Row] = []
    for turns in SECTIONS[name].turns(sizes):
        found, compared = turns.run()
        for row in found:
            rows.setdefault(row["name"], row)
        ratios += compared
    return {"rows": list(rows.values()), "ratios": ratios}
