"""The report of a run that has ended: what made the translator, how good it is."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lib.corpora import Corpus, Pair
from lib.evaluation.scores import (
    BLEU_TOKENIZER,
    held_out_fingerprint,
    score,
    unseen_parts,
)
from lib.model import count_parameters
from lib.text.files import to_toml, write_json, write_whole
from lib.training.folders import LOG
from lib.training.logs import read_log
from lib.training.settings import TrainingSettings
from lib.translator import Translator
from lib.translator.card import (
    REPORT_FILE,
    SETTINGS_FILE,
    machine,
    read_report,
    write_card,
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
