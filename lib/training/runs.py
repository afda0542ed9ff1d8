"""A whole run: from settings and sentence pairs to a trained translator."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import signal
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import lightning
import torch
from lightning.fabric.utilities.exceptions import MisconfigurationException
from lightning.pytorch.callbacks import Callback, Checkpoint
from lightning.pytorch.utilities.exceptions import SIGTERMException

from lib.evaluation.scores import BLEU_TOKENIZER
from lib.model import Transformer
from lib.speed import fuse
from lib.text import Pair, ParallelDataset, Vocabulary
from lib.text.files import write_json
from lib.today import leaves_of
from lib.training.checkpoints import (
    KeepEpochWeights,
    SafetensorsCheckpointIO,
    StopEarly,
)
from lib.training.data import TranslationData
from lib.training.folders import (
    CHECKPOINT,
    LOG,
    SENTENCES,
    SETTINGS,
    alone_in,
    check_folder,
    run_settings,
)
from lib.training.logs import (
    EpochBar,
    EpochLog,
    SaveEveryEpoch,
    SentenceLog,
)
from lib.training.settings import Hardware, TrainingSettings, is_first_process
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
    description = run_settings(settings, splits, data, start)
    first = is_first_process()  # the others find the run that it has begun
    with (
        alone_in(folder),
        _torch_as_before(),
        _quiet_lightning(),
        tempfile.TemporaryDirectory() as scratch,
    ):
        checkpoint = (
            check_folder(folder, description, resume or not first) if folder else None
        )
        torch.manual_seed(settings.seed)
        task = _task_in_memory(settings, src_vocab, tgt_vocab, tokenizer)
        if start is not None:
            _begin_with(task.model, start)
        callbacks = _ends(settings, folder or Path(scratch))
        if folder and watch:
            file, max_len = folder / SENTENCES, settings.max_len
            callbacks.append(SentenceLog(file, watch, src_vocab, max_len))
        if folder:  # the log first: a checkpoint then never knows of an epoch it lacks
            callbacks.append(EpochLog(folder / LOG))
            callbacks.append(SaveEveryEpoch(folder / CHECKPOINT))
        if progress:
            callbacks.append(EpochBar(refresh_rate=20))
        trainer = _trainer(settings, hardware or Hardware(), callbacks, progress)
        if folder and first:  # only now: a run that cannot begin leaves nothing behind
            write_json(folder / SETTINGS, description)
        _fit(trainer, task, data, checkpoint, progress)
    return task


def _ends(settings: TrainingSettings, folder: Path) -> list[Callback]:
    """Return what decides with which weights a run ends; the last has the say."""
    chosen: list[Callback] = []
    if settings.patience:
        chosen.append(StopEarly(settings.patience))
    if settings.average > 1:
        chosen.append(KeepEpochWeights(settings.average, folder))
    return chosen


def _task_in_memory(
    settings: TrainingSettings,
    src_vocab: Vocabulary,
    tgt_vocab: Vocabulary,
    tokenizer: str,
) -> TranslationTask:
    try:
        return TranslationTask(settings, src_vocab, tgt_vocab, tokenizer)
    except (MemoryError, RuntimeError) as error:  # what PyTorch says of too much
        raise ValueError(
            f"A model with d_model = {settings.d_model}, d_ff = {settings.d_ff} and "
            f"n_layers = {settings.n_layers} does not fit into memory; make it smaller."
        ) from error


def _begin_with(model: Transformer, start: Transformer) -> None:
    """Give a model the weights of another that is built alike, but for its dropout."""
    sizes = dataclasses.replace(start.config, dropout=model.config.dropout)
    found = sizes.to_dict() | leaves_of(start).changes()
    wanted = model.config.to_dict() | leaves_of(model).changes()
    if found != wanted:
        has, asked = (
            dict(found.items() - wanted.items()),
            dict(wanted.items() - found.items()),
        )
        raise ValueError(
            f"The model to begin with has {has}, but the settings ask for {asked}."
        )
    model.load_state_dict(start.state_dict())


def _fit(
    trainer: lightning.Trainer,
    task: TranslationTask,
    data: lightning.LightningDataModule,
    checkpoint: Path | None,
    progress: bool,
) -> None:
    plain = task.model
    task.model = fuse(plain)  # the same weights, in leaves that are faster
    try:
        trainer.fit(task, data, ckpt_path=checkpoint)
    except SIGTERMException:  # by itself it would end as a success
        raise SystemExit(128 + signal.SIGTERM) from None
    except SystemExit:  # Lightning's answer to Ctrl-C
        raise KeyboardInterrupt from None
    except Exception:
        if progress and is_first_process():
            print(file=sys.stderr)  # what is said of the error gets a line of its own
        raise
    finally:
        task.model = plain


def _trainer(
    settings: TrainingSettings,
    hardware: Hardware,
    callbacks: list[Callback],
    progress: bool,
) -> lightning.Trainer:
    try:
        trainer = lightning.Trainer(
            devices=hardware.devices,  # "auto" would take every GPU
            strategy=hardware.strategy,
            accelerator=hardware.accelerator,
            max_epochs=settings.epochs,
            gradient_clip_val=settings.clip,
            precision=settings.precision,  # type: ignore[arg-type]  # checked
            callbacks=callbacks,
            plugins=[SafetensorsCheckpointIO()],
            logger=False,
            # Else Lightning would save a checkpoint of its own.
            enable_checkpointing=any(isinstance(c, Checkpoint) for c in callbacks),
            enable_progress_bar=progress,
            enable_model_summary=False,
            reload_dataloaders_every_n_epochs=1,  # the order changes with the epoch
            num_sanity_val_steps=0,
            use_distributed_sampler=False,
            deterministic=True,
        )
    except MisconfigurationException as error:  # such as more devices than there are
        raise ValueError(" ".join(str(error).split())) from error
    if trainer.precision != settings.precision:  # Lightning takes the nearest it can
        raise ValueError(
            f"precision = {settings.precision!r} needs a GPU; on a CPU, choose "
            "'bf16-mixed' or '32-true'."
        )
    return trainer


@contextlib.contextmanager
def _torch_as_before() -> Iterator[None]:
    """Give back PyTorch's random numbers and its switch for exact repetition."""
    deterministic = torch.are_deterministic_algorithms_enabled()
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        try:
            yield
        finally:
            torch.use_deterministic_algorithms(deterministic)


@contextlib.contextmanager
def _quiet_lightning() -> Iterator[None]:
    """Silence what Lightning says about devices and workers; errors still come.

    It draws its progress bar on standard output, which is for results.
    """
    for part in ("pytorch", "fabric"):
        logging.getLogger(f"lightning.{part}").setLevel(logging.ERROR)
    with warnings.catch_warnings(), contextlib.redirect_stdout(sys.stderr):
        warnings.filterwarnings("ignore", module="lightning")
        yield
