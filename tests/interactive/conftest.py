"""A page for each figure that a test shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browsing import complaints
from tests.interactive.figure_page import Show, page_of


@pytest.fixture
def visit(browser: Browser) -> Iterator[Show]:
    """Open files, each in a page of its own, where nothing may go wrong."""
    pages: list[tuple[Page, list[str]]] = []

    def visited(address: str = "about:blank", **options: Any) -> Page:
        page = browser.new_page(**options)
        pages.append((page, complaints(page, "file:")))
        page.goto(address)
        return page

    yield visited
    for page, errors in pages:
        page.close()
        assert errors == []


@pytest.fixture
def show(visit: Show) -> Show:
    """Show figures as the outputs of cells."""

    def shown(
        name: str, opened: str | None = None, numbers: object = None, **options: Any
    ) -> Page:
        page = visit(**options)
        page.set_content(page_of(name, opened, numbers))
        page.wait_for_selector(".interactive > *")
        return page

    return shown
