"""Options that several commands share."""

from __future__ import annotations

import argparse

__all__ = [
    "DEFAULT_MODEL",
    "add_beam_options",
    "add_model_option",
    "positive_number",
    "whole_number",
]

DEFAULT_MODEL = "tatoeba-en-es"


def add_model_option(
    parser: argparse.ArgumentParser, default: str = DEFAULT_MODEL
) -> None:
    """Let the user choose a translator.

    Args:
        parser: the parser of a command.
        default: the translator if the user names none.

    Example:
        >>> parser = argparse.ArgumentParser()
        >>> add_model_option(parser)
        >>> parser.parse_args([]).model
        'tatoeba-en-es'
    """
    parser.add_argument(
        "--model",
        default=default,
        metavar="FOLDER",
        help="folder of a translator, or the name of a shipped one (%(default)s)",
    )


def whole_number(text: str, least: int = 1) -> int:
    """Read a whole number of at least 1, or another limit.

    Args:
        text: what the user wrote.
        least: the limit.

    Returns:
        The number.

    Raises:
        argparse.ArgumentTypeError: if it is none, or below the limit.

    Example:
        >>> whole_number("12")
        12
    """
    # Python refuses to read thousands of digits; nothing here is that large.
    digits = text.isascii() and text.isdecimal() and len(text) < 20
    if not digits or int(text) < least:
        shown = text if len(text) < 40 else text[:39] + "…"
        raise argparse.ArgumentTypeError(
            f"{shown!r} is not a whole number of at least {least}."
        )
    return int(text)


def add_beam_options(parser: argparse.ArgumentParser, default: int) -> None:
    """Let the user choose how translations are searched for.

    Args:
        parser: the parser of a command.
        default: the width of the beam if the user names none.

    Example:
        >>> parser = argparse.ArgumentParser()
        >>> add_beam_options(parser, default=4)
        >>> parser.parse_args(["--beam", "1"]).beam
        1
    """
    parser.add_argument(
        "--beam",
        type=whole_number,
        default=default,
        help="beginnings of each translation that are kept; 1 is greedy (%(default)s)",
    )
    parser.add_argument(
        "--length-penalty",
        type=positive_number,
        default=0.6,
        help="how much beam search favors long translations (%(default)s)",
    )


def positive_number(text: str) -> float:
    """Read a number of at least 0.

    Args:
        text: what the user wrote.

    Returns:
        The number.

    Raises:
        argparse.ArgumentTypeError: if it is none, or below 0.

    Example:
        >>> positive_number("0.6")
        0.6
    """
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 0.")
    return value
