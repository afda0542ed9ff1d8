"""Numbers that figures of the page show, as a module of JavaScript."""

import json
from collections.abc import Mapping
from typing import Any

from book.tools.project.address import ROOT

FOLDER = ROOT / "book" / "interactive"


def module_of(note: str, name: str, parts: Mapping[str, Any]) -> str:
    """The text of a module that hands on one object, a line for each of its parts."""
    lines = (
        f"  {json.dumps(key)}: {json.dumps(part, ensure_ascii=False)}"
        for key, part in parts.items()
    )
    inside = ",\n".join(lines)
    return f"{note}\nexport const {name} = {{\n{inside}\n}};\n"
