"""Write down what three heads of the grammar's translator compute for some sentences.

    -m book.tools.site.head_numbers

Chapters 3 and 4 move through them step by step. Queries, keys and values are rounded to
multiples of 1/16, a byte each, in `book/interactive/head_numbers.js`; scores, weights
and outputs are computed from them, in the page as in lib.
"""

import base64

import torch
from torch import Tensor

from book.tools.site.page_numbers import FOLDER, module_of
from lib.figures.views import Lookup, record_lookups
from lib.text.files import write_whole
from lib.translator import Translator

FILE = FOLDER / "head_numbers.js"
MODEL = "grammar-en-es"
SCALE = 16
PADDING = 2  # tokens of padding behind each sentence
SENTENCES = [
    "The white horse is tired.",
    "They bought the red apples.",
    "Who gave her the letter?",
    "She gave him the white cats.",
    "Ana likes the white horse.",
]
HEADS = {
    "encoder": ("encoder.layers.1.self_attention", 0),
    "decoder": ("decoder.layers.1.self_attention", 3),
    "cross": ("decoder.layers.1.cross_attention", 0),
}
NOTE = """\
// Queries, keys and values of three heads of a trained translator, for five sentences.
//
// Written by book/tools/site/head_numbers.py. For each sentence and head stand the rows
// of the queries, of the keys, then of the values, those of padding last in each. Each
// number is a byte: a whole number, to be divided by 16.
"""


@torch.no_grad()
def looked(
    translator: Translator, sentence: str
) -> tuple[list[str], list[str], dict[str, Lookup]]:
    """The tokens that are read and written, and what every attention compares."""
    english, spanish = translator.src_vocab, translator.tgt_vocab
    src = translator.read(sentence).ids
    written = spanish.encode(translator.translate([sentence])[0])
    tgt = [spanish.sos_id, *written]
    with record_lookups(translator.model) as found:
        translator.model.eval()(
            *(torch.tensor([ids + PADDING * [english.pad_id]]) for ids in (src, tgt))
        )
    names = [english.tokens[i] for i in src], [spanish.tokens[i] for i in tgt]
    return *names, found


def rounded(numbers: Tensor) -> Tensor:
    """The bytes of some numbers."""
    return (SCALE * numbers).round().clamp(-127, 127).to(torch.int8)


def text() -> str:
    """The module that holds the sentences and the numbers."""
    translator = Translator.load(MODEL)
    sentences, numbers = [], bytearray()
    for sentence in SENTENCES:
        src, tgt, found = looked(translator, sentence)
        sentences.append({"src": src, "tgt": tgt})
        for name, head in HEADS.values():
            for rows in found[name][:3]:
                numbers += rounded(rows[0, head]).numpy().tobytes()
    parts = {
        "width": translator.model.config.d_model // translator.model.config.n_heads,
        "scale": SCALE,
        "padding": PADDING,
        "heads": HEADS,
        "sentences": sentences,
        "bytes": base64.b64encode(numbers).decode(),
    }
    return module_of(NOTE, "HEADS", parts)


if __name__ == "__main__":
    write_whole(FILE, text())
