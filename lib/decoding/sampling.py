"""Sampling: the next word is drawn, by the probabilities that the model gives."""

from __future__ import annotations

import torch
from torch import Tensor

from lib.decoding.greedy import Choice, write_by
from lib.model import Transformer


def sample(
    model: Transformer,
    src: Tensor,
    sos_id: int,
    eos_id: int,
    generator: torch.Generator,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    max_len: int | None = None,
    cached: bool | None = None,
) -> Tensor:
    r"""Write each sentence word by word, drawing each next word.

    The scores are divided by the temperature, all but the ``top_k`` likeliest words are
    left out, then all behind those that make up a share of ``top_p`` (Holtzman et al.,
    2020). To draw several translations of a sentence, put it into ``src`` as often.

    Args:
        model: a Transformer; it is put into evaluation mode while it writes.
        src: token ids of the source sentences, padded.
        sos_id: the id that every target begins with.
        eos_id: the id that ends a target.
        generator: where the random numbers come from, one for each sentence and step.
        temperature: 1 draws by the model's own probabilities; less favors the likeliest
            word, more evens them out, and 0 takes the likeliest, as
            :func:`greedy_decode`.
        top_k: how many words may be drawn; None for all.
        top_p: share of the probability that may be drawn from, the likeliest first.
        max_len: as in :func:`greedy_decode`.
        cached: as in :func:`greedy_decode`.

    Shape:
        - src: :math:`(B, S)`.
        - Output: :math:`(B, T)`, without ``<sos>``, with ``<eos>`` and then padding.

    Raises:
        ValueError: if a setting is impossible; the message names it.

    Example:
        >>> from lib.config import TransformerConfig
        >>> model = Transformer(TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=16))
        >>> src, numbers = torch.tensor([[4, 5]] * 3), torch.Generator().manual_seed(0)
        >>> sample(model, src, 1, 2, numbers, temperature=0.5, max_len=4).shape[0]
        3
    """
    drawn = drawing(len(src), generator, temperature, top_k, top_p)
    return write_by(drawn, model, src, sos_id, eos_id, max_len, cached)


def drawing(
    count: int,
    generator: torch.Generator,
    temperature: float,
    top_k: int | None,
    top_p: float,
) -> Choice:
    """Return what draws the next word of each of ``count`` texts.

    Raises:
        ValueError: if a setting is impossible; the message names it.
    """
    if not 0 <= temperature < torch.inf:
        raise ValueError(
            f"temperature must be 0 or more and finite, but it is {temperature}."
        )
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k must be at least 1, or None, but it is {top_k}.")
    if not 0 < top_p <= 1:
        raise ValueError(f"top_p must be above 0 and at most 1, but it is {top_p}.")

    def drawn(scores: Tensor, rows: Tensor) -> Tensor:
        # A number for each sentence, also for those that left the batch: so nobody's
        # words depend on when the others end.
        numbers = torch.rand(count, generator=generator, device=generator.device)
        if temperature == 0:
            return scores.argmax(dim=-1)
        numbers = numbers.to(scores.device)[rows]
        return draw(scores / temperature, numbers, top_k, top_p)

    return drawn


def draw(scores: Tensor, numbers: Tensor, top_k: int | None, top_p: float) -> Tensor:
    """Draw a word for each row of scores (B, V), by numbers (B) between 0 and 1."""
    ordered, words = scores.sort(dim=-1, descending=True)
    shares = ordered[:, :top_k].float().softmax(dim=-1)
    shares = shares * (shares.cumsum(dim=-1) - shares < top_p)  # the first one stays
    sums = shares.cumsum(dim=-1)
    places = (sums < numbers[:, None] * sums[:, -1:]).sum(dim=-1, keepdim=True)
    return words.gather(1, places)[:, 0]
