"""Training: the loss, the schedule, the task for Lightning, and whole runs."""

from lib.training.adapting import LowRank, low_rank, merge_low_rank
from lib.training.checkpoints import SafetensorsCheckpointIO
from lib.training.data import TextData, TranslationData
from lib.training.devices import Hardware, is_first_process
from lib.training.language_models import train_language_model
from lib.training.logs import read_log
from lib.training.objective import (
    token_accuracy,
    translation_loss,
    warmup_decay,
)
from lib.training.settings import TrainingSettings
from lib.training.task import LanguageTask, TranslationTask
from lib.training.translators import train

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
