"""Options that several commands share."""

from __future__ import annotations

import argparse

DEFAULT_MODEL = "tatoeba-en-es"


def add_model_option(
    parser: argparse.ArgumentParser, default: str = DEFAULT_MODEL
) -> None:
    """Let the user choose a translator."""
    parser.add_argument(
        "--model",
        default=default,
        metavar="FOLDER",
        help="folder of a translator, or the name of a shipped one (%(default)s)",
    )


def whole_number(text: str, least: int = 1) -> int:
    """Read a whole number of at least 1, or another limit."""
    # Python refuses to read thousands of digits; nothing here is that large.
    digits = text.isascii() and text.isdecimal() and len(text) < 20
    if not digits or int(text) < least:
        shown = text if len(text) < 40 else text[:39] + "…"
        raise argparse.ArgumentTypeError(
            f"{shown!r} is not a whole number of at least {least}."
        )
    return int(text)


def add_beam_options(parser: argparse.ArgumentParser, default: int) -> None:
    """Let the user choose how translations are searched for."""
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
    """Read a number of at least 0."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 0.")
    return value
