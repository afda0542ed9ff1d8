"""The slides: a deck for every chapter, to be read from the back, offline."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser
from pypdf import PdfReader

from book.tools.course.slide_pictures import LEGIBLE, letters
from book.tools.course.slides import (
    DIRECTIVE,
    Chapter,
    decks,
    filled,
    main,
    notebook_of,
    slides_of,
    write_slides,
)
from book.tools.project.address import ROOT
from tests.book_sources import NAMES
from tests.browsing import complaints

DECKS = decks()
MASKS = Chapter(ROOT / "book" / "04_masks.ipynb")
(LOW,) = MASKS.figure("One sentence")
SMALLEST = 22  # CSS pixels of 720: what can be read from the last row
# What stands over the edge of the slide, what is set too small, what did not load.
FAULTS = """(smallest) => {
    const slide = Reveal.getCurrentSlide();
    const { left, top, right, bottom } = slide.getBoundingClientRect();
    const shown = [...slide.querySelectorAll("*")]
        .filter(e => !e.closest("aside, math") && e.getClientRects().length);
    const faults = [];
    for (const e of shown) {
        const box = e.getBoundingClientRect();
        const over = Math.max(box.right - right, box.bottom - bottom, left - box.left);
        if (over > 1) faults.push(`${over} px over: ${e.outerHTML.slice(0, 80)}`);
        const text = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
        const size = parseFloat(getComputedStyle(e).fontSize);
        if (text && size < smallest) faults.push(`${size} px: ${e.textContent}`);
        if (e.scrollWidth > e.clientWidth + 1 && e.matches("pre")) {
            faults.push(`too long a line: ${e.textContent.slice(0, 80)}`);
        }
        if (e.matches("img") && !(e.naturalWidth > 0)) faults.push(`no ${e.src}`);
    }
    for (const image of slide.querySelectorAll("figure img")) {
        const letter = 16.8 * image.width / image.naturalWidth;
        if (letter < 21.9) faults.push(`${letter} px: ${image.getAttribute("src")}`);
    }
    return faults;
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("slides")
    write_slides(folder)
    return folder


def test_every_chapter_has_its_slides() -> None:
    """From 15 to 25 in a deck, each with a title of its own and with notes."""
    assert [deck.stem for deck in DECKS] == NAMES
    for deck in DECKS:
        slides = slides_of(deck)
        assert 15 <= len(slides) <= 25
        assert all(len(slide.notes.split()) >= 10 for slide in slides)
        first, *titles = [slide.text.splitlines()[0] for slide in slides]
        assert first.startswith("# ")
        assert all(title.startswith("## ") for title in titles)
        assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("deck", DECKS, ids=NAMES)
def test_each_cell_tagged_for_slides_is_on_one(deck: Path) -> None:
    wanted = [found[3].strip() for found in DIRECTIVE.finditer(deck.read_text("utf-8"))]
    for cell, after in Chapter(ROOT / "book" / f"{deck.stem}.ipynb").cells:
        texts = cell.source, after.source
        assert any(words in text for words in wanted for text in texts), cell.id


# One with formulas and one with a tall figure; `make exhaustive` looks at all.
CHOSEN = ("07_layers", "09_transformer")


@pytest.mark.browser
@pytest.mark.parametrize(
    "deck",
    [
        pytest.param(deck, marks=[] if deck.stem in CHOSEN else pytest.mark.exhaustive)
        for deck in DECKS
    ],
    ids=NAMES,
)
def test_every_slide_can_be_read_from_the_back(
    deck: Path, folder: Path, browser: Browser
) -> None:
    """Opened as a file, with no network, each slide is stepped to and looked at."""
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    errors = complaints(page, "file:")
    address = (folder / f"{deck.stem}.html").as_uri()
    page.goto(address)
    faults = []
    count = page.evaluate("Reveal.getTotalSlides()")
    for number in range(1, count + 1):
        page.evaluate("Promise.all([...document.images].map(i => i.decode()))")
        found = page.evaluate(FAULTS, SMALLEST)
        faults += [f"slide {number}: {fault}" for fault in found]
        while page.evaluate("Reveal.availableFragments().next"):
            page.keyboard.press("Space")
        page.keyboard.press("Space")
    assert page.evaluate("Reveal.isLastSlide()")
    # Without its font a power stands far above its base.
    if page.locator("math").count():
        page.evaluate("document.fonts.ready")
        fonts = page.evaluate("[...document.fonts].map(font => font.status)")
        assert fonts == ["loaded"]
    assert page.locator("aside.notes").count() == count >= len(slides_of(deck))
    page.goto(f"{address}?print-pdf")
    page.wait_for_selector(".pdf-page")
    printed = page.pdf(prefer_css_page_size=True, print_background=True)
    page.close()
    assert len(PdfReader(BytesIO(printed)).pages) == count, "a page for each slide"
    assert faults + errors == []


def test_a_slide_without_notes_is_refused(tmp_path: Path) -> None:
    deck = tmp_path / "01_words.md"
    deck.write_text("# One\n\nNotes: Say it.\n\n---\n\n## Two\n")
    with pytest.raises(ValueError, match=r"ends with 'Notes:', but one is '## Two'"):
        slides_of(deck)


def test_what_a_chapter_does_not_have_once_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\d\d? times a cell with 'torch.': name one"):
        MASKS.code("torch.")
    with pytest.raises(ValueError, match=r"0 times a figure .* the tag 'slide'"):
        MASKS.figure("No such words")


def test_code_comes_without_its_docstring_and_later_if_it_shall(tmp_path: Path) -> None:
    deck = tmp_path / "04_masks.md"
    deck.write_text(
        "# A\n\n{code} def what_moves\n\nNotes: Say.\n\n---\n\n"
        "## B\n\n{code later} def what_moves\n\nNotes: Say."
    )
    now, later = (filled(each, MASKS, LOW) for each in slides_of(deck))
    assert "fragment" not in now and "&quot;&quot;&quot;" not in now
    assert later.count('<div class="fragment"><div class="highlight"') == 1


def test_a_tall_figure_comes_in_parts_that_cut_nothing_in_two() -> None:
    """Each on a slide of its own, in letters to be read, and together the whole."""
    chapter = Chapter(ROOT / "book" / "02_positions.ipynb")
    above, below = chapter.figure("Two clocks at the positions")
    for part in (above, below):
        assert letters(*part.size) >= LEGIBLE
        pixels = np.asarray(Image.open(BytesIO(part.content)).convert("L"))
        assert (pixels[[0, -1]] == pixels[0, 0]).all(), "a row of the picture is cut"
    assert above.alt.endswith("Part 1 of 2, from the top.")
    drawing = Chapter(ROOT / "book" / "09_transformer.ipynb")
    found = drawing.figure("The whole model with the shapes")
    assert sum(part.size[1] for part in found) == 1041 and len(found) == 3
    assert "Part" not in LOW.alt


def test_words_alone_stand_beside_the_picture_that_was_shown() -> None:
    cells = notebook_of(DECKS[3], MASKS).cells
    texts = [c.source for c in cells if c.metadata.slideshow.slide_type != "notes"]
    assert 'class="beside"' in texts[0], "the title"
    assert sum('class="beside"' in text for text in texts) >= len(texts) / 3


def test_an_unknown_chapter_is_refused(capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit):
        main(["99_nothing"])
    assert "there are no slides 99_nothing: 01_words" in capsys.readouterr().err
