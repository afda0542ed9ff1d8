"""What an examination found, as a table in a notebook and as lines in a terminal."""

from __future__ import annotations

import html
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

LEVELS = ("fault", "limit", "choice", "tried", "not tested")
SENTENCES = tomllib.loads(Path(__file__).with_name("sentences.toml").read_text("utf-8"))


class NotMetError(Exception):
    """What could not be built or called, in one sentence, with the line that helps."""


@dataclass(frozen=True)
class Finding:
    """One thing that was found: how much it matters, what it is, what proves it."""

    level: str
    what: str
    proof: str = ""
    mistake: int | None = None  # its number in the gallery
    where: str = ""  # the piece of a model that it was found in

    def at(self, where: str) -> Finding:
        """The same finding, in a piece of a model."""
        return replace(self, where=where)

    def __str__(self) -> str:
        entry = f" [mistake {self.mistake}]" if self.mistake else ""
        place = f"{self.where}: " if self.where else ""
        return f"{place}{self.what}{entry}" + (f"\n{self.proof}" if self.proof else "")


@dataclass
class Report:
    """All that was found about one class, function or model."""

    name: str
    kind: str = ""
    unmet: str = ""
    findings: list[Finding] = field(default_factory=list)
    started: dict[str, float] = field(default_factory=dict)  # spreads of its matrices

    def add(self, key: str, **values: Any) -> None:
        """Say one of the sentences, once."""
        said = SENTENCES[key]
        level = next(level for level in LEVELS if level in said)
        what, proof = said[level].format(**values), said.get("proof", "")
        found = Finding(level, what, proof.format(**values), said.get("mistake"))
        if found.what not in [f.what for f in self.findings]:
            self.findings.append(found)

    @property
    def faults(self) -> list[Finding]:
        """What is proved to be wrong; the likeliest cause comes first."""
        return [f for f in self.findings if f.level == "fault"]

    @property
    def status(self) -> int:
        """0 without a fault, 1 with one, 2 where it could not be built or called."""
        return 1 if self.faults else 2 if self.unmet else 0

    def rows(self) -> list[tuple[str, str]]:
        """The table: levels and findings; all that was tried is one row."""
        rows = [("not met", self.unmet)] if self.unmet else []
        for level in LEVELS:
            found = [str(f) for f in self.findings if f.level == level]
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

    def __str__(self) -> str:
        lines = [self.verdict]
        for level, text in self.rows():
            first, *rest = text.split("\n")
            lines += [f"  {level:<11} {first}", *(f"{'':<14}{line}" for line in rest)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = [f"<td>{a}</td><td>{html.escape(b)}</td>" for a, b in self.rows()]
        table = "".join(f"<tr style='text-align:left'>{row}</tr>" for row in rows)
        table = table.replace("\n", "<br>")
        return f"<p>{html.escape(self.verdict)}</p><table>{table}</table>"
