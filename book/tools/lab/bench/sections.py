"""What the benchmark measures, one function for each section of its table."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from book.tools.lab.bench.decoders import NO_EOS, decoder, generator, sources, writer
from book.tools.lab.bench.engines import engines
from book.tools.lab.bench.models import (
    QUICK,
    SOS,
    Loss,
    PyTorchModel,
    Sizes,
    batches_as_they_come,
    batches_by_length,
    batches_of_one_length,
    book_loss,
    book_model,
    marian,
    packed_loss,
    padding_share,
    plain_loss,
    trainer,
)
from book.tools.lab.bench.timing import in_fresh_process, peak_bytes, race, ratio, rows
from lib.decoding import beam_search
from lib.speed import fuse

Section = dict[str, Any]
OURS, THEIRS, AS_IT_COMES, PADDED = (
    "this book",
    "nn.Transformer, the paper's dropout",
    "nn.Transformer as it comes",
    "nn.Transformer, all padded to one length",
)


def contenders() -> dict[str, Callable[[Sizes], nn.Module]]:
    """Return who trains in the first section, by name."""
    return {
        OURS: book_model,
        THEIRS: lambda sizes: PyTorchModel(sizes, paper_dropout=True).train(),
        AS_IT_COMES: lambda sizes: PyTorchModel(sizes, paper_dropout=False).train(),
        PADDED: lambda sizes: PyTorchModel(sizes, paper_dropout=False).train(),
    }


def loss_of(name: str) -> Loss:
    """Return who computes the loss of a contender."""
    return book_loss if name == OURS else plain_loss


def peak_of(name: str, sizes: Sizes) -> float:
    """Return how many megabytes three steps of a contender add to this process."""
    batches = batches_of_one_length if name == PADDED else batches_by_length
    prepared = batches(sizes)[:3]
    before = peak_bytes()
    step = trainer(contenders()[name](sizes), prepared, loss_of(name))
    for number in range(3):
        step(number)
    return (peak_bytes() - before) / 2**20


def training(sizes: Sizes) -> Section:
    """Measure one step of training, the batches the same for all but the padded."""
    torch.manual_seed(0)
    made = {name: build(sizes) for name, build in contenders().items()}
    batches, padded = batches_by_length(sizes), batches_of_one_length(sizes)
    steps = {
        name: trainer(model, batches, loss_of(name))
        for name, model in made.items()
        if name != PADDED
    }
    rates = race(steps, sizes.rounds)
    # It takes long, so it runs less often, with us beside it.
    pair = {OURS: steps[OURS], PADDED: trainer(made[PADDED], padded, plain_loss)}
    slow = race(pair, max(1, sizes.few_rounds - 2))
    table = rows({**rates, PADDED: slow[PADDED]})
    quick = ["--quick"] if sizes is QUICK else []
    for row in table:
        peak = json.loads(in_fresh_process(["--peak", row["name"], *quick]))
        row["megabytes"] = round(peak)
    others = (THEIRS, AS_IT_COMES)
    ratios = [ratio(rates, OURS, other) for other in others]
    return {
        "title": "Training",
        "unit": "target tokens a second",
        "what": "one loop, one loss, one optimizer and the same batches, in float32; "
        "memory is the peak of three steps in a process of their own, above what "
        "Python and PyTorch take",
        "rows": table,
        "ratios": [*ratios, ratio(slow, OURS, PADDED)],
    }


def pieces(sizes: Sizes) -> Section:
    """Measure what the fused pieces and the shared table give, one after the other."""
    batches = batches_by_length(sizes)
    plain, fused, tied = "plain", "fused", "fused and tied"
    made = {
        plain: (book_model(sizes, tied=False), plain_loss),
        fused: (book_model(sizes, tied=False), book_loss),
        tied: (book_model(sizes), book_loss),
    }
    steps = {
        name: trainer(model, batches, loss) for name, (model, loss) in made.items()
    }
    rates = race(steps, sizes.few_rounds + 1)
    return {
        "title": "Plain and fused pieces",
        "unit": "target tokens a second",
        "what": "the book's Transformer in training",
        "rows": rows(rates),
        "ratios": [ratio(rates, name, plain) for name in (fused, tied)],
    }


def batching(sizes: Sizes) -> Section:
    """Measure what batches of similar length save, and what packing saves beside it."""
    kinds = {
        "similar lengths": batches_by_length(sizes),
        "as they come": batches_as_they_come(sizes),
        "padded to one length": batches_of_one_length(sizes),
    }
    steps = {
        name: trainer(book_model(sizes), made, book_loss)
        for name, made in kinds.items()
    }
    first, second, third = kinds
    packed = {name: f"{name}, packed" for name in (first, second)}
    for name, other in packed.items():
        kinds[other] = kinds[name]
        steps[other] = trainer(book_model(sizes), kinds[name], packed_loss)
    rates = race(steps, sizes.few_rounds)
    table = rows(rates)
    for row in table:
        row["padding"] = round(padding_share(kinds[row["name"]]), 4)
    pairs = [(first, second), (first, third)]
    pairs += [(other, name) for name, other in packed.items()]
    return {
        "title": "Batches by length",
        "unit": "target tokens a second",
        "what": "the book's Transformer in training; padding is the share of places in "
        "the batch that hold none of the sentences; packed, as in chapter 15, nothing "
        "is computed there",
        "rows": table,
        "ratios": [ratio(rates, *pair) for pair in pairs],
    }


def precision(sizes: Sizes) -> Section:
    """Measure training in bfloat16 against training in 32 bits."""
    batches = batches_by_length(sizes)
    short, long, theirs = "bfloat16", "float32", "nn.Transformer in bfloat16"
    other = PyTorchModel(sizes, paper_dropout=True).train()
    rates = race(
        {
            short: trainer(book_model(sizes), batches, book_loss, half=True),
            long: trainer(book_model(sizes), batches, book_loss),
            theirs: trainer(other, batches, plain_loss, half=True),
        },
        sizes.few_rounds,
    )
    return {
        "title": "Half precision",
        "unit": "target tokens a second",
        "what": "the book's Transformer in training, bfloat16 by autocast; attention "
        "mixes the values in float32",
        "rows": rows(rates),
        "ratios": [ratio(rates, short, long), ratio(rates, short, theirs)],
    }


@contextmanager
def _threads(number: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def threads(sizes: Sizes) -> Section:
    """Measure training on one thread and on all."""
    step = trainer(book_model(sizes), batches_by_length(sizes), book_loss)
    most = torch.get_num_threads()

    def on(number: int) -> Callable[[int], int]:
        def run(round_number: int) -> int:
            with _threads(number):
                return step(round_number)

        return run

    one, all_of_them = "1 thread", f"{most} threads"
    made = {one: on(1)} if most == 1 else {all_of_them: on(most), one: on(1)}
    rates = race(made, sizes.few_rounds - 1 or 1)
    return {
        "title": "Threads",
        "unit": "target tokens a second",
        "what": "the book's Transformer in training",
        "rows": rows(rates),
        "ratios": [] if most == 1 else [ratio(rates, all_of_them, one)],
    }


def compiled(sizes: Sizes) -> Section:
    """Measure torch.compile, or say why there is nothing to measure."""
    section = {
        "title": "Compiling",
        "unit": "target tokens a second",
        "what": "the book's Transformer in training, shapes that change; "
        "the time to compile is not counted",
        "rows": [],
        "ratios": [],
    }
    quick = ["--quick"] if sizes is QUICK else []
    try:
        section |= json.loads(in_fresh_process(["--compiled", *quick], 150))
    except RuntimeError as error:
        section["note"] = f"Not measured: {error}."
    return section


def compiled_here(sizes: Sizes) -> Section:
    """Race the compiled model in this process, which may fail or take long."""
    warnings.simplefilter("ignore")
    batches = batches_by_length(sizes)[: sizes.few_rounds + 1]
    eager, one = "as it is", "compiled"
    compiled_model = fuse(book_model(sizes))
    compiled_model.compile(dynamic=True)
    steps = {
        one: trainer(compiled_model, batches, book_loss),
        eager: trainer(book_model(sizes), batches, book_loss),
    }
    for number in range(len(batches)):  # whatever has to be compiled is compiled here
        steps[one](number)
    rates = race(steps, sizes.few_rounds)
    return {"rows": rows(rates), "ratios": [ratio(rates, one, eager)]}


def products(sizes: Sizes) -> Section:
    """Measure what the hardware can do, and in turns with it what training reaches."""
    width, tokens = sizes.d_ff, sizes.max_tokens
    million = 2 * tokens * width * width // 10**6  # a multiplication and an addition

    def multiply(dtype: torch.dtype) -> Callable[[int], int]:
        x = torch.ones(tokens, width, dtype=dtype)
        weight = torch.ones(width, width, dtype=dtype)

        def run(_number: int) -> int:
            for _ in range(10):
                torch.mm(x, weight)
            return 10 * max(million, 1)

        return run

    model = book_model(sizes)
    matrices = sum(p.numel() for p in model.parameters() if p.dim() == 2)
    step = trainer(model, batches_by_length(sizes), book_loss)

    def train(number: int) -> float:  # six operations a token for each of the numbers
        return 6 * matrices * step(number) / 10**6

    short, long = "bfloat16", "float32"
    made = {short: multiply(torch.bfloat16), long: multiply(torch.float32), OURS: train}
    rates = race(made, sizes.few_rounds)
    return {
        "title": "Matrix products",
        "unit": "million operations a second",
        "what": f"{tokens} vectors of {width} numbers times a square matrix, again and "
        "again: the most that a model could reach here; in turns with them the book's "
        "Transformer in training, at six operations a target token for each number in "
        "its matrices",
        "rows": rows(rates),
        "ratios": [ratio(rates, short, long), ratio(rates, OURS, long)],
    }


def decoding(sizes: Sizes) -> Section:
    """Measure greedy decoding to a fixed length against Hugging Face's Marian."""
    model, tokens = decoder(sizes), sizes.decoded_tokens
    src = sources(sizes, sizes.decoded, tokens // 2 + 1)
    other, gelu = "Marian, cached", "Marian, cached, with its own GELU"
    again = "this book, recomputing"
    rates = race(
        {
            OURS: writer(model, src, tokens, cached=True),
            other: generator(marian(sizes), src, tokens),
            gelu: generator(marian(sizes, "gelu"), src, tokens),
            again: writer(model, src, tokens, cached=False),
        },
        sizes.rounds,
    )
    return {
        "title": "Decoding",
        "unit": "sentences a second",
        "what": f"greedy, {len(src)} sentences side by side, {tokens} tokens each; "
        "Marian is Hugging Face's, of the same size, its generate; with a ReLU as here "
        "unless the name says otherwise",
        "rows": rows(rates),
        "ratios": [ratio(rates, OURS, name) for name in (other, gelu, again)],
    }


def cache(sizes: Sizes) -> Section:
    """Measure what the cache gains, the longer the text the more."""
    model = decoder(sizes)
    count = max(2, sizes.decoded // 4)
    table, ratios = [], []
    for tokens in sizes.cache_lengths:
        src = sources(sizes, count, 12)
        kept, again = f"{tokens} tokens, cached", f"{tokens} tokens, recomputing"
        made = {
            kept: writer(model, src, tokens, cached=True),
            again: writer(model, src, tokens, cached=False),
        }
        rates = race(made, 3 if tokens < 100 else 2)
        table += rows(rates)
        ratios.append({"tokens": tokens, **ratio(rates, kept, again)})
    return {
        "title": "The cache",
        "unit": "sentences a second",
        "what": f"greedy, {count} sentences side by side",
        "rows": table,
        "ratios": ratios,
    }


def beam(sizes: Sizes) -> Section:
    """Measure a beam over a batch against one sentence after the other."""
    model, tokens = decoder(sizes), sizes.decoded_tokens
    src = sources(sizes, max(2, sizes.decoded // 2), tokens // 2 + 1)

    def search(part: Tensor) -> None:
        beam_search(model, part, SOS, NO_EOS, beam_size=4, max_len=tokens, cached=True)

    def together(_number: int) -> int:
        search(src)
        return len(src)

    def one_by_one(_number: int) -> int:
        for row in src.split(1):
            search(row)
        return len(src)

    batch, loop = "all together", "one after the other"
    rates = race({batch: together, loop: one_by_one}, max(1, sizes.few_rounds - 2))
    return {
        "title": "Beam search",
        "unit": "sentences a second",
        "what": f"a beam of 4, {len(src)} sentences, {tokens} tokens each",
        "rows": rows(rates),
        "ratios": [ratio(rates, batch, loop)],
    }


SECTIONS: dict[str, Callable[[Sizes], Section]] = {
    "training": training,
    "products": products,
    "pieces": pieces,
    "batching": batching,
    "precision": precision,
    "threads": threads,
    "compile": compiled,
    "decoding": decoding,
    "cache": cache,
    "beam": beam,
    "engines": engines,
}
