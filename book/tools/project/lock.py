"""Write requirements.lock: every package of the environment, what others bring too.

    -m book.tools.project.lock      install the pins, write what they need

Pip installs the pins of `requirements.txt` into the
environment that runs this; the lock names them and all that they need, nothing else
that may be there. It serves every system: a package that only some systems need carries
that condition, and a local build ("+cpu") is written by its public version.
"""

import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from importlib.metadata import distribution
from typing import Any

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from book.tools.project.address import ROOT

Package = dict[str, Any]  # name, version, requires, requested
SOURCES = ("requirements.txt",)
LOCK = ROOT / "requirements.lock"
HEAD = """\
# What `make setup` installs: the pins of requirements*.txt and all that they bring.
# Written by `make lock`; after a change of a pin, run that instead of editing this.
"""
SYSTEMS = (
    {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
    {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
)


def sources() -> list[Requirement]:
    """The pins that are written by hand."""
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in SOURCES]
    lines = [line for text in texts for line in text.splitlines()]
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


def install() -> None:
    """Let pip install the pins, and what they need where it is not there yet."""
    given = [f"--requirement={ROOT / name}" for name in SOURCES]
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    if subprocess.run([*pip, "--quiet", *given]).returncode:
        raise SystemExit("pip found no versions that fit: it says why above.")


def needed(pins: Iterable[Requirement]) -> list[Package]:
    """The pins and all that they bring to this system, as they are installed here."""
    found: dict[str, Package] = {}
    seen: set[tuple[str, str]] = set()
    waiting = [(pin, True) for pin in pins]
    while waiting:
        wanted, requested = waiting.pop(0)
        name = canonicalize_name(wanted.name)
        here = distribution(name)
        brings = [Requirement(line) for line in here.requires or []]
        about = {"name": name, "version": here.version, "requires": brings}
        found.setdefault(name, {**about, "requested": requested})
        for extra in {"", *wanted.extras} - {e for n, e in seen if n == name}:
            seen.add((name, extra))
            for one in brings:
                if one.marker is None or one.marker.evaluate({"extra": extra}):
                    waiting.append((one, False))
    return list(found.values())


def conditions(packages: Iterable[Package]) -> dict[str, str]:
    """For each package that only some systems need, the condition under which they do.

    A package that somebody asks for without a word about the system is needed by all.
    """
    packages = list(packages)
    asked: dict[str, set[str]] = defaultdict(set)
    for package in packages:
        for wanted in package["requires"]:
            if "extra ==" not in str(wanted.marker):
                asked[canonicalize_name(wanted.name)].add(_condition(wanted.marker))
    for package in packages:
        if package["requested"]:
            asked.pop(package["name"], None)
    return {
        name: " or ".join(f"({condition})" for condition in sorted(found))
        for name, found in asked.items()
        if "" not in found
    }


def _condition(marker: Marker | None) -> str:
    everywhere = marker is None or all(marker.evaluate(each) for each in SYSTEMS)
    return "" if everywhere else str(marker)


def lines(packages: Iterable[Package]) -> list[str]:
    """One line a package, by name."""
    packages = list(packages)
    only = conditions(packages)
    pins = {
        package["name"]: f"{package['name']}=={Version(package['version']).public}"
        for package in packages
    }
    return [
        f"{pin} ; {only[name]}" if name in only else pin
        for name, pin in sorted(pins.items())
    ]


def main() -> int:
    """Renew the lock; nothing is written where pip cannot install the pins."""
    install()
    written = lines(needed(sources()))
    LOCK.write_text(HEAD + "\n".join(written) + "\n", encoding="utf-8", newline="\n")
    print(f"{LOCK.name}: {len(written)} packages.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
