"""A page for each figure that a test shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.interactive.figure_page import Show, shown_alone


@pytest.fixture
def show(browser: Browser) -> Iterator[Show]:
    """Show figures, each on a page of its own, where nothing may go wrong."""
    pages: list[tuple[Page, list[str]]] = []

    def shown(name: str, opened: str | None = None, **options: Any) -> Page:
        page = browser.new_page(**options)
        pages.append((page, shown_alone(page, name, opened)))
        return page

    yield shown
    for page, errors in pages:
        page.close()
        assert errors == []
