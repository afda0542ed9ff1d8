"""Right answers to the exercises of chapter 12, written in another way."""

import re

import torch


def smoothed(label, vocab_size, smoothing):
    certain = torch.nn.functional.one_hot(torch.tensor(label), vocab_size)
    return (1 - smoothing) * certain + smoothing / vocab_size


def rate(step, d_model, warmup_steps):
    steps = torch.tensor([step, warmup_steps], dtype=torch.float64)
    return (d_model * steps.max()) ** -0.5 * (
        step / warmup_steps if steps.argmax() else 1
    )


def clip(gradients, longest):
    norm = torch.cat([one.flatten() for one in gradients]).norm()
    return tuple(one * min(1.0, longest / (norm + 1e-12)) for one in gradients)


def last_file(names):
    hits = [name for name in names if re.fullmatch(r"epoch-\d+\.safetensors", name)]
    return sorted(hits, key=lambda name: (len(name), name))[-1]


def global_loss(losses, words):
    losses, words = torch.tensor(losses), torch.tensor(words)
    return (losses.nan_to_num() * words).sum() / words.sum()


def early_stop(losses, patience):
    bad, best, end = 0, 0, 0
    for end, loss in enumerate(losses):
        bad, best = (0, end) if loss < losses[best] or not end else (bad + 1, best)
        if bad == patience:
            break
    return [end + 1, best + 1]


ANSWERS = {
    "smoothed": [smoothed],
    "paper_rate": [rate],
    "clip": [clip],
    "last_file": [last_file],
    "global_loss": [global_loss],
    "early_stop": [early_stop],
}
