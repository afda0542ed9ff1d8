"""Measure training and decoding side by side, in one run, on the machine at hand.

    book/tools/lab/bench                       every section; minutes on two cores
    book/tools/lab/bench training decoding     these sections only
    book/tools/lab/bench --quick               tiny sizes, to see that all runs; no file

The numbers go to bench.json in lib/shipped/measurements, the table to bench.md there.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from book.tools.lab.bench.models import QUICK, Sizes
from book.tools.lab.bench.sections import SECTIONS, compiled_here, contenders, peak_of
from book.tools.lab.bench.timing import environment
from book.tools.project.address import ROOT
from lib.text.files import read_json, write_json, write_whole

RECORDS = ROOT / "lib" / "shipped" / "measurements"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the sections that were asked for; 2 if the question makes no sense."""
    options = _parser().parse_args(arguments)
    sizes = QUICK if options.quick else Sizes()
    if options.peak or options.compiled:
        return _in_this_process(options, sizes)
    unknown = [name for name in options.sections if name not in SECTIONS]
    if unknown:
        print(
            f"There is no section {unknown[0]!r}; the sections are "
            f"{', '.join(SECTIONS)}.",
            file=sys.stderr,
        )
        return 2
    folder = options.out or (None if options.quick else RECORDS)
    measured = _measure(options.sections or list(SECTIONS), sizes)
    result = _together(folder, measured, sizes)
    print(table(result), end="")
    if folder:
        write_json(folder / "bench.json", result)
        write_whole(folder / "bench.md", table(result))
        print(f"Written to {folder / 'bench.json'} and bench.md.", file=sys.stderr)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bench", description="Measure training and decoding side by side."
    )
    parser.add_argument(
        "sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS)
    )
    parser.add_argument("--quick", action="store_true", help="tiny sizes, no file")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where files go")
    # How the benchmark calls itself, for what needs a process of its own.
    parser.add_argument("--peak", choices=list(contenders()), help=argparse.SUPPRESS)
    parser.add_argument("--compiled", action="store_true", help=argparse.SUPPRESS)
    return parser


def _in_this_process(options: argparse.Namespace, sizes: Sizes) -> int:
    if options.peak:
        print(json.dumps(peak_of(options.peak, sizes)))
    else:
        print(json.dumps(compiled_here(sizes)))
    return 0


def _measure(names: Sequence[str], sizes: Sizes) -> dict[str, Any]:
    measured = {}
    for name in names:
        start = time.perf_counter()
        measured[name] = SECTIONS[name](sizes)
        measured[name]["date"] = datetime.date.today().isoformat()
        took = time.perf_counter() - start
        print(f"{name}: {took:.0f} s", file=sys.stderr, flush=True)
    return measured


def _together(
    folder: Path | None, measured: dict[str, Any], sizes: Sizes
) -> dict[str, Any]:
    """Join what was measured now with what stands in the file, if the machine is it."""
    head = {
        "environment": environment(),
        "sizes": json.loads(json.dumps(dataclasses.asdict(sizes))),
    }
    before = _earlier(folder)
    same = all(before.get(key) == value for key, value in head.items())
    sections = {**(before.get("sections", {}) if same else {}), **measured}
    order = [name for name in SECTIONS if name in sections]
    return {**head, "sections": {name: sections[name] for name in order}}


def _earlier(folder: Path | None) -> dict[str, Any]:
    if not folder or not (folder / "bench.json").is_file():
        return {}
    try:
        found = read_json(folder / "bench.json")
    except ValueError:  # damaged: measured anew
        return {}
    return found if isinstance(found, dict) else {}


def table(result: dict[str, Any]) -> str:
    """Return everything as Markdown."""
    place, sizes = result["environment"], result["sizes"]
    lines = [
        "# Measured speed",
        "",
        f"{place['processor']}, {place['cores']} cores, {place['threads']} threads, "
        f"{place['system']}, Python {place['python']}, PyTorch {place['torch']}. "
        f"d_model {sizes['d_model']}, {sizes['n_layers']} + {sizes['n_layers']} layers,"
        f" {sizes['n_heads']} heads, d_ff {sizes['d_ff']}, {sizes['vocab_size']} tokens"
        f" in each vocabulary, {sizes['max_tokens']} tokens a batch. Contenders take "
        "turns; a ratio is that of neighbors. Medians, and the range in brackets.",
    ]
    for section in result["sections"].values():
        lines += ["", *_section_lines(section)]
    return "\n".join(lines) + "\n"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _section_lines(section: dict[str, Any]) -> list[str]:
    lines = [f"## {section['title']}", "", f"{section['what']} ({section['date']})."]
    if section.get("note"):
        lines += ["", section["note"]]
    extra = [key for key in ("megabytes", "padding") if key in str(section["rows"])]
    if section["rows"]:
        lines += ["", f"| | {' | '.join([section['unit'], *extra])} |"]
        lines.append("|---" * (2 + len(extra)) + "|")
    for row in section["rows"]:
        span = f"{_number(row['low'])} to {_number(row['high'])}"
        cells = [f"{_number(row['median'])} ({span})"]
        if "megabytes" in row:
            cells.append(f"{row['megabytes']}")
        if "padding" in row:
            cells.append(f"{row['padding']:.1%}")
        lines.append(f"| {row['name']} | {' | '.join(cells)} |")
    if section["ratios"]:
        lines += ["", "| ratio | median | range |", "|---|---|---|"]
    for row in section["ratios"]:
        span = f"{row['low']:.2f} to {row['high']:.2f}"
        lines.append(f"| {row['name']} | {row['median']:.2f} | {span} |")
    return lines
