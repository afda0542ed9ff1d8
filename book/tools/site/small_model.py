"""Train the small Transformer that chapters 7 to 9 open in the page, and write it down.

    -m book.tools.site.small_model

It learns the six sentences of chapter 9 by heart. Every number is then rounded to a
multiple of 1/32, so that it fits into one byte: `book/interactive/small_model.js` holds
them all, and lib and the page compute with the very same numbers.
"""

import base64
import json
import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence

from book.tools.project.address import ROOT
from lib.config import TransformerConfig
from lib.model import Transformer
from lib.text import Vocabulary

FILE = ROOT / "book" / "interactive" / "small_model.js"
SCALE = 32
STEPS = 1500
PAIRS = [
    ("lets go", "vamos"),
    ("the dog bites the man", "el perro muerde al hombre"),
    ("the man bites the dog", "el hombre muerde al perro"),
    ("I like the red car", "Me gusta el coche rojo"),
    ("I like the red cars", "Me gustan los coches rojos"),
    ("the red car is mine", "el coche rojo es mío"),
]
HEAD = """\
// A trained Transformer that is small enough to be looked at; it knows six sentences.
//
// Written by book/tools/site/small_model.py. The numbers stand in the order of their
// names in the state dict, from A to Z. Each is a byte: a whole number, to be divided
// by 32.

"""


def vocabularies() -> tuple[Vocabulary, Vocabulary]:
    """The English and the Spanish vocabulary of the six pairs."""
    source, target = zip(*PAIRS, strict=True)
    return Vocabulary.build(source), Vocabulary.build(target)


def batch() -> tuple[torch.Tensor, torch.Tensor]:
    """The six pairs as token ids: sources (6, S), targets with both ends (6, T + 1)."""
    english, spanish = vocabularies()
    src, tgt = [], []
    for source, target in PAIRS:
        ids = [spanish.sos_id, *spanish.encode(target), spanish.eos_id]
        src.append(torch.tensor(english.encode(source)))
        tgt.append(torch.tensor(ids))
    return pad_sequence(src, batch_first=True), pad_sequence(tgt, batch_first=True)


def sizes() -> TransformerConfig:
    """The smallest sizes that learn the six sentences well."""
    english, spanish = vocabularies()
    return TransformerConfig(
        len(english),
        len(spanish),
        d_model=6,
        n_heads=2,
        n_layers=2,
        d_ff=12,
        dropout=0.0,
        max_len=16,
    )


def trained() -> Transformer:
    """Learn the six pairs by heart, and round every number to a multiple of 1/32."""
    torch.set_num_threads(1)
    torch.manual_seed(2)
    model = Transformer(sizes())
    src, tgt = batch()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    decay = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.01, STEPS)
    for _ in range(STEPS):
        logits = model(src, tgt[:, :-1])
        labels = tgt[:, 1:].flatten()
        loss = F.cross_entropy(logits.flatten(0, 1), labels, ignore_index=0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        decay.step()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_((SCALE * parameter).round().clamp(-127, 127) / SCALE)
    return model


def text_of(model: Transformer) -> str:
    """The module that holds the model: sizes, words, sentences, and a byte a number."""
    state = model.state_dict()
    numbers = torch.cat([state[name].flatten() for name in sorted(state)])
    packed = base64.b64encode((SCALE * numbers).to(torch.int8).numpy().tobytes())
    english, spanish = vocabularies()
    parts = {
        "config": {k: v for k, v in model.config.to_dict().items() if k != "dropout"},
        "srcWords": english.tokens,
        "tgtWords": spanish.tokens,
        "sentences": [source for source, _ in PAIRS],
        "bytes": packed.decode(),
    }
    text = json.dumps(parts, indent=2, ensure_ascii=False)
    return f"{HEAD}export const SMALL = {text};\n"


def main(path: Path = FILE) -> int:
    """Train, write the file, and say how sure the rounded model is."""
    model = trained()
    src, tgt = batch()
    chances = model(src, tgt[:, :-1]).softmax(dim=-1)
    right = chances.gather(-1, tgt[:, 1:, None])[..., 0][tgt[:, 1:] != 0]
    path.write_text(text_of(model), encoding="utf-8", newline="\n")
    print(f"{path.name}: the least probability of a right word is {right.min():.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
