"""The card of a trained translator: what it is, what made it, how good it is."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2

from lib.text.files import read_json, to_toml, write_whole
from lib.translator.folder import find_folder

REPORT_FILE, SETTINGS_FILE = "scores.json", "settings.toml"
_TEMPLATE = Path(__file__).with_name("card.md.jinja")


def write_card(folder: Path, report: Mapping[str, Any]) -> None:
    """Write ``README.md`` into the folder of a translator."""
    # Markdown, so that nothing is escaped as in HTML.
    cards = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
    cards.keep_trailing_newline = True
    cards.filters |= {"toml": to_toml, "comma": "{:,}".format}
    template = cards.from_string(_TEMPLATE.read_text(encoding="utf-8"))
    write_whole(folder / "README.md", template.render(report=report))


def read_report(folder: Path | str) -> dict[str, Any]:
    """Return the report of a translator, empty if its folder has none."""
    file = find_folder(folder) / REPORT_FILE
    report = read_json(file) if file.is_file() else None
    return report if isinstance(report, dict) else {}


def machine() -> str:
    """Say what this runs on, without the name of the machine."""
    import torch

    if torch.cuda.is_available():
        return f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}"
    threads = torch.get_num_threads()
    cores = "1 core" if threads == 1 else f"{threads} cores"
    return f"{cores} ({platform.machine()}), PyTorch {torch.__version__}"
