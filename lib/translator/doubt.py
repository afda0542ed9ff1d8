"""How much a translator doubts what it wrote, from the model's own numbers."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from lib.model import Transformer


@torch.inference_mode()
def doubts(
    model: Transformer, src: Tensor, written: Sequence[Sequence[int]], sos_id: int
) -> list[float]:
    r"""Return for each translation how unlikely the model finds it, whole.

    .. math:: -\sum_t \log p(y_t \mid y_{<t}, x)

    This is the loss of the translation, summed over its tokens, ``<eos>`` included,
    and what beam search adds up; one forward pass with the translation as its own
    target gives it, whoever wrote it and however. It grows with every token that had a
    rival, so a long sentence is doubted sooner than a short one, and rightly: it goes
    wrong more often.

    Args:
        model: the Transformer, in evaluation mode.
        src: token ids of the source sentences, padded.
        written: token ids of their translations, without ``<sos>``; padding at their
            ends does not count.
        sos_id: the id that every target begins with.

    Shape:
        src: :math:`(B, S)`.

    Example:
        >>> from lib.config import TransformerConfig
        >>> _ = torch.manual_seed(0)
        >>> model = Transformer(TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=16))
        >>> src = torch.tensor([[4, 5], [6, 0]])
        >>> one, other = doubts(model.eval(), src, [[4, 4, 2], [4, 2]], sos_id=1)
        >>> one > other > 0
        True
    """
    pad_id = model.config.pad_id
    rows = [torch.tensor(ids, device=src.device) for ids in written]
    targets = pad_sequence(rows, True, pad_id)  # (B, T)
    first = torch.full_like(targets[:, :1], sos_id)
    logits = model(src, torch.cat([first, targets[:, :-1]], dim=1))  # (B, T, V)
    never = torch.tensor([pad_id, sos_id], device=src.device)  # as in decoding
    logits = logits.index_fill(2, never, -torch.inf)
    losses = torch.nn.functional.cross_entropy(
        logits.float().transpose(1, 2), targets, ignore_index=pad_id, reduction="none"
    )  # (B, T), 0 where there is padding
    return losses.sum(dim=1).tolist()
