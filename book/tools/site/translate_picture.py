"""Take the picture of the translator at work, for the README, the PDF and still pages.

    -m book.tools.site.translate_picture      writes book/static/translate.webp

It is taken of the figure itself, with the translator loaded and a sentence written.
"""

import argparse
import io
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from book.tools.project.address import ROOT
from book.tools.site.browser import find_browser
from book.tools.site.figure_scripts import model_parts
from lib.figures.interactive import packed, style

PICTURE = ROOT / "book" / "static" / "translate.webp"
SENTENCE = "If I had more money, I would buy a bigger house."
WIDTH = 800


def write_page(folder: Path, name: str) -> Path:
    """Write a page that holds a figure of the translator, and the parts beside it."""
    attributes = {"data-model": "./", **model_parts(folder)}
    known = " ".join(f'{key}="{value}"' for key, value in attributes.items())
    page = folder / f"{name}.html"
    page.write_text(
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        f"<title>Translate</title><style>{style()}</style></head><body><main>"
        f"<h1>Translate</h1><div class='interactive' id='here' {known}></div></main>"
        f"<script>{packed(name)}\nbookFigures['{name}'](here);</script></body></html>",
        encoding="utf-8",
    )
    return page


def take(page: Page) -> Image.Image:
    """Load the translator, let it write the sentence, and take the picture."""
    page.get_by_role("button", name="Load the translator").click()
    page.locator("ol.translate-row button").first.wait_for(timeout=60_000)
    page.fill("input[type=text]", SENTENCE)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="To end").click()
    page.locator("ol.translate-row button", has_text="▁compr").click()
    page.mouse.move(0, 0)
    page.locator(".interactive > div > p:last-child").evaluate("each => each.remove()")
    return Image.open(io.BytesIO(page.locator(".interactive").screenshot()))


def main(arguments: list[str] | None = None) -> int:
    """Take the picture, and store it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.parse_args(arguments)
    with TemporaryDirectory() as place, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser())
        page = browser.new_page(
            viewport={"width": WIDTH, "height": 900}, device_scale_factor=1.5
        )
        page.goto(write_page(Path(place), "translate_small").as_uri())
        take(page).save(PICTURE, quality=75, method=6)
        browser.close()
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
