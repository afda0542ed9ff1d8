"""Measure training and decoding side by side, in one run, on the machine at hand.

    book/tools/bench                       every section; minutes on two cores
    book/tools/bench training decoding     these sections only
    book/tools/bench --quick               tiny sizes, to see that all runs; no file

The numbers go to bench.json in lib/shipped/measurements, the table to bench.md there.
"""

import argparse
import dataclasses
import datetime
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from book.tools.bench.models import QUICK, Sizes
from book.tools.bench.sections import SECTIONS, measure
from book.tools.bench.table import table
from book.tools.bench.timing import environment
from lib.text.files import read_json, write_json, write_whole
from lib.translator import SHIPPED

RECORDS = SHIPPED / "measurements"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the sections that were asked for, or all."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__.splitlines()[0])
    names = ", ".join(SECTIONS)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=names)
    parser.add_argument("--quick", action="store_true", help="tiny sizes, no file")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where files go")
    options = parser.parse_args(arguments)
    if unknown := set(options.sections) - SECTIONS.keys():
        parser.error(f"there is no section {unknown.pop()!r}; they are {names}")
    sizes = QUICK if options.quick else Sizes()
    folder = options.out or (None if options.quick else RECORDS)
    how = {"environment": environment(), "sizes": dataclasses.asdict(sizes)}
    result = json.loads(json.dumps(how))
    if folder and (folder / "bench.json").is_file():
        before = read_json(folder / "bench.json")
        # What was measured on another machine, or in another way, does not stay.
        result = before if result.items() <= before.items() else result
    found = result.get("sections", {})
    for name in options.sections or SECTIONS:
        start = time.perf_counter()
        date = datetime.date.today().isoformat()
        found[name] = {**measure(name, sizes), "date": date}
        took = time.perf_counter() - start
        print(f"{name}: {took:.0f} s", file=sys.stderr, flush=True)
        result["sections"] = {each: found[each] for each in SECTIONS if each in found}
        if folder:
            write_json(folder / "bench.json", result)
            write_whole(folder / "bench.md", table(result))
    print(table(result), end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
