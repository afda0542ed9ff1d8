"""What a run needs before it begins: its pairs, its words, its numbers."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lib.commands.options import load_corpus
from lib.corpora import Corpus, Pair, limit_training
from lib.corpora.files import read_sentences
from lib.corpora.own import Columns, in_one_line, read_pairs
from lib.corpora.splitting import keep_apart
from lib.text import SubwordVocabulary, Vocabulary
from lib.text.subwords import ALPHABET

if TYPE_CHECKING:
    from lib.text import ParallelDataset
    from lib.training import TrainingSettings
    from lib.translator import Translator


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


def with_more(
    corpus: Corpus,
    more: Sequence[Sequence[Path]],
    attribution: str,
    columns: Columns | None = None,
) -> Corpus:
    """Add the pairs of more files to those to train on; none that is held out."""
    languages = f"{corpus.source_language}-{corpus.target_language}"
    splits, notes, counts = {**corpus.splits}, [*corpus.notes], []
    for files in more:
        pairs, told = read_pairs(files, languages, columns)
        file = " and ".join(each.name for each in files)
        held_out = [name for name in splits if name != "train"]
        kept, lost = keep_apart({**splits, file: pairs}, [*held_out, file])
        splits["train"] = [*splits["train"], *kept[file]]
        notes.append(f"{file}: {in_one_line(pairs, [*told, *lost])}")
        number = len(kept[file])
        counts.append(f"`{file}`, {number:,} pair{'s' * (number != 1)}")
    credit = f"It learned from {', and from '.join(counts)}, too: {attribution.strip()}"
    return dataclasses.replace(
        corpus,
        splits=splits,
        notes=tuple(notes),
        attribution=f"{corpus.attribution}\n\n{credit}".strip(),
    )


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
