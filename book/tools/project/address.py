"""The address of the project, as `_config.yml` has it: the one place for it.

Readers get the revision that the pages were built from: the tag of the version that
stands in pyproject.toml, never a branch, which moves.
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

ROOT = Path(__file__).resolve().parents[3]
COLAB = "https://colab.research.google.com/github"
_WORD = r"\w[\w-]*"
_PART = r"[\w~][\w.~-]*"  # of a path
_HOST = rf"https?://{_WORD}(?:\.{_WORD})*(?::\d+)?"


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
        return (urlsplit(self.url).hostname or "").removeprefix("www.")

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


def parse_address(
    url: str, revision: str, branch: str = "main", published: str = ""
) -> Address:
    """Make an address out of the settings.

    Raises:
        ValueError: If the repository's address is not https://host/owner/name, that of
            the site not an address, or missing where nobody can guess it, or the branch
            or revision no name for one.
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
    for what, name in {"branch": branch, "revision": revision}.items():
        if not re.fullmatch(rf"{_WORD}([./]{_WORD})*(?<!\.lock)", name):
            raise ValueError(
                f"the {what} is {name!r}: write words of letters, digits and '-', with "
                "'.' or '/' between them."
            )
    address = Address(url, revision, branch, published)
    if address.host != "github.com" and not published:
        raise ValueError(
            f"html.baseurl in _config.yml is missing: the repository is at "
            f"{address.host}, so say where its site stands, as https://host/folder."
        )
    return address


def read_address(root: Path = ROOT) -> Address:
    """Read the address from `_config.yml`, and the version from pyproject.toml.

    Raises:
        ValueError: If `_config.yml` cannot be read, or the address cannot be right.
    """
    settings = _read_settings(root / "_config.yml")
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return parse_address(
        _text(settings, "repository", "url"),
        f"v{project['project']['version']}",
        _text(settings, "repository", "branch"),
        _text(settings, "html", "baseurl"),
    )


def _read_settings(path: Path) -> dict[str, Any]:
    try:
        settings = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ValueError(f"{path.name}, line {line}: {error.problem}.") from None
    return settings if isinstance(settings, dict) else {}


def _text(settings: dict[str, Any], section: str, key: str) -> str:
    """A setting; empty where it is missing."""
    part = settings.get(section)
    value = part.get(key) if isinstance(part, dict) else None
    if value is not None and not isinstance(value, str):
        raise ValueError(
            f"{section}.{key} in _config.yml is {value!r}, which is not text: put it "
            "between quotes."
        )
    return value or ""
