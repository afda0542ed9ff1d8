"""Options that several commands share."""

from __future__ import annotations

import argparse

__all__ = ["DEFAULT_MODEL", "add_model_option", "whole_number"]

DEFAULT_MODEL = "grammar-en-es"


def add_model_option(parser: argparse.ArgumentParser) -> None:
    """Let the user choose a translator.

    Args:
        parser: the parser of a command.

    Example:
        >>> parser = argparse.ArgumentParser()
        >>> add_model_option(parser)
        >>> parser.parse_args([]).model
        'grammar-en-es'

    Built in chapter 9.
    """
    parser.add_argument(
        "--model",
        default=DEFAULT_MODEL,
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

    Built in chapter 9.
    """
    # Python refuses to read thousands of digits; nothing here is that large.
    digits = text.isascii() and text.isdecimal() and len(text) < 20
    if not digits or int(text) < least:
        shown = text if len(text) < 40 else text[:39] + "…"
        raise argparse.ArgumentTypeError(
            f"{shown!r} is not a whole number of at least {least}."
        )
    return int(text)
