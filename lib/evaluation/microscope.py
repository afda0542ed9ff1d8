"""The microscope: states recorded and exchanged, and parts taken out."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from lib.model import Transformer

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

    def silence(name: str, inputs: tuple[Any, ...], output: Output) -> Output:
        first = output[0] if isinstance(output, tuple) else output
        if means is not None:
            instead = means[name].to(first).expand_as(first)
        elif name.endswith(("attention", "feed_forward")):
            instead = torch.zeros_like(first)
        else:
            instead = inputs[0]
        return (instead, *output[1:]) if isinstance(output, tuple) else instead

    with _hooked(model, parts, silence):
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
    counts = Counter[str]()

    def keep(name: str, _inputs: object, output: Output) -> None:
        first = output[0] if isinstance(output, tuple) else output
        rows = first.detach().flatten(end_dim=-2)
        before = means.get(name, torch.zeros_like(rows[0])) * counts[name]
        counts[name] += len(rows)
        means[name] = (before + rows.sum(dim=0)) / counts[name]

    with _hooked(model, parts, keep):
        yield means


@contextlib.contextmanager
def _hooked(
    model: nn.Module, parts: Iterable[str], hook: Callable[..., Output | None]
) -> Iterator[None]:
    """Let a function see, by its name, what each of some modules gets and gives."""
    modules = {name: module for part in parts for name, module in _meant(model, part)}
    with contextlib.ExitStack() as hooks:
        for name, module in modules.items():

            def named(
                _module: nn.Module, inputs: object, output: Output, name: str = name
            ) -> Output | None:
                return hook(name, inputs, output)

            hooks.callback(module.register_forward_hook(named).remove)
        yield


def _meant(model: nn.Module, part: str) -> list[tuple[str, nn.Module]]:
    """Return the modules that a name means, in one layer or in all."""
    found = []
    for name, module in model.named_modules():
        anywhere = re.sub(r"\blayers\.\d+\.", "", name)
        if part and f".{name} .{anywhere} ".find(f".{part} ") >= 0:
            found.append((name, module))
    if not found:
        raise ValueError(
            f"The model has no part {part!r}: give the name of a module, such as "
            "'positions', 'feed_forward' or 'encoder.self_attention'."
        )
    return found


@contextlib.contextmanager
def record_states(model: nn.Module, *names: str) -> Iterator[dict[str, Tensor]]:
    """Keep what modules of a model give, for the length of a ``with`` block.

    Args:
        model: any model, as ``translator.model``.
        names: modules that give one tensor, by their names in the model, such as
            "encoder.layers.0". Of one that is called several times, the last is kept.

    Shape:
        Each entry, by its name: :math:`(B, T, D)`.

    Raises:
        AttributeError: if the model has no module of this name.

    Example:
        >>> import torch
        >>> model = nn.Sequential(nn.Linear(4, 2), nn.ReLU())
        >>> with record_states(model, "0") as states:
        ...     written = model(torch.ones(1, 3, 4))
        >>> torch.equal(states["0"].relu(), written)
        True

    Built in chapter 15.
    """
    states: dict[str, Tensor] = {}

    def keep(name: str) -> Callable[..., None]:
        def hook(_module: nn.Module, _inputs: object, output: Tensor) -> None:
            states[name] = output.detach()

        return hook

    with contextlib.ExitStack() as hooks:
        for name in names:
            module = model.get_submodule(name)
            hooks.callback(module.register_forward_hook(keep(name)).remove)
        yield states


@contextlib.contextmanager
def patched(
    model: nn.Module, name: str, state: Tensor, position: int | slice
) -> Iterator[None]:
    """Give one position of a module's output the state of another run.

    This is activation patching (Vig et al., 2020; Meng et al., 2022).

    Args:
        model: any model.
        name: the module, as for :func:`record_states`.
        state: what the module gave in the other run.
        position: which token's state is exchanged, counted from 0; a slice for several.

    Shape:
        state: :math:`(B, T, D)`, as the module's output.

    Raises:
        AttributeError: if the model has no module of this name.
        ValueError: if the state has another shape than what the module gives.

    Example:
        >>> import torch
        >>> model = nn.Identity()
        >>> with patched(model, "", torch.ones(1, 3, 1), position=2):
        ...     model(torch.zeros(1, 3, 1)).flatten().tolist()
        [0.0, 0.0, 1.0]

    Built in chapter 15.
    """

    def exchange(_module: nn.Module, _inputs: object, output: Tensor) -> Tensor:
        if state.shape != output.shape:
            raise ValueError(
                f"The state of {name!r} has shape {tuple(state.shape)}, but the module "
                f"gives {tuple(output.shape)}: record it on a run of the same size."
            )
        mixed = output.clone()  # (B, T, D)
        mixed[:, position] = state[:, position]
        return mixed

    hook = model.get_submodule(name).register_forward_hook(exchange)
    try:
        yield
    finally:
        hook.remove()


def logit_lens(model: Transformer, state: Tensor) -> Tensor:
    """Read a state of the decoder as if no layer came after it (nostalgebraist, 2020).

    Args:
        model: a Transformer; its final norm and its output projection are the lens.
        state: of any layer of its decoder.

    Shape:
        - state: :math:`(B, T, D)`.
        - Output: logits :math:`(B, T, V)`.

    Example:
        >>> import torch
        >>> from lib.config import TransformerConfig
        >>> model = Transformer(TransformerConfig(9, 11, d_model=8, n_heads=2, d_ff=16))
        >>> logit_lens(model, torch.ones(1, 3, 8)).shape
        torch.Size([1, 3, 11])

    Built in chapter 15.
    """
    logits: Tensor = model.output_proj(model.decoder.norm(state))
    return logits
