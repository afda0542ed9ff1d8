"""``--corpus NAME`` or ``--pairs FILE``: where the sentences of a command come from."""

from __future__ import annotations

import argparse
from pathlib import Path

from lib import corpora
from lib.commands.options import whole_number
from lib.corpora import Corpus


def add_corpus_options(
    parser: argparse.ArgumentParser, default: str | None, limit: str
) -> None:
    """Let the user choose a corpus by its name, or a file of their own.

    Args:
        parser: the parser of a command.
        default: the corpus if the user names none.
        limit: what the command does with ``--limit``.
    """
    usual = default or "the corpus it was trained on"
    parser.add_argument(
        "--corpus",
        choices=corpora.names(),
        help=f"a corpus by its name ({usual}); one that is downloaded lies in the "
        "folder that TRANSFORMER_BOOK_CACHE names",
    )
    parser.add_argument(
        "--pairs",
        type=Path,
        metavar="FILE",
        help="sentence pairs of your own: one pair a line, with a tab between, UTF-8",
    )
    parser.add_argument(
        "--languages", metavar="en-de", help="the two languages of --pairs"
    )
    parser.add_argument(
        "--attribution",
        metavar="TEXT",
        help="whose sentences those of --pairs are, and under which license",
    )
    parser.add_argument("--limit", type=whole_number, help=limit)
    parser.set_defaults(usual_corpus=default)


def check_corpus_options(options: argparse.Namespace) -> None:
    """Refuse options that do not go together, before anything is loaded."""
    if options.pairs is None:
        for name in ("languages", "attribution"):
            if getattr(options, name) is not None:
                raise ValueError(
                    f"--{name} tells of a file of your own; name it with --pairs."
                )
        return
    if options.corpus is not None:
        raise ValueError("Name a --corpus or a file of --pairs, not both.")
    if options.languages is None:
        raise ValueError("--pairs needs --languages, such as --languages en-de.")


def load_corpus(options: argparse.Namespace, size: int | None = None) -> Corpus:
    """Load the corpus that the options name, with all its sentences.

    Args:
        options: what the user wrote, parsed.
        size: pairs to train on, for a generated corpus; None for its own number.
    """
    check_corpus_options(options)
    if options.pairs is not None:
        if size is not None:
            raise ValueError("--size is for a generated corpus; use --limit instead.")
        attribution = (options.attribution or "").strip()
        return corpora.load_own(options.pairs, options.languages, attribution)
    name = options.corpus or options.usual_corpus
    return corpora.load(name) if size is None else corpora.load(name, size=size)
