"""A whole training run: a folder with its settings, its log, and where it stands."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import lightning
from lightning.pytorch.callbacks import Callback, TQDMProgressBar

from lib.config import TransformerConfig
from lib.data import TranslationData
from lib.files import read_json, write_json
from lib.training.checkpoints import SafetensorsCheckpointIO
from lib.training.records import EpochLog, SaveEveryEpoch
from lib.training.task import TranslationTask
from lib.vocabulary import Vocabulary

__all__ = ["CHECKPOINT", "LOG", "SETTINGS", "TrainingSettings", "train"]

SETTINGS, LOG, CHECKPOINT = "settings.json", "log.csv", "checkpoint.safetensors"

Splits = Mapping[str, Sequence[tuple[str, str]]]


@dataclasses.dataclass(frozen=True)
class TrainingSettings:
    """Everything that decides the result of a run, besides its sentences.

    Args:
        d_model: numbers in the vector of one token, **D**.
        n_heads: attention heads, **H**.
        n_layers: layers of the encoder, and of the decoder.
        d_ff: inner width of the feed-forward block.
        dropout: share of numbers set to zero in training.
        max_len: longest sentence in tokens.
        norm_first: pre-norm instead of post-norm.
        epochs: how often each sentence pair is seen.
        max_tokens: most tokens in a batch, padding included.
        learning_rate: the highest rate, reached when the warm-up ends.
        warmup_steps: optimizer steps until then.
        label_smoothing: share of the probability that is spread over all words.
        clip: longest gradient; a longer one is shortened to this length.
        seed: one seed gives one result.

    Raises:
        ValueError: if a setting is impossible; the message names it.

    Example:
        >>> TrainingSettings(epochs=0)
        Traceback (most recent call last):
        ...
        ValueError: epochs must be more than 0, but it is 0.

    Built in chapter 11.
    """

    d_model: int = 128
    n_heads: int = 4
    n_layers: int = 2
    d_ff: int = 256
    dropout: float = 0.05
    max_len: int = 128
    norm_first: bool = True
    epochs: int = 5
    max_tokens: int = 1024
    learning_rate: float = 3e-3
    warmup_steps: int = 300
    label_smoothing: float = 0.05
    clip: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("epochs", "max_tokens", "learning_rate", "clip"):
            if not getattr(self, name) > 0:
                raise ValueError(
                    f"{name} must be more than 0, but it is {getattr(self, name)}."
                )
        for name in ("seed", "warmup_steps", "label_smoothing"):
            if getattr(self, name) < 0:
                raise ValueError(
                    f"{name} must not be below 0, but it is {getattr(self, name)}."
                )
        if self.label_smoothing >= 1:
            raise ValueError(
                f"label_smoothing must be below 1, but it is {self.label_smoothing}."
            )
        self.model_config(src_vocab_size=4, tgt_vocab_size=4)  # checks the sizes

    def model_config(
        self, src_vocab_size: int, tgt_vocab_size: int, pad_id: int = 0
    ) -> TransformerConfig:
        """Return the sizes of the model for vocabularies of these sizes."""
        names = ("d_model", "n_heads", "n_layers", "d_ff", "dropout", "max_len")
        sizes: dict[str, Any] = {name: getattr(self, name) for name in names}
        return TransformerConfig(
            src_vocab_size,
            tgt_vocab_size,
            pad_id=pad_id,
            norm_first=self.norm_first,
            **sizes,
        )


def train(
    splits: Splits,
    src_vocab: Vocabulary,
    tgt_vocab: Vocabulary,
    settings: TrainingSettings,
    folder: Path | None = None,
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
        FileExistsError: if the folder holds a run and ``resume`` is False.
        ValueError: if the run in the folder had other settings.

    Example:
        >>> pairs = [("lets go", "vamos"), ("to go", "ir")]
        >>> english, spanish = (Vocabulary.build(side) for side in zip(*pairs))
        >>> tiny = TrainingSettings(d_model=8, n_heads=1, n_layers=1, d_ff=8, epochs=1)
        >>> splits = {"train": pairs, "validation": pairs}
        >>> train(splits, english, spanish, tiny).model.config.tgt_vocab_size
        6

    Built in chapter 11.
    """
    checkpoint = _open_folder(folder, settings, splits, resume) if folder else None
    lightning.seed_everything(settings.seed, verbose=False)
    config = settings.model_config(len(src_vocab), len(tgt_vocab), tgt_vocab.pad_id)
    task = TranslationTask(
        config,
        sos_id=tgt_vocab.sos_id,
        eos_id=tgt_vocab.eos_id,
        learning_rate=settings.learning_rate,
        warmup_steps=settings.warmup_steps,
        label_smoothing=settings.label_smoothing,
        seed=settings.seed,
    )
    data = TranslationData(
        splits, src_vocab, tgt_vocab, settings.max_tokens, settings.seed
    )
    # Lightning draws its progress bar on standard output, which is for results.
    with _quiet_lightning(), contextlib.redirect_stdout(sys.stderr):
        trainer = _trainer(settings, folder, progress)
        trainer.fit(task, data, ckpt_path=checkpoint)
    if trainer.interrupted:  # Lightning swallows Ctrl-C
        raise KeyboardInterrupt
    return task


def _open_folder(
    folder: Path, settings: TrainingSettings, splits: Splits, resume: bool
) -> Path | None:
    """Check or write the settings; return the checkpoint to go on from, if any."""
    wanted = dataclasses.asdict(settings)
    wanted["pairs"] = {name: len(pairs) for name, pairs in sorted(splits.items())}
    file = folder / SETTINGS
    if file.exists():
        if not resume:
            raise FileExistsError(
                f"{folder} already holds a run; resume it, or choose another folder."
            )
        _check_same(read_json(file), wanted, folder)
    else:
        write_json(file, wanted)
    checkpoint = folder / CHECKPOINT
    return checkpoint if checkpoint.exists() else None


def _check_same(found: dict[str, Any], wanted: dict[str, Any], folder: Path) -> None:
    for name in {**found, **wanted}:
        if found.get(name) != wanted.get(name):
            raise ValueError(
                f"The run in {folder} has {name} = {found.get(name)}, not "
                f"{wanted.get(name)}; resume it with its own settings, or choose "
                "another folder."
            )


def _trainer(
    settings: TrainingSettings, folder: Path | None, progress: bool
) -> lightning.Trainer:
    callbacks: list[Callback] = []
    if folder:  # the log first: a checkpoint then never knows of an epoch it lacks
        callbacks += [EpochLog(folder / LOG), SaveEveryEpoch(folder / CHECKPOINT)]
    if progress:
        callbacks.append(TQDMProgressBar(refresh_rate=20))
    return lightning.Trainer(
        max_epochs=settings.epochs,
        gradient_clip_val=settings.clip,
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
