"""The card of a trained translator: what it is, what made it, how good it is."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lib.text.files import read_json, to_toml, write_whole
from lib.translator.folder import find_folder

REPORT_FILE, SETTINGS_FILE = "scores.json", "settings.toml"
EARLIER = ("first", "second")  # runs that a translator can have had before its last
_CARD = """\
# {name}

A translator, trained as follows with the code of *The Transformer, Piece by Piece*.

```
{command}
```

Its settings, which `settings.toml` in this folder holds too:

```toml
{settings}```
{earlier}
| | |
| --- | --- |
| corpus | `{corpus}`, {pairs:,} sentence pairs to train on{parts} |
| vocabulary | {vocabulary} |
| size | {parameters:,} parameters, {layers} + {layers} layers, d_model {d_model}, \
{n_heads} heads, d_ff {d_ff} |
| training | {epochs} in {seconds:,} s, seed {seed}{averaged}{machine} |{start}
{source}
## Scores

{how}

{rows}{winner}

`config.json` holds the sizes and {words}, `model.safetensors` the weights in
16 bits, `log.csv` one line for each epoch, `scores.json` all of the above as data.
"""
_EARLIER = """
The {number} run, whose settings `{number}.toml` holds, had other values of these:

```toml
{values}```
"""
_ORIGIN = """
## Data and its license

{attribution}{start}

The parts were divided by source sentence, after normalizing it, with seed 0: no source
stands in two parts. No sentence of the corpus is in this folder, but the vocabulary
and the weights were learned from them.

Made for learning and teaching. It knows sentences like those that it was trained on; on
other texts it is much worse than the scores say, and it repeats what habits its corpus
has. It never says that it does not know. Not for anything where a mistake would hurt
someone.
"""
_EXACT_HOW = """\
Greedy decoding; a translation counts when it equals the reference to the letter."""
_BEAM_HOW = """\
Each source is translated once, with {decoding}. It is compared with all right
translations that the corpus has for it, and, in the second row, with the first of them
alone; case and punctuation count."""
_WINNER = """

The best search on the validation part, a beam of {beam} and a length penalty of
{length_penalty}, gives {bleu:.1f} BLEU and {chrf:.1f} chrF on the test part."""
_FAR = """

Near-paraphrases of many test sentences stand in the training part, which flatters any
score on this corpus. `test-far` is the part of the test whose sentences have no near
neighbor: at least half of the words of each side must change to turn it into any
sentence that was trained on. Read it as the score on sentences that are really new."""


def write_card(folder: Path, report: dict[str, Any]) -> None:
    """Write ``README.md`` into the folder of a translator."""
    settings, scores = report["settings"], report["scores"]
    real = not report.get("generated", False)
    start = report.get("start")
    card = _CARD.format(
        name=report["name"],
        command=report["command"],
        settings=to_toml(settings),
        corpus=report["corpus"],
        pairs=report["train_pairs"],
        parts=_held_out(report.get("pairs", {})) if real else "",
        vocabulary=_vocabulary(report),
        words="names the vocabulary, `tokenizer.json`"
        if settings.get("vocab_size")
        else "both vocabularies",
        parameters=report["parameters"],
        layers=settings["n_layers"],
        d_model=settings["d_model"],
        n_heads=settings["n_heads"],
        d_ff=settings["d_ff"],
        epochs=_epochs(report),
        earlier=_earlier(report),
        averaged=_averaged(report),
        machine=f"; {report['machine']}" if "machine" in report else "",
        seconds=report["seconds"],
        seed=settings["seed"],
        start=f"\n| began with | `{start['model']}` |" if start else "",
        source=_origin(report) if real else "",
        how=_how(report) if real else _EXACT_HOW,
        rows=_score_table(scores) if real else _exact_table(scores),
        winner=_winner(report.get("winner")),
    )
    write_whole(folder / "README.md", card)


def read_report(folder: Path | str) -> dict[str, Any]:
    """Return the report of a translator, empty if its folder has none."""
    file = find_folder(folder) / REPORT_FILE
    report = read_json(file) if file.is_file() else None
    return report if isinstance(report, dict) else {}


def _epochs(report: Mapping[str, Any]) -> str:
    runs = [run["settings"] for run in (*report.get("earlier", ()), report)]
    return f"{' + '.join(str(settings['epochs']) for settings in runs)} epochs"


def _averaged(report: Mapping[str, Any]) -> str:
    average = report["settings"].get("average", 1)
    text = f", the mean of the last {average} epochs" if average > 1 else ""
    if report.get("averaged_runs", 1) == 2:
        text += ", the mean of the weights that the last run began and ended with"
    return text


def _earlier(report: Mapping[str, Any]) -> str:
    """Say in what earlier runs differed from the last; nothing where there were none.

    Each but the first began with the translator that the one before had given.
    """
    text, last = "", report["settings"]
    for number, run in zip(EARLIER, report.get("earlier", ()), strict=False):
        settings = run["settings"]
        changed = {
            name: settings[name] for name in last if settings[name] != last[name]
        }
        text += _EARLIER.format(number=number, values=to_toml(changed))
        if run["averaged_runs"] == 2:
            text += "\nIt gave the mean of the weights that it began and ended with.\n"
    return text


def _held_out(pairs: Mapping[str, int]) -> str:
    parts = [f"{count:,} {part}" for part, count in pairs.items() if part != "train"]
    return f"; held out: {', '.join(parts)} pairs"


def _vocabulary(report: Mapping[str, Any]) -> str:
    if report.get("start"):
        return f"that of `{report['start']['model']}`"
    size = report["settings"].get("vocab_size")
    if not size:
        return "the words of the training part, one list for each language"
    return (
        f"{size:,} sub-words, learned from the training part, shared by both languages"
    )


def _origin(report: Mapping[str, Any]) -> str:
    start = report.get("start") or {}
    learned = ""
    if start.get("attribution"):
        learned = (
            f"\n\n`{start['model']}`, which it began with, had learned from: "
            f"{start['attribution']}"
        )
    return _ORIGIN.format(attribution=report["attribution"], start=learned)


def _how(report: dict[str, Any]) -> str:
    first = next(iter(report["scores"].values()))
    beam = first["beam_size"]
    decoding = (
        f"a beam of {beam} and a length penalty of {first['length_penalty']}"
        if beam > 1
        else "greedy decoding"
    )
    far = _FAR if "test-far" in report["scores"] else ""
    return _BEAM_HOW.format(decoding=decoding) + far


def _winner(winner: Mapping[str, Any] | None) -> str:
    return _WINNER.format(**winner, **winner["test"]) if winner else ""


def _exact_table(scores: dict[str, Any]) -> str:
    rows = ["| part | sentences | exact match |", "| --- | --- | --- |"]
    rows += [
        f"| {part} | {result['sentences']:,} | {result['exact_match']:.2%} |"
        for part, result in scores.items()
    ]
    return "\n".join(rows)


def _score_table(scores: dict[str, Any]) -> str:
    rows = [
        "| part | sources | references | BLEU | chrF | exact match |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    signatures: list[str] = []
    for part, result in scores.items():
        sources = f"{result['sentences']:,}"
        exact = f"{result['exact_match']:.2%}"
        for suffix, which in (
            ("", f"all {result['pairs']:,}"),
            ("_single", "one each"),
        ):
            values = [f"{result[name + suffix]:.1f}" for name in ("bleu", "chrf")]
            shown = exact if not suffix else ""
            rows.append(
                f"| {part} | {sources} | {which} | {' | '.join(values)} | {shown} |"
            )
        signatures += [
            f"- {title}: `{result[f'{name}_signature']}`, with one reference each "
            f"`{result[f'{name}_single_signature']}`"
            for name, title in (("bleu", "BLEU"), ("chrf", "chrF"))
        ]
    lines = [*rows, "", "Signatures of sacreBLEU:", "", *dict.fromkeys(signatures)]
    return "\n".join(lines)


def machine() -> str:
    """Say what this runs on, without the name of the machine."""
    import torch

    if torch.cuda.is_available():
        return f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}"
    threads = torch.get_num_threads()
    cores = "1 core" if threads == 1 else f"{threads} cores"
    return f"{cores} of a {platform.machine()} processor, PyTorch {torch.__version__}"
