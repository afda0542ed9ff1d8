"""Right answers to the exercises of chapter 15, written in another way."""

import torch


def exchange(output, state, position):
    here = torch.arange(output.size(1)) == position
    return torch.where(here[:, None], state, output).numpy()


def control_labels(words, coins):
    known, left = {}, iter(coins)
    return tuple(
        known[w] if w in known else known.setdefault(w, next(left)) for w in words
    )


ANSWERS = {
    "lens_words": [
        lambda state, norm, output_proj: (
            output_proj(norm(state)).softmax(-1).max(dim=-1).indices.tolist()
        )
    ],
    "exchange": [exchange],
    "effect": [
        lambda clean, now, donor, own, other: (
            ((clean - now)[own] - (clean - now)[other])
            / ((clean - donor)[own] - (clean - donor)[other])
        )
    ],
    "control_labels": [control_labels],
}
