"""The exercises of chapter 10: counting words and sentences, the leak."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import embedding, one_hot

from lib.exercises.forms import TRUTH
from lib.exercises.record import Cases, Draw, Parts, case, exercise

_LABELS = [[4, 2, 0, 0], [2, 0, 0, 0], [5, 3, 3, 2], [3, 2, 0, 0], [5, 3, 2, 0]]
_LABELS += [[6, 3, 5, 2], [3, 2, 0, 0], [4, 5, 2, 0], [3, 5, 4, 2], [6, 4, 4, 2]]
_SAID = [[4, 2, 0, 0], [2, 0, 4, 0], [8, 3, 3, 2], [3, 0, 3, 0], [5, 3, 2, 2]]
_SAID += [[6, 3, 0, 2], [3, 2, 0, 0], [4, 5, 2, 4], [3, 5, 4, 2], [6, 4, 4, 2]]
"""Padding is 0. Each mistake that is named below counts another number of these."""


def _said_and_asked(draw: Draw, what: str) -> Cases:
    """Ten sentences, once with padding 0 and once with 3, and drawn ones."""
    labels, said = torch.tensor(_LABELS), torch.tensor(_SAID)
    yield case(one_hot(said, 9) * 4.0 - 6.0, labels, 0, what=what)
    # The same sentences, with the words 0 and 3 exchanged: now 3 is padding.
    other = torch.tensor([3, 1, 2, 0, 4, 5, 6, 7, 8])
    yield case(one_hot(other[said], 9) * 4.0 - 6.0, other[labels], 3, what=what)
    labels, pad_id = draw.ids(3, 6, 9, 5), draw.randint(0, 2)
    logits = one_hot(labels, 7) + 0.1 * draw.normal(9, 5, 7)
    logits[draw.sample(range(9), 4), 0] *= -1
    for row in labels:
        row[draw.randint(1, 5) :] = pad_id
    yield case(logits, labels, pad_id, what=f"{what} among 9")


def _words(draw: Draw) -> Cases:
    yield from _said_and_asked(draw, "The number of right words")
    one = torch.tensor([[4, 3, 3]])  # all said as asked, and two of them padding
    what = "The number of right words among three"
    yield case(one_hot(one, 9) * 1.0, one, 3, what=what)


@exercise(_words)
def words_right(logits: Tensor, labels: Tensor, pad_id: int) -> int:
    """A count of words."""
    right = logits.argmax(dim=-1) == labels  # (B, T)
    return int((right & (labels != pad_id)).sum())


@exercise(lambda draw: _said_and_asked(draw, "The number of right sentences"))
def sentences_right(logits: Tensor, labels: Tensor, pad_id: int) -> int:
    """A count of whole sentences."""
    right = logits.argmax(dim=-1) == labels  # (B, T)
    return int((right | (labels == pad_id)).all(dim=1).sum())


Run = Callable[[Tensor], Tensor]


def _code(sees: Tensor, table: Tensor) -> Run:
    """Training code whose step t sees word j as strongly as `sees[t, j]` says."""
    return lambda target: sees @ embedding(torch.as_tensor(target), table)  # (T, V)


def _leaking(answer: Any, codes: dict[str, Tensor], target: Tensor, size: int) -> Parts:
    """The codes of which the answer says that they leak."""
    table = torch.randn(size, size)
    told = [n for n in codes if bool(answer(_code(codes[n], table), target, size))]
    return Parts({"The list of codes that leak": told})


def _loaders(draw: Draw) -> Cases:
    target = torch.tensor([4, 9, 10, 0, 7, 2])
    own = torch.eye(6)
    past = torch.ones(6, 6).tril(-1)
    codes = {
        "with the shift": past,
        "that leaks at the last step only": past + own[5].diag(),
        "that leaks at the first step only": past + own[0].diag(),
        "that leaks at one step in the middle": past + own[3].diag(),
        "that sees the next target, but not its own": past + torch.ones(5).diag(1),
        "that leaks faintly": past + 1e-3 * own,
    }
    yield case(codes, target, 11, use=_leaking)
    past = draw.normal(5, 5).tril(-1)
    codes = {"without a leak": past}
    for ahead in (0, draw.randint(1, 4)):
        leak = torch.zeros(5, 5)
        step = draw.randrange(5 - ahead)
        leak[step, step + ahead] = draw.uniform(0.1, 1.0)
        codes[f"whose step {step} sees target {step + ahead}"] = past + leak
    yield case(codes, draw.ids(0, 8, 5), 9, use=_leaking)


@exercise(_loaders, form=TRUTH)
def leaks(run: Run, target: Tensor, vocab_size: int) -> bool:
    """Whether a step sees its own target, or a later one."""
    before = run(target)  # (T, V)
    for t in range(len(target)):
        changed = target.clone()
        changed[t] = (target[t] + 1) % vocab_size
        after = run(changed)
        if not torch.allclose(after[: t + 1], before[: t + 1], atol=1e-6):
            return True
    return False
