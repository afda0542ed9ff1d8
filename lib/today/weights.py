"""Tensors of others, checked one by one, and put into the book's places."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

Names = Mapping[str, Any]  # of a family, from names.toml
Plan = Mapping[str, Tensor]  # the book's tensors by name; a tied one has several
Shapes = Mapping[str, tuple[int, ...]]
Places = dict[str, list[str]]  # a tensor of theirs, and ours that it fills
_LAYER = re.compile(r"(?<=\.)\d+(?=\.)")
_NONE = r"(?!)"


def find_places(names: Names, plan: Plan, shapes: Shapes) -> Places:
    """Say which of the book's tensors each tensor of a file fills.

    Args:
        names: what the family calls them.
        plan: the book's tensors by name, perhaps without numbers.
        shapes: of each tensor in the file.

    Returns:
        The places, in the order of the table.

    Raises:
        ValueError: if a tensor is missing, left over, or has another shape, or the
            whole head is missing; the message names it.
    """
    places, found = wanted(names["weights"], plan), dict[str, str]()
    head = names.get("head", "")
    if not any(name.startswith(head) for name in shapes):
        raise ValueError(f"it is without its head, the tensors {head + '…'!r}")
    for name, shape in shapes.items():
        today = name
        for pattern, new in names.get("old", {}).items():
            today = re.sub(pattern, new, today)
        if today in places:
            right = _their_shape(names, today, [plan[each] for each in places[today]])
            if shape != right:
                raise ValueError(f"the tensor {name!r} has shape {shape}, not {right}")
            found[today] = name
        elif not any(re.fullmatch(each, today) for each in names["lying_about"]):
            raise ValueError(f"the tensor {name!r} is no part of such a model")
    filled = {id(plan[each]) for today in found for each in places[today]}
    for today, ours in places.items():
        if not all(id(plan[each]) in filled for each in ours):
            raise ValueError(f"the tensor {today!r} is missing")
    return {found[today]: ours for today, ours in places.items() if today in found}


def wanted(table: Mapping[str, str], plan: Plan) -> Places:
    """Return what the family calls the tensors of the book, in the table's order."""
    places: Places = {}
    for theirs, right in table.items():
        for each in right.split():
            pattern = re.escape(each).replace(r"\{\}", r"\d+") + r"(\.weight|\.bias)?"
            for ours in plan:
                if match := re.fullmatch(pattern, ours):
                    layer = _LAYER.search(ours)
                    name = theirs.replace("{}", layer[0] if layer else "")
                    places.setdefault(name + (match[1] or ""), []).append(ours)
    return places


def _their_shape(names: Names, theirs: str, ours: list[Tensor]) -> tuple[int, ...]:
    shape = (sum(len(each) for each in ours), *ours[0].shape[1:])
    if re.search(names.get("transposed", _NONE), theirs):
        shape = shape[::-1]
    return (1, *shape) if re.search(names.get("row", _NONE), theirs) else shape


def fill(names: Names, places: Places, tensors: Mapping[str, Any], plan: Plan) -> None:
    """Put the numbers into their places.

    Args:
        names: what the family calls them.
        places: what :func:`find_places` said.
        tensors: those of the file by name.
        plan: the book's tensors by name.

    Raises:
        ValueError: if a tensor holds other things than finite numbers, or one differs
            from what it is tied to.
    """
    times, done = Counter(map(id, plan.values())), set[int]()
    for theirs, ours in places.items():
        tensor = tensors[theirs][:]
        if not (tensor.is_floating_point() and tensor.isfinite().all()):
            raise ValueError(f"the tensor {theirs!r} is not all finite numbers")
        if re.search(names.get("transposed", _NONE), theirs):
            tensor = tensor.T
        if re.search(names.get("row", _NONE), theirs):
            tensor = tensor[0]
        for name, part in zip(ours, tensor.chunk(len(ours)), strict=True):
            place = plan[name]
            tied = id(place) in done and times[id(place)] > 1
            if tied and not torch.equal(place, part.to(place.dtype)):
                raise ValueError(f"the tensor {theirs!r} is not what it is tied to")
            place.data.copy_(part)
            done.add(id(place))
