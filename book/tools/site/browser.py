"""Find a Chromium for the tests to drive, and print its path.

The variable CHROMIUM names one; otherwise the usual names are looked up on the path,
and the places where macOS and Windows keep theirs.
"""

import os
import shutil
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC = ("Google Chrome", "Chromium", "Microsoft Edge")
WINDOWS = ("Google/Chrome/Application/chrome", "Microsoft/Edge/Application/msedge")
PROGRAMS = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")


def candidates() -> list[str]:
    """Where a browser may be, by name or by path, the likeliest first."""
    named = os.environ.get("CHROMIUM")
    if named:
        return [named]
    mac = [f"/Applications/{name}.app/Contents/MacOS/{name}" for name in MAC]
    folders = [os.environ[name] for name in PROGRAMS if name in os.environ]
    windows = [f"{folder}/{name}.exe" for name in WINDOWS for folder in folders]
    return [*NAMES, *mac, *windows]


def find_browser() -> str | None:
    """The path of a browser of the Chromium family, or None where there is none."""
    paths = (shutil.which(candidate) for candidate in candidates())
    return next((path for path in paths if path), None)


if __name__ == "__main__":
    print(find_browser() or "no browser found")
    sys.exit(find_browser() is None)
