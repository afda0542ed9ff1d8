"""Right answers to the exercises of chapter 10, written in another way."""

import numpy as np
import torch


def changes_suffixes(run, target, vocab_size):
    """All words from t on change, and the rows up to t must not move."""
    for t in range(len(target)):
        changed = target.clone()
        changed[t:] = (changed[t:] + 1) % vocab_size
        if (run(changed)[: t + 1] != run(target)[: t + 1]).any():
            return True
    return False


def moved_above(run, target, vocab_size):
    def moved(t):
        changed = target.clone()
        changed[t] = (changed[t] - 1) % vocab_size
        return not torch.allclose(
            run(changed)[: t + 1], run(target)[: t + 1], atol=1e-6
        )

    return np.any([moved(t) for t in range(len(target))])


def count_one_by_one(logits, labels, pad_id):
    hits = logits.argmax(dim=-1) == labels
    return sum(hits[i][labels[i] != pad_id].all() for i in range(len(labels)))


ANSWERS = {
    "words_right": [
        lambda x, y, pad: (x.argmax(dim=-1)[y != pad] == y[y != pad]).sum(),
    ],
    "leaks": [changes_suffixes, moved_above],
    "sentences_right": [
        count_one_by_one,
        lambda *given: np.int64(count_one_by_one(*given)),
    ],
}
