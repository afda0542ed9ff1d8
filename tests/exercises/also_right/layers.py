"""Right answers to the exercises of chapter 7, written in another way."""

import torch
from torch import nn

ANSWERS = {
    "normed_by_hand": [
        [-0.816, -0.816, 0.0, 1.633],
        nn.functional.layer_norm(torch.tensor([0.0, 0.0, 3.0, 9.0]), (4,)),
    ],
    "rms_norm": [lambda x, eps=1e-5: nn.functional.rms_norm(x, x.shape[-1:], eps=eps)],
    "drop": [lambda x, keep, p: torch.where(keep, x / (1 - p), 0.0)],
    "is_pre_norm": [
        lambda block: bool((block(torch.ones(1, 1, 8), torch.zeros_like) == 1).all())
    ],
}
