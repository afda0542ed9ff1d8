"""What commands are told: a translator, a search, a corpus, the settings of a run."""

from __future__ import annotations

import argparse
import dataclasses
import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lib import corpora
from lib.corpora import Corpus
from lib.text.files import read_toml

if TYPE_CHECKING:
    from lib.training import TrainingSettings

DEFAULT_MODEL = "tatoeba-en-es"
_TRUTH = {"true": True, "false": False}


def add_model_option(parser: argparse.ArgumentParser) -> None:
    """Let the user choose a translator."""
    parser.add_argument(
        "--model",
        default=DEFAULT_MODEL,
        metavar="FOLDER",
        help="folder of a translator, or the name of a shipped one (%(default)s)",
    )


def add_beam_options(parser: argparse.ArgumentParser) -> None:
    """Let the user choose how translations are searched for."""
    parser.add_argument(
        "--beam",
        type=whole_number,
        default=4,
        help="beginnings of each translation that are kept; 1 is greedy (%(default)s)",
    )
    parser.add_argument(
        "--length-penalty",
        type=positive_number,
        default=0.6,
        help="how much beam search favors long translations (%(default)s)",
    )


def add_corpus_options(parser: argparse.ArgumentParser, usual: str, limit: str) -> None:
    """Let the user choose a corpus by its name, or a file of their own.

    Args:
        parser: the parser of a command.
        usual: the corpus if the user names none, in words.
        limit: what the command does with ``--limit``.
    """
    parser.add_argument(
        "--corpus",
        choices=corpora.names(),
        help=f"a corpus by its name ({usual}); one that is downloaded lies in the "
        "folder that TRANSFORMER_BOOK_CACHE names",
    )
    parser.add_argument(
        "--pairs",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="sentence pairs of your own: one pair a line, with a tab between "
        "(or .csv, .jsonl, .tmx), or two files with a language each",
    )
    parser.add_argument(
        "--columns",
        type=two_columns,
        metavar="2,4",
        help="the columns of source and target in your files (what they tell)",
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


def check_corpus_options(options: argparse.Namespace) -> None:
    """Refuse options that do not go together, before anything is loaded."""
    own = options.pairs or getattr(options, "also", [])
    files = {"attribution": own, "columns": own, "languages": options.pairs}
    for name, told in files.items():
        if getattr(options, name) is not None and not told:
            raise ValueError(
                f"--{name} tells of a file of your own; name it with --pairs."
            )
    if options.pairs and options.corpus is not None:
        raise ValueError("Name a --corpus or a file of --pairs, not both.")
    if options.pairs and options.languages is None:
        raise ValueError("--pairs needs --languages, such as --languages en-de.")


def load_corpus(options: argparse.Namespace) -> Corpus:
    """Load the corpus that the options name, with all its sentences."""
    if options.pairs is None:
        return corpora.load(options.corpus)
    attribution = (options.attribution or "").strip()
    about = options.languages, attribution, options.columns
    return corpora.load_own(options.pairs, *about)


def add_tokenizer_option(parser: argparse.ArgumentParser) -> None:
    """Let the user choose how BLEU cuts sentences into words."""
    parser.add_argument(
        "--tokenizer",
        metavar="NAME",
        help="how BLEU cuts sentences into words, as sacreBLEU calls it (zh for "
        "Chinese, char for Japanese, Korean, Thai, Lao, Khmer and Burmese, 13a for "
        "other languages)",
    )


def loading(command: str, piped: bool = True) -> None:
    """Say that something goes on, before PyTorch is imported, which takes seconds.

    Args:
        command: which one has begun.
        piped: False to say it on a terminal alone.
    """
    first = os.environ.get("LOCAL_RANK", "0") == "0"  # of several processes
    if first and watched() and (piped or sys.stderr.isatty()):
        print(
            f"python -m lib {command}: loading PyTorch …", file=sys.stderr, flush=True
        )


def watched() -> bool:
    """Tell whether somebody sees standard error while it is written.

    Where it is closed, or collected, as in a notebook, nobody watches a bar.
    """
    return sys.stderr is not None and sys.stderr is sys.__stderr__


def counter(part: str) -> Callable[[int, int], None] | None:
    """Return what counts the translations of a part, if somebody watches."""

    def show(done: int, total: int) -> None:
        end = "\n" if done == total else ""
        text = f"\r{part}: {done:,} of {total:,} sentences translated"
        print(text, end=end, file=sys.stderr, flush=True)

    return show if watched() else None


def whole_number(text: str, least: int = 1) -> int:
    """Read a whole number of at least 1, or another limit."""
    return int(_number(text, int, least))


def positive_number(text: str) -> float:
    """Read a number of at least 0."""
    return _number(text, float, 0)


def _number(text: str, kind: type[float], least: int) -> float:
    try:
        value = kind(text)
    except ValueError:  # not a number, or thousands of digits
        value = math.nan
    if not least <= value < math.inf:
        what = "a whole number" if kind is int else "a number"
        raise argparse.ArgumentTypeError(
            f"{text[:40]!r} is not {what} of at least {least}."
        )
    return value


def two_columns(text: str) -> tuple[int, int]:
    """Read the numbers of two columns, with a comma between them."""
    source, _, target = text.partition(",")
    columns = whole_number(source), whole_number(target)
    if columns[0] == columns[1]:
        raise argparse.ArgumentTypeError(f"{text!r} names one column twice.")
    return columns


def read_settings(
    assignments: Sequence[str],
    file: Path | None = None,
    fixed: Mapping[str, Any] | None = None,
    usual: Mapping[str, Any] | None = None,
) -> TrainingSettings:
    """Turn a file and ``NAME=VALUE`` into settings, each with the type of its default.

    Args:
        assignments: what the user wrote after each ``--set``.
        file: a TOML file with more settings; what is assigned goes before it.
        fixed: settings that the translator to begin with decides.
        usual: what takes the place of a default.

    Raises:
        OSError: if the file cannot be read.
        TypeError: if a value has the wrong type.
        ValueError: if a name is unknown, a value is impossible, or it contradicts what
            is fixed.
    """
    from lib.training import TrainingSettings

    defaults = dataclasses.asdict(TrainingSettings())
    given = {} if file is None else read_toml(file)
    names = f"the names are: {', '.join(defaults)}."
    for name in given:
        if name not in defaults:
            raise ValueError(f"{file} has {name!r}, which is no setting; {names}")
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals or name not in defaults:
            raise ValueError(f"--set takes NAME=VALUE, not {assignment!r}; {names}")
        given[name] = _read_value(text, type(defaults[name]))
    for name, value in (fixed or {}).items():
        if given.setdefault(name, value) != value:
            raise ValueError(
                f"The translator to begin with has {name} = {value}; leave out "
                f"{name} = {given[name]}."
            )
    return TrainingSettings(**{**(usual or {}), **given})


def suited_to(pairs: int) -> dict[str, int]:
    """Return what suits so many sentence pairs of any two languages.

    Sub-words, because words are many where endings are, and none where no spaces are:
    few of them for few pairs, so that each is seen often. And so many epochs that a
    few hundred pairs are learned at all.

    Args:
        pairs: those to train on.

    Example:
        >>> suited_to(320), suited_to(20_000)
        ({'vocab_size': 200, 'epochs': 40}, {'vocab_size': 4000, 'epochs': 20})
    """
    return {
        "vocab_size": min(8000, max(200, pairs // 5)),
        "epochs": min(40, max(5, 400_000 // pairs)),
    }


def _read_value(text: str, kind: type) -> Any:
    try:
        return _TRUTH[text.lower()] if kind is bool else kind(text)
    except (KeyError, ValueError):
        return text  # the settings say what it must be
