"""What the tests share: few threads, the same examples, and the built site."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, sync_playwright

from book.tools.site.browser import find_browser
from book.tools.site.build_site import (
    ROOT,
    build,
    is_current,
    missing_pages,
    site_folder,
)
from tests.site_server import served

# The tests run side by side: one thread each, or they get in each other's way.
torch.set_num_threads(1)

# What a test starts is not given the options of this run.
os.environ.pop("PYTEST_ADDOPTS", None)

# The same examples on every run and every machine, and no clock has a say in them.
settings.register_profile(
    "book",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("book")


@pytest.fixture(scope="session")
def site() -> Path:
    """The built site; built here only if it is not there or is out of date."""
    if not is_current() or missing_pages():
        problem = build()
        if problem:
            pytest.fail(problem)
    return site_folder(ROOT)


@pytest.fixture(scope="module")
def base(site: Path) -> Iterator[str]:
    """The address of a server for the built site."""
    with served(site) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium to drive."""
    path = find_browser()
    if path is None:
        pytest.fail("There is no Chromium here: install one, or name one in CHROMIUM.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        yield browser
        browser.close()


# What takes longest is begun first, so that no core is left alone with it at the end.
LONGEST = (
    "test_site_access.py",
    "test_course_grading.py",
    "test_exercises.py",
    "test_site.py",
    "test_site_weight.py",
    "test_pdf.py",
    "test_colab.py",
)

# What trains, measures, runs whole chapters, draws every figure or plays every fault of
# a download; `make quick` leaves it out. A single test that takes seconds in another
# file says so itself, with the mark `slow`.
SLOW = (
    *("test_exercises.py", "test_colab.py", "test_portable.py"),
    *("test_training.py", "test_training_devices.py", "test_training_ends.py"),
    *("test_bench.py", "test_measure.py", "test_variants.py", "test_shipped.py"),
    *("test_course.py", "test_course_grading.py"),
    *("test_engines.py", "test_real_corpora.py", "test_gallery.py"),
    *("test_figures.py", "test_downloads.py"),
)


@pytest.hookimpl(tryfirst=True)  # before pytest looks at -m
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a browser, the site or time; begin with what takes longest."""
    for item in items:
        for name in {"browser", "site"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(name)
        if item.path.name in SLOW:
            item.add_marker("slow")

    def rank(item: pytest.Item) -> int:
        if item.path.name in LONGEST:
            return LONGEST.index(item.path.name)
        return len(LONGEST) + (item.path.suffix != ".ipynb")

    items.sort(key=rank)
