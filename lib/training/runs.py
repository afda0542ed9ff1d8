"""A whole training run: a folder with its settings, its log, and where it stands."""

from __future__ import annotations

import contextlib
import logging
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import lightning
import torch
from lightning.fabric.utilities.exceptions import MisconfigurationException
from lightning.pytorch.callbacks import Callback, Checkpoint
from lightning.pytorch.utilities.exceptions import SIGTERMException

from lib.speed import fuse
from lib.text.files import write_json
from lib.training.averaging import KeepEpochWeights
from lib.training.checkpoints import SafetensorsCheckpointIO, damaged
from lib.training.devices import Hardware, is_first_process
from lib.training.folders import (
    CHECKPOINT,
    LOG,
    SETTINGS,
    TENSORBOARD,
    alone_in,
    check_folder,
)
from lib.training.logs import EpochBar, EpochLog, SaveEveryEpoch
from lib.training.settings import TrainingSettings
from lib.training.stopping import StopEarly
from lib.training.task import LanguageTask
from lib.training.tensorboard import tensorboard_log

AnyTask = TypeVar("AnyTask", bound=LanguageTask)


def run_task(
    build: Callable[[], AnyTask],
    data: lightning.LightningDataModule,
    settings: TrainingSettings,
    description: dict[str, Any],
    folder: Path | None,
    resume: bool,
    progress: bool,
    hardware: Hardware | None,
    more: Sequence[Callback] = (),
) -> AnyTask:
    """Train what a task holds, from the start or from where an interrupted run stands.

    Args:
        build: makes the task; random numbers are seeded before.
        data: what it learns from.
        settings: hyperparameters.
        description: all that decides the result, for ``settings.json``.
        folder: where settings, log and checkpoint go; None keeps nothing.
        resume: go on with the run in the folder, or begin if there is none.
        progress: show a progress bar on standard error.
        hardware: what to compute on; a GPU if there is one, if None.
        more: callbacks besides those of every run.

    Returns:
        The trained task, with the weights that the settings ask for.
    """
    (hardware := hardware or Hardware()).check_precision(settings.precision)
    first = is_first_process()  # the others find the run that it has begun
    with alone_in(folder), _torch_as_before(), _quiet_lightning():
        checkpoint = (
            check_folder(folder, description, resume or not first) if folder else None
        )
        torch.manual_seed(settings.seed)
        task = _fitting_into_memory(build, settings)
        kept = KeepEpochWeights(settings.average, folder, settings.rise_again)
        mean = settings.average > 1 or settings.rise_again > 0
        best = StopEarly(settings.patience)
        chosen: list[Callback] = [kept] if mean else []
        chosen += [best] if settings.patience else []
        callbacks = [*chosen, *more, *_writers(folder, progress)]
        trainer = _trainer(settings, hardware, callbacks, progress)
        if folder and first:  # only now: a run that cannot begin leaves nothing behind
            write_json(folder / SETTINGS, description)
        _fit(trainer, task, data, checkpoint, progress)
        if mean:
            kept.load_average(task.model, trainer.current_epoch)
        elif settings.patience:
            best.load_best(task.model)
    return task


def _fitting_into_memory(
    build: Callable[[], AnyTask], settings: TrainingSettings
) -> AnyTask:
    try:
        return build()
    except (MemoryError, RuntimeError) as error:  # what PyTorch says of too much
        raise ValueError(
            f"A model with d_model = {settings.d_model}, d_ff = {settings.d_ff} and "
            f"n_layers = {settings.n_layers} does not fit into memory; make it smaller."
        ) from error


def _fit(
    trainer: lightning.Trainer,
    task: LanguageTask,
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
    except Exception as error:
        if progress and is_first_process():
            print(file=sys.stderr)  # what is said of the error gets a line of its own
        told = isinstance(error, OSError | ValueError)
        if checkpoint and not task.begun and not told:  # it could not be read
            raise damaged(checkpoint, error) from error
        raise
    finally:
        task.model = plain


def _writers(folder: Path | None, progress: bool) -> list[Callback]:
    callbacks: list[Callback] = []
    if folder and is_first_process():
        callbacks += tensorboard_log(folder / TENSORBOARD)
    if folder:  # the log first: a checkpoint then never knows of an epoch it lacks
        callbacks += [EpochLog(folder / LOG), SaveEveryEpoch(folder / CHECKPOINT)]
    if progress:
        callbacks.append(EpochBar(refresh_rate=20))
    return callbacks


def _trainer(
    settings: TrainingSettings,
    hardware: Hardware,
    callbacks: list[Callback],
    progress: bool,
) -> lightning.Trainer:
    try:
        return lightning.Trainer(
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
    loggers = [logging.getLogger(f"lightning.{part}") for part in ("pytorch", "fabric")]
    levels = [logger.level for logger in loggers]
    with warnings.catch_warnings(), contextlib.redirect_stdout(sys.stderr):
        warnings.filterwarnings("ignore", module="lightning")
        for logger in loggers:
            logger.setLevel(logging.ERROR)
        try:
            yield
        finally:
            for logger, level in zip(loggers, levels, strict=True):
                logger.setLevel(level)
