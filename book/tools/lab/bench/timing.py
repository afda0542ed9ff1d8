"""How the benchmark measures: side by side, in turns, medians, a fresh process."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

Contender = Callable[[int], float]  # does the work of one round, returns its units
Rates = dict[str, list[float]]  # units a second of each round, for each contender


def race(contenders: Mapping[str, Contender], rounds: int) -> Rates:
    """Let the contenders take turns, so that a slow moment of the machine hits all.

    Round 0 is a warm-up and is not counted. Every second round goes backwards, so that
    nobody always runs after the same one.
    """
    rates: Rates = {name: [] for name in contenders}
    for number in range(rounds + 1):
        names = list(contenders)[:: 1 if number % 2 else -1]
        for name in names:
            start = time.perf_counter()
            units = contenders[name](number)
            rate = units / (time.perf_counter() - start)
            if number:
                rates[name].append(rate)
    return rates


def spread(values: Sequence[float]) -> dict[str, float]:
    """Return the median and the range, to four digits."""
    numbers = {
        "median": statistics.median(values),
        "low": min(values),
        "high": max(values),
    }
    return {name: float(f"{value:.4g}") for name, value in numbers.items()}


def rows(rates: Rates) -> list[dict[str, Any]]:
    """Return one row for each contender."""
    return [{"name": name, **spread(values)} for name, values in rates.items()]


def ratio(rates: Rates, faster: str, slower: str) -> dict[str, Any]:
    """Compare two contenders round by round: each pair ran one after the other."""
    pairs = zip(rates[faster], rates[slower], strict=True)
    values = [one / other for one, other in pairs]
    return {"name": f"{faster} ÷ {slower}", **spread(values)}


def peak_bytes() -> int:
    """Return the most memory that this process has held so far."""
    status = Path("/proc/self/status")
    if status.is_file():  # Linux; a child's getrusage would begin at its parent's peak
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) * 1024
    import resource  # Windows has none

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def in_fresh_process(arguments: Sequence[str], seconds: int = 240) -> str:
    """Run this benchmark once more with other arguments, and return what it says.

    Raises:
        RuntimeError: if it fails or takes too long; the message is its last line.
    """
    command = [sys.executable, "-m", "book.tools.lab.bench", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"it took longer than {seconds} s") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise RuntimeError(last[:200])
    return done.stdout.strip().splitlines()[-1]


def environment() -> dict[str, Any]:
    """Return what the numbers depend on; nothing that tells whose machine it is."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "capability": torch.backends.cpu.get_cpu_capability(),
        "system": platform.system(),
        "python": platform.python_version(),
        "torch": torch.__version__.split("+")[0],
    }


def _processor() -> str:
    names = Path("/proc/cpuinfo")
    if names.is_file():
        for line in names.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
