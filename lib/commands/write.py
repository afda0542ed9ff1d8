"""``python -m lib write``: the beginning of a text in, the whole text out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lib.commands.options import loading, positive_number, whole_number
from lib.text.files import read_json
from lib.text.reading import printable

if TYPE_CHECKING:
    from lib.today import LanguageModel

DEFAULT_MODEL = "tatoeba-en"


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(
        "write",
        help="write on behind the beginning of a text",
        description="Write on behind the beginning of a text, with a language model.",
    )
    parser.add_argument("beginning", metavar="TEXT")
    parser.add_argument(
        "--model",
        default=DEFAULT_MODEL,
        metavar="PATH",
        help="folder of a language model, or the name of a shipped one (%(default)s); "
        "a folder that transformers wrote for a llama or a gpt2; a file of llama2.c",
    )
    parser.add_argument(
        "--tokens", type=whole_number, default=100, help="most to write (%(default)s)"
    )
    parser.add_argument(
        "--temperature",
        type=positive_number,
        default=1.0,
        help="below 1 the likely is likelier still, and 0 draws nothing (%(default)s)",
    )
    parser.add_argument(
        "--top-k", type=whole_number, help="draw among so many tokens, the likeliest"
    )
    parser.add_argument(
        "--top-p",
        type=positive_number,
        default=1.0,
        help="draw among the likeliest that have this share together (%(default)s)",
    )
    parser.add_argument(
        "--seed",
        type=lambda text: whole_number(text, least=0),
        help="with the same number, the same text is written again",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Write on; only the text goes to standard output."""
    loading("write", piped=False)
    import torch

    from lib.decoding import generate

    numbers = torch.Generator()
    if options.seed is None:
        numbers.seed()
    else:
        numbers.manual_seed(options.seed)
    model, begun, end, never, decode = _open(options.model, options.beginning)
    (written,) = generate(
        model,
        [begun],
        end,
        options.tokens,
        options.temperature,
        options.top_k,
        options.top_p,
        numbers,
        never,
    )
    if written and written[-1] in (end if isinstance(end, list) else [end]):
        written.pop()
    print("\n".join(map(printable, decode(begun + written).split("\n"))))


_Opened = tuple["LanguageModel", list[int], Any, list[int], Callable[..., str]]


def _open(name: str, beginning: str) -> _Opened:
    """Return a model, the ids of the beginning, and how ids become a text again."""
    config = Path(name, "config.json")
    if Path(name).is_file() or (config.is_file() and "model_type" in read_json(config)):
        return _open_foreign(name, beginning)
    from lib.translator import read_language_model

    model, vocabulary = read_language_model(name)
    if unknown := ", ".join(map(printable, vocabulary.unknown(beginning))):
        print(f"This model has never seen: {unknown}.", file=sys.stderr)
    begun = [vocabulary.sos_id, *vocabulary.encode(beginning)]
    never = [vocabulary.pad_id, vocabulary.sos_id, vocabulary.unk_id]
    return model, begun, vocabulary.eos_id, never, vocabulary.decode


def _open_foreign(name: str, beginning: str) -> _Opened:
    from lib.today import LanguageModel, read_pretrained, read_tokenizer

    model = read_pretrained(name)
    if not isinstance(model, LanguageModel):
        raise ValueError(
            f"'{name}' is a {model.family}, which translates and does not write on."
        )
    tokenizer = read_tokenizer(name)
    begun = tokenizer.encode(beginning).ids
    end: Any = model.end_id  # a plain number, several, or None
    return model, begun, end, [], tokenizer.decode
