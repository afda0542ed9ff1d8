"""Find a Chromium for the tests to drive, and print its path.

The variable CHROMIUM names one; otherwise the usual names are looked up on the path.
"""

import os
import shutil
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_browser() -> str | None:
    """The path of a browser of the Chromium family, or None where there is none."""
    named = os.environ.get("CHROMIUM")
    found = [
        path for name in ([named] if named else NAMES) if (path := shutil.which(name))
    ]
    return found[0] if found else None


if __name__ == "__main__":
    print(find_browser() or "no browser found")
    sys.exit(find_browser() is None)
