"""The address of the project, as `_config.yml` has it: the one place for it.

Readers get the revision that the pages were built from: the tag of the version that
stands in pyproject.toml, never a branch, which moves.
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import yaml

ROOT = Path(__file__).resolve().parents[3]
COLAB = "https://colab.research.google.com/github"
_HOST = r"https?://\w[\w-]*(?:\.\w[\w-]*)*(?::\d+)?"
_PART = r"[\w~][\w.~-]*"  # of a path


@dataclass(frozen=True)
class Address:
    """Where the project lives: a repository, and the revision that readers get."""

    url: str
    revision: str
    published: str = ""  # where the site stands, if not on GitHub Pages

    @property
    def host(self) -> str:
        """The host of the repository."""
        return urlsplit(self.url).hostname or ""

    @property
    def slug(self) -> str:
        """The owner and the name, as Colab's links want them."""
        return "/".join(self.url.split("/")[-2:])

    @property
    def site(self) -> str:
        """The address of the site: `html.baseurl`, or where GitHub Pages puts it."""
        owner, name = self.slug.split("/")
        pages = f"{owner.lower()}.github.io"
        own = f"https://{pages}" if name.lower() == pages else f"https://{pages}/{name}"
        return self.published or own

    @property
    def archive(self) -> str:
        """The zip of the repository that the setup cell installs from."""
        if self.host.startswith("gitlab."):
            name = self.slug.split("/")[1]
            return f"{self.url}/-/archive/{self.revision}/{name}-{self.revision}.zip"
        return f"{self.url}/archive/{self.revision}.zip"

    @property
    def colab(self) -> str | None:
        """Where Colab opens the notebooks; None for a host that it cannot open."""
        if self.host != "github.com":
            return None
        return f"{COLAB}/{self.slug}/blob/{self.revision}"


def parse_address(url: str, revision: str, published: str = "") -> Address:
    """Make an address out of the settings.

    Raises:
        ValueError: If the repository's address is not https://host/owner/name, or that
            of the site not an address, or missing where nobody can guess it.
    """
    url, published = url.rstrip("/"), published.rstrip("/")
    for setting, given, pattern, form in (
        ("repository.url", url, rf"{_HOST}/{_PART}/{_PART}(?<!\.git)", "owner/name"),
        ("html.baseurl", published, rf"({_HOST}(/{_PART})*)?", "folder"),
    ):
        if not re.fullmatch(pattern, given, re.ASCII):
            raise ValueError(
                f"{setting} in _config.yml is {given!r}: write it as https://host/{form}."
            )
    address = Address(url, revision, published)
    if address.host != "github.com" and not published:
        raise ValueError(
            f"html.baseurl in _config.yml is missing: the repository is at "
            f"{address.host}, so say where its site stands, as https://host/folder."
        )
    return address


def read_address(root: Path = ROOT) -> Address:
    """Read the address from `_config.yml`, and the version from pyproject.toml.

    Raises:
        ValueError: If the address cannot be right.
    """
    settings = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8")) or {}
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    repository, html = (settings.get(part) or {} for part in ("repository", "html"))
    return parse_address(
        str(repository.get("url", "")),
        f"v{project['project']['version']}",
        str(html.get("baseurl", "")),
    )
