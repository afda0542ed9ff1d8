"""Training a translator: its pairs, its words, and the model it begins with."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

from lib.evaluation.scores import BLEU_TOKENIZER
from lib.model import Transformer
from lib.text import Pair, ParallelDataset, Vocabulary
from lib.today import leaves_of
from lib.training.data import TranslationData
from lib.training.devices import Hardware
from lib.training.folders import SENTENCES, run_settings
from lib.training.logs import SentenceLog
from lib.training.runs import run_task
from lib.training.settings import TrainingSettings
from lib.training.task import TranslationTask


def train(
    splits: Mapping[str, Sequence[Pair] | ParallelDataset],
    src_vocab: Vocabulary,
    tgt_vocab: Vocabulary,
    settings: TrainingSettings,
    folder: Path | str | None = None,
    resume: bool = False,
    progress: bool = False,
    hardware: Hardware | None = None,
    start: Transformer | None = None,
    watch: Sequence[str] = (),
    tokenizer: str = BLEU_TOKENIZER,
) -> TranslationTask:
    """Train a translator, from the start or from where an interrupted run stands.

    Args:
        splits: sentence pairs under "train" and "validation"; what
            :class:`~lib.text.ParallelDataset` has made of them is not encoded again.
        src_vocab: the words of the source language.
        tgt_vocab: the words of the target language.
        settings: sizes and hyperparameters.
        folder: where settings, log and checkpoint go; None keeps nothing.
        resume: go on with the run in the folder, or begin if there is none.
        progress: show a progress bar on standard error.
        hardware: what to compute on; a GPU if there is one, if None. With several
            devices, Lightning starts the program once for each of them.
        start: a trained model of the same sizes whose weights to begin with; random
            weights if None.
        watch: sentences whose translations after each epoch are kept in the folder, in
            ``sentences.csv``.
        tokenizer: how the BLEU in the log cuts sentences into words.

    Returns:
        The trained task; its ``model`` is the Transformer, with the weights that the
        settings ask for: the last, the best or the mean.

    Raises:
        FileExistsError: if the folder holds a run and ``resume`` is False, or files of
            something else, or if another run is at work in it.
        KeyboardInterrupt: if Ctrl-C stopped it; ``resume`` goes on.
        ValueError: if the run in the folder had other settings or sentences, if a
            sentence is too long, if the hardware is not there, or if the loss is no
            number any more.

    Example:
        >>> pairs = [("lets go", "vamos"), ("to go", "ir")]
        >>> english, spanish = (Vocabulary.build(side) for side in zip(*pairs))
        >>> tiny = TrainingSettings(d_model=8, n_heads=1, n_layers=1, d_ff=8, epochs=1)
        >>> splits = {"train": pairs, "validation": pairs}
        >>> train(splits, english, spanish, tiny).model.config.tgt_vocab_size
        6
    """
    data = TranslationData(splits, src_vocab, tgt_vocab, settings)
    folder = None if folder is None else Path(folder)
    pairs = {
        name: part.pairs if isinstance(part, ParallelDataset) else part
        for name, part in splits.items()
    }
    description = run_settings(settings, pairs, src_vocab, tgt_vocab, start=start)

    def build() -> TranslationTask:
        task = TranslationTask(settings, src_vocab, tgt_vocab, tokenizer)
        if start is not None:
            _begin_with(task.model, start)
        return task

    watching = []
    if folder and watch:
        max_len = settings.max_len
        watching.append(SentenceLog(folder / SENTENCES, watch, src_vocab, max_len))
    how = folder, resume, progress, hardware, watching
    return run_task(build, data, settings, description, *how)


def _begin_with(model: Transformer, start: Transformer) -> None:
    sizes = dataclasses.replace(start.config, dropout=model.config.dropout)
    for name, size in sizes.to_dict().items():
        wanted = getattr(model.config, name)
        if size != wanted:
            raise ValueError(
                f"The model to begin with has {name} = {size}, but the settings ask "
                f"for {wanted}."
            )
    if leaves_of(start) != leaves_of(model):
        raise ValueError(
            f"The model to begin with has the leaves {leaves_of(start).changes()}, but "
            f"the settings ask for {leaves_of(model).changes()}."
        )
    model.load_state_dict(start.state_dict())
