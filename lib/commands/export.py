"""``python -m lib export``: a translator for an engine that runs it faster."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

from lib.commands.options import loading


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(
        "export",
        help="write a translator for CTranslate2",
        description="Write a translator for CTranslate2, which runs it faster and "
        "without PyTorch; python -m lib translate --engine uses it.",
    )
    parser.add_argument(
        "model",
        metavar="MODEL",
        help="folder of a translator, or the name of a shipped one",
    )
    parser.add_argument(
        "--to", required=True, choices=("ctranslate2",), help="the engine"
    )
    parser.add_argument(
        "folder", type=Path, metavar="FOLDER", help="a new folder for the export"
    )
    parser.add_argument(
        "--weights",
        default="float32",
        choices=("float32", "int8"),
        help="int8 for weights of 8 bits (%(default)s)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Write the export, and say how to use it."""
    loading("export", piped=False)
    from lib.translator import Translator
    from lib.translator.export import export_translator

    translator = Translator.load(options.model)
    folder = export_translator(translator, options.folder, options.weights)
    size = sum(file.stat().st_size for file in folder.iterdir()) / 1e6
    print(
        f"{folder} holds the export for CTranslate2 ({size:.1f} MB); use it "
        "with: python -m lib translate --engine ctranslate2 --model "
        + shlex.quote(str(folder))
    )
