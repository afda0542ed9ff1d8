"""How a stranger's class is met: its kind guessed, built by its arguments' names."""

from __future__ import annotations

import contextlib
import inspect
import random
import re
import tomllib
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import nn

from lib.doctor.report import NotMetError

_TABLE = tomllib.loads(Path(__file__).with_name("names.toml").read_text("utf-8"))
_OURS = str(Path(__file__).parents[1])
KINDS: dict[str, str] = _TABLE.pop("kinds")
CALLED = {role: set(names.split()) for role, names in _TABLE.pop("called").items()}
LIKELY: dict[str, str] = _TABLE.pop("likely")
SIZE = {size: row["value"] for size, row in _TABLE.items()}
NAMES = {name: size for size, row in _TABLE.items() for name in row["names"].split()}
NOT_BY_NAME = {
    "attention": "^(?!.*(?<!with_)attention$).*(layer|block|encoder|decoder|lm|predict"
    "|classif)|^vocab",
    "positions": "feed|ffn",
    "norm": "residual|connection|add",
}


def plain(name: str) -> str:
    """A name without underscores and capitals, as the table has it."""
    return name.replace("_", "").lower()


def likely(name: str) -> str:
    """The size that a name means, as a whole or by a part of it, or nothing."""
    parts = (size for size, part in LIKELY.items() if re.search(part, name.lower()))
    return NAMES.get(plain(name)) or next(parts, "")


def guess(thing: Any) -> str:
    """Guess the kind of a thing by its name, and else by what it is called with.

    Raises:
        NotMetError: if nothing tells.
    """
    own = thing if hasattr(thing, "__name__") else type(thing)
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", own.__name__).lower()
    for kind, pattern in KINDS.items():
        odd: Any = isinstance(own, type) and kind in ("mask", "collate", "accuracy")
        odd = odd or re.search(NOT_BY_NAME.get(kind, "^$"), name)
        if not odd and re.search(pattern, name):
            return kind
    names = {plain(n) for n in signature(own, called=True)}
    for role, kind in (("query", "attention"), ("logits", "loss"), ("ids", "model")):
        if names & CALLED[role] and not (role == "ids" and "embed" in name):
            return kind
    if reads_ids(thing) and "embed" not in name:
        return "model"
    raise NotMetError(
        f"Nothing tells what {own.__name__} is. Say it with --kind (in a notebook, "
        f"kind=…): {', '.join(KINDS)}."
    )


def reads_ids(thing: Any) -> bool:
    """Whether a module has a table of embeddings."""
    return any(isinstance(part, nn.Embedding) for part in module_of(thing).modules())


def module_of(thing: Any) -> nn.Module:
    """A module; an empty one in the place of a function."""
    return thing if isinstance(thing, nn.Module) else nn.Module()


def signature(thing: Any, called: bool = False) -> dict[str, inspect.Parameter]:
    """The arguments that a thing is called, or a class is built, with."""
    unbound = called and isinstance(thing, type)
    if called and isinstance(thing, nn.Module | type):
        thing = getattr(thing, "forward", None) or thing.__call__
    found = [*inspect.signature(thing).parameters.items()][unbound:]
    star = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return {n: p for n, p in found if p.kind not in star}


class Sizes:
    """A config that knows every usual name, as attributes and as keys."""

    def __getattr__(self, name: str) -> Any:
        if size := likely(name):
            return SIZE[size]
        raise AttributeError(f"{name} is no usual name of a size")

    __getitem__ = __getattr__


def build(kind: str, own: type, depth: int = 0) -> Any:
    """Build a class by the names of its arguments.

    Raises:
        NotMetError: if a name is unknown, or its own code fails.
    """
    given: dict[str, Any] = {}
    for name, parameter in signature(own).items():
        size, asked = NAMES.get(plain(name), ""), parameter.default is parameter.empty
        if plain(name) in CALLED["config"]:
            given[name] = _config(own, depth)
        elif size and (asked or not _keeps(size, plain(name), parameter.default)):
            if kind == "norm" and size not in ("width", "epsilon", "flag", "device"):
                size = "width"
            elif kind == "feed-forward" and plain(name).startswith("hidden"):
                size = "inner"
            whole = "shape" in name  # a list, of which a width is one side
            given[name] = [SIZE[size]] if whole else SIZE[size]
        elif asked:
            given[name] = _asked(own, name, depth)
    told = ", ".join(f"{n}={v}" for n, v in given.items() if isinstance(v, int | float))
    try:
        return own(**given)
    except Exception as error:
        raise NotMetError(
            f"{own.__name__}({told}) could not be built: {failure(error)} {_help(own)}"
        ) from None


def _help(own: type) -> str:
    made = f"{own.__name__}(…)"
    return f"Build it yourself: --build '{made}', or in a notebook examine({made})."


def _keeps(size: str, name: str, default: Any) -> bool:
    """Tell the arguments whose default says more than a size of ours."""
    if default is None:
        return size in ("each", "activation", "device") or name in ("kdim", "vdim")
    return isinstance(default, bool | str) or size in ("epsilon", "activation")


def _beside(own: type) -> list[type]:
    """The classes that its file knows."""
    known = vars(inspect.getmodule(own) or object).values()
    return [value for value in known if isinstance(value, type)]


def _config(own: type, depth: int) -> Any:
    """A config class of the same file, or one that answers to every usual name."""
    for value in _beside(own):
        if re.search("(?i)config|args", value.__name__) and depth < 2:
            with contextlib.suppress(NotMetError):
                return build("config", value, depth + 1)
    return Sizes()


def _asked(own: type, name: str, depth: int) -> Any:
    """A piece that a class asks for, built from the same file; else a likely size."""
    kind = "attention" if "att" in name else ""
    with contextlib.suppress(NotMetError):
        kind = kind or guess(type(name, (), {}))
    for value in _beside(own) if kind and depth < 3 else ():
        mine = value.__module__ == own.__module__ and value is not own
        with contextlib.suppress(NotMetError):  # another class of theirs may be odd
            if mine and issubclass(value, nn.Module) and guess(value) == kind:
                return build(kind, value, depth + 1)
    if size := likely(name) or "target" * bool(re.match("n(um)?_", name)):
        return SIZE[size]
    raise NotMetError(
        f"{own.__name__} asks for `{name}`, a name that says nothing here. {_help(own)}"
    )


def failure(error: BaseException) -> str:
    """An error in one sentence: its message, and the line of their file."""
    text = f"{type(error).__name__}: {' '.join(str(error).split())[:200].rstrip('.')}"
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file, number = frame.filename, frame.lineno
        if not re.search("site-packages|^<", file) and not file.startswith(_OURS):
            name = "the cell" if "ipykernel" in file else Path(file).name
            return f"{text}; in line {number} of {name}: {frame.line}"
    return f"{text}."


def shake(module: nn.Module) -> None:
    """Draw all weights anew, so that no gain is one and no bias zero."""
    for part in module.modules():
        for p in part.parameters(recurse=False):
            wide = 1 if isinstance(part, nn.Embedding) else p.shape[-1:].numel() ** 0.5
            noise = torch.randn_like(p)
            p.data = p + 0.3 * noise if p.dim() < 2 else noise / wide


@contextlib.contextmanager
def undisturbed(thing: Any) -> Iterator[None]:
    """Leave weights, mode, gradients and random numbers as they were."""
    module = module_of(thing)
    kept = [(part, part.training, dict(part._buffers)) for part in module.modules()]
    tensors = [*module.parameters(), *module.buffers()]
    state = [(t, t.data, t.grad, t.requires_grad) for t in tensors]
    drawn = random.getstate()
    frozen = not any(p.requires_grad for p in module.parameters())
    try:
        with torch.random.fork_rng(), torch.enable_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.manual_seed(0)
            for t, data, _, wanted in state:  # trials are made with copies
                t.data, t.grad = data.clone(), None
                if isinstance(t, nn.Parameter) and t.is_floating_point():
                    t.requires_grad_(frozen or wanted)
            yield
    finally:
        random.setstate(drawn)
        for t, data, grad, wanted in state:
            t.data, t.grad = data, grad
            t.requires_grad_(wanted)
        for part, mode, own in kept:
            part.training = mode
            part._buffers.update(own)


def quietly(action: Callable[[], Any]) -> Any:
    """What an action gives, or None where it fails."""
    try:
        return action()
    except Exception:
        return None
