"""Carry the address of the project from `_config.yml` to where it is needed.

    -m book.tools.project.carry_address            write it everywhere
    -m book.tools.project.carry_address --check    report where it is not
    -m book.tools.project.carry_address --tag v1   and is this the tag that readers get?

That is the setup cell of every notebook, its links to the site, and the text files
that name the address or the branch.
"""

import argparse
import re
import sys
import tomllib
from pathlib import Path

import yaml

from book.tools.notebooks.files import notebooks
from book.tools.notebooks.notebooks import check, renew_setup
from book.tools.project.address import COLAB, ROOT, Address, parse_address, read_address

# The text files that name the address. pyproject.toml says which address was carried
# to them the last time, so that it can be found and replaced: it is written last.
WORKFLOW = ".github/workflows/book.yml"
FIGURES = "book/interactive/translate/address.js"
PROJECT = "pyproject.toml"
CARRIERS = ("README.md", "CITATION.cff", "book/index.md", WORKFLOW, FIGURES)


def last_carried() -> Address:
    """Read the address that the text files were given the last time."""
    project = tomllib.loads((ROOT / PROJECT).read_text(encoding="utf-8"))
    urls = project["project"]["urls"]
    return parse_address(urls["Repository"], "any", published=urls["Documentation"])


def carry(text: str, old: Address, new: Address) -> str:
    """Replace the old address by the new one in a text, in each of its forms.

    A link that opens a notebook in Colab leads to the page of the chapter where the new
    host is one that Colab cannot open.
    """
    text = text.replace(old.url, new.url).replace(old.site, new.site)
    link = rf"{re.escape(f'{COLAB}/{old.slug}')}/blob/[^/]+/(book/\w+)\.ipynb"
    opened = rf"{new.site}/\1.html"
    return re.sub(link, rf"{new.colab}/\1.ipynb" if new.colab else opened, text)


def carry_branch(workflow: str, address: Address) -> str:
    """Let the workflow run for pushes to the project's own branch."""
    branches = yaml.safe_dump([address.branch], default_flow_style=True, width=1000)
    return re.sub(r"(?<=branches: )\[[^\]]*\]", branches.strip(), workflow)


def stale_texts() -> dict[Path, str]:
    """The text files whose address is not that of `_config.yml`, and their new text."""
    new, old = read_address(), last_carried()
    texts = {}
    for path in (*map(ROOT.joinpath, CARRIERS), *notebooks(), ROOT / PROJECT):
        if path.is_file():
            stored = path.read_text(encoding="utf-8")
            fresh = carry(stored, old, new)
            if path == ROOT / WORKFLOW:
                fresh = carry_branch(fresh, new)
            if fresh != stored:
                texts[path] = fresh
    return texts


def main(arguments: list[str] | None = None) -> int:
    """Carry the address, or report where it is missing."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="report, change nothing")
    parser.add_argument("--tag", help="fail if readers are to get another revision")
    options = parser.parse_args(arguments)
    try:
        address, stale = read_address(), stale_texts()
    except ValueError as error:
        parser.error(str(error))
    if options.tag and options.tag != address.revision:
        parser.error(
            f"the tag is {options.tag}, but pyproject.toml has the version of "
            f"{address.revision}: change one of them."
        )
    if options.check:
        lines = [f"{path.name} names another address" for path in stale]
        for path in notebooks():
            lines += [f"{path.name}: {s}" for s in check(path, address) if "setup" in s]
        print("\n".join(lines) or f"Every file names {address.url}.")
        return 1 if lines else 0
    for path, text in stale.items():
        path.write_text(text, encoding="utf-8", newline="\n")
    for path in notebooks():
        renew_setup(path, address)
    print(f"Every file names {address.url} at revision {address.revision}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
