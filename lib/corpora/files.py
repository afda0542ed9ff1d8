"""Files of sentences as people bring them: from bytes to text."""

from __future__ import annotations

import codecs
import gzip
import io
import re
import zipfile
from pathlib import Path, PurePath

_SHEET = "is a workbook; save its sheet as Unicode Text or as CSV in UTF-8"
_REFUSED = {
    ".xlsx": _SHEET,
    ".xls": _SHEET,
    ".ods": _SHEET,
    ".parquet": "is Parquet; write it as lines of JSON, in pandas with "
    "read_parquet(FILE).to_json('pairs.jsonl', orient='records', lines=True)",
    ".apkg": "is a package of Anki; export its notes as plain text",
}


def read_sentences(source: Path | bytes) -> list[str]:
    r"""Read sentences, one a line, as they were typed.

    Args:
        source: a file, or what was read from standard input.

    Returns:
        The sentences; a line that is empty is an empty one.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if it is not text.

    Example:
        >>> read_sentences("One.\r\nTwo &amp; three.\n".encode("utf-16"))
        ['One.', 'Two &amp; three.']
    """
    try:
        text = decoded(source if isinstance(source, bytes) else unpacked(source)[1])
        if "\0" in text:
            raise ValueError("it holds a NUL, which is no character of a text.")
    except ValueError as error:
        what = "Standard input" if isinstance(source, bytes) else source
        raise ValueError(f"{what}: {error}") from error
    return text.removesuffix("\n").split("\n")


def unpacked(file: Path) -> tuple[str, bytes]:
    """Return what lies in a file, or in the one file that it packs, and its name."""
    name, data = file.name, file.read_bytes()
    try:
        if data.startswith(b"\x1f\x8b") or name.endswith(".gz"):
            name, data = name.removesuffix(".gz"), gzip.decompress(data)
        elif data.startswith(b"PK\3\4") or name.endswith(".zip"):
            name, data = _only_member(name, data)
    except Exception as error:  # a damaged archive can raise nearly anything
        raise ValueError(f"it cannot be unpacked: {error}.") from error
    form = ".parquet" if data.startswith(b"PAR1") else PurePath(name).suffix.lower()
    if form in _REFUSED:
        raise ValueError(f"it {_REFUSED[form]}.")
    return name, data


def _only_member(name: str, data: bytes) -> tuple[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [
            each for each in archive.namelist() if not re.search(r"/$|^__MACOSX", each)
        ]
        if "xl/workbook.xml" in members:
            return "workbook.xlsx", b""
        if PurePath(name).suffix.lower() in _REFUSED:
            return name, b""
        if len(members) != 1:
            raise ValueError(f"it holds {len(members):,} files, and one is read")
        return members[0], archive.read(members[0])


def decoded(data: bytes, errors: str = "strict") -> str:
    r"""Return a text in UTF-8, or in UTF-16 also without its mark, with \n as line end.

    Only line ends part lines: U+2028, U+000B or U+0085 may stand inside a sentence.
    """
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    encoding = "utf-16" if marked else _encoding(data) if b"\0" in data else "utf-8"
    try:
        text = data.decode(encoding, errors if encoding == "utf-8" else "strict")
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise ValueError(
            f"it is not {encoding.upper()} text: byte {error.start} is 0x{byte:02x}."
        ) from error
    # Some editors begin a file with a mark of its encoding; that is no text.
    text = text.removeprefix("\ufeff")
    if "\n" not in text:  # some programs end their lines with this alone
        text = text.replace("\r", "\n")
    return text.replace("\r\n", "\n").removesuffix("\r")


def _encoding(data: bytes) -> str:
    """Tell UTF-16 without a mark from UTF-8 with a NUL: by what separates words."""
    seen = sum(map(data.count, (b" ", b"\t", b"\n")))
    for encoding in ("utf-16-le", "utf-16-be"):
        text = data.decode(encoding, "replace")
        blanks = sum(map(text.count, " \t\n"))
        if "\0" not in text and 2 * blanks >= max(seen, 1):
            return encoding
    return "utf-8"
