"""A translator: model, vocabularies and decoding, kept together in one folder."""

import importlib
from typing import TYPE_CHECKING, Any

from lib.translator.base import ExportedTranslator

if TYPE_CHECKING:
    from lib.translator.folder import (
        SHIPPED,
        read_language_model,
        write_language_model,
    )
    from lib.translator.translator import Translator

__all__ = [
    "SHIPPED",
    "ExportedTranslator",
    "Translator",
    "read_language_model",
    "write_language_model",
]


def __getattr__(name: str) -> Any:
    # What needs PyTorch is imported when it is asked for: an export does without.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    file = "translator" if name == "Translator" else "folder"
    return getattr(importlib.import_module(f"{__name__}.{file}"), name)


def __dir__() -> list[str]:
    return __all__
