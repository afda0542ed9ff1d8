"""``python -m lib translate``: sentences in, one translation a line out."""

from __future__ import annotations

import argparse
import codecs
import io
import sys
from typing import TYPE_CHECKING, Any

from lib.commands.options import add_beam_options, add_model_option, loading
from lib.corpora.own import read_sentences
from lib.text.reading import printable
from lib.translator import ExportedTranslator
from lib.translator.base import is_export

if TYPE_CHECKING:
    from lib.text.reading import Source
    from lib.translator.base import BaseTranslator

_UNSURE_NOTE = "Sentence {}: the translator is unsure here."


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(
        "translate",
        help="translate sentences",
        description="Translate sentences, one translation a line. Without sentences, "
        "read them from standard input, one a line.",
    )
    parser.add_argument("sentences", nargs="*", metavar="SENTENCE")
    add_model_option(parser)
    add_beam_options(parser)
    parser.add_argument(
        "--engine",
        default="pytorch",
        choices=("pytorch", "ctranslate2"),
        help="what runs the model; another than %(default)s takes the folder of an "
        "export as its model",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Translate; only translations go to standard output."""
    sentences = options.sentences or _read_lines()
    for number, sentence in enumerate(sentences, start=1):
        if not sentence.strip():
            raise ValueError(
                f"Sentence {number} is empty; write something to translate."
            )
    translator = _open(options.model, options.engine)
    texts = _read(translator, sentences)
    search = {"beam_size": options.beam, "length_penalty": options.length_penalty}
    found = translator.translate_with_doubt(texts, **search)
    for number, doubted in enumerate(found, start=1):
        if doubted.unsure:
            print(_UNSURE_NOTE.format(number), file=sys.stderr)
    for doubted in found:
        print(printable(doubted.text))


def _read(translator: BaseTranslator, sentences: list[str]) -> list[list[Source]]:
    """Read all, or refuse what cannot be read; name the words that are guessed."""
    texts = []
    for number, sentence in enumerate(sentences, start=1):
        try:
            sources = translator.read_text(sentence)
        except ValueError as error:
            raise ValueError(f"Sentence {number}: {error}") from error
        texts.append(sources)
        unknown = [word for s in sources for word in translator.unknown_words(s)]
        if unknown:
            words = ", ".join(map(_quoted, unknown))
            print(
                f"Sentence {number}: this translator has never seen {words}; "
                "it guesses.",
                file=sys.stderr,
            )
    return texts


def _open(model: str, engine: str) -> BaseTranslator:
    """Load a translator, or open an export with the engine that it was made for."""
    if engine == "ctranslate2":
        if is_export(model):
            return ExportedTranslator(model)
        raise ValueError(
            f"'{model}' is no export for CTranslate2; write one with: python -m lib "
            f"export {model} --to ctranslate2 FOLDER, and name it with --model."
        )
    if is_export(model):
        raise ValueError(
            f"'{model}' is an export for CTranslate2; use it with --engine ctranslate2."
        )
    loading("translate", piped=False)
    from lib.translator import Translator  # PyTorch, which an export does without

    return Translator.load(model)


def _quoted(word: str) -> str:
    if not word.isprintable():  # it could do things to the terminal
        word = ascii(word)[1:-1]
    return f"“{word}”" if len(word) <= 40 else f"“{word[:39]}…”"


def _read_lines() -> list[str]:
    if sys.stdin is None:
        raise ValueError("There is nothing to translate: standard input is closed.")
    if isinstance(sys.stdin, io.TextIOWrapper):
        if sys.stdin.isatty():
            print("Write one sentence a line, then Ctrl-D.", file=sys.stderr)
        data = sys.stdin.buffer.read()
    else:
        data = sys.stdin.read().encode("utf-8", "surrogatepass")
    if not data.removeprefix(codecs.BOM_UTF8):
        raise ValueError("There is nothing to translate: standard input is empty.")
    return read_sentences(data)
