"""A wall around a kernel that grades, where bubblewrap can build one (Linux).

Behind it stand the system, Python with its packages, and the desk, to be read; one
folder to write in; no other program, no network, no teacher's environment. Containers
and systems may forbid such a wall, or lack bubblewrap: `no_wall` says so.
"""

import os
import shutil
import site
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

_APART = "--unshare-all --die-with-parent --cap-drop ALL --clearenv"
_OWN = "--proc /proc --dev /dev --tmpfs /tmp"  # programs, devices and files of its own
_PARTS = ("bin", "sbin", "lib", "lib32", "lib64", "libexec")
_SETTINGS = ("alternatives", "fonts", "ld.so.cache", "localtime", "ssl")
_KEPT = ("LANG", "LD_LIBRARY_PATH", "OMP_NUM_THREADS")  # of the teacher's environment


def walled(
    readable: Iterable[Path], writable: Iterable[Path], environment: dict[str, str]
) -> list[str]:
    """The words in front of a command that put a wall around it.

    Args:
        readable: folders that it sees, besides the system and Python.
        writable: those that it may change, too; it starts in the first.
        environment: variables that it finds.
    """
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    kept["PATH"] = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
    words = [shutil.which("bwrap") or "bwrap", *_APART.split(), *_OWN.split()]
    for path in _shown():
        words += ["--ro-bind-try", path, path]
    for path in _records():
        words += ["--tmpfs", path]
    for how, paths in (("--ro-bind", readable), ("--bind", writable)):
        for path in map(str, paths):
            words += [how, path, path]
    for name, value in (kept | environment).items():
        words += ["--setenv", name, value]
    return [*words, "--chdir", str(next(iter(writable), "/"))]


@cache
def no_wall() -> str:
    """Why no wall can be built here; nothing where one can."""
    if not shutil.which("bwrap"):
        on_linux = (
            "is not installed (Debian and Ubuntu: sudo apt-get install bubblewrap)"
        )
        return f"bubblewrap {on_linux if sys.platform == 'linux' else 'is for Linux'}"
    try:
        tried = [*walled([], [], {}), sys.executable, "-c", "import encodings"]
        subprocess.run(tried, check=True, capture_output=True, text=True, timeout=60)
    except subprocess.CalledProcessError as error:
        return f"bubblewrap cannot start here ({error.stderr.strip()[-200:]})"
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap cannot start here ({error})"
    return ""


def _packages() -> list[str]:
    """The folders where Python finds packages, wherever they lie."""
    found = [*sys.path, *site.getsitepackages([sys.base_prefix])]
    return [path for path in found if path.endswith(("site-packages", "dist-packages"))]


def _shown() -> Iterator[str]:
    """The parts of the system and of Python; what else lies beside them is not seen."""
    for prefix in ("/", "/usr", "/usr/local", sys.base_prefix, sys.prefix):
        yield from (os.path.join(prefix, part) for part in _PARTS)
    yield from (f"/etc/{name}" for name in _SETTINGS)
    yield from ("/usr/share", "/nix/store", "/sys/devices/system/cpu")
    yield from (os.path.join(sys.prefix, "pyvenv.cfg"), *_packages())


def _records() -> Iterator[str]:
    """Where `lib` lies among the packages with all that it knows: that is hidden."""
    for path in (*_packages(), sys.prefix):
        for known in ("lib/exercises", "book/tools"):
            if os.path.isdir(os.path.join(path, known)):
                yield os.path.join(path, known)
