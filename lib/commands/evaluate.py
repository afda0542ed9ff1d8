"""``python -m lib evaluate``: how good a translator is on what it has not seen."""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lib import corpora
from lib.commands.options import (
    add_beam_options,
    add_corpus_options,
    add_model_option,
    add_tokenizer_option,
    check_corpus_options,
    counter,
    load_corpus,
    loading,
    whole_number,
)
from lib.corpora import Corpus, Pair
from lib.text.files import write_json
from lib.text.reading import printable


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(
        "evaluate",
        help="score a translator on sentences it has not seen",
        description="Score a translator on the parts of a corpus it has not seen.",
    )
    add_model_option(parser)
    add_corpus_options(
        parser,
        "the corpus it was trained on",
        "most sentences of each part to translate, from the first on",
    )
    parser.add_argument(
        "--part",
        action="append",
        help="a part of the corpus; test-far, its sentences without a near neighbor in "
        "training; strangers, 300 sentences as visitors of an English-Spanish "
        "translator type them; first, what they type first; phrases, words or names, "
        "which the phrase book has in other sentences; may stand several times",
    )
    parser.add_argument(
        "--errors",
        type=functools.partial(whole_number, least=0),
        default=5,
        help="mistakes to show (%(default)s)",
    )
    add_beam_options(parser)
    add_tokenizer_option(parser)
    parser.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="write the scores to this file as well",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Score a translator, and show some of its mistakes."""
    # PyTorch takes seconds to import; a wrong option is told at once.
    check_corpus_options(options)
    loading("evaluate")
    from lib.evaluation import TYPED, score, score_strangers, tokenizer_for
    from lib.translator import Translator
    from lib.translator.folder import read_report

    found: dict[str, Any] = {"model": options.model, "scores": {}}
    parts: dict[str, Sequence[Pair]] = {}
    asked = [part for part in options.part or [] if part not in TYPED]
    if asked or not options.part:
        corpus = _corpus(options, read_report(options.model))
        parts = _parts(corpus, asked)
        found["corpus"] = corpus.name
        tokenizer = options.tokenizer or tokenizer_for(corpus.target_language)
        if corpus.attribution:
            found["attribution"] = corpus.attribution
    translator = Translator.load(options.model)
    for part in options.part or parts:
        search = (options.beam, options.length_penalty)
        if part in TYPED:
            how = options.limit, TYPED[part]
            result, errors = score_strangers(translator, *search, *how)
        else:
            some, watch = parts[part][: options.limit], counter(part)
            result, errors = score(translator, some, *search, tokenizer, watch)
        found["scores"][part] = result
        print("\n".join(score_lines(part, result)))
        for error in errors[: options.errors]:
            source, right, written = map(printable, error)
            print(f"  {source}\n    right    {right}\n    written  {written}")
    if options.json:
        write_json(options.json, found)


def _corpus(options: argparse.Namespace, report: Mapping[str, Any]) -> Corpus:
    """Load the pairs to score on, and tell if a file is not what was trained on."""
    from lib.evaluation.scores import held_out_fingerprint

    if options.pairs is None and options.corpus is None:
        options.corpus = trained_on(options.model, report)
    options.columns = options.columns or columns_of_a_run(report)
    corpus = load_corpus(options)
    if options.pairs:
        print(f"{corpus.name}: {corpus.notes[0]}", file=sys.stderr)
    same_name = options.pairs is not None and report.get("corpus") == corpus.name
    if same_name and report.get("held_out") != held_out_fingerprint(corpus.splits):
        print(
            f"{corpus.name}: these are not the pairs that '{options.model}' was "
            "trained on, or the file has changed since; its test part may hold "
            "sentences that were trained on.",
            file=sys.stderr,
        )
    return corpus


def _parts(corpus: Corpus, asked: Sequence[str]) -> dict[str, Sequence[Pair]]:
    """Return the parts that are asked for, or else all that no training has seen."""
    from lib.evaluation import unseen_parts, with_far_parts

    splits = with_far_parts(corpus.splits, asked)
    for part in asked:
        if part not in splits:
            raise ValueError(
                f"The corpus {corpus.name!r} has no part {part!r}; its parts are: "
                f"{', '.join(splits)}."
            )
    return {part: splits[part] for part in asked or unseen_parts(splits) or splits}


def trained_on(model: str, report: Mapping[str, Any]) -> str:
    """Return the name of the corpus that a translator was trained on."""
    corpus = report.get("corpus")
    if isinstance(corpus, str) and corpus.startswith("own-"):
        raise ValueError(
            f"'{model}' was trained on a file of its own; name it with --pairs and "
            "--languages, or name a --corpus."
        )
    if corpus not in corpora.names():
        raise ValueError(
            f"The folder of '{model}' does not tell what it was trained on; name a "
            "--corpus."
        )
    return str(corpus)


def columns_of_a_run(report: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the columns that were chosen for the file that a translator learned."""
    match report.get("columns"):
        case [int(source), int(target)]:
            return source, target
    return None


def score_lines(part: str, result: dict[str, Any]) -> list[str]:
    r"""Return the lines that tell the scores of one part, or of the strangers.

    Example:
        >>> score = {"sentences": 2, "pairs": 2, "exact_match": 0.5, "beam_size": 1,
        ...     "bleu": 40.0, "bleu_single": 40.0, "bleu_signature": "nrefs:1",
        ...     "chrf": 60.0, "chrf_single": 60.0, "chrf_signature": "nrefs:1"}
        >>> print("\n".join(score_lines("test", score)))
        test: 50.00% of 2 sentences translated exactly
          BLEU 40.0 (nrefs:1)
          chrF 60.0 (nrefs:1)
    """
    if "kinds" in result:
        low, high = result["interval"]
        kinds = result["kinds"].items()
        return [
            f"{part}: {result['right']} of {result['sentences']} translations carry "
            f"what they must ({low:.1%} to {high:.1%})",
            *(f"  {kind} {row['right']} of {row['sentences']}" for kind, row in kinds),
        ]
    lines = [
        f"{part}: {result['exact_match']:.2%} of {result['sentences']:,} sentences "
        "translated exactly"
    ]
    for name, title in (("bleu", "BLEU"), ("chrf", "chrF")):
        line = f"  {title} {result[name]:.1f} ({result[f'{name}_signature']})"
        if result["pairs"] != result["sentences"]:
            line += f"; {result[f'{name}_single']:.1f} with one reference each"
        lines.append(line)
    if "unread" in result:
        lines.append(f"  too long to be read, and counted as wrong: {result['unread']}")
    return lines
