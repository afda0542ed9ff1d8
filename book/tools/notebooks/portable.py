"""The stored outputs of every chapter, compared once more, far from where they arose.

    -m book.tools.notebooks.portable [chapters]

On the code that any processor of this family runs, in a kernel that moves every weight
and every random number by a millionth, those in double precision by their last digits
(`shaken`). PyTorch and NumPy choose among several versions of their code by what the
processor can do, and the versions add in different orders.
"""

import argparse
import importlib
import os
import subprocess
import sys
from pathlib import Path

from book.tools.notebooks.files import notebooks
from book.tools.project.address import ROOT

# What PyTorch, oneDNN and MKL are told; the last two are read on x86 only.
GENERIC = {
    "ATEN_CPU_CAPABILITY": "default",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "MKL_CBWR": "COMPATIBLE",
}
SHAKEN = ("--nbval-kernel-name", "shaken")


def settings() -> dict[str, str]:
    """The environment in which this computer calculates as any of its family can.

    NumPy refuses to turn off what it cannot do without, and warns about what it lacks.
    """
    core = importlib.import_module("numpy._core._multiarray_umath")
    off = [name for name in core.__cpu_dispatch__ if core.__cpu_features__.get(name)]
    return {**GENERIC, "NPY_DISABLE_CPU_FEATURES": ",".join(off)} if off else GENERIC


def compare(
    paths: list[Path], environment: dict[str, str], *options: str, folder: Path = ROOT
) -> int:
    """Run the chapters under these settings; 0 if every output is the stored one."""
    # The later chapters train, and take longest: begun first, they leave no core alone.
    command = [
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--nbval"),
        *("--nbval-cell-timeout", "900", "--nbval-kernel-startup-timeout", "300"),
        *("-n", os.environ.get("WORKERS", "2"), "--rootdir", str(folder)),
        *("--dist", "loadscope", "--no-loadscope-reorder", *options),
        *map(str, reversed(paths)),
    ]
    return subprocess.run(command, cwd=folder, env=environment).returncode


def main(arguments: list[str] | None = None) -> int:
    """Make the run; what did not hold, pytest says."""
    parser = argparse.ArgumentParser(description="The chapters on other processors.")
    parser.add_argument("paths", nargs="*", type=Path, help="notebooks; all without")
    paths = [path.resolve() for path in parser.parse_args(arguments).paths]
    kernels = {"JUPYTER_PATH": str(ROOT / "tests")}
    print("Chapters on the code of any processor, moved by a millionth", flush=True)
    return compare(paths or notebooks(), os.environ | settings() | kernels, *SHAKEN)


if __name__ == "__main__":
    sys.exit(main())
