"""The five models of exercise 4.5 look ahead where its answer says so."""

import pytest
import torch

from lib.exercises.suspects import suspects


@pytest.mark.parametrize("name", "ABCDE")
@pytest.mark.parametrize("length", [5, 16])
def test_the_models_of_exercise_4_5_are_what_the_answer_says(
    name: str, length: int
) -> None:
    model = suspects()[name]
    ids = torch.arange(1, length + 1).unsqueeze(0)
    before = model(ids)
    leaks = False
    for place in range(1, length):
        changed = ids.clone()
        changed[:, place] = 19
        moved = (model(changed) - before).abs().amax(dim=(0, -1)) > 1e-6
        leaks |= bool(moved[:place].any())
        assert moved[place]
    expected = name in "BC" or (name == "E" and length > 8)
    assert leaks == expected
