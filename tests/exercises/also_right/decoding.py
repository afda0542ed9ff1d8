"""Right answers to the exercises of chapter 13, written in another way."""

import math

import torch


def grow(beam, following, size):
    grown = []
    for begin, score in beam:
        for word, chance in following(begin).items():
            grown.append([begin + word, math.log(math.exp(score) * chance)])
    grown.sort(key=lambda one: -one[1])
    return grown[:size]


def best(hypotheses, alpha):
    scores = [score / ((5 + n) / 6) ** alpha for _, n, score in hypotheses]
    return hypotheses[scores.index(max(scores))][0]


def nucleus(probabilities, p):
    """Counts how many are needed, in a table of sums."""
    words, shares = zip(
        *sorted(probabilities.items(), key=lambda one: -one[1]), strict=True
    )
    needed = next(
        n for n in range(1, len(words) + 1) if sum(shares[:n]) >= min(p, sum(shares))
    )
    kept = torch.tensor(shares[:needed], dtype=torch.float64)
    return dict(zip(words[:needed], kept / kept.sum(), strict=True))


def beam_step(scores, log_probs, size, eos_id):
    """Sorts all children in Python, and gives tensors for the scores."""
    children = [
        (scores[parent] + log_probs[parent, word], parent, word)
        for parent in range(len(scores))
        for word in range(log_probs.size(1))
    ]
    children.sort(key=lambda one: -one[0])
    going, ended = [], []
    for rank, (score, parent, word) in enumerate(children):
        if len(going) == size:
            break
        if word != eos_id:
            going.append([parent, word, score])
        elif rank < size:
            ended.append([parent, word, score])
    return going, ended


ANSWERS = {
    "grow": [grow],
    "best": [best],
    "nucleus": [nucleus],
    "beam_step": [beam_step],
}
