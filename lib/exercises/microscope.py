"""The exercises of chapter 15: a lens, an exchange, an effect, coins for words."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from lib.exercises.guard import leaves_alone
from lib.exercises.record import Cases, Draw, case, exercise

Map = Callable[[Tensor], Tensor]


def _centered(state: Tensor) -> Tensor:
    return nn.functional.layer_norm(state, state.shape[-1:])


def _map_to(words: Tensor) -> Map:
    return lambda state: state @ words.T


def _parts(draw: Draw) -> Cases:
    words = torch.tensor([[2.0, 1.0], [0.0, 1.5], [-1.0, 2.0]])
    state = torch.tensor([[[5.0, 4.0], [1.0, 3.0]]])
    yield case(state, _centered, _map_to(words))
    yield case(draw.normal(2, 3, 5) + 3.0, _centered, _map_to(draw.normal(7, 5)))


@exercise(_parts)
def lens_words(state: Tensor, norm: Map, output_proj: Map) -> Tensor:
    """The likeliest word at each place, (B, T) of (B, T, D)."""
    return output_proj(norm(state)).argmax(dim=-1)


def _states(draw: Draw) -> Cases:
    output, state = torch.zeros(2, 3, 2), torch.ones(2, 3, 2)
    yield case(output, state, 1, what="exchange(output, state, 1)")
    what = "That the output stays as it was"
    yield case(output, state, 1, what=what, use=leaves_alone)
    yield case(draw.normal(4, 5, 8), draw.normal(4, 5, 8), draw.randint(1, 3))


@exercise(_states)
def exchange(output: Tensor, state: Tensor, position: int) -> Tensor:
    """An output (B, T, D) with one token's state from another run."""
    mixed = output.clone()
    mixed[:, position] = state[:, position]
    return mixed


def _logits(draw: Draw) -> Cases:
    clean, now, donor = torch.tensor(
        [[5.0, 1.0, 0.0], [4.0, 2.0, 0.0], [1.0, 3.5, 9.0]]
    )
    yield case(clean, now, donor, 0, 1, what="effect(clean, now, donor, 0, 1)")
    clean, now, donor = 3 * draw.normal(3, 7)
    clean[2], donor[4], clean[4], donor[2] = 6.0, 5.0, 0.5, -2.0
    now[2], now[4] = -6.0, 4.0  # further than the donor
    yield case(clean, now, donor, 2, 4, what="effect(clean, now, donor, 2, 4)")


@exercise(_logits)
def effect(clean: Tensor, now: Tensor, donor: Tensor, own: int, other: int) -> Tensor:
    """How far a choice has moved, by three times logits (V)."""
    runs = clean, now, donor
    before, here, after = (logits[own] - logits[other] for logits in runs)
    return (before - here) / (before - after)


def _nouns(draw: Draw) -> Cases:
    # So many of both that no two slips give the same labels.
    words = ["house", "car", "house", "shoe", "car", "shoe", "book"]
    coins = [0, 1, 1, 0, 1, 1, 0, 1]
    yield case(words, coins, what="control_labels(words, coins)")
    kinds = draw.sample("abcdefgh", 5)
    words = [*kinds, *draw.choices(kinds, k=6)]
    draw.shuffle(words)
    coins = [1, 0, 0, 1, 0, *draw.choices([0, 1], k=6)]
    yield case(words, coins, what="control_labels(words, coins)")


@exercise(_nouns)
def control_labels(words: Sequence[str], coins: Sequence[int]) -> list[int]:
    """A coin for each kind of word."""
    kinds = list(dict.fromkeys(words))
    return [coins[kinds.index(word)] for word in words]
