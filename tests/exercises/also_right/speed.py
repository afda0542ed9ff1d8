"""Right answers to the exercises of chapter 17, written in another way."""

import torch


def online(scores, values, size):
    highest, total, result = torch.tensor([-torch.inf, 0.0, 0.0])
    for piece, part in zip(scores.split(size), values.split(size), strict=True):
        before, highest = highest, torch.maximum(highest, piece.max())
        shrink, share = (before - highest).exp(), (piece - highest).exp()
        total = total * shrink + share.sum()
        result = result * shrink + (share * part).sum()
    return (result / total).item()


ANSWERS = {"attend_in_pieces": [online]}
