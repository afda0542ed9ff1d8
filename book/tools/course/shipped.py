"""The checks as they ship: what an answer changes in them is put back.

An answer runs in the same process as its check, and could exchange the check, or what
it is made of. Before each check everything of `lib`, and what it leans on most, becomes
again what it was before the first answer ran.
"""

import builtins
import math
import sys
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

import torch

from book.tools.course.hidden import record
from lib.exercises import strict
from lib.exercises.record import Exercise

_ABSENT = object()
_LEANED_ON = (builtins, math, torch, torch.nn.functional)
_OURS = ("lib.", "book.tools.course.")
Undo = Callable[[], None]
_UNDO: list[Undo] = []


def keep(chapters: list[int]) -> None:
    """Remember what the checks are now, set to grade, to come back to.

    Args:
        chapters: the chapters whose checks are wanted.
    """
    strict()
    for chapter in chapters:
        record(f"{chapter}.1")
    ours = {name: part for name, part in sys.modules.items() if _is_ours(name)}
    _UNDO.append(lambda: sys.modules.update(ours))
    for module in (*ours.values(), *_LEANED_ON):
        _UNDO.append(_attributes(module, keeps_new=True))
    _UNDO.append(_attributes(torch.Tensor))
    for part in _parts(list(ours.values())):
        is_function = isinstance(part, FunctionType)
        _UNDO.append(_insides(part) if is_function else _attributes(part))


def restore() -> None:
    """Make it what it was."""
    for undo in _UNDO:
        undo()


def _is_ours(name: str) -> bool:
    return f"{name}.".startswith(_OURS)


def _parts(modules: list[ModuleType]) -> Iterator[Any]:
    """The classes and functions of the modules, methods and wrapped functions too."""
    seen: set[int] = set()
    waiting = [value for module in modules for value in vars(module).values()]
    while waiting:
        part = waiting.pop()
        known = id(part) in seen or not _is_ours(str(getattr(part, "__module__", "")))
        if known or not isinstance(part, type | FunctionType | Exercise):
            continue
        seen.add(id(part))
        yield part
        waiting += vars(part).values()
        if isinstance(part, FunctionType):
            waiting += [cell.cell_contents for cell in part.__closure__ or ()]


def _attributes(part: Any, keeps_new: bool = False) -> Undo:
    """What sets the attributes of a module or class back."""
    before = dict(vars(part))

    def undo() -> None:
        now = dict(vars(part))
        for name, value in before.items():
            if now.get(name, _ABSENT) is not value:
                setattr(part, name, value)
        for name in () if keeps_new else now.keys() - before.keys():
            delattr(part, name)

    return undo


def _insides(function: FunctionType) -> Undo:
    """What sets the insides of a function back."""
    names = ("__code__", "__defaults__", "__kwdefaults__")
    before = {name: getattr(function, name) for name in names}
    cells = [(cell, cell.cell_contents) for cell in function.__closure__ or ()]

    def undo() -> None:
        for name, value in before.items():
            if getattr(function, name) is not value:
                setattr(function, name, value)
        for cell, content in cells:
            cell.cell_contents = content

    return undo
