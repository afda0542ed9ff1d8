"""Who trains in the benchmark, and who takes turns with whom."""

import functools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from book.tools.bench.batches import (
    batches_as_they_come,
    batches_by_length,
    batches_of_one_length,
    padding_share,
)
from book.tools.bench.models import PyTorchModel, Sizes, book_model
from book.tools.bench.timing import Contender, Turns, in_fresh_process, peak_bytes
from book.tools.project.address import ROOT
from lib.attention import MultiHeadAttention
from lib.loss import translation_loss
from lib.model import Transformer
from lib.speed import fuse
from lib.text import Batch
from lib.text.files import read_json

CHAPTER = ROOT / "book" / "17_speed.ipynb"
OURS, THEIRS, AS_IT_COMES, PADDED = (
    "this book",
    "nn.Transformer, the paper's dropout",
    "nn.Transformer as it comes",
    "nn.Transformer, all padded to one length",
)
MODELS: dict[str, Callable[[Sizes], nn.Module]] = {
    OURS: book_model,
    THEIRS: lambda sizes: PyTorchModel(sizes, paper_dropout=True),
    AS_IT_COMES: lambda sizes: PyTorchModel(sizes, paper_dropout=False),
    PADDED: lambda sizes: PyTorchModel(sizes, paper_dropout=False),
}
Loss = Callable[[nn.Module, Batch], Tensor]


def plain_loss(model: nn.Module, batch: Batch) -> Tensor:
    """Let PyTorch compute the loss of chapter 12."""
    logits = model(batch.src, batch.tgt_in)
    return translation_loss(logits, batch.tgt_out, 0, label_smoothing=0.1)


def book_loss(model: nn.Module, batch: Batch) -> Tensor:
    """Let the fused leaves compute the same number, as the book's training does."""
    return plain_loss(fuse(model), batch)


def packed_loss(model: nn.Module, batch: Batch) -> Tensor:
    """Let the demonstration of chapter 17 compute the same number, packed."""
    logits, order = packed_logits()(model, batch.src, batch.tgt_in)
    real = batch.tgt_in[order] != 0
    return nn.functional.cross_entropy(
        logits, batch.tgt_out[order][real], ignore_index=0, label_smoothing=0.1
    )


@functools.cache
def packed_logits() -> Callable[..., tuple[Tensor, Tensor]]:
    """Return the function of chapter 17, which stands there alone."""
    cells = read_json(CHAPTER)["cells"]
    (cell,) = (each for each in cells if "packing" in each["metadata"].get("tags", ()))
    names: dict[str, Any] = {"torch": torch, "F": nn.functional, "Tensor": Tensor}
    names["MultiHeadAttention"] = MultiHeadAttention
    exec("".join(cell["source"]), names)  # the book's own code, from its own file
    return names["packed_logits"]


def trainer(
    model: nn.Module, batches: list[Batch], loss: Loss | None = None, half: bool = False
) -> Contender:
    """Return the loop that all share: one step a round, its target tokens returned."""
    loss = loss or (book_loss if isinstance(model, Transformer) else plain_loss)
    how: dict[str, Any] = {"lr": 1e-4, "betas": (0.9, 0.98), "eps": 1e-9}
    optimizer = torch.optim.Adam(model.parameters(), **how)

    def step(number: int) -> int:
        batch = batches[number % len(batches)]
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=half):
            value = loss(model, batch)
        optimizer.zero_grad()
        value.backward()
        optimizer.step()
        return int((batch.tgt_out != 0).sum())

    return step


# --- the sections ---------------------------------------------------------------------


def training(sizes: Sizes) -> Iterator[Turns]:
    """One step of training, the batches the same for all but the padded."""
    batches, padded = batches_by_length(sizes), batches_of_one_length(sizes)
    steps = {
        name: trainer(build(sizes), padded if name == PADDED else batches)
        for name, build in MODELS.items()
    }
    facts = {
        name: {"megabytes": round(in_fresh_process(peak_of, name, sizes))}
        for name in MODELS
    }
    slow = {OURS: steps[OURS], PADDED: steps.pop(PADDED)}
    pairs = [(OURS, THEIRS), (OURS, AS_IT_COMES)]
    yield Turns(steps, sizes.rounds, pairs, facts)
    # It takes long, so it runs less often, with us beside it.
    yield Turns(slow, sizes.few_rounds, [(OURS, PADDED)], facts)


def peak_of(name: str, sizes: Sizes) -> float:
    """Return how many megabytes three steps of a contender add to this process."""
    batches = batches_of_one_length if name == PADDED else batches_by_length
    prepared = batches(sizes)[:3]
    before = peak_bytes()
    step = trainer(MODELS[name](sizes), prepared)
    for number in range(3):
        step(number)
    return (peak_bytes() - before) / 2**20


def pieces(sizes: Sizes) -> Iterator[Turns]:
    """What the fused pieces and the shared table give, one after the other."""
    batches = batches_by_length(sizes)
    plain, fused, tied = "plain", "fused", "fused and tied"
    steps = {
        plain: trainer(book_model(sizes, tied=False), batches, plain_loss),
        fused: trainer(book_model(sizes, tied=False), batches),
        tied: trainer(book_model(sizes), batches),
    }
    yield Turns(steps, sizes.few_rounds, [(fused, plain), (tied, plain)])


def batching(sizes: Sizes) -> Iterator[Turns]:
    """What batches of similar length save, and what packing saves beside it."""
    first, second, third = "similar lengths", "as they come", "padded to one length"
    kinds = {
        first: batches_by_length(sizes),
        second: batches_as_they_come(sizes),
        third: batches_of_one_length(sizes),
    }
    steps = {name: trainer(book_model(sizes), made) for name, made in kinds.items()}
    pairs = [(first, second), (first, third)]
    for name in (first, second):
        packed = f"{name}, packed"
        kinds[packed] = kinds[name]
        steps[packed] = trainer(book_model(sizes), kinds[name], packed_loss)
        pairs.append((packed, name))
    facts = {
        name: {"padding": round(padding_share(made), 4)} for name, made in kinds.items()
    }
    yield Turns(steps, sizes.few_rounds, pairs, facts)


def precision(sizes: Sizes) -> Iterator[Turns]:
    """Training in bfloat16 against training in 32 bits."""
    batches = batches_by_length(sizes)
    short, long, theirs = "bfloat16", "float32", "nn.Transformer in bfloat16"
    steps = {
        short: trainer(book_model(sizes), batches, half=True),
        long: trainer(book_model(sizes), batches),
        theirs: trainer(MODELS[THEIRS](sizes), batches, half=True),
    }
    yield Turns(steps, sizes.few_rounds, [(short, long), (short, theirs)])


def threads(sizes: Sizes) -> Iterator[Turns]:
    """Training on all threads and on one."""
    step = trainer(book_model(sizes), batches_by_length(sizes))
    most = torch.get_num_threads()

    def on(number: int) -> Contender:
        def run(round_number: int) -> float:
            torch.set_num_threads(number)
            try:
                return step(round_number)
            finally:
                torch.set_num_threads(most)

        return run

    all_of_them, one = f"{most} threads", "1 thread"
    steps = {all_of_them: on(most), one: on(1)}
    yield Turns(steps, sizes.few_rounds, [(all_of_them, one)])


def compiled(sizes: Sizes) -> Iterator[Turns]:
    """`torch.compile`, which may fail or take long."""
    warnings.simplefilter("ignore")
    batches = batches_by_length(sizes)[: sizes.few_rounds + 1]
    eager, one = "as it is", "compiled"
    model = fuse(book_model(sizes))
    model.compile(dynamic=True)
    steps = {one: trainer(model, batches), eager: trainer(book_model(sizes), batches)}
    for number in range(len(batches)):  # whatever has to be compiled is compiled here
        steps[one](number)
    yield Turns(steps, sizes.few_rounds, [(one, eager)])


def products(sizes: Sizes) -> Iterator[Turns]:
    """What the hardware can do, and in turns with it what training reaches."""
    width, tokens = sizes.d_ff, sizes.max_tokens
    million = 2 * tokens * width * width / 10**6  # a multiplication and an addition

    def multiply(dtype: torch.dtype) -> Contender:
        x = torch.ones(tokens, width, dtype=dtype)
        weight = torch.ones(width, width, dtype=dtype)

        def run(_number: int) -> float:
            for _ in range(10):
                torch.mm(x, weight)
            return 10 * million

        return run

    model = book_model(sizes)
    matrices = sum(p.numel() for p in model.parameters() if p.dim() == 2)
    step = trainer(model, batches_by_length(sizes))

    def train(number: int) -> float:  # six operations a token for each of the numbers
        return 6 * matrices * step(number) / 10**6

    short, long = "bfloat16", "float32"
    made = {short: multiply(torch.bfloat16), long: multiply(torch.float32), OURS: train}
    yield Turns(made, sizes.few_rounds, [(short, long), (OURS, long)])
