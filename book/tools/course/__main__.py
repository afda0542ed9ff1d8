"""What `make course` runs: `python -m book.tools.course`."""

from book.tools.course.command import main

if __name__ == "__main__":
    raise SystemExit(main())
