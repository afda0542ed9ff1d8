"""Chapters 7 to 9: the model that is opened in the page, against `lib`'s."""

from __future__ import annotations

import ast
import base64
import re

import torch
from playwright.sync_api import Page

from lib.attention import record_attention
from lib.config import TransformerConfig
from lib.masks import padding_mask
from lib.model import Transformer, count_parameters
from lib.text import Vocabulary
from tests.book_sources import CHAPTERS, read
from tests.interactive.figure_page import PHONE, Show, close, said, stored, texts

SENTENCE = "the dog bites the man"
LAYER = "decoder.layers.0"
SMALL = stored("small_model")


def pairs() -> list[tuple[str, str]]:
    """The six pairs of chapter 9."""
    chapter = "".join(cell.source for cell in read(CHAPTERS[9 - 1]).cells)
    (found,) = re.findall(r"PAIRS = (\[.*?^\])", chapter, re.M | re.S)
    return list(ast.literal_eval(found))


PAIRS = pairs()
ENGLISH, SPANISH = map(Vocabulary.build, zip(*PAIRS, strict=True))


def shipped() -> Transformer:
    """The model of the page: its bytes, in the order of their names."""
    packed = base64.b64decode(SMALL["bytes"])
    numbers = torch.frombuffer(bytearray(packed), dtype=torch.int8)
    model = Transformer(TransformerConfig(**SMALL["config"], dropout=0.0))
    assert len(numbers) == count_parameters(model)
    _, parameters = zip(*sorted(model.named_parameters()), strict=True)
    torch.nn.utils.vector_to_parameters(numbers / SMALL["scale"], parameters)
    return model


MODEL = shipped()


def press(page: Page, name: str) -> list[float]:
    """Press a part of the figure, and read the numbers that it shows."""
    page.click(f'[data-key="{name}"]')
    return list(map(float, texts(page, ".filled")))


@torch.no_grad()
def test_the_numbers_of_the_parts_are_those_of_lib(show: Show) -> None:
    page = show("architecture", "model", viewport=PHONE)
    src = torch.tensor([ENGLISH.encode(SENTENCE)])
    tgt = torch.tensor([[SPANISH.sos_id, *SPANISH.encode("el perro")]])
    mask = padding_mask(src, 0)
    page.click("button >> nth=0")
    page.click("button >> nth=0")
    with record_attention(MODEL) as weights:
        memory = MODEL.encode(src, mask)
        logits = MODEL.decode(tgt, memory, mask)[0]

    assert close(press(page, "src_embedding"), MODEL.src_embedding(src))
    assert close(press(page, "encoder"), memory)
    press(page, "decoder")
    press(page, LAYER)
    page.select_option("select >> nth=1", "1")
    for end in ("self_attention", "cross_attention"):
        name = f"{LAYER}.{end}"
        assert close(press(page, name), weights[name][0, 1]), name
    page.select_option("select >> nth=1", "output")
    page.click('[data-key="output_proj"]')
    best = texts(page, "td:nth-child(n + 2)")
    top = logits.topk(3, dim=-1)
    tokens = [SPANISH.tokens[i] for i in top.indices.flatten().tolist()]
    assert [text.split()[0] for text in best] == tokens
    assert "likeliest next: muerde" in said(page)


def test_parts_open_and_every_sentence_is_written_to_its_end(show: Show) -> None:
    page = show("architecture", "encoder_layer")
    counted = count_parameters(MODEL.encoder.layers[0].feed_forward)
    whole = f"of the model's {count_parameters(MODEL):,} numbers"
    assert f"It holds {counted} {whole}" in said(page)
    encoder = page.locator('[data-key="encoder"]')
    assert encoder.get_attribute("aria-expanded") == "true"
    encoder.press("Enter")
    assert encoder.get_attribute("aria-expanded") == "false"
    assert page.locator('[data-key="encoder.layers.0"]').count() == 0
    encoder.press("Enter")
    page.click('[data-key="encoder.layers.1"]')
    assert page.locator('[data-key="encoder.layers.1.feed_forward"]').count() == 1
    write = page.locator("button", has_text="write")
    for source, target in PAIRS:
        page.select_option("select >> nth=0", source)
        while write.is_enabled():
            write.click()
        assert said(page).endswith(
            f"The translation is finished: <sos> {target} <eos>."
        )
