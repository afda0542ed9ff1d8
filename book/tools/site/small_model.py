"""Train the small Transformer that chapters 7 to 9 open in the page, and write it down.

    -m book.tools.site.small_model

It learns the six sentences of chapter 9 by heart. Every number is then rounded to a
multiple of 1/32, so that it fits into one byte: `book/interactive/small_model.js` holds
them all, and lib and the page compute with the very same numbers.
"""

import base64
from typing import Any

import torch
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence

from book.tools.site.page_numbers import FOLDER, module_of
from lib.config import TransformerConfig
from lib.model import Transformer
from lib.text import Vocabulary
from lib.text.files import write_whole

FILE = FOLDER / "small_model.js"
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
NOTE = """\
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
    src = [english.encode(source) for source, _ in PAIRS]
    tgt = [[spanish.sos_id, *spanish.encode(t), spanish.eos_id] for _, t in PAIRS]
    return padded(src), padded(tgt)


def padded(rows: list[list[int]]) -> torch.Tensor:
    """Rows of token ids, made equally long."""
    return pad_sequence(list(map(torch.tensor, rows)), batch_first=True)


def sizes() -> TransformerConfig:
    """The smallest sizes that learn the six sentences well."""
    english, spanish = vocabularies()
    how: dict[str, Any] = {
        "d_model": 6,
        "n_heads": 2,
        "n_layers": 2,
        "d_ff": 12,
        "max_len": 16,
    }
    return TransformerConfig(len(english), len(spanish), dropout=0.0, **how)


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
    weights = [weight.flatten() for _, weight in sorted(model.state_dict().items())]
    numbers = torch.cat(weights)
    packed = base64.b64encode((SCALE * numbers).to(torch.int8).numpy().tobytes())
    english, spanish = vocabularies()
    parts = {
        "config": {k: v for k, v in model.config.to_dict().items() if k != "dropout"},
        "srcWords": english.tokens,
        "tgtWords": spanish.tokens,
        "sentences": [source for source, _ in PAIRS],
        "bytes": packed.decode(),
    }
    return module_of(NOTE, "SMALL", parts)


if __name__ == "__main__":
    write_whole(FILE, text_of(trained()))
