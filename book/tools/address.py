"""The address of the project: read from `_config.yml`, carried to where it is needed.

    python book/tools/address.py            write it everywhere
    python book/tools/address.py --check    report where it is not, change nothing

`_config.yml` is the one place where the address is written by hand. From there it goes
into the setup cell of every notebook and into the text files that name it.
"""

import argparse
import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]

# The text files that name the address. pyproject.toml says which address was carried
# to them the last time, so that it can be found and replaced.
CARRIERS = ("pyproject.toml", "README.md", "book/index.md")


@dataclass(frozen=True)
class Address:
    """Where the project lives: a repository, and the revision that readers get."""

    url: str
    revision: str

    @property
    def slug(self) -> str:
        """The owner and the name, as Colab's links want them."""
        return "/".join(self.url.split("/")[-2:])

    @property
    def site(self) -> str:
        """The address at which GitHub Pages publishes the site."""
        owner, name = self.slug.split("/")
        return f"https://{owner.lower()}.github.io/{name}"

    @property
    def archive(self) -> str:
        """The zip of the repository that the setup cell installs from."""
        return f"{self.url}/archive/{self.revision}.zip"


def parse_address(url: str, revision: str) -> Address:
    """Make an address out of the two settings.

    Raises:
        ValueError: If the repository's address is not https://host/owner/name.
    """
    url = url.rstrip("/")
    if not re.fullmatch(r"https?://[^/\s]+/[^/\s]+/[^/\s]+", url):
        raise ValueError(
            f"repository.url in _config.yml is {url!r}: "
            "write it as https://host/owner/name."
        )
    return Address(url=url, revision=revision)


def read_address(root: Path = ROOT) -> Address:
    """Read the address from `_config.yml`."""
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    settings = config["repository"]
    return parse_address(str(settings["url"]), str(settings["branch"]))


def last_carried(root: Path = ROOT) -> Address:
    """Read the address that the text files were given the last time."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return parse_address(project["project"]["urls"]["Repository"], "")


def carry(text: str, old: Address, new: Address) -> str:
    """Replace the old address by the new one in a text, in each of its three forms."""
    text = text.replace(old.url, new.url).replace(old.site, new.site)
    pattern = rf"/github/{re.escape(old.slug)}/blob/[^/]+/"
    return re.sub(pattern, f"/github/{new.slug}/blob/{new.revision}/", text)


def stale_texts(root: Path = ROOT) -> dict[Path, str]:
    """The text files whose address is not that of `_config.yml`, and their new text."""
    new, old = read_address(root), last_carried(root)
    texts = {}
    for path in (root / name for name in CARRIERS):
        if path.is_file():
            stored = path.read_text(encoding="utf-8")
            fresh = carry(stored, old, new)
            if fresh != stored:
                texts[path] = fresh
    return texts


def main(arguments: list[str] | None = None) -> int:
    """Carry the address, or report where it is missing."""
    from notebooks import chapters, check, renew_setup

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="report, change nothing")
    options = parser.parse_args(arguments)
    address, stale = read_address(), stale_texts()
    if options.check:
        lines = [f"{path.name} names another address" for path in stale]
        for path in chapters():
            lines += [f"{path.name}: {s}" for s in check(path, address) if "setup" in s]
        print("\n".join(lines) or f"Every file names {address.url}.")
        return 1 if lines else 0
    for path, text in stale.items():
        path.write_text(text, encoding="utf-8")
    for path in chapters():
        renew_setup(path, address)
    print(f"Every file names {address.url} at revision {address.revision}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
