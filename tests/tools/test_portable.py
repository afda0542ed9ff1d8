"""The chapters run elsewhere: the code paths of a processor, and the shaken kernel."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import torch
from nbformat import v4
from safetensors.torch import load_file, save_file

from book.conftest import Output
from book.tools.notebooks import portable
from book.tools.project.address import ROOT
from lib import figures
from lib.figures.interactive import stored
from lib.translator import SHIPPED
from tests.shaken_kernel import SIZE, shaken, shaking_shipped


def relative(moved: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    return (moved.double() - values.double()) / values.double()


def assert_by(size: float, moves: torch.Tensor) -> None:
    assert 0.8 * size < moves.abs().min() <= moves.abs().max() < 1.2 * size


def test_numbers_move_up_and_down_by_a_millionth_and_what_was_alike_stays_so() -> None:
    values = torch.randn(1000, generator=torch.Generator().manual_seed(0))
    moves = relative(shaken(values), values)
    assert_by(SIZE, moves)
    assert 400 < (moves > 0).sum() < 600
    assert torch.equal(shaken(values).flip(0), shaken(values.flip(0)))
    assert_by(SIZE / 2**29, relative(shaken(values.double()), values))
    assert not shaken(torch.zeros(3)).any()
    whole = torch.arange(3)
    assert shaken(whole) is whole


def test_shipped_weights_move_and_no_others(tmp_path: Path) -> None:
    shipped, own = (
        folder / "model.safetensors" for folder in (SHIPPED / "grammar-en-es", tmp_path)
    )
    plain = load_file(shipped)
    save_file(plain, own)
    moved, kept = map(shaking_shipped(load_file), (shipped, own))
    for name, weights in plain.items():
        drawn = weights != 0
        assert_by(SIZE, relative(moved[name][drawn], weights[drawn]))
        assert torch.equal(kept[name], weights)


def outcomes(notebook: Path, *options: str) -> dict[str, str]:
    """How nbval found each cell of a notebook."""
    pytest_verbose = (sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider")
    done = subprocess.run(
        [*pytest_verbose, "--nbval", *options, str(notebook)],
        cwd=ROOT,
        env={**os.environ, "JUPYTER_PATH": str(ROOT / "tests")},
        capture_output=True,
        text=True,
        timeout=300,
    )
    return dict(re.findall(r"::(Cell \d+) (PASSED|FAILED)", done.stdout))


PRINTED = "rate 0.10: ≈ 0.52, 17 of 40; ≈ -1.5e-07"


@pytest.mark.parametrize(
    ("printed", "margin", "equal"),
    [
        (PRINTED, None, True),
        ("rate 0.10: ≈ 0.54, 15 of 40; ≈ -1.3e-07", None, True),
        ("rate 0.10: ≈ 0.55, 17 of 40; ≈ -1.5e-07", None, False),
        ("rate 0.10: ≈ 0.52, 20 of 40; ≈ -1.5e-07", None, False),
        ("rate 0.10: ≈ 0.52, 20 of 40; ≈ -1.5e-07", 3, True),
        ("rate 0.10: ≈ 0.52, 17 of 40; ≈ -1.8e-07", None, False),
        ("rate 0.10: ≈ 0.52, 17 of 41; ≈ -1.5e-07", 3, False),
        ("rate 0.10: ≈ 0.52 of 40; ≈ -1.5e-07", 3, False),
        ("rate 0.10: ≈ nan, 17 of 40; ≈ -1.5e-07", 3, False),
        ("rate 0.10: ≈ 0.52, 17 in 40; ≈ -1.5e-07", 3, False),
    ],
)
def test_only_a_number_behind_the_sign_may_differ_and_by_no_more_than_its_margin(
    printed: str, margin: float | None, equal: bool
) -> None:
    stored = Output(PRINTED)
    stored.margin = margin
    assert (stored != Output(printed)) is not equal


def test_what_is_handed_to_a_figure_may_differ_behind_its_points() -> None:
    """Counts are equal; scripts are not read."""
    one = figures.interactive("words", numbers=[1.25, True, 3]).data
    for told, equal in (
        ([1.26, True, 3], True),
        ([1.28, True, 3], False),
        ([1.25, False, 3], False),
        ([1.25, True, 4], False),
    ):
        other = figures.interactive("words", numbers=told).data
        assert (Output(stored(one)) != Output(other)) is not equal


@pytest.mark.exhaustive
def test_a_chapter_is_compared_so_in_a_plain_run_and_shaken(tmp_path: Path) -> None:
    torch.manual_seed(0)
    weight = torch.nn.Linear(1, 1).weight.item()
    cells = [
        v4.new_code_cell(
            "import torch; _ = torch.manual_seed(0)\n"
            f"print(f'{text}{{torch.nn.Linear(1, 1).weight.item():{form}}}')",
            execution_count=1,
            outputs=[v4.new_output("stream", text=f"{text}{weight + off:{form}}\n")],
            metadata=metadata,
        )
        for text, form, off, metadata in (
            ("", "", 0, {}),
            ("", ".2f", 0, {}),
            ("≈ ", ".2f", 0.02, {}),
            ("≈ ", ".2f", 0.03, {}),
            ("≈ ", ".2f", 0.03, {"margin": 0.03}),
        )
    ]
    path = tmp_path / "five.ipynb"
    nbformat.write(v4.new_notebook(cells=cells), path)
    shutil.copy(ROOT / "book" / "conftest.py", tmp_path)
    plain = list(outcomes(path, "--nbval-current-env").values())
    assert plain == ["PASSED", "PASSED", "PASSED", "FAILED", "PASSED"]
    assert list(outcomes(path, *portable.SHAKEN).values()) == ["FAILED", *plain[1:]]


def test_the_code_of_any_processor_is_taken() -> None:
    code = "import numpy, torch; print(torch.backends.cpu.get_cpu_capability())"
    command = [sys.executable, "-W", "error::ImportWarning", "-c", code]
    environment = os.environ | portable.settings()
    told = subprocess.check_output(command, env=environment, text=True)
    assert told.strip() == "DEFAULT"
