"""How an answer is handed in: it is tried here, and judged elsewhere."""

import importlib
from typing import Any

import torch

from lib.exercises.guard import CheckFailed, NotAnswered

from .values import line  # noqa: TID252 - here `desk` is its package


def hand_in(chapter: str, name: str, answer: Any, draws: list[int | str]) -> None:
    """Print what an answer gives for the cases of an exercise, one line for each.

    Args:
        chapter: the module of the exercise's record.
        name: its name there.
        answer: what the student wrote.
        draws: what the values are drawn from, one after the other.
    """
    trial = getattr(importlib.import_module(f"lib.exercises.{chapter}"), name)
    try:
        place = str(getattr(answer, "__module__", ""))
        if place.startswith("lib."):
            piece = getattr(answer, "__name__", name)
            raise CheckFailed(f"{piece} is that of {place}: write your own.")
        with torch.random.fork_rng(devices=[]):
            for draw in draws:
                for found in trial.tried(answer, trial.cases(draw)):
                    print("\n" + line(found), flush=True)
    except (CheckFailed, NotAnswered) as ended:
        print("\n" + line(ended), flush=True)
