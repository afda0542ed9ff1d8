"""A part of a trained model taken out for a moment, to see what it leans on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn

Output = Tensor | tuple[Tensor, ...]


@contextlib.contextmanager
def unplugged(
    model: nn.Module, *parts: str, means: Mapping[str, Tensor] | None = None
) -> Iterator[None]:
    """Run a model without some of its parts for the length of a ``with`` block.

    Attention and feed-forward give zeros, or their mean, so that what they would be
    added to goes on alone; any other part hands on what it got.

    Args:
        model: a trained model, as ``translator.model``.
        parts: names of modules, for all layers or with the number of one:
            "positions", "feed_forward", "encoder.self_attention",
            "layers.0.cross_attention".
        means: what a part gives in place of zeros, from :func:`mean_outputs`.

    Raises:
        ValueError: if the model has no such part.

    Example:
        >>> from lib.translator import Translator
        >>> translator = Translator.load("grammar-en-es")
        >>> with unplugged(translator.model, "positions"):
        ...     print(translator.translate(["The dog sees the cat."])[0])
        El perro ve al perro.
    """

    def silent(name: str) -> Callable[..., Output]:
        def hook(_module: nn.Module, inputs: tuple[Any, ...], output: Output) -> Output:
            first = output[0] if isinstance(output, tuple) else output
            if means is not None:
                instead = means[name].to(first).expand_as(first)
            elif name.endswith(("attention", "feed_forward")):
                instead = torch.zeros_like(first)
            else:
                instead = inputs[0]
            return (instead, *output[1:]) if isinstance(output, tuple) else instead

        return hook

    modules = {name: module for part in parts for name, module in _meant(model, part)}
    with contextlib.ExitStack() as hooks:
        for name, module in modules.items():
            hooks.callback(module.register_forward_hook(silent(name)).remove)
        yield


@contextlib.contextmanager
def mean_outputs(model: nn.Module, *parts: str) -> Iterator[dict[str, Tensor]]:
    """Collect what parts give on average, over all that runs in a ``with`` block.

    Args:
        model: a trained model.
        parts: names, as for :func:`unplugged`.

    Shape:
        Each entry, by the name of its module: :math:`(D,)`.

    Raises:
        ValueError: if the model has no such part.
    """
    means: dict[str, Tensor] = {}
    counts: dict[str, int] = {}

    def keep(name: str) -> Callable[..., None]:
        def hook(_module: nn.Module, _inputs: object, output: Output) -> None:
            first = output[0] if isinstance(output, tuple) else output
            rows = first.detach().flatten(end_dim=-2)
            old = counts.get(name, 0)
            counts[name] = old + len(rows)
            before = means.get(name, torch.zeros_like(rows[0])) * old
            means[name] = (before + rows.sum(dim=0)) / counts[name]

        return hook

    with contextlib.ExitStack() as hooks:
        for part in parts:
            for name, module in _meant(model, part):
                hooks.callback(module.register_forward_hook(keep(name)).remove)
        yield means


def _meant(model: nn.Module, part: str) -> list[tuple[str, nn.Module]]:
    """Return the modules that a name means, in one layer or in all."""
    found = []
    for name, module in model.named_modules():
        words = name.split(".")
        anywhere = ".".join(
            word for word in words if word != "layers" and not word.isdigit()
        )
        if f".{name}".endswith(f".{part}") or f".{anywhere}".endswith(f".{part}"):
            found.append((name, module))
    if not found or not part:
        raise ValueError(
            f"The model has no part {part!r}: give the name of a module, such as "
            "'positions', 'feed_forward' or 'encoder.self_attention'."
        )
    return found
