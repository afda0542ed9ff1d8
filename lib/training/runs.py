"""A whole training run: a folder with its settings, its log, and where it stands."""

from __future__ import annotations

import contextlib
import logging
import signal
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import lightning
import torch
from lightning.pytorch.callbacks import Callback, TQDMProgressBar
from lightning.pytorch.utilities.exceptions import SIGTERMException

from lib.data import TranslationData
from lib.files import write_json
from lib.training.averaging import KeepEpochWeights
from lib.training.checkpoints import SafetensorsCheckpointIO
from lib.training.folders import (
    CHECKPOINT,
    LOG,
    SETTINGS,
    Splits,
    check_folder,
    describe,
)
from lib.training.records import EpochLog, SaveEveryEpoch
from lib.training.settings import TrainingSettings
from lib.training.task import TranslationTask
from lib.vocabulary import Vocabulary

__all__ = ["train"]


def train(
    splits: Splits,
    src_vocab: Vocabulary,
    tgt_vocab: Vocabulary,
    settings: TrainingSettings,
    folder: Path | str | None = None,
    resume: bool = False,
    progress: bool = False,
) -> TranslationTask:
    """Train a translator, from the start or from where an interrupted run stands.

    Args:
        splits: sentence pairs under "train" and "validation".
        src_vocab: the words of the source language.
        tgt_vocab: the words of the target language.
        settings: sizes and hyperparameters.
        folder: where settings, log and checkpoint go; None keeps nothing.
        resume: go on with the run in the folder, or begin if there is none.
        progress: show a progress bar on standard error.

    Returns:
        The trained task; its ``model`` is the Transformer.

    Raises:
        FileExistsError: if the folder holds a run and ``resume`` is False, or files of
            something else.
        KeyboardInterrupt: if Ctrl-C stopped it; ``resume`` goes on.
        ValueError: if the run in the folder had other settings or sentences, if a
            sentence is too long, or if the loss is no number any more.

    Example:
        >>> pairs = [("lets go", "vamos"), ("to go", "ir")]
        >>> english, spanish = (Vocabulary.build(side) for side in zip(*pairs))
        >>> tiny = TrainingSettings(d_model=8, n_heads=1, n_layers=1, d_ff=8, epochs=1)
        >>> splits = {"train": pairs, "validation": pairs}
        >>> train(splits, english, spanish, tiny).model.config.tgt_vocab_size
        6

    Built in chapter 11.
    """
    data = TranslationData(
        splits, src_vocab, tgt_vocab, settings.max_tokens, settings.seed
    )
    data.check_lengths(settings.max_len)
    folder = None if folder is None else Path(folder)
    description = describe(settings, splits, src_vocab, tgt_vocab)
    checkpoint = check_folder(folder, description, resume) if folder else None
    with _torch_as_before():
        torch.manual_seed(settings.seed)
        task = _task(settings, src_vocab, tgt_vocab)
        if folder:  # only now: a run that cannot begin leaves nothing behind
            write_json(folder / SETTINGS, description)
        _fit(task, data, settings, folder, checkpoint, progress)
    return task


def _task(
    settings: TrainingSettings, src_vocab: Vocabulary, tgt_vocab: Vocabulary
) -> TranslationTask:
    config = settings.model_config(len(src_vocab), len(tgt_vocab), tgt_vocab.pad_id)
    try:
        return TranslationTask(
            config,
            sos_id=tgt_vocab.sos_id,
            eos_id=tgt_vocab.eos_id,
            tgt_vocab=tgt_vocab,
            learning_rate=settings.learning_rate,
            warmup_steps=settings.warmup_steps,
            label_smoothing=settings.label_smoothing,
            seed=settings.seed,
        )
    except (MemoryError, RuntimeError) as error:  # what PyTorch says of too much
        raise ValueError(
            f"A model with d_model = {settings.d_model}, d_ff = {settings.d_ff} and "
            f"n_layers = {settings.n_layers} does not fit into memory; make it smaller."
        ) from error


def _fit(
    task: TranslationTask,
    data: TranslationData,
    settings: TrainingSettings,
    folder: Path | None,
    checkpoint: Path | None,
    progress: bool,
) -> None:
    # Lightning draws its progress bar on standard output, which is for results.
    kept = KeepEpochWeights(settings.average, folder)
    with _quiet_lightning(), contextlib.redirect_stdout(sys.stderr):
        trainer = _trainer(settings, folder, progress, kept)
        try:
            trainer.fit(task, data, ckpt_path=checkpoint)
        except SIGTERMException:  # by itself it would end as a success
            raise SystemExit(128 + signal.SIGTERM) from None
        except SystemExit:  # Lightning's answer to Ctrl-C
            raise KeyboardInterrupt from None
        except Exception:
            if progress:  # what is said of the error gets a line of its own
                print(file=sys.stderr)
            raise
    if trainer.interrupted:  # older versions swallow Ctrl-C
        raise KeyboardInterrupt
    if settings.average > 1:
        kept.load_average(task.model)


def _trainer(
    settings: TrainingSettings,
    folder: Path | None,
    progress: bool,
    kept: KeepEpochWeights,
) -> lightning.Trainer:
    callbacks: list[Callback] = [kept] if settings.average > 1 else []
    if folder:  # the log first: a checkpoint then never knows of an epoch it lacks
        callbacks += [EpochLog(folder / LOG), SaveEveryEpoch(folder / CHECKPOINT)]
    if progress:
        callbacks.append(TQDMProgressBar(refresh_rate=20))
    return lightning.Trainer(
        devices=1,  # "auto" would take every GPU, and train on each the same
        max_epochs=settings.epochs,
        gradient_clip_val=settings.clip,
        precision=settings.precision,  # type: ignore[arg-type]  # checked
        callbacks=callbacks,
        plugins=[SafetensorsCheckpointIO()],
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=progress,
        enable_model_summary=False,
        reload_dataloaders_every_n_epochs=1,  # the order changes with the epoch
        num_sanity_val_steps=0,
        use_distributed_sampler=False,
        deterministic=True,
    )


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
    """Silence what Lightning says about devices and workers; errors still come."""
    loggers = [logging.getLogger(f"lightning.{part}") for part in ("pytorch", "fabric")]
    levels = [logger.level for logger in loggers]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="lightning")
        for logger in loggers:
            logger.setLevel(logging.ERROR)
        try:
            yield
        finally:
            for logger, level in zip(loggers, levels, strict=True):
                logger.setLevel(level)
