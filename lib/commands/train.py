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
    watched,
    whole_number,
)
from lib.commands.settings import read_settings, suited_to
from lib.corpora import Corpus, Pair, limit_training
from lib.text import SubwordVocabulary, Vocabulary
from lib.text.subwords import ALPHABET

if TYPE_CHECKING:
    from lib.text import ParallelDataset
    from lib.training import Hardware, TrainingSettings
    from lib.translator import Translator


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
        metavar="MODEL",
        help="begin with the weights and words of a trained translator: a folder, or "
        "the name of a shipped one; the run has its sizes",
    )
    parser.add_argument(
        "--new-words",
        action="store_true",
        help="with --from: learn the sub-words anew, and keep the weights of those "
        "that it has already",
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

    origin: str | None = getattr(options, "from")  # a word of Python's own
    start = Translator.load(origin) if origin else None
    fixed = _sizes_of(start, options.new_words) if start else None
    own = _corpus(options) if options.pairs else None
    usual = suited_to(len(own.splits["train"])) if own and not start else None
    settings = read_settings(options.set, options.settings, fixed, usual)
    hardware = Hardware(options.devices, options.strategy, options.accelerator)
    corpus = own or _corpus(options)
    _check_languages(corpus, settings.copying)
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
    from lib.training import is_first_process, train
    from lib.training.report import report_run
    from lib.training.words import with_words
    from lib.translator import Translator

    tokenizer = _tokenizer(options, corpus)
    known = None if options.new_words else start
    vocabularies = _vocabularies(corpus.splits["train"], settings, known)
    encoded = _fitting(corpus.splits, *vocabularies, settings.max_len)
    task = train(
        {**corpus.splits, **encoded},
        *vocabularies,
        settings=settings,
        folder=folder,
        resume=options.resume,
        progress=watched(),
        tokenizer=tokenizer,
        hardware=hardware,
        start=with_words(start, vocabularies) if start else None,
        watch=_sentences(options.watch, encoded["validation"].pairs),
    )
    if not is_first_process():
        return
    reads = corpus.punctuated, corpus.prose
    translator = Translator(task.model.cpu(), *vocabularies, *reads)
    translator.save(folder, half=True)
    splits = {**corpus.splits, **{name: part.pairs for name, part in encoded.items()}}
    origin = getattr(options, "from")
    told = settings, _command(options), origin, tokenizer, counter
    report = report_run(folder, corpus, splits, *told)
    for part, result in report["scores"].items():
        print("\n".join(score_lines(part, result)))
    print(f"The translator is in {folder}.", file=sys.stderr)


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
    if options.new_words and not getattr(options, "from"):
        raise ValueError("--new-words needs --from: the weights that it takes over.")
    if options.pairs is None:
        options.corpus = options.corpus or "grammar"
    elif not (options.attribution or "").strip():
        raise ValueError(
            "--pairs needs --attribution: whose sentences they are, and under which "
            "license; the card of the translator tells it."
        )


def _corpus(options: argparse.Namespace) -> Corpus:
    corpus = load_corpus(options)
    if options.limit is not None:
        corpus = limit_training(corpus, options.limit)
    _tell(*(f"{corpus.name}: {note}" for note in corpus.notes))
    splits = dict(corpus.splits)  # the phrases are too few to part
    splits.setdefault("validation", splits["train"])
    return dataclasses.replace(corpus, splits=splits)


def _tell(*notes: str) -> None:
    from lib.training import is_first_process

    if is_first_process():
        for note in notes:
            print(note, file=sys.stderr)


def _check_languages(corpus: Corpus, copying: float) -> None:
    languages = corpus.source_language, corpus.target_language
    if copying and languages != ("en", "es"):
        raise ValueError(
            f"copying = {copying} draws names and numbers in English and Spanish, "
            f"but these sentences are {languages[0]} and {languages[1]}; set it to 0."
        )


def _tokenizer(options: argparse.Namespace, corpus: Corpus) -> str:
    """Return how BLEU cuts words; a wrong name is told before all is trained."""
    from lib.evaluation.metrics import bleu_metric, tokenizer_for

    tokenizer: str = options.tokenizer or tokenizer_for(corpus.target_language)
    bleu_metric(tokenizer)
    return tokenizer


def _sizes_of(start: Translator, new_words: bool) -> dict[str, Any]:
    """Return the settings of a run that a translator to begin with decides."""
    config = start.model.config
    names = ("d_model", "n_heads", "n_layers", "d_ff", "max_len", "norm_first")
    subwords = isinstance(start.src_vocab, SubwordVocabulary)
    words = {} if new_words else {"vocab_size": len(start.src_vocab) if subwords else 0}
    sizes = {name: getattr(config, name) for name in names}
    return {**sizes, "tie_embeddings": config.tie_embeddings, **words}


def _vocabularies(
    pairs: Sequence[Pair], settings: TrainingSettings, start: Translator | None
) -> tuple[Vocabulary, Vocabulary]:
    """Collect the words of the training part, or learn the sub-words of both sides."""
    if start:
        return start.src_vocab, start.tgt_vocab
    if settings.vocab_size:
        texts = (text for pair in pairs for text in pair)
        alphabet = ALPHABET if settings.copying else ""
        shared = SubwordVocabulary.build(texts, settings.vocab_size, alphabet)
        return shared, shared
    src_vocab, tgt_vocab = (Vocabulary.build(side) for side in zip(*pairs, strict=True))
    return src_vocab, tgt_vocab


def _fitting(
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
    fitting = {}
    for name in ("train", "validation"):
        whole = ParallelDataset(splits[name], src_vocab, tgt_vocab)
        fitting[name] = whole.fitting(max_len)
        missing = len(whole) - len(fitting[name])
        if missing:
            _tell(
                f"{name}: left out {missing:,} of {len(whole):,} pairs, which are "
                f"longer than max_len = {max_len} tokens."
            )
    return fitting


def _sentences(file: Path | None, validation: Sequence[Pair]) -> list[str]:
    """Return the sentences of the file; without one, the first ten of validation."""
    if file is None:
        return list(dict.fromkeys(source for source, _ in validation))[:10]
    lines = file.read_text(encoding="utf-8-sig").splitlines()
    return [line for line in lines if line.strip()]


def _command(options: argparse.Namespace) -> str:
    """Return a command that makes the same run again, from the folder of the run.

    Files are named without where they lie, which is the reader's own affair.
    """
    named = "corpus", "pairs", "languages", "attribution", "from", "limit", "tokenizer"
    given = {name: getattr(options, name) for name in named}
    for name in ("pairs", "from"):
        given[name] = given[name] and Path(given[name]).resolve().name
    if options.settings or options.set:
        given["settings"] = "settings.toml"
    if options.devices > 1:
        given |= {"devices": options.devices, "strategy": options.strategy}
    pairs = [(f"--{name}", str(value)) for name, value in given.items() if value]
    words = [word for pair in pairs for word in pair]
    words += ["--new-words"] * options.new_words
    return "python -m lib train " + shlex.join(words)
