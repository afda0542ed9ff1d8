"""What an examination found, as a table in a notebook and as lines in a terminal."""

from __future__ import annotations

import html
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LEVELS = ("fault", "limit", "choice", "tried", "not tested")
SENTENCES = tomllib.loads(Path(__file__).with_name("sentences.toml").read_text("utf-8"))


class NotMetError(ValueError):
    """What could not be built or called, in one sentence, with the line that helps."""


@dataclass
class Report:
    """All that was found about one class, function or model."""

    name: str
    kind: str = ""
    unmet: str = ""
    found: dict[str, tuple[str, str]] = field(default_factory=dict)  # key: level, text
    starts_small: bool = False  # its queries, which takes the place of a root

    def add(self, key: str, **values: Any) -> None:
        """Say one of the sentences; a fault comes with what proves it."""
        said = SENTENCES[key]
        level = next(level for level in LEVELS if level in said)
        entry = f" [mistake {said['mistake']}]" if "mistake" in said else ""
        proof = "\n" + said["proof"] if "proof" in said else ""
        text = (said[level] + entry + proof).format(**values)
        self.found[f"{key} {values.get('name', '')}"] = level, text

    @property
    def faults(self) -> list[str]:
        """What is proved to be wrong; the likeliest cause comes first."""
        return [text for level, text in self.found.values() if level == "fault"]

    @property
    def status(self) -> int:
        """0 without a fault, 1 with one, 2 where it could not be built or called."""
        return 1 if self.faults else 2 if self.unmet else 0

    def rows(self) -> list[tuple[str, str]]:
        """The table: levels and findings; all that was tried is one row."""
        rows = [("not met", self.unmet)] if self.unmet else []
        for level in LEVELS:
            found = [text for own, text in self.found.values() if own == level]
            short = level in ("tried", "not tested") and found
            rows += [(level, text) for text in (["; ".join(found)] if short else found)]
        return rows

    @property
    def verdict(self) -> str:
        """The first line: what it is, and how many faults it has."""
        number = len(self.faults)
        healthy = "it could not be examined" if self.unmet else "no fault was found"
        told = f"{number} fault{'s' * (number > 1)}" if number else healthy
        return f"{self.name}{', ' * bool(self.kind)}{self.kind}: {told}."

    def __repr__(self) -> str:
        rows = (f"  {a:<11} {b}".replace("\n", "\n" + 14 * " ") for a, b in self.rows())
        return "\n".join([self.verdict, *rows])

    def _repr_html_(self) -> str:
        cells = ((a, html.escape(b).replace("\n", "<br>")) for a, b in self.rows())
        top = "<tr style='text-align:left;vertical-align:top'>"
        rows = "".join(f"{top}<td>{a}</td><td>{b}</td></tr>" for a, b in cells)
        table = re.sub(
            "`(.+?)`", r"<code>\1</code>", f"<table cellpadding=4>{rows}</table>"
        )
        return f"<p>{html.escape(self.verdict)}</p>{table}"
