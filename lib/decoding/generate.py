"""Writing on: what a language model puts behind the beginnings of texts."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.nn.utils.rnn import pad_sequence

from lib.decoding.cache import text_scorer
from lib.decoding.greedy import write_on
from lib.decoding.sampling import drawing
from lib.decoding.steps import evaluating
from lib.today import LanguageModel


def generate(
    model: LanguageModel,
    prompts: Sequence[Sequence[int]],
    eos_id: int | None = None,
    max_new: int | None = None,
    temperature: float = 0.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    generator: torch.Generator | None = None,
    never: Sequence[int] = (),
    cached: bool | None = None,
) -> list[list[int]]:
    """Write on behind each prompt, token by token, all of them side by side.

    The prompts may be of unequal length, and there is no padding: each row reads its
    own prompt while it lasts, and then what it wrote.

    Args:
        model: a causal language model; it is put into evaluation mode while it writes.
        prompts: token ids that texts begin with, at least one for each.
        eos_id: the id that ends a text where it is written; None if nothing does.
        max_new: most tokens to write behind each prompt; None for as many as the model
            has positions for.
        temperature: as in :func:`sample`; 0 always takes the likeliest token.
        top_k: as in :func:`sample`.
        top_p: as in :func:`sample`.
        generator: where the random numbers come from; None if nothing is drawn.
        never: ids that are never written.
        cached: as in :func:`greedy_decode`.

    Returns:
        The ids that were written behind each prompt, ``eos_id`` included.

    Raises:
        ValueError: if the model sees later tokens, a prompt is empty or too long, a
            setting is impossible, or there are no random numbers to draw by.

    Example:
        >>> from lib.today import LanguageConfig
        >>> model = LanguageModel(LanguageConfig(9, d_model=8, n_heads=2))
        >>> written = generate(model, [[1], [1, 4, 5]], max_new=3)
        >>> [len(ids) for ids in written]
        [3, 3]
    """
    if generator is None and temperature:
        raise ValueError(
            f"temperature = {temperature} draws words: give a generator of random "
            "numbers, or a temperature of 0."
        )
    _check(model, prompts, max_new)
    device = next(model.parameters()).device
    numbers = generator or torch.Generator()
    choose = drawing(len(prompts), numbers, temperature, top_k, top_p)
    if not len(prompts):
        return []
    rows = [torch.as_tensor(ids, device=device) for ids in prompts]
    begun = pad_sequence(rows, batch_first=True, padding_value=-1)  # (B, P)
    lengths = [len(ids) for ids in prompts]
    room = model.config.max_len if max_new is None else max_new
    limits = torch.tensor(lengths, device=device) - 1 + room
    limits = limits.clamp(max=model.config.max_len)
    with evaluating(model), torch.inference_mode():
        scorer = text_scorer(model, begun, cached)
        end = -1 if eos_id is None else eos_id
        written = write_on(choose, scorer, begun, limits, end, never)
    return [
        [token for token in row[length - 1 :] if token >= 0]
        for row, length in zip(written.tolist(), lengths, strict=True)
    ]


def _check(
    model: LanguageModel, prompts: Sequence[Sequence[int]], max_new: int | None
) -> None:
    if not model.config.causal:
        raise ValueError(
            "This model sees later tokens (causal=False): it can fill gaps, but not "
            "write on."
        )
    if max_new is not None and max_new < 1:
        raise ValueError(f"max_new must be at least 1, but it is {max_new}.")
    for number, ids in enumerate(prompts):
        if not 1 <= len(ids) <= model.config.max_len:
            raise ValueError(
                f"A prompt must have from 1 to {model.config.max_len} tokens, as many "
                f"as the model has positions, but prompt {number} has {len(ids)}."
            )
