"""Trainings in the page: the gradient against PyTorch's, and the figures."""

from __future__ import annotations

import base64
import itertools
import re
from typing import Any

import pytest
import torch

from lib import corpora
from lib.config import TransformerConfig
from lib.loss import translation_loss
from lib.model import Transformer
from lib.text import EOS, Vocabulary
from lib.training import warmup_decay
from tests.book_sources import CHAPTERS, read
from tests.interactive.figure_page import Show, ask, press, said, slide, stored
from tests.interactive.test_interactive import PLACES

TOLERANCE = 1e-5  # of each number of the gradient; the largest are about 0.1
BATCH = [
    ([4, 5, 6, 7, 2], [1, 5, 8, 2]),
    ([8, 2], [1, 9, 4, 4, 10, 2]),
    ([7, 2], [1, 2]),
]


@pytest.mark.parametrize("norm_first", [False, True])
def test_every_gradient_is_that_of_pytorch(norm_first: bool) -> None:
    """Of lib's own Transformer, two layers deep, on sentences of several lengths."""
    torch.manual_seed(3)
    config = {"d_model": 8, "n_heads": 2, "n_layers": 2, "d_ff": 12, "max_len": 9}
    config |= {"src_vocab_size": 9, "tgt_vocab_size": 11, "norm_first": norm_first}
    model = Transformer(TransformerConfig(**config, dropout=0.0))  # type: ignore[arg-type]
    for parameter in model.parameters():
        if parameter.dim() == 1:  # norms and biases of their own, not ones and zeros
            torch.nn.init.normal_(parameter)
    weights = {n: torch.atleast_2d(w).tolist() for n, w in model.state_dict().items()}
    batch = [{"src": src, "tgt": tgt} for src, tgt in BATCH]
    shown = ask("gradient", config=config, weights=weights, batch=batch)
    pad = torch.nn.utils.rnn.pad_sequence
    src = pad([torch.tensor(src) for src, _ in BATCH], True)
    fed = pad([torch.tensor(tgt[:-1]) for _, tgt in BATCH], True)
    labels = pad([torch.tensor(tgt[1:]) for _, tgt in BATCH], True)
    loss = translation_loss(model(src, fed), labels, pad_id=0)
    loss.backward()
    assert shown["loss"] == pytest.approx(loss.item(), abs=TOLERANCE)
    named = dict(model.named_parameters())
    assert set(shown["gradient"]) == set(named)
    for name, parameter in named.items():
        ours = torch.tensor(shown["gradient"][name])
        assert parameter.grad is not None
        theirs = torch.atleast_2d(parameter.grad)
        torch.testing.assert_close(ours, theirs, atol=TOLERANCE, rtol=0.0, msg=name)


def test_the_sentences_are_those_that_the_chapter_chooses() -> None:
    cells = [cell.source for cell in read(CHAPTERS[10 - 1]).cells]
    (cell,) = (source for source in cells if "\nFEW_WORDS = " in source)
    known: dict[str, Any] = {"corpora": corpora, "itertools": itertools}
    exec(cell.partition("print(")[0], known)
    sides = [Vocabulary.build(side) for side in zip(*known["chosen"], strict=True)]
    few = stored("small_pairs")
    assert [few["english"], few["spanish"]] == [" ".join(s.tokens) for s in sides]
    ids = (
        [*vocabulary.encode(sentence), vocabulary.ids[EOS]]
        for pair in known["chosen"]
        for vocabulary, sentence in zip(sides, pair, strict=True)
    )
    assert base64.b64decode(few["bytes"]) == bytes(itertools.chain(*ids))


def test_it_learns_and_needs_its_mask_and_positions() -> None:
    """Half of the page's 600 steps, and marked again with its positions out.

    Without the mask it learns to copy what it is fed, and writes nothing right.
    """
    marked = [{}, {"withoutPositions": True}]
    whole, orderless = ask("training", steps=300, missing={}, marked=marked)
    leaking = {"withoutCausalMask": True}
    (leaky,) = ask("training", steps=100, missing=leaking, marked=[{}])
    assert whole["learned"] > 160
    assert whole["kept"] > 20
    assert orderless["learned"] < whole["learned"] / 2
    assert leaky["learned"] < 10


def test_the_page_trains_until_it_is_stopped(show: Show) -> None:
    page = show("training")
    assert "random" in said(page)
    press(page, "train")
    page.get_by_text("Right:").wait_for()
    press(page, "stop")
    page.get_by_role("button", name="go on").wait_for()
    assert re.match(r"Right: \d+ of the 240 .* and \d+ of the 40 ", said(page))
    assert page.locator("td[lang=es]", has_text="…").count() == 0
    press(page, "start again")
    page.get_by_text(re.compile(r"step \d+:")).wait_for()  # whichever is drawn first


def test_a_warm_up_saves_a_rate_on_the_page(show: Show) -> None:
    """With the phrases that chapter 12 hands over, of which one start learns all."""
    (told,) = [told for name, _, told in PLACES if name == "rate"]
    page = show("rate", numbers=told)
    assert said(page).startswith("Not trained yet")
    press(page, "Train")
    page.get_by_text("no warm-up").wait_for()
    few = re.search(r"training: (\d) with rate 0.02, no warm-up", said(page))
    assert few and int(few[1]) < 4
    slide(page, 0, 20)
    press(page, "Train again")
    page.get_by_text("8 with rate 0.02, warm-up 20").wait_for()
    assert page.locator("td", has_text="✓").count() == 8


def test_the_page_s_rate_is_that_of_lib() -> None:
    def theirs(warmup: int) -> list[float]:
        return [warmup_decay(step, warmup, 60) for step in range(60)]

    for warmup in (0, 1, 20, 40):
        assert ask("rates", warmup=warmup) == pytest.approx(theirs(warmup))
