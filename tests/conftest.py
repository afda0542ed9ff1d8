"""What the tests share: few threads, and the built site."""

from pathlib import Path

import pytest
import torch
from build_site import ROOT, build, is_current, missing_pages, site_folder

# The tests run side by side: one thread each, or they get in each other's way.
torch.set_num_threads(1)


@pytest.fixture(scope="session")
def site() -> Path:
    """The built site; built here only if it is not there or is out of date."""
    if not is_current() or missing_pages():
        problem = build()
        if problem:
            pytest.fail(problem)
    return site_folder(ROOT)


# What takes longest is begun first, so that no core is left alone with it at the end.
LONGEST = ("test_exercises.py", "test_site.py", "test_colab.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the tests: the long modules, the chapters, everything else."""

    def rank(item: pytest.Item) -> int:
        if item.path.name in LONGEST:
            return LONGEST.index(item.path.name)
        return len(LONGEST) + (item.path.suffix != ".ipynb")

    items.sort(key=rank)
