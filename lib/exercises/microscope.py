"""The exercises of chapter 15: a lens, an exchange, an effect, coins for words."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from lib.exercises.guard import unwrap
from lib.exercises.record import Cases, Draw, case, exercise, that

Map = Callable[[Tensor], Tensor]


def _lens(state: Tensor, norm: Map, output_proj: Map) -> Tensor:
    return output_proj(norm(state)).argmax(dim=-1)


def _centered(state: Tensor) -> Tensor:
    return nn.functional.layer_norm(state, state.shape[-1:])


def _map_to(words: Tensor) -> Map:
    return lambda state: state @ words.T


@exercise("At the last layer it is what the model writes.", right=_lens)
def lens_words(draw: Draw) -> Cases:
    """`lens_words(state, norm, output_proj)`: the likeliest word at each place."""
    words = torch.tensor([[2.0, 1.0], [0.0, 1.5], [-1.0, 2.0]])
    state = torch.tensor([[[5.0, 4.0], [1.0, 3.0]]])
    what = "lens_words(state, norm, output_proj)"
    yield case(state, _centered, _map_to(words), what=what)
    words = draw.normal(draw.randint(6, 9), 5)
    state = draw.normal(2, draw.randint(2, 4), 5) + 3.0
    yield case(state, _centered, _map_to(words), what=what)


lens_words.slips = {
    "The norm is missing: the map has learned to read normed states.": (
        lambda state, norm, output_proj: output_proj(state).argmax(dim=-1)
    ),
    "Those are scores: take the place of the largest.": (
        lambda state, norm, output_proj: output_proj(norm(state))
    ),
    "Those are the largest scores: their places are wanted.": (
        lambda state, norm, output_proj: output_proj(norm(state)).amax(dim=-1)
    ),
    "The words are in the last dimension: take the largest along it.": (
        lambda state, norm, output_proj: output_proj(norm(state)).argmax(dim=1)
    ),
}

_COPY = "The output that was handed in has changed too: exchange in a copy."


def _exchange(output: Tensor, state: Tensor, position: int) -> Tensor:
    mixed = output.clone()
    mixed[:, position] = state[:, position]
    return mixed


def _exchange_in_place(output: Tensor, state: Tensor, position: int) -> Tensor:
    output[:, position] = state[:, position]
    return output


def _on_its_own(answer: Any, output: Tensor, state: Tensor, position: int) -> bool:
    """Whether what is handed in stays as it is."""
    handed_in = output.clone()
    unwrap(answer)(handed_in, state, position)
    that(torch.equal(handed_in, output), _COPY)
    return True


@exercise("In a hook, this is activation patching.", right=_exchange)
def exchange(draw: Draw) -> Cases:
    """`exchange(output, state, position)`: one token's state from another run."""
    output, state = torch.zeros(2, 3, 2), torch.ones(2, 3, 2)
    yield case(output, state, 1, what="exchange(output, state, 1)")
    yield case(output, state, 1, use=_on_its_own)
    shape = draw.randint(4, 5), draw.randint(5, 7), draw.randint(8, 9)
    yield case(draw.normal(*shape), draw.normal(*shape), draw.randint(1, 3))


def _mixed(output: Tensor, state: Tensor, *place: Any) -> Tensor:
    mixed = output.clone()
    mixed[place] = state[place]
    return mixed


exchange.slips = {
    _COPY: _exchange_in_place,
    "All tokens were exchanged, not one.": lambda output, state, position: state,
    "Dimension 0 holds the sentences: the tokens are in dimension 1.": (
        lambda output, state, position: _mixed(output, state, position)
    ),
    "Those are numbers, not tokens: the tokens are in dimension 1.": (
        lambda output, state, position: _mixed(output, state, ..., position)
    ),
    "The two runs are mixed up: the rest comes from the output.": (
        lambda output, state, position: _exchange(state, output, position)
    ),
    "The state was added: it takes the place of the old one.": (
        lambda output, state, position: (
            output + _exchange(torch.zeros_like(state), state, position)
        )
    ),
    "Tokens are counted from 0: that is the one before.": (
        lambda output, state, position: _exchange(output, state, position - 1)
    ),
}


def _lead(logits: Tensor, own: int, other: int) -> Tensor:
    return logits[own] - logits[other]


def _effect(clean: Tensor, now: Tensor, donor: Tensor, own: int, other: int) -> float:
    before, after = _lead(clean, own, other), _lead(donor, own, other)
    return float((before - _lead(now, own, other)) / (before - after))


@exercise(
    "0 is no effect; at 1 the state brought all that makes the choice.", right=_effect
)
def effect(draw: Draw) -> Cases:
    """`effect(clean, now, donor, own, other)`: how far a choice has moved."""
    clean, now, donor = torch.tensor(
        [[5.0, 1.0, 0.0], [4.0, 2.0, 0.0], [1.0, 3.0, 9.0]]
    )
    yield case(clean, now, donor, 0, 1, what="effect(clean, now, donor, 0, 1)")
    clean, now, donor = 3 * draw.normal(3, 7)
    clean[2], donor[4], clean[4], donor[2] = 6.0, 5.0, 0.5, -2.0
    yield case(clean, now, donor, 2, 4, what="effect(clean, now, donor, 2, 4)")


effect.slips = {
    "That is how far the lead moved: divide by how far it moves in all.": (
        lambda clean, now, donor, own, other: float(
            _lead(clean, own, other) - _lead(now, own, other)
        )
    ),
    "0 and 1 are exchanged: without any change the effect is 0.": (
        lambda clean, now, donor, own, other: 1 - _effect(clean, now, donor, own, other)
    ),
    "The other word counts too: take the difference of the two scores.": (
        lambda clean, now, donor, own, other: float(
            (clean[own] - now[own]) / (clean[own] - donor[own])
        )
    ),
    "Take logits as they are: probabilities hardly move where the model is sure.": (
        lambda clean, now, donor, own, other: _effect(
            clean.softmax(-1), now.softmax(-1), donor.softmax(-1), own, other
        )
    ),
    "Divide by the distance of the two runs, not by the lead at the start.": (
        lambda clean, now, donor, own, other: float(
            (_lead(clean, own, other) - _lead(now, own, other))
            / _lead(clean, own, other)
        )
    ),
}


def _coins(words: Sequence[str], coins: Sequence[int]) -> list[int]:
    kinds = list(dict.fromkeys(words))
    return [coins[kinds.index(word)] for word in words]


@exercise("A probe can learn these only by heart, word by word.", right=_coins)
def control_labels(draw: Draw) -> Cases:
    """`control_labels(words, coins)`: a coin for each kind of word."""
    words = ["house", "car", "house", "shoe", "car", "shoe"]
    yield case(words, [1, 0, 0, 1, 1, 0], what="control_labels(words, coins)")
    kinds = draw.sample("abcdefgh", 5)
    words = [*kinds, *draw.choices(kinds, k=6)]
    draw.shuffle(words)
    coins = [1, 0, 0, 1, 0, *draw.choices([0, 1], k=6)]
    yield case(words, coins, what="control_labels(words, coins)")


control_labels.slips = {
    "The same word has to have the same label wherever it stands.": (
        lambda words, coins: list(coins[: len(words)])
    ),
    "A label for each sentence is wanted, not one for each kind of word.": (
        lambda words, coins: list(coins[: len(dict.fromkeys(words))])
    ),
    "The coins go to the words in the order in which they come, not in that of the "
    "alphabet.": lambda words, coins: [coins[sorted({*words}).index(w)] for w in words],
    "A new word gets the next coin, not the coin of its place.": (
        lambda words, coins: [coins[words.index(word)] for word in words]
    ),
}
