"""The card of a trained translator: what it is, what made it, how good it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lib.files import write_whole

__all__ = ["write_card"]

_CARD = """\
# {name}

A translator, trained by the command below with the code of *The Transformer, Piece by
Piece*.

```
{command}
```

| | |
| --- | --- |
| corpus | `{corpus}`, {pairs:,} sentence pairs to train on |
| size | {parameters:,} parameters, {layers} + {layers} layers, d_model {d_model}, \
{n_heads} heads, d_ff {d_ff} |
| training | {epochs} epochs in {seconds} s, seed {seed} |

## Scores

Greedy decoding; a translation counts when it equals the reference to the letter.

| part | sentences | exact match |
| --- | --- | --- |
{rows}

`config.json` holds the sizes and both vocabularies, `model.safetensors` the weights in
16 bits, `log.csv` one line for each epoch, `scores.json` all of the above as data.
"""


def write_card(folder: Path, report: dict[str, Any]) -> None:
    """Write ``README.md`` into the folder of a translator.

    Args:
        folder: the folder of the translator.
        report: the contents of its ``scores.json``.

    Example:
        >>> import tempfile
        >>> settings = dict(n_layers=1, d_model=8, n_heads=1, d_ff=8, epochs=1, seed=0)
        >>> report = dict(command="train", corpus="phrases", train_pairs=8, seconds=1,
        ...     parameters=9, name="phrases-en-es", settings=settings,
        ...     scores={"unseen": {"sentences": 4, "exact_match": 0.5}})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_card(Path(folder), report)
        ...     print((Path(folder) / "README.md").read_text("utf-8").splitlines()[-4])
        | unseen | 4 | 50.00% |

    Built in chapter 9.
    """
    rows = "\n".join(
        f"| {part} | {result['sentences']:,} | {result['exact_match']:.2%} |"
        for part, result in report["scores"].items()
    )
    settings = report["settings"]
    card = _CARD.format(
        name=report["name"],
        command=report["command"],
        corpus=report["corpus"],
        pairs=report["train_pairs"],
        parameters=report["parameters"],
        layers=settings["n_layers"],
        d_model=settings["d_model"],
        n_heads=settings["n_heads"],
        d_ff=settings["d_ff"],
        epochs=settings["epochs"],
        seconds=report["seconds"],
        seed=settings["seed"],
        rows=rows,
    )
    write_whole(folder / "README.md", card)
