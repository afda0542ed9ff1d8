"""Training a language model: its texts, its words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lib.text import TextDataset, Vocabulary
from lib.today import LanguageModel, modernize
from lib.training.data import TextData
from lib.training.devices import Hardware
from lib.training.folders import run_settings
from lib.training.runs import run_task
from lib.training.settings import TrainingSettings
from lib.training.task import LanguageTask


def train_language_model(
    splits: Mapping[str, TextDataset],
    vocabulary: Vocabulary,
    settings: TrainingSettings,
    folder: Path | str | None = None,
    resume: bool = False,
    progress: bool = False,
    hardware: Hardware | None = None,
    causal: bool = True,
) -> LanguageTask:
    """Train a language model, from the start or from where an interrupted run stands.

    Args:
        splits: texts with their labels, under "train" and "validation".
        vocabulary: their words or sub-words.
        settings: sizes and hyperparameters, as for :func:`train`; what only a
            translator can have is refused.
        folder: as for :func:`train`.
        resume: as for :func:`train`.
        progress: as for :func:`train`.
        hardware: as for :func:`train`.
        causal: False for a model that sees later tokens too.

    Returns:
        The trained task; its ``model`` is the language model.

    Raises:
        FileExistsError: if the folder holds a run and ``resume`` is False, or files of
            something else, or if another run is at work in it.
        KeyboardInterrupt: if Ctrl-C stopped it; ``resume`` goes on.
        ValueError: if a setting is impossible, a text is too long, or the run in the
            folder had other settings or texts.

    Example:
        >>> words = Vocabulary(["lets", "go"])
        >>> texts = TextDataset.of_texts(["lets go", "go"], words)
        >>> tiny = TrainingSettings(d_model=8, n_heads=1, n_layers=1, d_ff=8, epochs=1)
        >>> splits = {"train": texts, "validation": texts}
        >>> train_language_model(splits, words, tiny).model.config.vocab_size
        6
    """
    for name in ("subword_dropout", "exchange"):
        if getattr(settings, name):
            raise ValueError(
                f"{name} = {getattr(settings, name)} is for translators; set it to 0."
            )
    for part, texts in splits.items():
        longest = max(texts.lengths(), default=0)
        if longest > settings.max_len:
            raise ValueError(
                f"A text of the part {part!r} has {longest} tokens, but max_len is "
                f"{settings.max_len}; leave it out, or choose a larger max_len."
            )

    def build() -> LanguageTask:
        plain = LanguageModel(settings.language_config(len(vocabulary), causal))
        model = modernize(plain, **settings.leaves().changes())
        return LanguageTask(model, vocabulary.pad_id, settings)

    data = TextData(splits["train"], splits["validation"], settings)
    ids = {
        name: [(i.tolist(), t.tolist()) for i, t in splits[name].examples]
        for name in splits
    }
    description = {**run_settings(settings, ids, vocabulary), "causal": causal}
    folder = None if folder is None else Path(folder)
    how = folder, resume, progress, hardware
    return run_task(build, data, settings, description, *how)
