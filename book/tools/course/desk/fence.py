"""A fence around a kernel that grades: it stays in its folder, and away from answers.

Python reports what it is about to do to its audit hooks, and a hook that raises stops
it; none can be taken away again. So code that changes files elsewhere, looks for the
book's notebooks or its records, starts programs or opens connections ends in a
sentence, and the sentence goes to the teacher too, through a pipe.

This stops slips and pranks. It is no sandbox: compiled code is not asked.
"""

import os
import re
import sys
from pathlib import Path
from typing import Any

_CHANGES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# The events that change files, each with how many of its arguments are paths.
_PATHS = {
    **dict.fromkeys(("os.remove", "os.rmdir", "os.mkdir", "os.truncate"), 1),
    **dict.fromkeys(("os.chmod", "os.chown", "os.utime", "shutil.rmtree"), 1),
    **dict.fromkeys(("os.setxattr", "os.removexattr", "sqlite3.connect"), 1),
    **dict.fromkeys(("os.rename", "os.link", "os.symlink"), 2),
}
_REFUSED = {
    **dict.fromkeys(
        ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn"),
        "starts no programs",
    ),
    **dict.fromkeys(("os.fork", "os.forkpty", "pty.spawn"), "starts no programs"),
    **dict.fromkeys(("os.kill", "os.killpg"), "ends no programs"),
    **dict.fromkeys(("socket.connect", "socket.bind"), "opens no connections"),
}
# Where solutions lie wherever a copy of the book is: chapters, records, tools, history.
_SOLUTIONS = re.compile(
    r"/\d\d_\w+\.ipynb$|/lib/exercises(/|$)|/book/(tools|course)(/|$)|/\.git(/|$)"
)
_SYSTEM = ("/usr", "/lib", "/lib64", "/etc", "/dev", "/sys", "/proc", "/System")
_OTHERS = re.compile(r"/proc/\d")  # other programs: what they hold and where they are
_MOST = 50  # sentences for the teacher


class OutsideError(PermissionError):
    """What code is told that reaches out of its folder."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def readable() -> list[str]:
    """What any code may read: Python, the system, and how drawings look."""
    drawing = [Path.home() / folder / "matplotlib" for folder in (".cache", ".config")]
    python = [sys.prefix, sys.base_prefix, *filter(None, sys.path)]
    return [*python, *_SYSTEM, *map(str, drawing)]


class Fence:
    """Lets this process change files in one folder alone, and not look for answers.

    Args:
        desk: the folder that the code may read, with `lib`.
        folder: the folder in it where files may be changed.
        pipe: where a sentence for the teacher is written to.
    """

    def __init__(self, desk: str, folder: str, pipe: int) -> None:
        self.desk, self.folder = os.path.realpath(desk), os.path.realpath(folder)
        self.pipe, self.told = pipe, set[str]()
        own = f"/proc/{os.getpid()}"
        self.readable = [*map(os.path.realpath, [*readable(), self.desk]), own]

    def put_up(self) -> None:
        """Put up the fence, for good."""
        sys.addaudithook(self.hook)

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Python calls this before it does what is named."""
        if event in _REFUSED:
            self._refuse(f"{_REFUSED[event]} ({event} {str(arguments[:1])[:80]})")
        elif event == "open":
            path, _, flags = arguments
            if isinstance(path, str | bytes | os.PathLike):
                self._open(os.path.realpath(os.fsdecode(path)), flags & _CHANGES)
        elif event in ("os.listdir", "os.scandir"):
            if not isinstance(arguments[0], int):
                self._open(os.path.realpath(os.fsdecode(arguments[0] or ".")), 0)
        elif event in _PATHS:
            for path in arguments[: _PATHS[event]]:
                if not isinstance(path, int) and path != ":memory:":
                    self._expect_own(_placed(path, event, arguments))
        elif event == "import" and re.match(r"(book|course)\b", str(arguments[0])):
            self._refuse(f"does not import {arguments[0]}")
        elif event == "desk.asked":
            self._refuse(f"does not ask for {arguments[0]}")

    def _open(self, place: str, changes: int) -> None:
        if changes and place != os.path.realpath(os.devnull):
            self._expect_own(place)
        is_own = _is_inside(place, os.path.join(self.desk, "lib"))
        solved = not is_own and _SOLUTIONS.search(place)
        others = _OTHERS.match(place) and not _is_inside(place, self.readable[-1])
        known = any(_is_inside(place, each) for each in self.readable)
        if solved or others or not known:
            self._refuse(f"does not read {place}")

    def _expect_own(self, place: str) -> None:
        if not _is_inside(place, self.folder):
            self._refuse(
                f"changes files in its own folder only: {place} is left as it is"
            )

    def _refuse(self, what: str) -> None:
        if what not in self.told and len(self.told) < _MOST:
            self.told.add(what)
            try:
                os.write(self.pipe, f"{what[:400]}\n".encode(errors="replace"))
            except OSError:  # code that cuts the line to its teacher ends here
                os._exit(1)
        raise OutsideError(f"While it is graded, code {what}.")


def _placed(path: Any, event: str, arguments: tuple[Any, ...]) -> str:
    """Where a path lies, also one that is named from an open folder."""
    start = arguments[-1] if event in ("os.remove", "os.rmdir") else -1
    if isinstance(start, int) and start >= 0:
        return os.path.realpath(
            os.path.join(f"/proc/self/fd/{start}", os.fsdecode(path))
        )
    return os.path.realpath(os.fsdecode(path))


def _is_inside(place: str, folder: str) -> bool:
    return place == folder or place.startswith(folder.rstrip(os.sep) + os.sep)
