"""The address of the project, as `_config.yml` has it: the one place for it."""

import re
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]


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
