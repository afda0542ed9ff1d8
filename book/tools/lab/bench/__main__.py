"""What `make bench` runs: `python -m book.tools.lab.bench`."""

from book.tools.lab.bench.command import main

if __name__ == "__main__":
    raise SystemExit(main())
