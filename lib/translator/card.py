"""The card of a trained translator: what it is, what made it, how good it is."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

from lib.files import write_whole

__all__ = ["machine", "write_card"]

_CARD = """\
# {name}

A translator, trained by the command below with the code of *The Transformer, Piece by
Piece*.

```
{command}
```

| | |
| --- | --- |
| corpus | `{corpus}`, {pairs:,} sentence pairs to train on{parts} |
| vocabulary | {vocabulary} |
| size | {parameters:,} parameters, {layers} + {layers} layers, d_model {d_model}, \
{n_heads} heads, d_ff {d_ff} |
| training | {epochs} epochs in {seconds:,} s, seed {seed}{averaged}{machine} |
{source}
## Scores

{how}

{rows}

`config.json` holds the sizes and {words}, `model.safetensors` the weights in
16 bits, `log.csv` one line for each epoch, `scores.json` all of the above as data.
"""
_EXACT_HOW = """\
Greedy decoding; a translation counts when it equals the reference to the letter."""
_BEAM_HOW = """\
Each source is translated once, with {decoding}. It is compared with all right
translations that the corpus has for it, and, in the second row, with the first of them
alone; case and punctuation count."""
_FAR = """

Near-paraphrases of many test sentences stand in the training part, which flatters any
score on this corpus. `test-far` is the part of the test whose sentences have no near
neighbor: at least half of the words of each side must change to turn it into any
sentence that was trained on. Read it as the score on sentences that are really new."""


def write_card(folder: Path, report: dict[str, Any]) -> None:
    """Write ``README.md`` into the folder of a translator.

    Args:
        folder: the folder of the translator.
        report: the contents of its ``scores.json``.
    """
    settings = report["settings"]
    real = bool(report.get("attribution"))
    subwords = settings.get("vocab_size")
    average = settings.get("average", 1)
    splits = report.get("pairs", {})
    held_out = [f"{n:,} {part}" for part, n in splits.items() if part != "train"]
    card = _CARD.format(
        name=report["name"],
        command=report["command"],
        corpus=report["corpus"],
        pairs=report["train_pairs"],
        parts=f"; held out: {', '.join(held_out)} pairs" if real else "",
        vocabulary=f"{subwords:,} sub-words, learned from the training part, shared by "
        "both languages"
        if subwords
        else "the words of the training part, one list for each language",
        words="names the vocabulary, `tokenizer.json`"
        if subwords
        else "both vocabularies",
        parameters=report["parameters"],
        layers=settings["n_layers"],
        d_model=settings["d_model"],
        n_heads=settings["n_heads"],
        d_ff=settings["d_ff"],
        epochs=settings["epochs"],
        averaged=f", the mean of the last {average} epochs" if average > 1 else "",
        machine=f"; {report['machine']}" if "machine" in report else "",
        seconds=report["seconds"],
        seed=settings["seed"],
        source=_ORIGIN.format(**report) if real else "",
        how=_how(report) if real else _EXACT_HOW,
        rows=_score_table(report["scores"]) if real else _exact_table(report["scores"]),
    )
    write_whole(folder / "README.md", card)


_ORIGIN = """
## Data and its license

{attribution}

The parts were divided by source sentence, after normalizing it, with seed 0: no source
stands in two parts. No sentence of the corpus is in this folder, but the tokenizer's
pieces and the weights were learned from them.

Made for learning and teaching. It knows short everyday sentences; on other texts it is
much worse than the scores say, and it repeats what habits its corpus has. It never says
that it does not know. Not for anything where a mistake would hurt someone.
"""


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
