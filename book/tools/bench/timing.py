"""How all is timed: side by side, in turns, medians, and a fresh process."""

import multiprocessing
import operator
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch

Contender = Callable[[int], float]  # does the work of one round, returns its units
Rates = dict[str, list[float]]  # units a second of each round, for each contender
Row = dict[str, Any]


class Turns(NamedTuple):
    """Contenders that take turns, and what is told of them.

    Args:
        contenders: who takes part.
        rounds: how often, after the warm-up.
        pairs: whose ratios are told.
        facts: what a row or a ratio says beside its numbers, by its name.
    """

    contenders: Mapping[str, Contender]
    rounds: int
    pairs: Sequence[tuple[str, str]]
    facts: Mapping[str, Row] = {}

    def run(self) -> tuple[list[Row], list[Row]]:
        """Return a row for each contender, and the ratios."""
        rates = race(self.contenders, self.rounds)
        rows = [{"name": name, **spread(values)} for name, values in rates.items()]
        ratios = [ratio(rates, *pair) for pair in self.pairs]
        for row in rows + ratios:
            row |= self.facts.get(row["name"], {})
        return rows, ratios


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
    kinds: dict[str, Callable[[Sequence[float]], float]]
    kinds = {"median": statistics.median, "low": min, "high": max}
    return {name: float(f"{kind(values):.4g}") for name, kind in kinds.items()}


def ratio(rates: Rates, faster: str, slower: str) -> dict[str, Any]:
    """Compare two contenders round by round: each pair ran one after the other."""
    values = map(operator.truediv, rates[faster], rates[slower])
    return {"name": f"{faster} ÷ {slower}", **spread(list(values))}


def peak_bytes() -> int:
    """Return the most memory that this process has held so far."""
    peak = _told_by_linux("/proc/self/status", "VmHWM")
    if peak:  # a child's getrusage would begin at its parent's peak
        return int(peak.split()[0]) * 1024
    import resource  # Windows has none

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def in_fresh_process(
    function: Callable[..., Any], *given: Any, seconds: int = 240
) -> Any:
    """Call a function of a module in a new process; what it raises is raised here.

    Raises:
        TimeoutError: if it takes too long.
    """
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        try:
            return pool.apply_async(function, given).get(seconds)
        except multiprocessing.TimeoutError:
            raise TimeoutError(f"it took longer than {seconds} s") from None


def environment() -> dict[str, Any]:
    """Return what the numbers depend on; nothing that tells whose machine it is."""
    return {
        "processor": _told_by_linux("/proc/cpuinfo", "model name")
        or platform.processor()
        or platform.machine(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "capability": torch.backends.cpu.get_cpu_capability(),
        "system": platform.system(),
        "python": platform.python_version(),
        "torch": torch.__version__.split("+")[0],
    }


def _told_by_linux(file: str, name: str) -> str:
    """What stands behind a name in a file of the system; nothing on other systems."""
    lines = Path(file).read_text().splitlines() if Path(file).is_file() else []
    found = (line.partition(":")[2].strip() for line in lines if line.startswith(name))
    return next(found, "")
