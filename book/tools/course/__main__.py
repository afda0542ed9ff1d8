"""What `make course` runs: `python book/tools/course`."""

import sys
from pathlib import Path

# The working tree, whatever else is installed, and the folder of this package.
sys.path[:0] = [str(Path(__file__).parents[level]) for level in (3, 1)]

from course.command import main  # noqa: E402

if __name__ == "__main__":
    raise SystemExit(main())
