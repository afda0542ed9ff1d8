"""A translator: model, vocabularies and decoding, kept together in one folder."""

from lib.translator.folder import SHIPPED, find_folder, read_folder, write_folder
from lib.translator.translator import Translator

__all__ = [
    "SHIPPED",
    "Translator",
    "find_folder",
    "read_folder",
    "write_folder",
]
