"""The stored outputs of every chapter, compared three times more.

    -m book.tools.notebooks.portable [chapters]

On the code that any processor of this family runs (`generic`), on the code for AVX2 and
no AVX-512, and in a kernel that moves every weight and every random number by a
millionth, those in double precision by their last digits (`shaken`). PyTorch and NumPy
choose among several versions of their code by what the processor can do, and the
versions add in different orders.
"""

import argparse
import importlib
import os
import subprocess
import sys
import time
from pathlib import Path

from book.tools.notebooks.files import notebooks
from book.tools.project.address import ROOT

# What PyTorch, oneDNN and MKL are told; the last two are read on x86 only.
PATHS = {
    "generic": ("default", "SSE41", "COMPATIBLE"),
    "avx2": ("avx2", "AVX2", "AVX2"),
}
BEYOND_AVX2 = ("AVX512", "X86_V4")
SHAKEN = ("--nbval-kernel-name", "shaken")


def numpy_features() -> tuple[list[str], dict[str, bool]]:
    """What NumPy has its own code for, and whether this processor can run it."""
    compiled = importlib.import_module("numpy._core._multiarray_umath")
    return list(compiled.__cpu_dispatch__), dict(compiled.__cpu_features__)


def settings(path: str) -> dict[str, str]:
    """The environment in which this computer calculates as an older processor would.

    NumPy refuses to turn off what it cannot do without, and warns about what it lacks.

    Raises:
        LookupError: if this processor cannot take that path.
    """
    dispatched, has = numpy_features()
    if path == "avx2" and not has.get("AVX2"):
        raise LookupError("this processor has no AVX2")
    names = ("ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA", "MKL_CBWR")
    chosen = dict(zip(names, PATHS[path], strict=True))
    off = [name for name in dispatched if has.get(name)]
    if path == "avx2":
        off = [name for name in off if name.startswith(BEYOND_AVX2)]
    return {**chosen, "NPY_DISABLE_CPU_FEATURES": ",".join(off)} if off else chosen


def compare(
    paths: list[Path], environment: dict[str, str], *options: str, folder: Path = ROOT
) -> bool:
    """Run the chapters under these settings; whether every output is the stored one."""
    # The later chapters train, and take longest: begun first, they leave no core alone.
    command = [
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--nbval"),
        *("--nbval-cell-timeout", "900", "--nbval-kernel-startup-timeout", "300"),
        *("-n", os.environ.get("WORKERS", "2"), "--rootdir", str(folder)),
        *("--dist", "loadscope", "--no-loadscope-reorder", *options),
        *map(str, reversed(paths)),
    ]
    return subprocess.run(command, cwd=folder, env=environment).returncode == 0


def main(arguments: list[str] | None = None) -> int:
    """Make all runs, also after one has failed; the last line says how it went."""
    parser = argparse.ArgumentParser(description="The chapters on other processors.")
    parser.add_argument("paths", nargs="*", type=Path, help="notebooks; all without")
    paths = [path.resolve() for path in parser.parse_args(arguments).paths]
    start = time.monotonic()
    failed = []
    for name in PATHS:
        try:
            chosen = settings(name)
        except LookupError as error:
            print(f"The code path {name} is left out: {error}.", flush=True)
            continue
        words = [f"{key}={value}" for key, value in chosen.items()]
        print(f"Chapters on the code path {name}:", *words, flush=True)
        failed += [] if compare(paths or notebooks(), os.environ | chosen) else [name]
    print("Chapters with weights and random numbers moved by a millionth", flush=True)
    kernels = os.environ | {"JUPYTER_PATH": str(ROOT / "tests")}
    failed += [] if compare(paths or notebooks(), kernels, *SHAKEN) else ["shaken"]
    how = f"FAILED in {', '.join(failed)}" if failed else "every chapter held"
    print(f"make portable: {how} after {time.monotonic() - start:.0f} s.")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
