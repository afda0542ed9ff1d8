"""``python -m lib train``: from a corpus to a folder with a translator."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lib.commands.evaluate import score_lines
from lib.commands.options import (
    add_corpus_options,
    add_tokenizer_option,
    check_corpus_options,
    counter,
    load_corpus,
    loading,
    read_settings,
    suited_to,
    watched,
    whole_number,
)
from lib.corpora import Corpus, Pair, limit_training
from lib.corpora.own import read_sentences, with_more
from lib.text import SubwordVocabulary, Vocabulary
from lib.text.subwords import ALPHABET

if TYPE_CHECKING:
    from lib.text import ParallelDataset
    from lib.training import Hardware, TrainingSettings
    from lib.translator import Translator

_SLOW = 2  # as many times longer in 16 bits is worth a word


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(
        "train",
        help="train a translator",
        description="Train a translator on a corpus. A run that was interrupted goes "
        "on with --resume.",
    )
    add_corpus_options(
        parser,
        "grammar",
        "most pairs to train on, chosen by lot; what is held out stays whole",
    )
    parser.add_argument(
        "--also",
        action="append",
        default=[],
        type=Path,
        nargs="+",
        metavar="FILE",
        help="more pairs to train on, in the forms of --pairs; nothing of them is held "
        "out; may stand several times",
    )
    parser.add_argument(
        "--out", type=Path, help="folder of the run (runs/ and the corpus's name)"
    )
    parser.add_argument(
        "--resume", action="store_true", help="go on with the run in the folder"
    )
    parser.add_argument(
        "--settings",
        type=Path,
        metavar="FILE",
        help="a TOML file of settings, such as the one on the card of a translator",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of the run, such as epochs=5; may stand several times, and "
        "goes before the file; for --pairs, the number of sub-words (vocab_size) and "
        "of epochs follow from the number of pairs",
    )
    parser.add_argument(
        "--from",
        dest="start",  # from is a word of Python's own
        metavar="MODEL",
        help="begin with the weights and words of a trained translator: a folder, or "
        "the name of a shipped one; the run has its sizes",
    )
    add_tokenizer_option(parser)
    parser.add_argument(
        "--watch",
        type=Path,
        metavar="FILE",
        help="sentences, one a line, whose translations after each epoch are kept in "
        "sentences.csv (the first ten of the validation part)",
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
    """Train, save the translator, and score it on what it has not seen."""
    # Lightning takes seconds to import; a wrong option is told at once.
    _check_options(options)
    loading("train")
    from lib.training import Hardware
    from lib.translator import Translator

    start = Translator.load(options.start) if options.start else None
    fixed = sizes_of(start) if start else None
    own = pairs_of_a_run(options) if options.pairs else None
    usual = suited_to(len(own.splits["train"])) if own and not start else None
    settings = read_settings(options.set, options.settings, fixed, usual)
    hardware = Hardware(options.devices, options.strategy, options.accelerator)
    corpus = own or pairs_of_a_run(options)
    _tell_if_slow(settings, hardware)
    folder = options.out or Path("runs") / corpus.title
    with _one_voice(folder):
        _train(options, settings, hardware, corpus, folder, start)


def _train(
    options: argparse.Namespace,
    settings: TrainingSettings,
    hardware: Hardware,
    corpus: Corpus,
    folder: Path,
    start: Translator | None,
) -> None:
    from lib.evaluation.scores import bleu_metric, tokenizer_for
    from lib.training import is_first_process, train
    from lib.training.folders import report_run
    from lib.translator import Translator

    tokenizer = options.tokenizer or tokenizer_for(corpus.target_language)
    bleu_metric(tokenizer)  # a wrong name is told before all is trained
    vocabularies = vocabularies_of(corpus.splits["train"], settings, start)
    encoded = fitting(corpus.splits, *vocabularies, settings.max_len)
    task = train(
        {**corpus.splits, **encoded},
        *vocabularies,
        settings=settings,
        folder=folder,
        resume=options.resume,
        progress=watched(),
        tokenizer=tokenizer,
        hardware=hardware,
        start=start.model if start else None,
        watch=sentences_to_watch(options.watch, encoded["validation"].pairs),
    )
    if not is_first_process():
        return
    reads = corpus.punctuated, corpus.prose
    Translator(task.model.cpu(), *vocabularies, *reads).save(folder, half=True)
    splits = {**corpus.splits, **{name: part.pairs for name, part in encoded.items()}}
    told = settings, _command(options), options.start, tokenizer, counter
    report = report_run(folder, corpus, splits, *told)
    for part, result in report["scores"].items():
        print("\n".join(score_lines(part, result)))
    print(f"The translator is in {folder}.", file=sys.stderr)


def pairs_of_a_run(options: argparse.Namespace) -> Corpus:
    """Load the corpus that the options name, and say what was left out of it."""
    corpus = load_corpus(options)
    if options.limit is not None:
        corpus = limit_training(corpus, options.limit)
    if options.also:
        about = options.attribution, options.columns
        corpus = with_more(corpus, options.also, *about)
    _tell(*(f"{corpus.name}: {note}" for note in corpus.notes))
    splits = dict(corpus.splits)  # the phrases are too few to part
    splits.setdefault("validation", splits["train"])
    return dataclasses.replace(corpus, splits=splits)


def _tell(*notes: str) -> None:
    from lib.training import is_first_process

    if is_first_process():
        for note in notes:
            print(note, file=sys.stderr)


def sizes_of(start: Translator) -> dict[str, Any]:
    """Return the settings of a run that a translator to begin with decides."""
    from lib.today import leaves_of

    config = start.model.config
    names = ("d_model", "n_heads", "n_layers", "d_ff", "max_len", "norm_first")
    subwords = isinstance(start.src_vocab, SubwordVocabulary)
    sizes = {name: getattr(config, name) for name in (*names, "tie_embeddings")}
    words = {"vocab_size": len(start.src_vocab) if subwords else 0}
    return {**sizes, **words, **leaves_of(start.model).changes()}


def vocabularies_of(
    pairs: Sequence[Pair], settings: TrainingSettings, start: Translator | None
) -> tuple[Vocabulary, Vocabulary]:
    """Collect the words of the training part, or learn the sub-words of both sides."""
    if start:
        return start.src_vocab, start.tgt_vocab
    if settings.vocab_size:
        texts = (text for pair in pairs for text in pair)
        alphabet = ALPHABET if settings.exchange else ""
        shared = SubwordVocabulary.build(texts, settings.vocab_size, alphabet)
        return shared, shared
    src_vocab, tgt_vocab = (Vocabulary.build(side) for side in zip(*pairs, strict=True))
    return src_vocab, tgt_vocab


def fitting(
    splits: Mapping[str, Sequence[Pair]],
    src_vocab: Vocabulary,
    tgt_vocab: Vocabulary,
    max_len: int,
) -> dict[str, ParallelDataset]:
    """Encode what is learned from, and leave out what is too long, saying so.

    Of the parts that are scored, nothing is ever left out: what is too long there
    counts as wrong.
    """
    from lib.evaluation import unseen_parts
    from lib.text import ParallelDataset

    for name in unseen_parts(splits):
        sources = {source for source, _ in splits[name]}
        long = sum(len(src_vocab.encode(source)) >= max_len for source in sources)
        if long:
            _tell(
                f"{name}: {long:,} of {len(sources):,} sources are longer than "
                f"max_len = {max_len} tokens; they will not be translated, and count "
                "as wrong. A larger max_len reads them."
            )
    found = {}
    for name in ("train", "validation"):
        whole = ParallelDataset(splits[name], src_vocab, tgt_vocab)
        found[name] = whole.fitting(max_len)
        missing = len(whole) - len(found[name])
        if missing:
            _tell(
                f"{name}: left out {missing:,} of {len(whole):,} pairs, which are "
                f"longer than max_len = {max_len} tokens."
            )
    return found


def sentences_to_watch(file: Path | None, validation: Sequence[Pair]) -> list[str]:
    """Return the sentences of the file; without one, the first ten of validation."""
    if file is None:
        return list(dict.fromkeys(source for source, _ in validation))[:10]
    return [line for line in read_sentences(file) if line.strip()]


def _tell_if_slow(settings: TrainingSettings, hardware: Hardware) -> None:
    import torch

    from lib.training.settings import is_first_process, slower_in_16_bits

    gpu = torch.cuda.is_available() and hardware.accelerator != "cpu"
    if settings.precision != "bf16-mixed" or gpu or not is_first_process():
        return
    if (times := slower_in_16_bits()) > _SLOW:
        print(
            f"This processor is {times:.0f} times slower in bfloat16 than in 32 bits; "
            "--set precision=32-true trains faster.",
            file=sys.stderr,
        )


@contextlib.contextmanager
def _one_voice(folder: Path) -> Iterator[None]:
    """Let one run into the folder, and its first process say how it has ended."""
    from lib.training import is_first_process
    from lib.training.folders import alone_in

    try:
        with alone_in(folder):
            yield
    except (KeyboardInterrupt, SystemExit, ValueError) as error:
        if not is_first_process():
            # Not as a failure: Lightning kills the first process a moment after one of
            # the others has failed, and its sentence would not be said.
            raise SystemExit(0) from None
        if not isinstance(error, ValueError):
            print(f"\nThe run in {folder} goes on with --resume.", file=sys.stderr)
        raise


def _check_options(options: argparse.Namespace) -> None:
    """Refuse options that do not go together; without a corpus, choose the grammar."""
    check_corpus_options(options)
    if options.pairs is None:
        options.corpus = options.corpus or "grammar"
    for name in ("pairs", "also"):
        if getattr(options, name) and not (options.attribution or "").strip():
            raise ValueError(
                f"--{name} needs --attribution: whose sentences they are, and under "
                "which license; the card of the translator tells it."
            )


def _command(options: argparse.Namespace) -> str:
    """Return a command that makes the same run again, from the folder of the run.

    Files are named without where they lie, which is the reader's own affair.
    """
    named = "corpus", "languages", "attribution", "limit", "tokenizer"
    given = {name: getattr(options, name) for name in named}
    given["from"] = options.start and Path(options.start).resolve().name
    given["columns"] = ",".join(map(str, options.columns or ()))
    if options.settings or options.set:
        given["settings"] = "settings.toml"
    if options.devices > 1:
        given |= {"devices": options.devices, "strategy": options.strategy}
    words = _files("--pairs", options.pairs or ())
    words += [w for n, value in given.items() if value for w in (f"--{n}", str(value))]
    words += [word for files in options.also for word in _files("--also", files)]
    return "python -m lib train " + shlex.join(words)


def _files(option: str, files: Sequence[Path]) -> list[str]:
    return [option, *(file.resolve().name for file in files)] if files else []
