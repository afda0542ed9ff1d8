"""States of a running model: kept, exchanged for those of another run, and read."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from torch import Tensor, nn

from lib.model import Transformer


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
