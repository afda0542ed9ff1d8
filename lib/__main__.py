"""The command line: train, translate, evaluate, export, write, and examine."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

try:
    from lib.commands import evaluate, examine, export, train, translate, write
    from lib.text.reading import printable
except KeyboardInterrupt:  # there is no main yet that would answer it
    print("\npython -m lib: stopped.", file=sys.stderr)
    raise SystemExit(130) from None

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; a mistake of the user ends in one sentence and exit code 2.

    Args:
        arguments: the words after ``python -m lib``; those of this process if None.

    Returns:
        The exit code: 0 for success, 1 where ``examine`` finds a fault, 2 for wrong
        input, 130 for Ctrl-C. (A run that is told to end by SIGTERM exits with 143.)
    """
    parser = argparse.ArgumentParser(
        prog="python -m lib",
        description="Train a translator, translate with it, score it, and export it; "
        "write with a language model; examine a piece that somebody wrote.",
        epilog="Corpora that are downloaded lie in the folder that the environment "
        "variable TRANSFORMER_BOOK_CACHE names, and in the system's folder for caches "
        "without it.",
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="command")
    for module in (train, translate, evaluate, export, write, examine):
        module.add_parser(commands)
    options = parser.parse_args(arguments)
    try:
        _write_utf8()
        status = options.run(options)
        if sys.stdout:  # None if it is closed
            sys.stdout.flush()
    except (ValueError, TypeError, OSError) as error:
        if isinstance(error, BrokenPipeError):  # the reader of our output has left
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        print(f"{parser.prog}: {_sentence(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"\n{parser.prog}: stopped.", file=sys.stderr)
        return 130
    return status or 0


def _write_utf8() -> None:
    # As the input, whatever the system's own encoding is.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        where = f": {error.filename}" if error.filename else ""
        return f"{error.strerror}{where}."
    return printable(" ".join(str(error).split()))


if __name__ == "__main__":
    sys.exit(main())
