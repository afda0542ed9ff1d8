"""``python -m lib evaluate``: how good a translator is on what it has not seen."""

from __future__ import annotations

import argparse
import functools
from pathlib import Path
from typing import Any

from lib import corpora
from lib.commands.options import add_beam_options, add_model_option, whole_number
from lib.evaluation.neighbors import with_far_parts
from lib.evaluation.scores import score, unseen_parts
from lib.files import read_json, write_json
from lib.translator import Translator, find_folder

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
        "--corpus",
        choices=corpora.names(),
        help="where the sentences come from (the corpus it was trained on)",
    )
    parser.add_argument(
        "--part",
        action="append",
        help="a part of the corpus, or test-far, its sentences without a near neighbor "
        "in training; may stand several times",
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
    add_beam_options(parser, default=4)
    parser.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="write the scores to this file as well",
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
    corpus = options.corpus or trained_on(options.model)
    splits = corpora.load(corpus).splits
    splits = with_far_parts(splits, options.part or [])
    parts = options.part or unseen_parts(splits) or list(splits)
    for part in parts:
        if part not in splits:
            raise ValueError(
                f"The corpus {corpus!r} has no part {part!r}; its parts are: "
                f"{', '.join(splits)}."
            )
    translator = Translator.load(options.model)
    results = {}
    for part in parts:
        pairs = splits[part][: options.limit]
        result, errors = score(translator, pairs, options.beam, options.length_penalty)
        results[part] = result
        print("\n".join(describe(part, result)))
        for source, right, written in errors[: options.errors]:
            print(f"  {source}\n    right    {right}\n    written  {written}")
    if options.json:
        found = {"model": options.model, "corpus": corpus, "scores": results}
        write_json(options.json, found)


def trained_on(model: str) -> str:
    """Return the name of the corpus that a translator was trained on.

    Args:
        model: its folder, or the name of a shipped one.

    Raises:
        FileNotFoundError: if there is no such translator.
        ValueError: if its folder does not tell.

    Example:
        >>> trained_on("grammar-en-es")
        'grammar'

    Built in chapter 14.
    """
    file = find_folder(model) / "scores.json"
    report = read_json(file) if file.is_file() else None
    corpus = report.get("corpus") if isinstance(report, dict) else None
    if corpus not in corpora.names():
        raise ValueError(
            f"{file} does not tell what '{model}' was trained on; name a --corpus."
        )
    return str(corpus)


def describe(part: str, result: dict[str, Any]) -> list[str]:
    r"""Return the lines that tell the scores of one part.

    Args:
        part: its name.
        result: what :func:`~lib.evaluation.scores.score` gave.

    Example:
        >>> score = {"sentences": 2, "pairs": 2, "exact_match": 0.5, "beam_size": 1,
        ...     "bleu": 40.0, "bleu_single": 40.0, "bleu_signature": "nrefs:1",
        ...     "chrf": 60.0, "chrf_single": 60.0, "chrf_signature": "nrefs:1"}
        >>> print("\n".join(describe("test", score)))
        test: 50.00% of 2 sentences translated exactly
          BLEU 40.0 (nrefs:1)
          chrF 60.0 (nrefs:1)

    Built in chapter 12.
    """
    lines = [
        f"{part}: {result['exact_match']:.2%} of {result['sentences']:,} sentences "
        "translated exactly"
    ]
    for name, title in (("bleu", "BLEU"), ("chrf", "chrF")):
        line = f"  {title} {result[name]:.1f} ({result[f'{name}_signature']})"
        if result["pairs"] != result["sentences"]:
            line += f"; {result[f'{name}_single']:.1f} with one reference each"
        lines.append(line)
    return lines
