"""The folder of a run: whose it is, and where the run in it stands."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from torch import nn

from lib.text import Vocabulary
from lib.text.files import read_json
from lib.training.devices import is_first_process
from lib.training.settings import TrainingSettings

SETTINGS, LOG, CHECKPOINT = "settings.json", "log.csv", "checkpoint.safetensors"
TENSORBOARD, SENTENCES, LOCK = "tensorboard", "sentences.csv", ".lock"

Splits = Mapping[str, Sequence[Any]]


def run_settings(
    settings: TrainingSettings,
    splits: Splits,
    *vocabularies: Vocabulary,
    start: nn.Module | None = None,
) -> dict[str, Any]:
    """Return all that decides the result of a run, for its ``settings.json``."""
    learned = [list(splits.get(name, ())) for name in ("train", "validation")]
    words = [vocabulary.tokens for vocabulary in vocabularies]
    content = json.dumps([learned, words]).encode()
    return {
        **dataclasses.asdict(settings),
        "pairs": {name: len(pairs) for name, pairs in sorted(splits.items())},
        "sentences": hashlib.sha256(content).hexdigest(),
        **({} if start is None else {"start": _fingerprint(start)}),
    }


def _fingerprint(model: nn.Module) -> str:
    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode() + tensor.detach().cpu().numpy().tobytes())
    return digest.hexdigest()


@contextlib.contextmanager
def alone_in(folder: Path | None) -> Iterator[None]:
    """Keep every other run out of a folder; nothing stays there if nothing is written.

    The system takes the lock from a process that ends, however it ends. In one process
    it may be taken again. Of several processes of one run, the first takes it.

    Raises:
        FileExistsError: if another run is at work there.
        NotADirectoryError: if it is a file.
    """
    if folder is None or not is_first_process():
        yield
        return
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"{folder} is a file; choose another folder.")
    made = [place for place in (folder, *folder.parents) if not place.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / LOCK, blocking=False, is_singleton=True)
    try:
        lock.acquire()
    except Timeout:
        raise FileExistsError(
            f"A run is at work in {folder}; wait for its end, or choose another folder."
        ) from None
    try:
        yield
    finally:
        if lock.lock_counter == 1:
            with contextlib.suppress(OSError):  # Windows removes it by itself
                (folder / LOCK).unlink()
        lock.release()
        for place in made:
            with contextlib.suppress(OSError):  # there is something in it
                place.rmdir()


def check_folder(
    folder: Path, description: dict[str, Any], resume: bool
) -> Path | None:
    """Refuse a folder that this run must not write to; nothing is written here.

    Returns:
        The checkpoint to go on from; None for a run from the start.
    """
    if (folder / SETTINGS).exists():
        if not resume:
            raise FileExistsError(
                f"{folder} already holds a run; resume it, or choose another folder."
            )
        _check_same(folder, description)
    elif folder.exists():
        _check_empty(folder)
    checkpoint = folder / CHECKPOINT
    return checkpoint if checkpoint.exists() else None


def _check_empty(folder: Path) -> None:
    # Hidden files are the system's; an unfinished one is what a killed run leaves.
    for file in sorted(folder.iterdir()):
        if not file.name.startswith(".") and file.suffix != ".unfinished":
            raise FileExistsError(
                f"{folder} holds something else than a run, such as {file.name}; "
                "choose a new folder, or an empty one."
            )


def _check_same(folder: Path, description: dict[str, Any]) -> None:
    found = read_json(folder / SETTINGS)
    if not isinstance(found, dict):
        raise ValueError(f"{folder / SETTINGS} is damaged: it holds no settings.")
    for name in {**found, **description}:
        was, wanted = found.get(name), description.get(name)
        if was != wanted:
            difference = f"has {name} = {was}, not {wanted}"
            if name == "sentences":
                difference = "was trained on other sentences, or with other words"
            raise ValueError(
                f"The run in {folder} {difference}; resume it with its own settings, "
                "or choose another folder."
            )
