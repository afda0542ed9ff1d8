"""Training: the schedule, the task for Lightning, and whole runs."""

from lib.speed.linear import LowRank
from lib.training.checkpoints import SafetensorsCheckpointIO
from lib.training.data import TranslationData
from lib.training.logs import read_log
from lib.training.runs import train
from lib.training.settings import Hardware, TrainingSettings, is_first_process
from lib.training.task import TranslationTask, warmup_decay

__all__ = [
    "Hardware",
    "LowRank",
    "SafetensorsCheckpointIO",
    "TrainingSettings",
    "TranslationData",
    "TranslationTask",
    "is_first_process",
    "read_log",
    "train",
    "warmup_decay",
]
