"""Pitfall 27: dropout that is still on when the model writes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from lib.decoding import beam_search, greedy_decode
from lib.masks import padding_mask
from lib.model import Transformer
from tests.strategies import pad, randomize, tiny_model

Decode = Callable[[Transformer, Tensor, int, int], object]

# --- 27 -------------------------------------------------------------------------------


@torch.no_grad()
def decode_without_eval(
    model: Transformer, src: Tensor, sos_id: int, eos_id: int
) -> list[list[int]]:
    """Write eight tokens, in whatever mode the model happens to be."""
    src_mask = padding_mask(src, model.config.pad_id)
    memory = model.encode(src, src_mask)
    written = src.new_full((len(src), 1), sos_id)  # (B, T)
    for _ in range(8):
        newest = model.decode(written, memory, src_mask)[:, -1].argmax(dim=-1)
        written = torch.cat([written, newest[:, None]], dim=1)
    return written[:, 1:].tolist()


def just_trained() -> Transformer:
    """Return a model as training leaves it: in training mode."""
    model = tiny_model(dropout=0.5)
    randomize(model)
    return model.train()


def property_two_calls_give_the_same_answer(decode: Decode) -> None:
    model, src = just_trained(), pad([[3, 4, 5, 6], [7, 8], [9, 10, 3]])
    torch.manual_seed(0)
    one, other = (str(decode(model, src, 1, 2)) for _ in range(2))
    assert one == other, "the answer changed from call to call"


def property_training_goes_on_with_dropout(decode: Decode) -> None:
    model = just_trained()
    decode(model, pad([[3, 4, 5]]), 1, 2)
    frozen = [name for name, part in model.named_modules() if not part.training]
    assert not frozen, f"left in evaluation mode: {len(frozen)} parts"


def decode_with_eval_for_good(
    model: Transformer, src: Tensor, sos_id: int, eos_id: int
) -> list[list[int]]:
    model.eval()  # and nobody switches dropout on again
    return decode_without_eval(model, src, sos_id, eos_id)


def test_pitfall_27_eval_forgotten() -> None:
    """The same sentence, two translations; or, afterwards, training without dropout."""
    with pytest.raises(AssertionError, match="the answer changed from call to call"):
        property_two_calls_give_the_same_answer(decode_without_eval)
    property_two_calls_give_the_same_answer(decode_with_eval_for_good)
    with pytest.raises(AssertionError, match=r"left in evaluation mode: \d\d parts"):
        property_training_goes_on_with_dropout(decode_with_eval_for_good)
    decoders: list[Decode] = [greedy_decode, beam_search]
    for decode in decoders:
        property_two_calls_give_the_same_answer(decode)
        property_training_goes_on_with_dropout(decode)
