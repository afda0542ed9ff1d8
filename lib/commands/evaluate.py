"""``python -m lib evaluate``: how many sentences a translator gets exactly right."""

from __future__ import annotations

import argparse
import functools
from typing import Any

from lib import corpora
from lib.commands.options import add_model_option, whole_number
from lib.commands.scores import score, unseen_parts
from lib.translator import Translator

__all__ = ["add_parser", "run"]


def add_parser(commands: Any) -> None:
    """Describe the command to argparse.

    Args:
        commands: what ``add_subparsers`` gave.

    Example:
        >>> commands = argparse.ArgumentParser().add_subparsers()
        >>> add_parser(commands)
        >>> list(commands.choices)
        ['evaluate']

    Built in chapter 9.
    """
    parser = commands.add_parser(
        "evaluate",
        help="score a translator on sentences it has not seen",
        description="Score a translator on the parts of a corpus it has not seen.",
    )
    add_model_option(parser)
    parser.add_argument(
        "--corpus", default="grammar", choices=corpora.names(), help="%(default)s"
    )
    parser.add_argument(
        "--part", action="append", help="a part of the corpus; may stand several times"
    )
    parser.add_argument(
        "--limit", type=whole_number, help="take only the first so many sentences"
    )
    parser.add_argument(
        "--errors",
        type=functools.partial(whole_number, least=0),
        default=5,
        help="mistakes to show (%(default)s)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Score a translator, and show some of its mistakes.

    Args:
        options: what the user wrote, parsed.

    Raises:
        ValueError: if the corpus has no such part.

    Example:
        >>> options = argparse.Namespace(corpus="phrases", part=["test"], model="")
        >>> run(options)
        Traceback (most recent call last):
        ...
        ValueError: The corpus 'phrases' has no part 'test'; its parts are: tiny, train.

    Built in chapter 9.
    """
    splits = corpora.load(options.corpus).splits
    parts = options.part or unseen_parts(splits) or list(splits)
    for part in parts:
        if part not in splits:
            raise ValueError(
                f"The corpus {options.corpus!r} has no part {part!r}; its parts are: "
                f"{', '.join(splits)}."
            )
    translator = Translator.load(options.model)
    for part in parts:
        result, errors = score(translator, splits[part][: options.limit])
        print(
            f"{part}: {result['exact_match']:.2%} of {result['sentences']:,} sentences "
            "translated exactly"
        )
        for source, right, written in errors[: options.errors]:
            print(f"  {source}\n    right    {right}\n    written  {written}")
