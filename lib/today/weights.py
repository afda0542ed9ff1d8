"""Tensors of others, checked one by one, and put into the book's places."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import torch
from torch import Tensor

from lib.today.names import Names

Places = dict[str, tuple[str, ...]]  # a tensor of theirs, and ours that it fills
_NUMBERS = (torch.float16, torch.bfloat16, torch.float32)
_LAYER = re.compile(r"(?<=\.)\d+(?=\.)")


def find_places(names: Names, found: Iterable[str]) -> Places:
    """Say which of the book's tensors each tensor of a file fills, by the table.

    Args:
        names: the family's.
        found: names of the tensors in the file.

    Returns:
        The places, in the order of the table.

    Raises:
        ValueError: if a tensor is not in the table, and not known to lie about.
    """
    places: Places = {}
    order = list(names.weights)
    ranks: dict[str, int] = {}
    for name in found:
        today = name
        for pattern, new in names.old.items():
            today = re.sub(pattern, new, today)
        layer = _LAYER.search(today)
        entry, kind = _LAYER.sub("{}", today, count=1), ""
        if entry not in names.weights:  # a module stands for its weight and its bias
            entry, _, kind = entry.rpartition(".")
        if entry in names.weights:
            ours = (f"{each}.{kind}".rstrip(".") for each in _right(names, entry))
            number = layer[0] if layer else ""
            places[name] = tuple(each.replace("{}", number) for each in ours)
            ranks[name] = order.index(entry)
        elif not any(re.fullmatch(each, today) for each in names.lying_about):
            raise ValueError(f"the tensor {name!r} is no part of such a model")
    return {name: places[name] for name in sorted(places, key=ranks.__getitem__)}


def check_depth(n_layers: int, found: Iterable[str]) -> None:
    """Refuse more layers than there are tensors of, before so many are built.

    Raises:
        ValueError: if layers are missing.
    """
    numbers = {int(match[0]) for match in map(_LAYER.search, found) if match}
    if n_layers > len(numbers):
        raise ValueError(f"it has tensors of {len(numbers)} layers, not of {n_layers}")


def check_shapes(
    names: Names,
    places: Places,
    shapes: Mapping[str, tuple[int, ...]],
    plan: Mapping[str, Tensor],
) -> None:
    """Refuse tensors that the model does not have, or in another shape, or lacks.

    Args:
        names: the family's.
        places: what :func:`find_places` said.
        shapes: of all tensors of the file.
        plan: the book's tensors by name, perhaps without numbers; a tied one has
            several names.

    Raises:
        ValueError: if one does not fit; the message names it.
    """
    for theirs, ours in places.items():
        if not all(each in plan for each in ours):
            raise ValueError(f"the tensor {theirs!r} is no part of such a model")
        below = [tuple(plan[each].shape) for each in ours]
        wanted = (sum(shape[0] for shape in below), *below[0][1:])
        if re.search(names.transposed, theirs):
            wanted = wanted[::-1]
        if re.search(names.rows, theirs):
            wanted = (1, *wanted)
        if shapes[theirs] != wanted:
            raise ValueError(
                f"the tensor {theirs!r} has shape {shapes[theirs]}, not {wanted}"
            )
    filled = {id(plan[each]) for ours in places.values() for each in ours}
    for name, tensor in plan.items():
        if id(tensor) not in filled:
            raise ValueError(f"the tensor {_their_name(names, name)!r} is missing")


def fill(
    names: Names,
    places: Places,
    get: Callable[[str], Tensor],
    model: Mapping[str, Tensor],
) -> None:
    """Put the numbers into their places.

    Args:
        names: the family's.
        places: what :func:`find_places` said.
        get: reads a tensor of the file.
        model: the book's tensors by name; a tied one has several names.

    Raises:
        ValueError: if a tensor holds other things than finite numbers, or tied ones
            differ.
    """
    times, done = Counter(map(id, model.values())), set[int]()
    for theirs, ours in places.items():
        tensor = get(theirs)
        if tensor.dtype not in _NUMBERS or not tensor.isfinite().all():
            raise ValueError(f"the tensor {theirs!r} is not all finite numbers")
        if re.search(names.transposed, theirs):
            tensor = tensor.T
        if re.search(names.rows, theirs):
            tensor = tensor[0]
        for name, part in zip(ours, tensor.chunk(len(ours)), strict=True):
            place = model[name]
            tied = id(place) in done and times[id(place)] > 1
            if tied and not torch.equal(place, part.to(place.dtype)):
                raise ValueError(
                    f"the tensor {theirs!r} differs from what it is tied to"
                )
            place.data.copy_(part)
            done.add(id(place))


def _right(names: Names, entry: str) -> tuple[str, ...]:
    """Return the right side of the table."""
    ours = names.weights[entry]
    return (ours,) if isinstance(ours, str) else ours


def _their_name(names: Names, ours: str) -> str:
    """Return what the family calls a tensor of the book's."""
    layer, entry = _LAYER.search(ours), _LAYER.sub("{}", ours, count=1)
    module, _, kind = entry.rpartition(".")
    for theirs in names.weights:
        for right, end in ((entry, ""), (module, f".{kind}")):
            if right in _right(names, theirs):
                return f"{theirs}{end}".replace("{}", layer[0] if layer else "")
    return ours  # no family's table lacks one
