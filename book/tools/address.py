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

ROOT = Path(__file__).resolve().parents[2]
COLAB = "https://colab.research.google.com/github"


@dataclass(frozen=True)
class Address:
    """Where the project lives: a repository, and the revision that readers get."""

    url: str
    revision: str
    branch: str = "main"
    published: str = ""  # where the site stands, if not on GitHub Pages

    @property
    def host(self) -> str:
        """The host of the repository."""
        return urlsplit(self.url).netloc.lower()

    @property
    def slug(self) -> str:
        """The owner and the name, as Colab's links want them."""
        return "/".join(self.url.split("/")[-2:])

    @property
    def site(self) -> str:
        """The address of the site: `html.baseurl`, or where GitHub Pages puts it."""
        owner, name = self.slug.split("/")
        return self.published or f"https://{owner.lower()}.github.io/{name}"

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


def parse_address(
    url: str, revision: str, branch: str = "main", published: str = ""
) -> Address:
    """Make an address out of the settings.

    Raises:
        ValueError: If the repository's address is not https://host/owner/name, that of
            the site not an address, or the branch or revision no name for one.
    """
    url, published = url.rstrip("/"), published.rstrip("/")
    if not re.fullmatch(r"https?://[\w.:-]+/[\w.~-]+/[\w.~-]+(?<!\.git)", url):
        raise ValueError(
            f"repository.url in _config.yml is {url!r}: "
            "write it as https://host/owner/name."
        )
    if published and not re.fullmatch(r"https?://[\w.:-]+(/[\w.~-]+)*", published):
        raise ValueError(
            f"html.baseurl in _config.yml is {published!r}: "
            "write it as https://host/folder."
        )
    for what, name in {"branch": branch, "revision": revision}.items():
        if not re.fullmatch(r"\w[\w./-]*", name):
            raise ValueError(
                f"the {what} is {name!r}: write letters, digits, '.', '/' and '-'."
            )
    return Address(url, revision, branch, published)


def read_address(root: Path = ROOT) -> Address:
    """Read the address from `_config.yml`, and the version from pyproject.toml."""
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    settings = config["repository"]
    return parse_address(
        str(settings["url"]),
        f"v{project['project']['version']}",
        str(settings["branch"]),
        str(config.get("html", {}).get("baseurl") or ""),
    )
