"""Drawing the next token, and writing on behind the beginnings of texts."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from lib.decoding.cache import evaluating, text_scorer
from lib.decoding.search import Choice, Ends, write_by, write_on
from lib.model import Transformer
from lib.today import LanguageModel


def sample(
    model: Transformer,
    src: Tensor,
    sos_id: int,
    eos_id: Ends,
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
        eos_id: the id that ends a target, or several.
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


def generate(
    model: LanguageModel,
    prompts: Sequence[Sequence[int]],
    eos_id: Ends | None = None,
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
        eos_id: the id that ends a text where it is written, or several; None if
            nothing does.
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
        end = () if eos_id is None else eos_id
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
