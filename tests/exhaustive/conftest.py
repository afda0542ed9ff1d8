"""What stands in this folder takes minutes, and `make exhaustive` alone runs it."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what stands here."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.exhaustive)
