"""A fence around a kernel that grades: it changes nothing outside its own folder.

Python reports what it is about to do to its audit hooks, and a hook that raises stops
it; none can be taken away again. So code that deletes or overwrites files elsewhere,
reads the course's own folder, starts programs or opens connections ends in a sentence.

This stops slips and pranks. It is no sandbox: compiled code is not asked.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

_CHANGES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# The events that change files, each with how many of its arguments are paths.
_PATHS = {
    **dict.fromkeys(("os.remove", "os.rmdir", "os.mkdir", "os.truncate"), 1),
    **dict.fromkeys(("os.chmod", "os.chown", "os.utime", "shutil.rmtree"), 1),
    **dict.fromkeys(("os.setxattr", "os.removexattr"), 1),
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


class OutsideError(PermissionError):
    """What code is told that reaches out of its folder."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def put_up(folder: str, hidden: str) -> None:
    """Let this process change files in one folder alone, and not read another.

    Args:
        folder: where files may be changed.
        hidden: the folder of the course, which is not read.
    """
    sys.addaudithook(_hook(Path(folder).resolve(), Path(hidden).resolve()))


def _hook(folder: Path, hidden: Path) -> Callable[[str, tuple[Any, ...]], None]:
    real, is_inside = os.path.realpath, _is_inside
    free = {real(os.devnull)}

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _REFUSED:
            raise OutsideError(f"While it is graded, code {_REFUSED[event]}.")
        if event == "open":
            path, _, flags = arguments
            if isinstance(path, int) or path is None:
                return
            place = real(os.fsdecode(path))
            if is_inside(place, str(hidden)):
                raise OutsideError(f"While it is graded, code does not read {path}.")
            if flags & _CHANGES and place not in free:
                _expect_inside(place, str(folder))
        elif event in _PATHS:
            for path in arguments[: _PATHS[event]]:
                if not isinstance(path, int):
                    _expect_inside(_placed(path, event, arguments), str(folder))

    return hook


def _placed(path: Any, event: str, arguments: tuple[Any, ...]) -> str:
    """Where a path lies, also one that is named from an open folder."""
    start = arguments[-1] if event in ("os.remove", "os.rmdir") else -1
    if isinstance(start, int) and start >= 0:
        return os.path.realpath(
            os.path.join(f"/proc/self/fd/{start}", os.fsdecode(path))
        )
    return os.path.realpath(os.fsdecode(path))


def _expect_inside(place: str, folder: str) -> None:
    if not _is_inside(place, folder):
        raise OutsideError(
            f"While it is graded, code changes files in its own folder only: {place} "
            "is left as it is."
        )


def _is_inside(place: str, folder: str) -> bool:
    return place == folder or place.startswith(folder + os.sep)
