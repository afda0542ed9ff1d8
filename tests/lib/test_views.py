"""The interactive views: what they hold, and that they draw with the network off."""

import contextlib
import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Frame
from torch import nn

from lib.attention import MultiHeadAttention
from lib.figures.views import (
    Lookup,
    head_view,
    model_view,
    neuron_view,
    record_lookups,
)
from tests.browsing import complaints
from tests.refusals import Call, each_refusal, refuses

TOKENS = ["the", "dog", "bites", "the", "man"]
AWKWARD = ["<sos>", "</script><b>", 'a"b', "¿", "&amp;"]


def weights(layers: int = 1, heads: int = 2, size: int = 5) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    shape = (layers, 1, heads, size, size)
    return list(torch.randn(shape, generator=generator).softmax(dim=-1))


def inside(view: Any) -> str:
    """The page in the frame of a view."""
    (frame,) = BeautifulSoup(view.data, "html.parser").find_all("iframe")
    return str(frame["srcdoc"])


def test_a_view_fetches_nothing_and_may_run_scripts_alone() -> None:
    for view in (head_view(weights(), TOKENS), *more_views().values()):
        for text in (view.data, inside(view)):
            page = BeautifulSoup(text, "html.parser")
            assert not page.find_all(src=True) + page.find_all(href=True)
        assert "cdnjs" not in inside(view)
        found = set(re.findall(r"https?://([\w.-]+)", inside(view)))
        # Names of XML dialects, and credits in comments: nothing is fetched.
        assert found <= {"www.w3.org", "d3js.org", "github.com"}
        (frame,) = BeautifulSoup(view.data, "html.parser").find_all("iframe")
        assert frame["sandbox"] == ["allow-scripts"]
        assert frame["title"]


@pytest.mark.filterwarnings("error::UserWarning")
def test_weights_are_rounded_and_all_there(capsys: pytest.CaptureFixture[str]) -> None:
    """Of any dtype, with gradients or without; and nothing is printed."""
    exact = torch.tensor([[[[0.123456, 0.876544], [0.5, 0.5]]]])
    page = inside(head_view([exact.double().requires_grad_()], ["lets", "go"]))
    assert '"attn": [[[[0.1235, 0.8765], [0.5, 0.5]]]]' in page
    assert '"left_text": ["lets", "go"]' in page
    assert capsys.readouterr() == ("", "")


def test_a_large_view_stays_below_its_limit():
    given = weights(layers=6, heads=8, size=12), ["word"] * 12
    for view in (head_view(*given), model_view(*given)):
        assert inside(view).count('"attn": ') == 1  # bertviz has all of it twice
        assert len(view.data) < 180_000  # with its scripts, of 110,000


def test_what_is_said_to_make_a_view_smaller_does(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lib.figures.views._LARGE", 1)
    given = weights(layers=3, heads=4, size=30), ["word"] * 30
    wholes = {draw: len(draw(*given).data) for draw in (head_view, model_view)}
    for draw, *names in ((head_view, "layers"), (model_view, "layers", "heads")):
        for name in names:
            less = len(draw(*given, **{f"include_{name}": [0]}).data)
            assert less < wholes[draw] - 40_000
            assert f"include_{name}=" in capsys.readouterr().out
    assert len(head_view(*given, heads=[0]).data) > wholes[head_view] - 9
    neuron_view(lookups(), AWKWARD[:3], AWKWARD[1:])
    assert "fewer lookups." in capsys.readouterr().out


def test_the_frame_is_as_high_as_the_longer_sentence():
    cross = torch.full((1, 2, 3, 7), 1 / 7)
    tall = head_view(
        cross_attention=[cross], encoder_tokens=["s"] * 7, decoder_tokens=["t"] * 3
    )
    assert "height: 248px" in tall.data  # 90 + 7 × 22.5 = 247.5
    assert "height: 202px" in head_view(weights(), TOKENS).data


@each_refusal(
    (lambda: head_view([weights(1)[0].expand(2, 2, 5, 5)], TOKENS), r"\(2, 2, 5, 5\)"),
    (lambda: head_view([weights()[0][0]], TOKENS), r"\(1, H, T, S\).*\(2, 5, 5\)"),
    (lambda: head_view(weights(), TOKENS[:4]), "5 positions.*tokens is 4"),
    (lambda: head_view(weights(), None), "'tokens' is required"),
    (lambda: neuron_view(lookups(), AWKWARD[:2], AWKWARD), "must have shape"),
    (lambda: neuron_view(lookups(), AWKWARD[:3], None), "must have shape"),
)
def test_what_does_not_fit_is_refused(call: Call, words: str) -> None:
    refuses(call, words)


@contextlib.contextmanager
def shown(browser: Browser, *views: Any, width: int = 900) -> Iterator[list[Frame]]:
    """The frames of these views on a page in a browser without a network."""
    size: Any = {"width": width, "height": 700}
    page = browser.new_page(offline=True, viewport=size)
    said = complaints(page, "about:")
    page.set_content("".join(view.data for view in views))
    for frame in page.frames[1:]:
        frame.wait_for_selector("#vis svg *", state="attached")
    yield page.frames[1:]
    page.close()
    assert said == []


def test_without_bertviz_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bertviz", None)
    for draw in (lambda: head_view(weights(), TOKENS), more_views):
        with pytest.raises(ModuleNotFoundError, match=r"pip install bertviz"):
            draw()


def test_it_draws_and_answers_with_the_network_off(browser: Browser) -> None:
    views = [head_view(weights(layers=2), tokens) for tokens in (TOKENS, AWKWARD)]
    with shown(browser, *views) as frames:
        for frame, tokens in zip(frames, (TOKENS, AWKWARD), strict=True):
            assert frame.locator("line").count() == 2 * 5 * 5
            assert frame.locator("text").all_text_contents() == tokens * 2
        frame = frames[0]
        visible = frame.locator("line[visibility='visible']")
        assert visible.count() == 0
        frame.locator("text").nth(1).hover()
        assert visible.count() == 2 * 5  # from "dog", in both heads
        before = frame.locator("line").first.get_attribute("stroke-opacity")
        frame.locator("#layer").select_option("1")
        assert before != frame.locator("line").first.get_attribute("stroke-opacity")


# --- the model view and the neuron view ---------------------------------------------


def lookups() -> list[Lookup]:
    """Two layers of two heads, as a real attention compares them."""
    torch.manual_seed(0)
    model = nn.ModuleList(MultiHeadAttention(d_model=8, n_heads=2) for _ in range(2))
    query, key = torch.randn(1, 3, 8), torch.randn(1, 4, 8)
    with record_lookups(model) as found:
        for attention in model:
            attention(query, key, key)
    assert not any(module._forward_hooks for module in model.modules())
    return list(found.values())


def test_a_lookup_holds_what_the_attention_compared() -> None:
    for lookup in lookups():
        d_k = lookup.queries.size(-1)
        scores = lookup.queries @ lookup.keys.transpose(-2, -1) / d_k**0.5
        assert torch.allclose(scores.softmax(dim=-1), lookup.weights, atol=1e-6)


def more_views() -> dict[str, Any]:
    """Each kind of view, with tokens that could break a page."""
    left, right = AWKWARD[:3], AWKWARD[1:]
    found = lookups()
    weights_of = [lookup.weights for lookup in found]
    both = {"encoder_tokens": right, "decoder_tokens": left}
    return {
        "model": model_view(cross_attention=weights_of, **both),
        "neuron": neuron_view(found, left, right),
    }


@pytest.mark.parametrize("width", [360, 900])
@pytest.mark.parametrize("kind", ["model", "neuron"])
def test_more_views_draw_with_the_network_off(
    kind: str, width: int, browser: Browser
) -> None:
    with shown(browser, more_views()[kind], width=width) as (frame,):
        drawn = frame.locator("#vis svg *").count()
        texts = {t.strip() for t in frame.locator("#vis text").all_text_contents()}
        widest = frame.evaluate("document.documentElement.scrollWidth")
    assert drawn > 30
    if kind == "model":
        assert widest <= width
        assert {"Heads", "Layers"} <= texts
    else:
        assert set(AWKWARD) <= texts


_OPEN = "document.querySelector('#vis .plus-sign').dispatchEvent(new Event('click'))"
_RIGHTMOST = """() => {
    const view = document.querySelector('#vis');
    const left = view.getBoundingClientRect().left;
    const texts = [...view.querySelectorAll('text')].filter(e => e.textContent.trim());
    const edges = texts.map(e => e.getBoundingClientRect().right - left);
    return [Math.max(...edges), view.scrollWidth];
}"""


def test_all_columns_of_the_neuron_view_can_be_scrolled_to_on_a_phone(
    browser: Browser,
) -> None:
    with shown(browser, more_views()["neuron"], width=360) as (frame,):
        frame.evaluate(_OPEN)
        rightmost, room = frame.evaluate(_RIGHTMOST)
    assert 360 < rightmost <= room
