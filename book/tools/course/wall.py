"""A wall around a kernel that grades, where Linux can build one (Landlock).

Behind it a program reads and changes files in some folders only, whatever its code is
written in, and so does each program that it starts. Where there is none, on other
systems and before Linux 5.13, the fence stands alone.
"""

import ctypes
import os
import struct
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

_MAKE, _ALLOW, _PUT_UP, _NO_MORE_RIGHTS = 444, 445, 446, 38  # calls of the system
_KNOWN = {1: 13, 2: 14}  # rights that a version knows; 15 from the third on
_READ = 0b1101  # to run a file, to read a file, to list a folder
_OF_FILES = 0b111 | 1 << 14  # those that mean something for a file that is no folder


@contextmanager
def walled(readable: Iterable[str], writable: Iterable[str]) -> Iterator[Any]:
    """Give the settings that start a program behind a wall; none where none can be.

    Args:
        readable: files and folders that the program may read.
        writable: those that it may change, too.
    """
    if sys.platform != "linux":
        yield {}
        return
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_MAKE, None, 0, 1)
    if version < 1:
        yield {}
        return
    rights = (1 << _KNOWN.get(version, 15)) - 1
    wall = libc.syscall(_MAKE, ctypes.byref(ctypes.c_uint64(rights)), 8, 0)
    allowed = [(path, _READ) for path in readable]
    for path, given in [*allowed, *((path, rights) for path in writable)]:
        if os.path.exists(path):
            given &= rights if os.path.isdir(path) else rights & _OF_FILES
            place = os.open(path, os.O_PATH)
            libc.syscall(_ALLOW, wall, 1, struct.pack("=Qi", given, place), 0)
            os.close(place)

    def put_up() -> None:
        if libc.prctl(_NO_MORE_RIGHTS, 1, 0, 0, 0) or libc.syscall(_PUT_UP, wall, 0):
            raise OSError(ctypes.get_errno(), "no wall around the kernel")

    try:
        yield {"preexec_fn": put_up}
    finally:
        os.close(wall)
