"""Other people's weights in the book's own classes, from a folder or a flat file.

Tensors are checked one by one, and put into the book's places.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from tokenizers import Tokenizer, decoders, normalizers
from tokenizers.models import BPE
from tokenizers.processors import TemplateProcessing
from torch import Tensor

from lib.text.files import read_json
from lib.today.families import FAMILIES, NAMES, Model, Settings, build, plan

Names = Mapping[str, Any]  # of a family, from names.toml
Plan = Mapping[str, Tensor]  # the book's tensors by name; a tied one has several
Shapes = Mapping[str, tuple[int, ...]]
Places = dict[str, list[str]]  # a tensor of theirs, and ours that it fills
_LAYER = re.compile(r"(?<=\.)\d+(?=\.)")
_NONE = r"(?!)"


def find_places(names: Names, plan: Plan, shapes: Shapes) -> Places:
    """Say which of the book's tensors each tensor of a file fills.

    Args:
        names: what the family calls them.
        plan: the book's tensors by name, perhaps without numbers.
        shapes: of each tensor in the file.

    Returns:
        The places, in the order of the table.

    Raises:
        ValueError: if a tensor is missing, left over, or has another shape, or the
            whole head is missing; the message names it.
    """
    places, found = wanted(names["weights"], plan), dict[str, str]()
    head = names.get("head", "")
    if not any(name.startswith(head) for name in shapes):
        raise ValueError(f"it is without its head, the tensors {head + '…'!r}")
    for name, shape in shapes.items():
        today = name
        for pattern, new in names.get("old", {}).items():
            today = re.sub(pattern, new, today)
        if today in places:
            right = _their_shape(names, today, [plan[each] for each in places[today]])
            if shape != right:
                raise ValueError(f"the tensor {name!r} has shape {shape}, not {right}")
            found[today] = name
        elif not any(re.fullmatch(each, today) for each in names["lying_about"]):
            raise ValueError(f"the tensor {name!r} is no part of such a model")
    filled = {id(plan[each]) for today in found for each in places[today]}
    for today, ours in places.items():
        if not all(id(plan[each]) in filled for each in ours):
            raise ValueError(f"the tensor {today!r} is missing")
    return {found[today]: ours for today, ours in places.items() if today in found}


def wanted(table: Mapping[str, str], plan: Plan) -> Places:
    """Return what the family calls the tensors of the book, in the table's order."""
    places: Places = {}
    for theirs, right in table.items():
        for each in right.split():
            pattern = re.escape(each).replace(r"\{\}", r"\d+") + r"(\.weight|\.bias)?"
            for ours in plan:
                if match := re.fullmatch(pattern, ours):
                    layer = _LAYER.search(ours)
                    name = theirs.replace("{}", layer[0] if layer else "")
                    places.setdefault(name + (match[1] or ""), []).append(ours)
    return places


def _their_shape(names: Names, theirs: str, ours: list[Tensor]) -> tuple[int, ...]:
    shape = (sum(len(each) for each in ours), *ours[0].shape[1:])
    if re.search(names.get("transposed", _NONE), theirs):
        shape = shape[::-1]
    return (1, *shape) if re.search(names.get("row", _NONE), theirs) else shape


def fill(names: Names, places: Places, tensors: Mapping[str, Any], plan: Plan) -> None:
    """Put the numbers into their places.

    Args:
        names: what the family calls them.
        places: what :func:`find_places` said.
        tensors: those of the file by name.
        plan: the book's tensors by name.

    Raises:
        ValueError: if a tensor holds other things than finite numbers, or one differs
            from what it is tied to.
    """
    times, done = Counter(map(id, plan.values())), set[int]()
    for theirs, ours in places.items():
        tensor = tensors[theirs][:]
        if not (tensor.is_floating_point() and tensor.isfinite().all()):
            raise ValueError(f"the tensor {theirs!r} is not all finite numbers")
        if re.search(names.get("transposed", _NONE), theirs):
            tensor = tensor.T
        if re.search(names.get("row", _NONE), theirs):
            tensor = tensor[0]
        for name, part in zip(ours, tensor.chunk(len(ours)), strict=True):
            place = plan[name]
            tied = id(place) in done and times[id(place)] > 1
            if tied and not torch.equal(place, part.to(place.dtype)):
                raise ValueError(f"the tensor {theirs!r} is not what it is tied to")
            place.data.copy_(part)
            done.add(id(place))


_START = 28  # bytes before the weights
_SPECIALS = ["<unk>", "<s>", "</s>"]  # ids 0, 1, 2; the file writes them otherwise


def flat_settings(file: Path) -> Settings:
    """Read the sizes of a flat file, as a Llama's ``config.json`` would say them.

    Args:
        file: it begins with seven whole numbers of 32 bits.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if it is too short for such sizes.
    """
    with file.open("rb") as opened:
        start = opened.read(_START).ljust(_START, b"\0")
    names, settings = NAMES["llama2c"]["sizes"], NAMES["llama2c"]["settings"]
    sizes = dict(zip(names, struct.unpack("<7i", start), strict=True))
    tied = sizes["vocab_size"] > 0  # below 0: an output of its own is at the end
    sizes["vocab_size"] = abs(sizes["vocab_size"])
    least = 4 * sizes["num_hidden_layers"] * sizes["hidden_size"] ** 2
    if min(sizes.values()) < 1 or least > file.stat().st_size:
        raise ValueError(f"it is no flat file of llama2.c: its sizes are {sizes}")
    return {**settings, **sizes, "tie_word_embeddings": tied}


def read_flat(file: Path) -> tuple[Settings, dict[str, Tensor]]:
    """Read a Llama from a flat file, as if it were a folder of its family.

    Args:
        file: seven whole numbers of 32 bits, then floats of 32 bits.

    Returns:
        The settings and the weights, under the names that they have in a Llama's
        ``config.json`` and ``model.safetensors``.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if it is not as long as its sizes ask.
    """
    settings = flat_settings(file)
    ours, shapes = plan(settings), dict[str, torch.Size]()
    places = wanted(NAMES["llama"]["weights"], ours)
    angles = settings["hidden_size"] // settings["num_attention_heads"]
    rest = torch.Size([settings["max_position_embeddings"], angles])
    for template in NAMES["llama2c"]["order"]:
        for layer in range(settings["num_hidden_layers"] if "{}" in template else 1):
            name = template.replace("{}", str(layer))
            shapes[name] = ours[places[name][0]].shape if name in places else rest
    if settings["tie_word_embeddings"]:
        del shapes["lm_head.weight"]
    lengths = [shape.numel() for shape in shapes.values()]
    length, found = _START + 4 * sum(lengths), file.stat().st_size
    if found != length:
        raise ValueError(f"it has {found:,} bytes, and its sizes ask for {length:,}")
    data = bytearray(file.read_bytes())
    parts = torch.frombuffer(data, dtype=torch.float32, offset=_START).split(lengths)
    named = zip(shapes.items(), parts, strict=True)
    return settings, {
        name: part.view(shape) for (name, shape), part in named if name in places
    }


def read_tokens(file: Path, vocab_size: int) -> Tokenizer:
    """Read the sub-words of a flat file: byte pairs, and bytes for what they lack.

    Args:
        file: the longest length, then for each token a score, a length, and its text.
        vocab_size: how many tokens there are.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if it does not hold so many tokens, to the byte.
    """
    data, at, scores = file.read_bytes(), 4, dict[str, float]()
    try:
        for number in range(vocab_size):
            score, length = struct.unpack_from("<fI", data, at)
            text = data[at + 8 : at + 8 + length].decode("utf-8")
            scores[text if number >= len(_SPECIALS) else _SPECIALS[number]] = score
            at += 8 + length
    except (struct.error, UnicodeDecodeError) as error:
        raise ValueError(f"{file} is damaged at token {number}: {error}.") from error
    if at != len(data) or len(scores) != vocab_size or "<0x00>" not in scores:
        raise ValueError(f"{file} does not hold {vocab_size} tokens and their bytes.")
    return _tokenizer(scores)


def _tokenizer(scores: dict[str, float]) -> Tokenizer:
    ids = {token: number for number, token in enumerate(scores)}
    # Whatever two tokens make a third is merged, the best score first.
    merges = sorted(
        (-scores[token], cut, (token[:cut], token[cut:]))
        for token in list(scores)[len(_SPECIALS) + 256 :]  # behind the bytes
        for cut in range(1, len(token))
        if token[:cut] in ids and token[cut:] in ids
    )
    pairs = [pair for _, _, pair in merges]
    tokenizer = Tokenizer(BPE(ids, pairs, unk_token="<unk>", byte_fallback=True))
    tokenizer.normalizer = normalizers.Prepend(" ")
    tokenizer.post_processor = TemplateProcessing("<s> $A", special_tokens=[("<s>", 1)])
    steps = [decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    tokenizer.decoder = decoders.Sequence(steps)
    tokenizer.add_special_tokens(_SPECIALS)
    tokenizer.encode_special_tokens = True  # typed in a text, they are text
    return tokenizer


_HOW = {
    "": "save_pretrained of a model in transformers writes what is needed",
    ".bin": "it is published beside the flat file of the model",
    "tokenizer.json": "save_pretrained of most tokenizers in transformers writes it, "
    "but MarianTokenizer has source.spm, target.spm and vocab.json, read by it alone",
}
_DAMAGE = (ArithmeticError, RuntimeError, SafetensorError, TypeError, ValueError)


def read_pretrained(folder: Path | str) -> Model:
    """Read a model that others have trained: a llama, a gpt2, a bert or a marian.

    Nothing of it is run: numbers come from safetensors or a flat file, settings from
    JSON. The model has two more attributes: ``family``, the name of its family, and
    ``end_id``, the id that ends a text, a list if each of several does, or None.

    Args:
        folder: what ``save_pretrained`` of transformers wrote, with ``config.json`` and
            ``model.safetensors``, or with the parts that
            ``model.safetensors.index.json`` names; or a flat file of llama2.c.

    Returns:
        A language model that is called with ids or, of a marian, a Transformer that is
        called with src and tgt; in evaluation mode.

    Raises:
        FileNotFoundError: if there is no such folder, or a file is missing in it.
        ValueError: if it is of another family, or a tensor is missing, left over or of
            another shape; the message names it.
    """
    folder = Path(folder)
    try:
        if folder.is_file():
            return _read(*read_flat(folder))
        settings = read_json(_file(folder, "config.json"))
        if (family := dict(settings).get("model_type")) not in FAMILIES:
            raise ValueError(f"model_type {family!r} is none of {', '.join(FAMILIES)}")
        if (generation := folder / "generation_config.json").is_file():
            told = dict(read_json(generation)).get("eos_token_id")
            settings |= {} if told is None else {"eos_token_id": told}
        with ExitStack() as stack:
            tensors = dict[str, Any]()
            for part in _parts(folder):
                file = stack.enter_context(safe_open(part, framework="pt"))
                for name in file.keys():  # noqa: SIM118 (it is no dictionary)
                    if name in tensors:
                        raise ValueError(f"the tensor {name!r} is in two files")
                    tensors[name] = file.get_slice(name)
            return _read(settings, tensors)
    except KeyError as error:
        raise ValueError(f"{folder}/config.json has no setting {error}.") from error
    except _DAMAGE as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise ValueError(f"{folder} cannot be read: {reason}.") from error


def _read(settings: Settings, tensors: dict[str, Any]) -> Model:
    """Build the model; the tensors are those of a flat file, or slices of a file."""
    names = NAMES[settings["model_type"]]
    if settings[names["sizes"]["n_layers"]] > len(tensors):  # before so many are built
        raise ValueError(f"{len(tensors)} tensors are too few for so many layers")
    shapes = {
        name: tuple(each.shape if isinstance(each, Tensor) else each.get_shape())
        for name, each in tensors.items()
    }
    places = find_places(names, plan(settings), shapes)
    with torch.random.fork_rng(devices=[]):  # first weights, soon replaced
        model = build(settings)
    fill(names, places, tensors, model.state_dict(keep_vars=True))
    vars(model).update(family=settings["model_type"], end_id=_end(settings))
    return model.eval()


def _end(settings: Settings) -> int | list[int] | None:
    """Return the id that ends a text, or several, as decoding takes them."""
    told = settings.get("eos_token_id")
    ends = told if isinstance(told, list) else [] if told is None else [told]
    if not all(type(each) is int for each in ends):
        raise ValueError(f"eos_token_id is {told!r}, which is no id of a token")
    return ends if len(ends) > 1 else ends[0] if ends else None


def _parts(folder: Path) -> list[Path]:
    """Return the file with all tensors, or those that an index names."""
    index = folder / "model.safetensors.index.json"
    if (folder / "model.safetensors").is_file() or not index.is_file():
        return [_file(folder, "model.safetensors")]
    told = dict(read_json(index)).get("weight_map")
    names = sorted(set(map(str, told.values()))) if isinstance(told, dict) else []
    if not names or any(Path(name).name != name for name in names):
        raise ValueError(f"the weight_map of {index.name} names no files beside it")
    return [_file(folder, name) for name in names]


def read_tokenizer(folder: Path | str) -> Tokenizer:
    """Read the tokenizer that lies beside a model of :func:`read_pretrained`.

    Args:
        folder: the folder, with ``tokenizer.json``; or a flat file of llama2.c, beside
            which its tokens are, such as ``tok512.bin`` for 512 of them.

    Raises:
        FileNotFoundError: if there is none.
        ValueError: if it is damaged.
    """
    folder = Path(folder)
    if folder.is_file():
        size = flat_settings(folder)["vocab_size"]
        return read_tokens(_file(folder.parent, f"tok{size}.bin"), size)
    file = _file(folder, "tokenizer.json")
    try:
        return Tokenizer.from_file(str(file))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # the library's panic is no Exception
        reason = " ".join(str(error).split()).rstrip(".")
        raise ValueError(f"{file} is no tokenizer: {reason}.") from error


def _file(folder: Path, name: str) -> Path:
    """Return a file of a folder, or say that it is missing and how to get it."""
    if (folder / name).is_file():
        return folder / name
    why, pickled = "", sorted(folder.glob("pytorch_model*"))
    if name.endswith(".safetensors") and pickled:
        what = "a list of pickles" if pickled[0].suffix == ".json" else "a pickle"
        why = f", and {pickled[0].name} is {what}, which can run code"
    how = _HOW.get(name) or _HOW.get(Path(name).suffix, _HOW[""])
    raise FileNotFoundError(f"'{folder}' has no file {name}{why}; {how}.")
