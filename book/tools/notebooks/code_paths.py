"""The settings that make this computer calculate as an older processor would.

    -m book.tools.notebooks.code_paths generic     as any processor of its family
    -m book.tools.notebooks.code_paths avx2        as one with AVX2 and no AVX-512

PyTorch and NumPy choose among several versions of their code by what the processor can
do, and the versions add in different orders. On standard output: the settings, one
`NAME=value` a line, for the environment of a program. A path that this processor cannot
take has none; a sentence on standard error says why.
"""

import importlib
import os
import subprocess
import sys
from collections.abc import Mapping

PATHS = ("generic", "avx2")
_ASKED = "import numpy, torch; print(torch.backends.cpu.get_cpu_capability())"


def numpy_features() -> tuple[list[str], dict[str, bool]]:
    """What NumPy has its own code for, and whether this processor can run it."""
    compiled = importlib.import_module("numpy._core._multiarray_umath")
    return list(compiled.__cpu_dispatch__), dict(compiled.__cpu_features__)


def without(features: list[str], has: Mapping[str, bool]) -> dict[str, str]:
    """NumPy's setting that turns features off: those alone that this processor has.

    NumPy refuses to turn off what it cannot do without, and warns about what it lacks.
    """
    found = [feature for feature in features if has.get(feature)]
    return {"NPY_DISABLE_CPU_FEATURES": ",".join(found)} if found else {}


def is_beyond_avx2(feature: str) -> bool:
    """Whether one of NumPy's names for an x86 processor's abilities means AVX-512."""
    return feature.startswith(("AVX512", "X86_V4"))


def settings(path: str) -> dict[str, str]:
    """The environment of one path.

    Raises:
        LookupError: if this processor cannot take it.
    """
    dispatched, has = numpy_features()
    if path == "generic":
        return {
            "ATEN_CPU_CAPABILITY": "default",
            "ONEDNN_MAX_CPU_ISA": "SSE41",  # read on x86 only, like the next one
            "MKL_CBWR": "COMPATIBLE",
            **without(dispatched, has),
        }
    if not has.get("AVX2"):
        raise LookupError("this processor has no AVX2")
    return {
        "ATEN_CPU_CAPABILITY": "avx2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "MKL_CBWR": "AVX2",
        **without(list(filter(is_beyond_avx2, dispatched)), has),
    }


def capability(environment: Mapping[str, str]) -> str:
    """Which version of its code PyTorch chooses under these settings."""
    done = subprocess.run(
        [sys.executable, "-W", "error::ImportWarning", "-c", _ASKED],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def main(arguments: list[str] | None = None) -> int:
    """Print the settings of one path; 1 if this processor cannot take it."""
    given = sys.argv[1:] if arguments is None else arguments
    if len(given) != 1 or given[0] not in PATHS:
        print(f"Name one path: {' or '.join(PATHS)}.", file=sys.stderr)
        return 2
    (path,) = given
    try:
        chosen = settings(path)
    except LookupError as error:
        print(error, file=sys.stderr)
        return 1
    for name, value in chosen.items():
        print(f"{name}={value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
