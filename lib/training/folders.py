"""The folder of a run: whose it is, where the run stands, and what its report says."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from torch import nn

from lib.corpora import Corpus, Pair
from lib.evaluation.scores import (
    BLEU_TOKENIZER,
    held_out_fingerprint,
    score,
    unseen_parts,
)
from lib.model import count_parameters
from lib.text.files import read_json, to_toml, write_json, write_whole
from lib.training.data import TranslationData
from lib.training.logs import read_log
from lib.training.settings import TrainingSettings, is_first_process
from lib.translator import Translator
from lib.translator.folder import (
    REPORT_FILE,
    SETTINGS_FILE,
    machine,
    read_report,
    write_card,
)

SETTINGS, LOG, CHECKPOINT = "settings.json", "log.csv", "checkpoint.safetensors"
SENTENCES, LOCK = "sentences.csv", ".lock"


def run_settings(
    settings: TrainingSettings,
    splits: Mapping[str, Sized],
    data: TranslationData,
    start: nn.Module | None = None,
) -> dict[str, Any]:
    """Return all that decides the result of a run, for its ``settings.json``."""
    learned = [data.train_set.pairs, data.validation_set.pairs]
    words = [vocabulary.tokens for vocabulary in data.train_set.vocabularies]
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
    if folder.is_file():
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


def report_run(
    folder: Path,
    corpus: Corpus,
    splits: Mapping[str, Sequence[Pair]],
    settings: TrainingSettings,
    command: str,
    start: str | None = None,
    tokenizer: str = BLEU_TOKENIZER,
    counter: Callable[[str], Callable[[int, int], None] | None] = lambda part: None,
) -> dict[str, Any]:
    """Score the translator of a run, and write its report, its settings and its card.

    It is scored as it was saved, rounded to 16 bits, and as everybody will use it:
    greedily where the one right answer is known, and with a beam on real sentences.

    Args:
        folder: the folder of the run, with the translator saved in it.
        corpus: where the sentences come from.
        splits: the pairs that were used, by the names of their parts.
        settings: the settings of the run.
        command: what makes such a run, for the card.
        start: the translator it began with: a folder, or the name of a shipped one.
        tokenizer: how BLEU cuts sentences into words.
        counter: given the name of a part, returns what :func:`score` calls to count its
            translations.
    """
    translator = Translator.load(folder)
    beam_size = 1 if corpus.generated else 4
    scores = {
        part: score(
            translator,
            splits[part],
            beam_size,
            tokenizer=tokenizer,
            watch=counter(part),
        )[0]
        for part in unseen_parts(splits) or ["validation"]
    }
    given = dataclasses.asdict(settings)
    # Of all epochs, also of those before an interruption.
    seconds = [float(row["seconds"]) for row in read_log(folder / LOG)]
    report = {
        "command": command,
        "name": corpus.title,
        "corpus": corpus.name,
        "generated": corpus.generated,
        **({"columns": corpus.columns} if corpus.columns else {}),
        "settings": given,
        "parameters": count_parameters(translator.model),
        "train_pairs": len(splits["train"]),
        "pairs": {part: len(pairs) for part, pairs in splits.items()},
        "held_out": held_out_fingerprint(splits),
        "attribution": corpus.attribution,
        "machine": machine(),
        "seconds": round(sum(seconds)),
        "scores": scores,
    }
    if start:
        learned_from = str(read_report(start).get("attribution", ""))
        name = Path(start).resolve().name  # where it lies is the reader's own affair
        report["start"] = {"model": name, "attribution": learned_from}
    write_whole(folder / SETTINGS_FILE, to_toml(given))
    write_json(folder / REPORT_FILE, report)
    write_card(folder, report)
    return report
