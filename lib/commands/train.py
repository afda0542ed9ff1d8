"""``python -m lib train``: from a corpus to a folder with a translator."""

from __future__ import annotations

import argparse
import dataclasses
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lib import corpora
from lib.commands.evaluate import describe
from lib.commands.options import whole_number
from lib.commands.set_options import read_settings
from lib.corpora import Pair
from lib.evaluation.scores import score, unseen_parts
from lib.files import write_json
from lib.model import Transformer, count_parameters
from lib.translator import Translator
from lib.translator.card import machine, write_card
from lib.vocabulary import Vocabulary
from lib.vocabulary.subwords import SubwordVocabulary

if TYPE_CHECKING:
    from lib.training import TrainingSettings

__all__ = ["add_parser", "run"]

SCORES = "scores.json"


def add_parser(commands: Any) -> None:
    """Describe the command to argparse.

    Args:
        commands: what ``add_subparsers`` gave.

    Example:
        >>> commands = argparse.ArgumentParser().add_subparsers()
        >>> add_parser(commands)
        >>> list(commands.choices)
        ['train']

    Built in chapter 9.
    """
    parser = commands.add_parser(
        "train",
        help="train a translator",
        description="Train a translator on a corpus. A run that was interrupted goes "
        "on with --resume.",
    )
    parser.add_argument(
        "--corpus", default="grammar", choices=corpora.names(), help="%(default)s"
    )
    parser.add_argument(
        "--size",
        type=whole_number,
        help="sentence pairs to train on, for a generated corpus",
    )
    parser.add_argument(
        "--out", type=Path, help="folder of the run (runs/ and the corpus's name)"
    )
    parser.add_argument(
        "--resume", action="store_true", help="go on with the run in the folder"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of the run, such as epochs=5; may stand several times",
    )
    parser.add_argument(
        "--from",
        dest="start",
        metavar="MODEL",
        help="begin with the weights and words of a trained translator: a folder, or "
        "the name of a shipped one; the run has its sizes",
    )
    _add_hardware_options(parser)
    parser.set_defaults(run=run)


def _add_hardware_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--devices",
        type=whole_number,
        default=1,
        help="GPUs, or processes on a CPU, that share every batch (%(default)s)",
    )
    parser.add_argument(
        "--strategy",
        default="auto",
        choices=("auto", "ddp"),
        help="how several devices work together (%(default)s)",
    )
    parser.add_argument(
        "--accelerator",
        default="auto",
        choices=("auto", "cpu", "gpu"),
        help="what to compute on; auto is a GPU if there is one (%(default)s)",
    )


def run(options: argparse.Namespace) -> None:
    """Train, save the translator, and score it on what it has not seen.

    Args:
        options: what the user wrote, parsed.

    Raises:
        FileExistsError: if the folder holds a run and ``--resume`` is missing, or
            files of something else.
        ValueError: if an option is impossible; the message names it.

    Example:
        >>> wrong = {"set": ["epochs=many"], "corpus": "grammar", "start": None}
        >>> run(argparse.Namespace(**wrong))
        Traceback (most recent call last):
        ...
        ValueError: epochs must be a whole number, but it is 'many'.

    Built in chapter 9.
    """
    # Lightning takes seconds to import, and translating does without it.
    from lib.training import Hardware, is_first_process, train

    start = Translator.load(options.start) if options.start else None
    settings = read_settings(options.set, _sizes_of(start) if start else None)
    corpus = corpora.load(
        options.corpus, **({} if options.size is None else {"size": options.size})
    )
    if is_first_process():
        for note in corpus.notes:
            print(f"{corpus.name}: {note}", file=sys.stderr)
    folder = options.out or Path("runs") / _name(corpus)
    splits = {**corpus.splits}
    splits.setdefault("validation", splits["train"])  # the phrases are too few to part
    if start:
        src_vocab, tgt_vocab = start.src_vocab, start.tgt_vocab
    else:
        src_vocab, tgt_vocab = _vocabularies(splits["train"], settings.vocab_size)
    splits = _fitting(splits, src_vocab, tgt_vocab, settings.max_len)
    parts = (splits, src_vocab, tgt_vocab)
    hardware = Hardware(options.devices, options.strategy, options.accelerator)
    try:
        task = train(
            *parts,
            settings,
            folder,
            options.resume,
            True,
            hardware,
            start.model if start else None,
        )
    except (KeyboardInterrupt, SystemExit, ValueError) as error:
        if not is_first_process():  # the first one says what happened to all
            raise SystemExit(1) from None
        if not isinstance(error, ValueError):
            print(f"\nThe run in {folder} goes on with --resume.", file=sys.stderr)
        raise
    if not is_first_process():
        return
    tidy = corpus.name == "grammar"  # its sentences have a capital and a period
    Translator(task.model.cpu(), src_vocab, tgt_vocab, tidy).save(folder, half=True)
    report = _report(options, task.model, settings, corpus, splits, folder)
    _publish(report, folder)


def _sizes_of(start: Translator) -> dict[str, Any]:
    """Return the settings of a run that a translator to begin with decides."""
    config = start.model.config
    names = ("d_model", "n_heads", "n_layers", "d_ff", "max_len", "norm_first")
    subwords = isinstance(start.src_vocab, SubwordVocabulary)
    return {
        **{name: getattr(config, name) for name in names},
        "tie_embeddings": config.tie_embeddings,
        "vocab_size": len(start.src_vocab) if subwords else 0,
    }


def _vocabularies(pairs: Sequence[Pair], size: int) -> tuple[Vocabulary, Vocabulary]:
    """Collect the words of the training part, or learn the pieces of both sides."""
    if size:
        shared = SubwordVocabulary.build(
            (text for pair in pairs for text in pair), size
        )
        return shared, shared
    src_vocab, tgt_vocab = (Vocabulary.build(side) for side in zip(*pairs, strict=True))
    return src_vocab, tgt_vocab


def _fitting(
    splits: Mapping[str, Sequence[Pair]],
    src_vocab: Vocabulary,
    tgt_vocab: Vocabulary,
    max_len: int,
) -> dict[str, Sequence[Pair]]:
    """Leave out what is too long to learn from, and say so; never from a test part."""
    from lib.training import is_first_process

    fitting = dict(splits)
    for name in ("train", "validation"):
        fitting[name] = [
            (src, tgt)
            for src, tgt in splits[name]
            if len(src_vocab.encode(src)) < max_len  # one place is for <eos>
            and len(tgt_vocab.encode(tgt)) < max_len
        ]
        missing = len(splits[name]) - len(fitting[name])
        if missing and is_first_process():
            print(
                f"{name}: left out {missing:,} of {len(splits[name]):,} pairs, which "
                f"are longer than max_len = {max_len} tokens.",
                file=sys.stderr,
            )
    return fitting


def _name(corpus: corpora.Corpus) -> str:
    languages = f"{corpus.source_language}-{corpus.target_language}"
    return corpus.name.removesuffix(f"-{languages}") + f"-{languages}"


def _report(
    options: argparse.Namespace,
    model: Transformer,
    settings: TrainingSettings,
    corpus: corpora.Corpus,
    splits: Mapping[str, Sequence[Pair]],
    folder: Path,
) -> dict[str, Any]:
    """Gather all that the card tells, scores included."""
    return {
        "command": "python -m lib " + shlex.join(_command(options)),
        "name": _name(corpus),
        "corpus": corpus.name,
        "settings": dataclasses.asdict(settings),
        "parameters": count_parameters(model),
        "train_pairs": len(splits["train"]),
        "pairs": {part: len(pairs) for part, pairs in splits.items()},
        "attribution": corpus.attribution,
        "machine": machine(),
        "seconds": _seconds(folder),
        # Greedy for what the book's grammar knows exactly, a beam for real sentences.
        "scores": _scores(folder, splits, beam_size=4 if corpus.attribution else 1),
    }


def _publish(report: dict[str, Any], folder: Path) -> None:
    """Keep the report as data and as a card, and print its scores."""
    write_json(folder / SCORES, report)
    write_card(folder, report)
    for part, result in report["scores"].items():
        print("\n".join(describe(part, result)))
    print(f"The translator is in {folder}.", file=sys.stderr)


def _seconds(folder: Path) -> int:
    """Return the seconds of all epochs, also of those before an interruption."""
    from lib.training.folders import LOG
    from lib.training.logs import read_log

    return round(sum(float(row["seconds"]) for row in read_log(folder / LOG)))


def _command(options: argparse.Namespace) -> list[str]:
    words = ["train", "--corpus", options.corpus]
    if options.start:
        words += ["--from", options.start]
    if options.size is not None:
        words += ["--size", str(options.size)]
    for assignment in options.set:
        words += ["--set", assignment]
    if options.devices > 1:
        words += ["--devices", str(options.devices), "--strategy", options.strategy]
    return words


def _scores(folder: Path, splits: Any, beam_size: int) -> dict[str, Any]:
    # Scored as it was saved, rounded to 16 bits, and as everybody will use it.
    translator = Translator.load(folder)
    parts = unseen_parts(splits) or ["validation"]
    return {part: score(translator, splits[part], beam_size)[0] for part in parts}
