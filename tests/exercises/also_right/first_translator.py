"""Right answers to the exercises of chapter 9, written in another way."""

import numpy as np
import torch


def shift_as_tensors(ids, sos_id, eos_id):
    target = torch.tensor([sos_id, *ids, eos_id])
    return target[:-1], target[1:]


def write_a_tensor(next_scores, sos_id, eos_id, max_len):
    written = torch.tensor([sos_id])
    for _ in range(max_len):
        best = next_scores(written).argmax()
        if best == eos_id:
            break
        written = torch.cat([written, best[None]])
    return written[1:]


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
    "shift": [
        shift_as_tensors,
        lambda ids, sos, eos: np.array([[sos, *ids], [*ids, eos]]),
        lambda ids, sos, eos: torch.tensor([[sos, *ids], [*ids, eos]]),
    ],
    "write_greedily": [write_a_tensor],
    "leaks": [changes_suffixes, moved_above],
    "sentences_right": [
        count_one_by_one,
        lambda *given: np.int64(count_one_by_one(*given)),
    ],
}
