"""Write a shipped model for a page: scripts of small numbers.

A page that was opened as a file may not read other files, but it may run scripts. So
the model comes as scripts, each of them one call with a piece of its bytes in base64
and their checksum. `book/interactive/weights.js` puts them together again.

The bytes are compressed by zlib. In them: the length of a head (four bytes); the head
in JSON; then the arrays in the order in which the head lists them. A matrix is one
32-bit scale for each row, then whole numbers of a byte each, which the scales turn back
into weights; a list is 16-bit floats. The language model is small, and all of it is
16-bit floats, as in its file.
"""

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file

from lib.text.files import read_json, write_whole
from lib.translator import SHIPPED

MODEL = "tatoeba-en-es"
LANGUAGE_MODEL = "tatoeba-en"
PARTS = 16
LARGEST = 127  # the largest whole number of a byte whose negative is one too
# From one number to the next, in standard deviations of a row. A coarser step makes
# small numbers more frequent, and so the compressed bytes fewer: six bits a weight.
STEP = 0.08
MOST_BYTES = 6_000_000  # that a page may ask its reader to fetch

Floats = npt.NDArray[np.float32]


def write_parts(folder: Path, source: Path = SHIPPED / MODEL) -> list[Path]:
    """Write a model with sub-words into a folder, in parts for a page."""
    data = packed(source)
    folder.mkdir(exist_ok=True)
    size = -(-len(data) // PARTS)  # rounded up
    files = []
    for number in range(1, PARTS + 1):
        piece = data[(number - 1) * size : number * size]
        text = base64.b64encode(piece).decode("ascii")
        call = f'{number}, "{text}", "{zlib.crc32(piece):08x}"'
        files.append(folder / f"model-{number:02}.js")
        write_whole(files[-1], f"bookModel.part({call});\n")
    return files


def packed(source: Path) -> bytes:
    """All bytes of the page's model: its head, and its arrays."""
    description = read_json(source / "config.json")
    exact = description.get("kind") == "language model"
    arrays, pieces = [], []
    for name, array in sorted(load_file(source / "model.safetensors").items()):
        kind, parts = "F16", [array.astype("<f2")]
        if array.ndim == 2 and not exact:
            kind, parts = "I8", [*quantized(array.astype(np.float32))]
        arrays.append([name, *np.atleast_2d(array).shape, kind])
        pieces += [part.tobytes() for part in parts]
    head = {
        "config": description["model"],
        "unsureAbove": description.get("unsure_above"),
        "tokenizer": tokenizer(source / "tokenizer.json"),
        "arrays": arrays,
    }
    text = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode()
    content = np.array(len(text), "<u4").tobytes() + text + b"".join(pieces)
    # Numbers that look random hold no repetitions to be found, only frequent values.
    squeeze = zlib.compressobj(level=9, strategy=zlib.Z_HUFFMAN_ONLY)
    return squeeze.compress(content) + squeeze.flush()


def quantized(matrix: Floats) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The scale of each row, and its numbers as the nearest multiples of it."""
    least = np.abs(matrix).max(axis=1) / LARGEST  # so that a byte holds every number
    scales = np.maximum(STEP * matrix.std(axis=1), least).astype("<f4")
    scales[scales == 0] = 1
    return scales, np.rint(matrix / scales[:, None]).astype(np.int8)


def tokenizer(file: Path) -> dict[str, Any]:
    """The tokens before the first merge, and the merges: the rest follows from them."""
    model = read_json(file)["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].__getitem__)
    merges = model["merges"]
    characters = tokens[: len(tokens) - len(merges)]
    return {"characters": characters, "merges": "\n".join(map(" ".join, merges))}
