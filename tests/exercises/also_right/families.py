"""Right answers to the exercises of chapter 18, written in another way."""

import math

import torch


def hide(ids, place, mask_id, pad_id):
    ids, labels = list(ids), [pad_id for _ in ids]
    ids[place], labels[place] = mask_id, ids[place]
    return ids, labels


def one_text(source, target, marks):
    """Labels the places from the separator on, one by one."""
    sos, sep, eos, pad = marks
    ids = (sos, *source, sep, *target)
    answers = [*target, eos]
    return ids, tuple([pad] * (len(ids) - len(answers)) + answers)


def perplexity(logits, labels, pad_id):
    """Sums in Python, and gives a tensor."""
    total, count = 0.0, 0
    for row, answers in zip(logits, labels, strict=True):
        for scores, label in zip(row, answers, strict=True):
            if label != pad_id:
                total -= math.log(scores.double().softmax(dim=0)[label])
                count += 1
    return torch.tensor(math.exp(total / count))


def family(run, ids):
    """Cuts the text instead of changing it: what is cut off must not be missed."""
    whole = run(ids)
    for length in range(1, len(ids)):
        changed = torch.cat([ids[:length], ids[length:] * 2 + 1])
        if not torch.allclose(whole[:length], run(changed)[:length]):
            return "encoder"
    return "decoder"


ANSWERS = {
    "hide": [hide],
    "one_text": [one_text],
    "perplexity": [perplexity],
    "family": [family],
}
