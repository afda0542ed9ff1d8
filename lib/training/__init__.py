"""Training: the loss, the schedule, the task for Lightning, and whole runs."""

from lib.training.adapting import LowRank, low_rank, merge_low_rank
from lib.training.checkpoints import SafetensorsCheckpointIO
from lib.training.data import TextData, TranslationData
from lib.training.logs import read_log
from lib.training.runs import train, train_language_model
from lib.training.settings import Hardware, TrainingSettings, is_first_process
from lib.training.task import (
    LanguageTask,
    TranslationTask,
    token_accuracy,
    translation_loss,
    warmup_decay,
)

__all__ = [
    "Hardware",
    "LanguageTask",
    "LowRank",
    "SafetensorsCheckpointIO",
    "TextData",
    "TrainingSettings",
    "TranslationData",
    "TranslationTask",
    "is_first_process",
    "low_rank",
    "merge_low_rank",
    "read_log",
    "token_accuracy",
    "train",
    "train_language_model",
    "translation_loss",
    "warmup_decay",
]
