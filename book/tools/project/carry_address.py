"""Carry the address of the project from `_config.yml` to where it is needed.

    -m book.tools.project.carry_address            write it everywhere
    -m book.tools.project.carry_address --check    report where it is not

That is the setup cell of every notebook, its links to the site, and the text files
that name the address.
"""

import argparse
import re
import sys
import tomllib
from pathlib import Path

import nbformat
import yaml

from book.tools.notebooks.files import notebooks
from book.tools.notebooks.notebooks import stored_form
from book.tools.project.address import COLAB, ROOT, Address, read_address

# The text files that name the address. pyproject.toml says which address was carried
# to them the last time, so that it can be found and replaced: it is written last.
PROJECT = "pyproject.toml"
FIGURES = "book/interactive/translate/address.js"
CARRIERS = ("README.md", "CITATION.cff", "book/index.md", FIGURES)


def last_carried() -> Address:
    """Read the address that the text files were given the last time."""
    project = tomllib.loads((ROOT / PROJECT).read_text(encoding="utf-8"))
    urls = project["project"]["urls"]
    return Address(urls["Repository"], "", urls["Documentation"])


def carry(text: str, old: Address, new: Address) -> str:
    """Replace the old address by the new one in a text, in each of its forms.

    A link that opens a notebook in Colab leads to the page of the chapter where the new
    host is one that Colab cannot open.
    """
    text = text.replace(old.url, new.url).replace(old.site, new.site)
    link = rf"{re.escape(f'{COLAB}/{old.slug}')}/blob/[^/]+/(book/\w+)\.ipynb"
    opened = rf"{new.site}/\1.html"
    return re.sub(link, rf"{new.colab}/\1.ipynb" if new.colab else opened, text)


def stale() -> dict[Path, str]:
    """The files whose address is not that of `_config.yml`, and their new text."""
    new, old = read_address(), last_carried()
    found = {}
    for path in (*map(ROOT.joinpath, CARRIERS), *notebooks(), ROOT / PROJECT):
        stored = path.read_text(encoding="utf-8")
        fresh = carry(stored, old, new)
        if path.suffix == ".ipynb":
            notebook = nbformat.reads(fresh, as_version=4)
            fresh = stored_form(notebook, path.stem, new)
        if fresh != stored:
            found[path] = fresh
    return found


def main(arguments: list[str] | None = None) -> int:
    """Carry the address, or report where it is missing."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="report, change nothing")
    only_report = parser.parse_args(arguments).check
    try:
        address, found = read_address(), stale()
    except (ValueError, yaml.YAMLError) as error:
        parser.error(str(error))
    for path, text in found.items():
        if only_report:
            print(f"{path.name} names another address")
        else:
            path.write_text(text, encoding="utf-8", newline="\n")
    if found and only_report:
        return 1
    print(f"Every file names {address.url} at revision {address.revision}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
