"""Write down the sentences of chapter 10, for the page to train on them too.

    -m book.tools.site.small_pairs

The cell of the chapter that chooses them is run; `book/interactive/small_pairs.js`
holds both vocabularies, and the ids of all pairs.
"""

import base64
import itertools
from typing import Any

from book.tools.notebooks.files import read
from book.tools.project.address import ROOT
from book.tools.site.page_numbers import FOLDER, module_of
from lib import corpora
from lib.text import EOS, Pair, Vocabulary
from lib.text.files import write_whole

CHAPTER = ROOT / "book" / "10_first_translator.ipynb"
FILE = FOLDER / "small_pairs.js"
NOTE = """\
// Sentences of the grammar of few words, chosen in chapter 10.
//
// Written by book/tools/site/small_pairs.py: the tokens of both languages, and a byte
// for each token of each pair, the English sentence and then the Spanish, each with its
// end.
"""


def chosen() -> list[Pair]:
    """The pairs that the chapter's cell chooses."""
    (cell,) = (c.source for c in read(CHAPTER).cells if "\nFEW_WORDS = " in c.source)
    known: dict[str, Any] = {"corpora": corpora, "itertools": itertools}
    exec(cell.partition("print(")[0], known)
    return list(known["chosen"])


def text_of(pairs: list[Pair]) -> str:
    """The module that holds the pairs."""
    sides = [Vocabulary.build(side) for side in zip(*pairs, strict=True)]
    ids = (
        [*vocabulary.encode(sentence), vocabulary.ids[EOS]]
        for pair in pairs
        for vocabulary, sentence in zip(sides, pair, strict=True)
    )
    parts = {
        "english": " ".join(sides[0].tokens),
        "spanish": " ".join(sides[1].tokens),
        "bytes": base64.b64encode(bytes(itertools.chain(*ids))).decode(),
    }
    return module_of(NOTE, "FEW", parts)


if __name__ == "__main__":
    write_whole(FILE, text_of(chosen()))
