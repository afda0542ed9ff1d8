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


@exercise(
    "At the last layer it is what the model writes.",
    right=lambda state, norm, output_proj: output_proj(norm(state)).argmax(dim=-1),
)
def lens_words(draw: Draw) -> Cases:
    """`lens_words(state, norm, output_proj)`: the likeliest word at each place."""
    words = torch.tensor([[2.0, 1.0], [0.0, 1.5], [-1.0, 2.0]])
    state = torch.tensor([[[5.0, 4.0], [1.0, 3.0]]])
    yield case(state, _centered, _map_to(words))
    words = draw.normal(draw.randint(6, 9), 5)
    state = draw.normal(2, draw.randint(2, 4), 5) + 3.0
    yield case(state, _centered, _map_to(words))


lens_words.slips = {
    "The norm is missing in front: the map has learned to read normed states.": (
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


def _exchange_in_place(output: Tensor, state: Tensor, position: int) -> Tensor:
    output[:, position] = state[:, position]
    return output


def _exchange(output: Tensor, state: Tensor, position: int) -> Tensor:
    return _exchange_in_place(output.clone(), state, position)


@exercise("In a hook, this is activation patching.", right=_exchange)
def exchange(draw: Draw) -> Cases:
    """`exchange(output, state, position)`: one token's state from another run."""
    output, state = torch.zeros(2, 3, 2), torch.ones(2, 3, 2)
    yield case(output, state, 1, what="exchange(output, state, 1)")
    what = "That the output stays as it was"
    yield case(output, state, 1, what=what, use=leaves_alone)
    shape = draw.randint(4, 5), draw.randint(5, 7), draw.randint(8, 9)
    yield case(draw.normal(*shape), draw.normal(*shape), draw.randint(1, 3))


exchange.slips = {
    "The output that was handed in has changed too: exchange in a copy.": (
        _exchange_in_place
    ),
    "All tokens were exchanged, not one.": lambda output, state, position: state,
    "Dimension 0 holds the sentences: the tokens are in dimension 1.": (
        lambda output, state, position: output.select_scatter(
            state[position], 0, position
        )
    ),
    "The two runs are mixed up: the rest comes from the output.": (
        lambda output, state, position: _exchange(state, output, position)
    ),
}


def _lead(logits: Tensor, own: int, other: int) -> Tensor:
    return logits[own] - logits[other]


def _effect(clean: Tensor, now: Tensor, donor: Tensor, own: int, other: int) -> Tensor:
    before, after = _lead(clean, own, other), _lead(donor, own, other)
    return (before - _lead(now, own, other)) / (before - after)


@exercise(
    "0 is no effect; at 1 the state brought all that makes the choice.", right=_effect
)
def effect(draw: Draw) -> Cases:
    """`effect(clean, now, donor, own, other)`: how far a choice has moved."""
    clean, now, donor = torch.tensor(
        [[5.0, 1.0, 0.0], [4.0, 2.0, 0.0], [1.0, 3.5, 9.0]]
    )
    yield case(clean, now, donor, 0, 1, what="effect(clean, now, donor, 0, 1)")
    clean, now, donor = 3 * draw.normal(3, 7)
    clean[2], donor[4], clean[4], donor[2] = 6.0, 5.0, 0.5, -2.0
    yield case(clean, now, donor, 2, 4, what="effect(clean, now, donor, 2, 4)")


effect.slips = {
    "That is how far the lead moved: divide by how far it moves in all.": (
        lambda clean, now, donor, own, other: _lead(clean - now, own, other)
    ),
    "The other word counts too: take the difference of the two scores.": (
        lambda clean, now, donor, own, other: (
            (clean[own] - now[own]) / (clean[own] - donor[own])
        )
    ),
    "Take logits as they are: probabilities hardly move where the model is sure.": (
        lambda clean, now, donor, own, other: _effect(
            clean.softmax(-1), now.softmax(-1), donor.softmax(-1), own, other
        )
    ),
    "Divide by the distance of the two runs, not by the lead at the start.": (
        lambda clean, now, donor, own, other: (
            _lead(clean - now, own, other) / _lead(clean, own, other)
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
    yield case(words, [1, 0, 0, 1, 0, 0], what="control_labels(words, coins)")
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
