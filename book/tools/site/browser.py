"""Find a Chromium for the tests to drive, and print its path.

The variable CHROMIUM names one; otherwise the usual names are looked up on the path,
and the places where macOS and Windows keep theirs.
"""

import os
import shutil

MAC = ("Google Chrome", "Chromium", "Microsoft Edge")
WINDOWS = ("Google/Chrome/Application/chrome", "Microsoft/Edge/Application/msedge")
PROGRAMS = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
PLACES = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    *(f"/Applications/{name}.app/Contents/MacOS/{name}" for name in MAC),
    *(f"{os.environ.get(at)}/{name}.exe" for at in PROGRAMS for name in WINDOWS),
)


def find_browser() -> str:
    """The path of a browser of the Chromium family.

    Raises:
        FileNotFoundError: If there is none.
    """
    named = os.environ.get("CHROMIUM")
    for place in [named] if named else PLACES:
        if path := shutil.which(place):
            return path
    raise FileNotFoundError(
        "There is no Chromium: install one, or name it in CHROMIUM."
    )


if __name__ == "__main__":
    print(find_browser())
