"""What the tests share: few threads, the same examples, and the built site."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, register_random, settings
from playwright.sync_api import Browser, expect, sync_playwright

from book.tools.site.browser import find_browser
from book.tools.site.build_site import SITE, bring_up_to_date
from tests.browsing import served

# The tests run side by side: one thread each, or they get in each other's way.
torch.set_num_threads(1)

# What a test starts is not given the options of this run.
os.environ.pop("PYTEST_ADDOPTS", None)

# The same examples on every run and every machine, and no clock has a say in them.
settings.register_profile(
    "book",
    max_examples=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("book")


class TorchNumbers:
    """PyTorch's random numbers, which begin alike for each example of a property."""

    seed = staticmethod(torch.manual_seed)
    getstate = staticmethod(torch.get_rng_state)
    setstate = staticmethod(torch.set_rng_state)


register_random(TorchNumbers)  # hypothesis keeps no more than a weak reference

# A browser is waited for as long as a busy machine may need: a minute means it hangs.
HANGS = 60_000
expect.set_options(timeout=HANGS)


@pytest.fixture(autouse=True)
def print_options() -> Iterator[None]:
    """What a chapter's cell sets, where a test runs it, ends with the test."""
    yield
    torch.set_printoptions(profile="default")


@pytest.fixture(scope="session")
def site() -> Path:
    """The built site; built here only if it is not there or is out of date."""
    problem = bring_up_to_date()
    if problem:
        pytest.fail(problem)
    return SITE


@pytest.fixture(scope="module")
def base(site: Path) -> Iterator[str]:
    """The address of a server for the built site."""
    with served(site) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium to drive."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser())
        browser.on("context", lambda context: context.set_default_timeout(HANGS))
        yield browser
        browser.close()


@pytest.hookimpl(tryfirst=True)  # before pytest looks at -m
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a browser or the site; begin with chapters and browsers.

    They take longest, and no core should be left alone with them at the end.
    """
    for item in items:
        for name in {"browser", "site"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(name)
    items.sort(
        key=lambda item: (
            item.path.suffix != ".ipynb",
            item.get_closest_marker("browser") is None,
        )
    )
