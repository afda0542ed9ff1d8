"""The translator in the page: run in a browser, and compared with that of `lib`.

Most of it is driven in a page opened as a file, which holds nothing but the figure;
what needs a server is driven on the built site.
"""

from __future__ import annotations

import functools
import itertools
import json
import re
from collections.abc import Iterator
from urllib.parse import unquote

import numpy as np
import pytest
import torch
from playwright.sync_api import Browser, Page, Route, expect

from book.tools.project.address import read_address
from book.tools.site.figure_scripts import TRANSLATORS
from book.tools.site.first_shown import trace
from book.tools.site.page_model import MODEL, quantized
from lib.attention import record_attention
from lib.decoding import beam_search, greedy_decode
from lib.figures.interactive import in_order, sources
from lib.translator import Translator
from tests.browsing import complaints
from tests.interactive.figure_page import Show, ask, close, violations, write_page

SISTER, COFFEE = "My sister is wearing a red dress.", "I don't like cold coffee."
MOUSE = "The mouse ate the cat."
MONEY = "If I had more money, I would buy a bigger house."
LIGHTS = "We were watching television when the lights went out."
WORK = "She told me that she would come home late because she had a lot of work."
LONG = (
    "I was tired because the children had been awake all night and nobody could sleep "
    "and my friend who lives in the town asked me whether I would like to visit him "
)
SECOND = 1000
AWAY, SEARCH, ATTENTION, LAYER, HEAD = (f"select >> nth={n}" for n in range(1, 6))
USUAL = (0, 0, 0, 2, 0)  # of these


@functools.cache
def page_weights() -> Translator:
    """The shipped translator with the page's weights, each a multiple of a scale."""
    translator = Translator.load(MODEL)
    with torch.no_grad():
        for weight in translator.model.parameters():
            if weight.dim() == 2:
                scales, numbers = quantized(weight.numpy())
                rounded = numbers.astype(np.float32) * scales[:, None]
                weight.copy_(torch.from_numpy(rounded))
    return translator


@functools.cache
def source(sentence: str) -> torch.Tensor:
    """The token ids of a sentence, with `<eos>`."""
    vocab = page_weights().src_vocab
    return torch.tensor([[*vocab.encode(sentence), vocab.eos_id]])


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Pages with a translator and nothing else, its parts beside them."""
    place = tmp_path_factory.mktemp("site")
    known = {"data-trace": json.dumps(trace()), "data-page": "translate.html"}
    return {name: write_page(place, name, MODEL, **known) for name in TRANSLATORS}


@pytest.fixture(scope="module")
def loaded(browser: Browser, addresses: dict[str, str]) -> Iterator[Page]:
    """The page, opened as a file, with the translator in it."""
    page = browser.new_page(viewport={"width": 800, "height": 900})
    errors = complaints(page, "file:")
    hold_the_clock(page)
    page.goto(addresses["translate"])
    load(page)
    yield page
    page.close()
    assert errors == []


@pytest.fixture
def page(loaded: Page) -> Page:
    """The page with every setting as it was, and a sentence translated."""
    write(loaded, SISTER)  # beside a text that cannot be read, no settings are shown
    loaded.locator("input[type=checkbox]:checked").evaluate_all(
        "all => all.forEach(each => each.click())"
    )
    for number, usual in enumerate(USUAL, start=1):
        loaded.select_option(f"select >> nth={number}", index=usual)
    slide(loaded, "temperature", 1.0)
    write(loaded, SISTER)
    return loaded


def hold_the_clock(page: Page) -> None:
    """Let no time pass by itself: what plays goes on when a test lets it."""
    page.clock.install(time=0)
    page.clock.pause_at(1)


def load(page: Page) -> None:
    """Press the button, wait until something is written, and look inside."""
    page.get_by_role("button", name="Try your own").click()
    page.locator(".translate-text > span").first.wait_for()
    page.locator(".interactive-inside > summary").click()


def slide(page: Page, label: str, value: float) -> None:
    page.get_by_label(label, exact=True).fill(str(value))


def translation(page: Page) -> str:
    """What is written, without the doubts that stand under it."""
    return "".join(page.locator(".translate-text > span").all_inner_texts()).strip()


def ended(page: Page) -> str:
    """Let it write to the end; what it wrote."""
    page.get_by_role("button", name="To end").evaluate("end => end.click()")
    page.wait_for_function(
        "() => [...document.querySelectorAll('button')]"
        ".some(each => each.textContent === 'To end' && each.disabled)"
    )
    return translation(page)


def write(page: Page, sentence: str) -> str:
    """Type a sentence, and let it be translated to the end."""
    page.fill("input[type=text]", sentence)
    page.keyboard.press("Enter")
    return ended(page)


def candidates(page: Page) -> list[tuple[str, float]]:
    """What may be written, and its percents."""
    rows = page.locator(".translate-candidate").all_inner_texts()
    parts = [text.split("\n") for text in rows]
    return [(name, float(percent.strip("<%"))) for name, percent, *_ in parts]


def assert_beside(page: Page, wanted: str) -> None:
    """The untouched translator writes this, once it has ended."""
    place = page.locator(".translate-beside").first
    expect(place).to_have_text(f"The untouched translator writes: {wanted}")


# --- what it writes is what lib writes ------------------------------------------------


@pytest.mark.parametrize(("search", "beam"), [("greedy", 1), ("beam 6", 6)])
def test_the_page_writes_what_lib_writes(page: Page, search: str, beam: int) -> None:
    page.select_option(SEARCH, search)
    sentences = ask("exports", module="translate/examples.js")["SENTENCES"]
    wanted = page_weights().translate(sentences, beam_size=beam)
    assert [write(page, sentence) for sentence in sentences] == wanted


def test_probabilities_ids_and_attention_are_those_of_lib(page: Page) -> None:
    """The five likeliest; and of every head of every layer the strongest weight."""
    model, vocab = page_weights().model, page_weights().tgt_vocab
    src = source(SISTER)
    (ids,) = greedy_decode(model, src, vocab.sos_id, vocab.eos_id)
    tgt = torch.tensor([[vocab.sos_id, *ids[:-1]]])
    with torch.inference_mode(), record_attention(model) as weights:
        logits = model(src, tgt)[0]
        logits[:, [model.config.pad_id, vocab.sos_id]] = -torch.inf
    best = logits.softmax(-1).topk(5)
    for step, (values, tokens) in enumerate(zip(*best, strict=True)):
        page.locator("ol.translate-row button").nth(step).click()
        names, percents = zip(*candidates(page), strict=True)
        assert names == tuple(vocab.tokens[token] for token in tokens)
        assert close(percents, 100 * values, 0.51), step
    page.get_by_label("show ids").check()
    shown = page.locator("ul.translate-row small").all_inner_texts()
    assert list(map(int, shown)) == src[0].tolist()

    for kind, name, keys in (
        ("cross", "decoder.layers.{}.cross_attention", src),
        ("encoder", "encoder.layers.{}.self_attention", src),
        ("decoder", "decoder.layers.{}.self_attention", tgt),
    ):
        page.select_option(ATTENTION, kind)
        for layer, head in itertools.product(range(3), (0, 2, 5)):
            page.select_option(LAYER, index=layer)
            page.select_option(HEAD, index=head)
            table = weights[name.format(layer)][0]  # (H, T, S)
            # Before the heads, one by one, stand their mean and "each".
            row = table[head - 2, 4] if head else table.mean(0)[4]
            page.locator('[data-key="row-4"][role=button]').press("Enter")
            weight, place = row.max(-1)
            token = vocab.tokens[int(keys[0, place])]
            said = page.locator(".interactive-hint").last.inner_text()
            assert f"looked most at {token}: " in said, (layer, head)
            written = float(said.rsplit(": ", 1)[1].split(" ")[0])
            assert close([written], weight, 0.011)


# --- step by step ---------------------------------------------------------------------


def test_forwards_backwards_and_pause(page: Page) -> None:
    whole = translation(page)
    written = page.locator("ol.translate-row button")
    assert written.count() == 9
    page.get_by_role("button", name="To start").click()
    assert written.count() == 0
    next_, back = (page.get_by_role("button", name=name) for name in ("Next", "Back"))
    next_.click()
    next_.click()
    assert translation(page) == "Mi hermana"
    back.click()
    assert translation(page) == "Mi"
    assert page.inner_text(".interactive-said") == "Step 1 wrote ▁Mi, 92%."
    slide(page, "speed", 2)
    page.get_by_role("button", name="Play").click()
    expect(written).to_have_count(2)
    page.clock.run_for(499)
    assert written.count() == 2
    page.clock.run_for(1)
    expect(written).to_have_count(3)
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(60_000)
    assert written.count() == 3
    next_.click()
    assert written.count() == 4
    assert ended(page) == whole


def test_a_step_is_overruled_by_key_and_the_rest_follows(page: Page) -> None:
    """The second of the page's five things to try."""
    usual = "Estábamos viendo televisión cuando se apagaron la luz."
    assert write(page, LIGHTS) == usual
    page.locator("ol.translate-row button").nth(8).click()  # la
    page.locator(".translate-candidate >> nth=1").press("Enter")
    expect(page.locator(".translate-forced")).to_have_count(1)
    assert ended(page) == usual.replace("la luz", "las luces")
    assert_beside(page, usual)
    assert "overruled" in str(
        page.locator(".translate-forced").get_attribute("aria-label")
    )
    write(page, SISTER)
    assert page.locator(".translate-beside").first.inner_text() == ""


def test_a_beam_grows_as_a_tree_and_can_be_followed(page: Page) -> None:
    """The fourth of the page's five things to try."""
    write(page, LIGHTS)
    page.select_option(SEARCH, "beam 4")
    slide(page, "length penalty", 0)
    ended(page)
    first = page.locator(".translate-finished li").first
    score, undivided = first.inner_text().split(" ÷ ")
    assert undivided.startswith(f"1.00 = {score}: ")
    slide(page, "length penalty", 0.6)
    ended(page)
    model, vocab = page_weights().model, page_weights().tgt_vocab
    ((best,),) = beam_search(model, source(LIGHTS), vocab.sos_id, vocab.eos_id)
    division, text = first.inner_text().split(": ")
    assert text == vocab.decode(best.ids)
    rank = float(division.split("= ")[1].replace("−", "-"))
    assert rank == pytest.approx(best.score, abs=0.006)
    nodes = page.locator('[data-key^="node-"]')
    page.get_by_role("button", name="To start").click()
    assert nodes.count() == 0
    page.get_by_role("button", name="Next").click()
    assert nodes.count() == 4
    page.get_by_role("button", name="Next").click()
    assert nodes.count() == 8
    nodes.nth(1).press("Enter")
    second = str(nodes.nth(1).get_attribute("aria-label")).split(": ")[1].split(",")[0]
    assert page.inner_text("ol.translate-row") == second
    page.locator('.translate-candidate[aria-pressed="false"]').first.click()
    expect(page.locator(SEARCH)).to_have_value("greedy")
    assert not page.locator('[data-key^="node-"]').first.is_visible()


# --- what may be changed --------------------------------------------------------------


def test_what_the_page_says_of_pieces_taken_away_is_so(page: Page) -> None:
    """The first, third and fifth of the page's five things to try."""
    assert write(page, MOUSE) == "El ratón se comió al gato."
    page.get_by_label("without positions").check()
    assert ended(page) == "El gato comió el gato."
    assert_beside(page, "El ratón se comió al gato.")
    assert write(page, "The cat ate the mouse.") == "El gato comió el gato."
    page.get_by_label("without positions").uncheck()
    usual = write(page, MONEY)
    for head, there, gone in (
        ("layer 3, head 4", "un hogar más grande", "una casa"),
        ("layer 2, head 1", "una casa grande", "más grande"),
    ):
        page.select_option(AWAY, label=f"cross-attention, {head}")
        assert there in ended(page) and gone in usual
    page.select_option(AWAY, index=0)
    usual = write(page, WORK)
    page.get_by_label("without √d_k").check()
    assert ended(page) != usual
    assert_beside(page, usual)


def test_a_temperature_flattens_and_greedy_stays(page: Page) -> None:
    usual = write(page, COFFEE)
    page.locator("ol.translate-row button").nth(5).click()
    (_, before), *_ = candidates(page)
    slide(page, "temperature", 2)
    assert ended(page) == usual
    page.locator("ol.translate-row button").nth(5).click()
    (_, after), *_ = candidates(page)
    assert after < before / 2
    slide(page, "temperature", 0.1)
    page.select_option(SEARCH, "drawn")
    assert write(page, MONEY) == page_weights().translate([MONEY])[0]


def test_a_slider_that_is_dragged_leaves_the_translation_whole(page: Page) -> None:
    """Each change comes before all is written again after the one in front of it."""
    usual = translation(page)
    for value in (1.5, 1.2, 1.0):
        slide(page, "temperature", value)
    expect(page.get_by_role("button", name="To end")).to_be_disabled()
    assert translation(page) == usual


# --- what it does not know ------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "sign"),
    [
        ("  ", "There is nothing to translate; write a sentence."),
        ("?!", "There is nothing to translate"),
        ("word " * 130, "at most 127"),
        ("La casa de mi hermana es muy grande.", "looks like Spanish"),
        ("¿Vienes mañana?", "it has ¿ or ¡"),
        (SISTER, ""),
    ],
)
def test_it_says_what_it_does_not_know(page: Page, sentence: str, sign: str) -> None:
    page.fill("input[type=text]", sentence)
    page.keyboard.press("Enter")
    notes = page.locator(".translate-notes")
    assert sign in (notes.text_content() or "")
    assert notes.is_visible() == bool(sign)


@pytest.mark.parametrize(
    "text",
    [
        "It was late. We were tired. Nobody spoke.",
        "“Where are you?” he asked. “Mr. Lee lives at no. 5…”",
        "OLGA LIVES IN ROTTERDAM 😀",
        "the judge postponed the trial of 日本",
    ],
)
def test_any_text_is_read_written_and_doubted_as_lib_does(
    page: Page, text: str
) -> None:
    (found,) = page_weights().translate_with_doubt([text])
    assert write(page, text) == found.text.strip()
    assert bool(page.locator(".translate-doubt").count()) == found.unsure
    field = page.locator("form .interactive-hint")
    longest = max(len(source.ids) - 1 for source in page_weights().read_text(text))
    assert f"{longest} of at most 127 sub-words" in field.inner_text()


def test_a_doubt_stands_under_its_own_sentence(page: Page) -> None:
    text = "I am hungry. My laptop battery died. Nobody knows the answer."
    write(page, text)
    wanted = []
    for found in page_weights().translate_with_doubt(re.split(r"(?<=\.) ", text)):
        doubt = ["The translator is unsure here: look twice."] if found.unsure else []
        wanted += [found.text, *doubt]
    assert 3 < len(wanted) < 6, "choose sentences of which some are doubted"
    lines = page.locator(".translate-text > *").all_inner_texts()
    assert [line.strip() for line in lines] == wanted


def test_the_field_says_what_it_cuts(page: Page) -> None:
    page.fill("input[type=text]", "word " * 1100)
    assert "5,000 characters: 500 were cut" in page.inner_text("form")
    assert len(page.input_value("input[type=text]")) == 5000


# --- everywhere -----------------------------------------------------------------------


@pytest.mark.parametrize("name", TRANSLATORS)
def test_it_fits_and_axe_finds_nothing(
    visit: Show, addresses: dict[str, str], name: str
) -> None:
    page = visit(addresses[name], viewport={"width": 360, "height": 800})
    load(page)
    if name == "translate":
        page.select_option(SEARCH, "beam 6")
    ended(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    field = page.locator("input[type=text]").bounding_box()
    assert field and field["width"] > 270  # a line of its own
    small = page.locator("button:visible, select:visible").evaluate_all(
        "all => all.map(each => each.getBoundingClientRect())"
        ".filter(({ width, height }) => width < 24 || height < 28).length"
    )
    assert small == 0
    assert violations(page) == []


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_the_stored_translation_plays_pauses_and_can_stand_still(
    visit: Show, addresses: dict[str, str], motion: str
) -> None:
    page = visit(reduced_motion=motion)
    hold_the_clock(page)
    page.goto(addresses["translate"])
    words = page.locator('.interactive-picture [data-key^="row-"]')
    buttons = {
        name: page.get_by_role("button", name=name)
        for name in ("Back", "Play", "Pause", "Next")
    }
    every = len(trace()["spanish"])
    if motion == "no-preference":
        assert words.count() == 1
        page.clock.run_for(SECOND)
        assert words.count() == 2
        buttons["Pause"].click()
        page.clock.run_for(every * SECOND)
        assert words.count() == 2
        buttons["Play"].click()
        page.clock.run_for(every * SECOND)
    assert words.count() == every
    assert buttons["Next"].is_disabled()
    buttons["Back"].click()
    expect(words).to_have_count(every - 1)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(words).to_have_count(every)
    if motion == "reduce":
        load(page)
        expect(page.get_by_role("button", name="To end")).to_be_disabled()


def test_a_long_text_is_drawn_with_few_elements(page: Page) -> None:
    """As many as grow with its tokens, not with the pairs of them."""
    write(page, (LONG * 5)[:554])
    read = page.locator("ul.translate-row li").count()
    written = page.locator("ol.translate-row button").count()
    assert read > 100 and written > 30
    assert page.locator(".interactive *").count() < 15 * (read + written)


def test_the_address_keeps_the_sentence(visit: Show, addresses: dict[str, str]) -> None:
    """As text, on the way from the small form to the page, on reload and back."""
    odd = "100% of <b>us</b> & you #1 like 🍕 and café."

    def kept(page: Page) -> str:
        return unquote(page.evaluate("location.hash")).removeprefix("#s=")

    page = visit(addresses["translate_small"])
    load(page)
    write(page, odd)
    assert kept(page) == odd
    page.get_by_role("link", name="the page Translate").click()
    expect(page.locator(".interactive-hint").last).to_contain_text(f"asks for “{odd}”")
    assert page.url.startswith(f"{addresses['translate']}#s=")
    load(page)
    field = page.get_by_label("English sentence")
    expect(field).to_have_value(odd)
    page.select_option("select >> nth=0", MOUSE)
    assert kept(page) == MOUSE
    page.go_back()
    expect(field).to_have_value(odd)
    page.go_forward()
    expect(field).to_have_value(MOUSE)
    page.evaluate("location.hash = '#s=100%'")  # no code of a character
    expect(field).to_have_value("100%")
    page.reload()
    assert kept(page) == "100%"
    load(page)
    expect(field).to_have_value("100%")


def test_the_model_runs_in_a_worker_alone(page: Page) -> None:
    """The page has no code that runs a model, and one worker that has."""
    modules = {path.stem for path in in_order(sources() / "translate" / "page.js")}
    assert "session" in modules
    assert not modules & {"model", "layers", "tape", "engine"}
    assert len(page.workers) == 1


def test_a_notebook_leads_to_the_site(show: Show) -> None:
    page = show("translate")
    link = page.locator(".interactive a").get_attribute("href")
    assert link == f"{read_address().site}/book/translate.html"


# --- on the site ----------------------------------------------------------------------


def test_the_model_is_fetched_when_asked_for_and_then_needs_no_network(
    browser: Browser, base: str
) -> None:
    """Without a network, with four broken parts, and whole: none is fetched twice."""
    context = browser.new_context()
    page = context.new_page()
    asked: list[str] = []
    broken = {
        "03": {"body": "gone", "status": 404},
        "05": {"body": ""},
        "07": {"body": 'bookModel.part(7, "AAAA'},
        "11": {"body": 'bookModel.part(11, "AAAA", "00000000");'},
    }

    def spoil(route: Route) -> None:
        number = route.request.url.split("model-")[1][:2]
        asked.append(number)
        if number in broken and asked.count(number) <= 1 + (number == "03"):
            route.fulfill(**broken[number])
        else:
            route.continue_()

    again = page.get_by_role("button", name="Try again")
    page.goto(f"{base}/book/translate.html", wait_until="load")
    page.get_by_role("button", name="Try your own").wait_for()
    assert not page.evaluate("globalThis.bookModel")
    context.set_offline(True)
    page.get_by_role("button", name="Try your own").click()
    again.wait_for()
    told = page.inner_text(".interactive")
    assert "None of the 16 parts arrived." in told
    assert "the network is off" in told
    assert not page.locator("progress").is_visible()
    context.set_offline(False)
    page.route(re.compile(r"model-\d\d\.js"), spoil)
    again.click()
    page.get_by_text("4 of the 16 parts did not arrive").wait_for()
    told = page.inner_text(".interactive")
    assert "In place of model-03.js came 4 bytes" in told
    assert "(status 404)" in told
    assert len(asked) == 17  # once more for what it was that came
    again.click()
    page.locator(".translate-word").first.wait_for()
    page.locator(".interactive-inside > summary").click()
    assert sorted(asked[17:]) == sorted(broken)
    context.set_offline(True)
    assert write(page, MOUSE) == "El ratón se comió al gato."
    page.emulate_media(media="print")
    assert page.locator(".translate-text").is_visible()
    assert not page.get_by_role("button", name="Next").is_visible()
    context.close()
