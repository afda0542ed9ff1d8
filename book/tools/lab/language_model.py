"""Train a language model on one side of a corpus, and score it on what is held out.

    language_model.py OUT                            the English side of tatoeba-en-es
    language_model.py OUT --set epochs=20 --resume   goes on with the run in OUT

OUT gets the settings, the log, the checkpoint, the language model (16 bits a weight),
its sub-words, `scores.json`, and a card, README.md, that tells all of this. No sentence
of a part that is held out is learned, however it stands in the corpus. Settings are
those of `python -m lib train`.
"""

import argparse
import dataclasses
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lib import corpora
from lib.commands.options import watched, whole_number
from lib.commands.settings import read_settings
from lib.corpora import Corpus, normalize
from lib.evaluation import score_texts, unseen_parts
from lib.model import count_parameters
from lib.text import SubwordVocabulary, TextDataset
from lib.text.files import read_json, to_toml, write_json, write_whole
from lib.training import read_log, train_language_model
from lib.translator import read_language_model, write_language_model
from lib.translator.card import machine

SIDES = ("source", "target")
USUAL: Mapping[str, Any] = {  # 1.17 million parameters, 258,000 of them for sub-words
    "vocab_size": 2000,
    "n_layers": 5,
    "d_ff": 448,
    "tie_embeddings": True,
    "dropout": 0.1,
    "epochs": 30,
    "max_tokens": 4096,
    "max_len": 64,
    "learning_rate": 2e-3,
    "warmup_steps": 400,
    "label_smoothing": 0.0,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--corpus", default="tatoeba-en-es", choices=corpora.names())
    parser.add_argument("--side", default=SIDES[0], choices=SIDES)
    parser.add_argument("--settings", type=Path, metavar="FILE")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--limit", type=whole_number, help="most texts to train on")
    parser.add_argument("--resume", action="store_true")
    options = parser.parse_args(arguments)
    settings = read_settings(options.set, options.settings, usual=USUAL)
    corpus = corpora.load(options.corpus)
    texts = texts_of(corpus, options.side)
    texts["train"] = texts["train"][: options.limit]
    vocabulary = SubwordVocabulary.build(texts["train"], settings.vocab_size)
    splits = {
        name: TextDataset.of_texts(texts[name], vocabulary).fitting(settings.max_len)
        for name in ("train", "validation")
    }
    left_out = len(texts["train"]) - len(splits["train"])
    print(f"{len(splits['train']):,} texts, {left_out:,} too long", file=sys.stderr)
    how = {"folder": options.out, "resume": options.resume, "progress": watched()}
    task = train_language_model(splits, vocabulary, settings, **how)
    write_language_model(options.out, task.model.cpu(), vocabulary, half=True)
    model, _ = read_language_model(options.out)  # as everybody will have it
    parts = ("validation", *unseen_parts(texts))
    scores = {part: score_texts(model, vocabulary, texts[part]) for part in parts}
    report = {
        "corpus": corpus.name,
        "side": options.side,
        "attribution": corpus.attribution,
        "parameters": count_parameters(model),
        "texts": {name: len(part) for name, part in texts.items()},
        "machine": machine(),
        "scores": {part: score._asdict() for part, score in scores.items()},
    }
    write_whole(options.out / "settings.toml", to_toml(dataclasses.asdict(settings)))
    write_json(options.out / "scores.json", report)
    write_whole(options.out / "README.md", card(options.out))
    print(card(options.out))


def card(folder: Path) -> str:
    """Tell of a language model what its folder records.

    Args:
        folder: what a run has left: its scores, settings, log and weights.
    """
    report = read_json(folder / "scores.json")
    settings = (folder / "settings.toml").read_text(encoding="utf-8")
    epochs = read_log(folder / "log.csv")
    seconds = sum(float(epoch["seconds"]) for epoch in epochs)
    size = (folder / "model.safetensors").stat().st_size
    rows = "\n".join(
        f"| {part} | {score['texts']:,} | {score['perplexity']:.2f} of "
        f"{score['tokens']:,} | {score['bits_per_character']:.3f} of "
        f"{score['characters']:,} |"
        for part, score in report["scores"].items()
    )
    return f"""# {folder.name}

A language model, trained with the code of *The Transformer, Piece by Piece*: the book's
encoder under its causal mask. It writes single sentences, and begins anew after each.

```
python -m book.tools.lab.language_model {folder.name} --corpus {report["corpus"]} \\
    --side {report["side"]} --settings settings.toml
```

Its settings, which `settings.toml` in this folder holds too:

```toml
{settings.strip()}
```

| | |
| --- | --- |
| size | {report["parameters"]:,} parameters, {size:,} bytes in 16 bits |
| texts | {report["texts"]["train"]:,} sentences, none of them in a part below |
| training | {len(epochs)} epochs in {seconds:,.0f} s; {report["machine"]} |

| part | sentences | perplexity, of so many sub-words | bits, of so many characters |
| --- | --- | --- | --- |
{rows}

The end of a sentence counts as one sub-word and as one character.

{report["attribution"]}
"""


def texts_of(corpus: Corpus, side: str) -> dict[str, list[str]]:
    """Return the sentences of one side, each once, and none in two parts.

    Args:
        corpus: the corpus, with its parts.
        side: "source" or "target".
    """
    number = SIDES.index(side)
    texts: dict[str, list[str]] = {}
    taken: set[str] = set()
    for name in [*(n for n in corpus.splits if n != "train"), "train"]:
        each = dict.fromkeys(pair[number] for pair in corpus.splits[name])
        texts[name] = [text for text in each if normalize(text) not in taken]
        taken |= set(map(normalize, texts[name]))
    return texts


if __name__ == "__main__":
    main()
