"""The chapters run elsewhere: the code paths of a processor, and the shaken kernel."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
import safetensors.torch
import torch
from nbformat import v4

from book.tools.notebooks import code_paths
from book.tools.project.address import ROOT
from lib.layers import TokenEmbedding
from lib.translator import SHIPPED
from tests import shaken_kernel
from tests.book_sources import CHAPTERS, NAMES, read
from tests.shaken_kernel import SIZE, shaken

each_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=NAMES)


def relative(moved: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    return (moved.double() - values.double()) / values.double()


def test_numbers_move_up_and_down_by_a_millionth() -> None:
    values = torch.randn(1000, generator=torch.Generator().manual_seed(0))
    moves = relative(shaken(values), values)
    assert moves.abs().min() > 0.8 * SIZE
    assert moves.abs().max() < 1.2 * SIZE
    assert 400 < (moves > 0).sum() < 600


def test_what_was_alike_stays_alike() -> None:
    values = torch.randn(1000, generator=torch.Generator().manual_seed(0))
    assert torch.equal(shaken(values), shaken(values))
    assert torch.equal(shaken(values).flip(0), shaken(values.flip(0)))
    assert not shaken(torch.zeros(3)).any()
    whole = torch.arange(3)
    assert shaken(whole) is whole


@pytest.fixture
def kernel_shakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch and the loader as the shaken kernel has them, for one test."""
    for place, names in (
        (torch, shaken_kernel.DRAWS),
        (torch.Tensor, shaken_kernel.DRAWS_IN_PLACE),
        (safetensors.torch, ("load_file",)),
    ):
        for name in names:
            monkeypatch.setattr(place, name, getattr(place, name))
    shaken_kernel.shake()


def weights_drawn(module: Callable[[], torch.nn.Module]) -> torch.Tensor:
    torch.manual_seed(1)
    return torch.cat([p.detach().flatten() for p in module().parameters()])


MODULES: dict[str, Callable[[], torch.nn.Module]] = {
    "linear": lambda: torch.nn.Linear(8, 8),
    "embedding": lambda: TokenEmbedding(20, d_model=8, pad_id=0),
    "attention": lambda: torch.nn.MultiheadAttention(8, 2, bias=False),
    "xavier": lambda: torch.nn.ParameterList(
        [torch.nn.init.xavier_uniform_(torch.empty(8, 8))]
    ),
}
PLAIN = {name: weights_drawn(module) for name, module in MODULES.items()}


@pytest.mark.usefixtures("kernel_shakes")
@pytest.mark.parametrize("name", MODULES)
def test_first_weights_move(name: str) -> None:
    drawn, plain = weights_drawn(MODULES[name]), PLAIN[name]
    set_by_hand = plain == 0  # padding's row
    assert not drawn[set_by_hand].any()
    moves = relative(drawn, plain)[~set_by_hand].abs()
    assert 0.5 * SIZE < moves.min() <= moves.max() < 2.5 * SIZE


@pytest.mark.parametrize("folder", ["grammar-en-es", "tatoeba-en-es"])
def test_shipped_weights_move_and_no_others(
    folder: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    shipped = SHIPPED / folder / "model.safetensors"
    plain = safetensors.torch.load_file(shipped)
    own = tmp_path / "model.safetensors"
    safetensors.torch.save_file(plain, own)
    request.getfixturevalue("kernel_shakes")
    moved = safetensors.torch.load_file(shipped)
    assert set(moved) == set(plain)
    for name, weights in plain.items():
        set_apart = weights != 0
        moves = relative(moved[name][set_apart], weights[set_apart]).abs()
        assert moves.min() > 0.8 * SIZE, name
        assert moves.max() < 1.2 * SIZE, name
    kept = safetensors.torch.load_file(own)
    assert all(torch.equal(kept[name], plain[name]) for name in plain)


def code(source: str, printed: str, **metadata: str) -> nbformat.NotebookNode:
    output = v4.new_output("stream", name="stdout", text=printed)
    return v4.new_code_cell(
        source, execution_count=1, outputs=[output], metadata=metadata
    )


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


def test_a_cell_without_a_margin_fails_shaken_unless_it_says_why(
    tmp_path: Path,
) -> None:
    torch.manual_seed(0)
    weight = torch.nn.Linear(1, 1).weight.item()
    draw = "import torch; _ = torch.manual_seed(0)"
    exact = "print(torch.nn.Linear(1, 1).weight.item())"
    rounded = "print(f'{torch.nn.Linear(1, 1).weight.item():.2f}')"
    cells = [
        code(f"{draw}\n{exact}", f"{weight}\n"),
        code(f"{draw}\n{rounded}", f"{weight:.2f}\n"),
        code(
            f"{draw}\n{exact}", f"{weight}\n", **{"may-shake": "it prints all digits"}
        ),
    ]
    path = tmp_path / "three.ipynb"
    nbformat.write(v4.new_notebook(cells=cells), path)
    shaken_run = ("-p", "tests.shaken_run", "--nbval-kernel-name", "shaken")
    assert set(outcomes(path, "--nbval-current-env").values()) == {"PASSED"}
    assert outcomes(path, *shaken_run) == {
        "Cell 0": "FAILED",
        "Cell 1": "PASSED",
        "Cell 2": "PASSED",
    }


@each_chapter
def test_few_cells_may_shake_and_they_say_why(path: Path) -> None:
    reasons = [
        cell.metadata["may-shake"]
        for cell in read(path).cells
        if "may-shake" in cell.metadata
    ]
    assert len(reasons) <= 2
    assert all(len(reason.split()) >= 5 for reason in reasons), reasons


@each_chapter
def test_what_is_not_compared_is_checked_beside_it(path: Path) -> None:
    """A cell that nbval ignores shows one name, and a later cell looks into it.

    The setup cell and the figures that answer have tests of their own.
    """
    cells = read(path).cells
    for number, cell in enumerate(cells):
        tags = set(cell.metadata.get("tags", []))
        if "nbval-ignore-output" not in tags or tags & {"setup", "interactive"}:
            continue
        shown = cell.source.splitlines()[-1]
        assert shown.isidentifier(), f"{cell.id} should end in a name, not in {shown}"
        section = []
        for later in cells[number + 1 :]:
            if later.cell_type == "markdown" and later.source.startswith("## "):
                break
            section.append(later)
        lookers = [c for c in section if c.cell_type == "code" and c.outputs]
        uses = [c for c in lookers if re.search(rf"\b{shown}\b", c.source)]
        assert uses, f"no cell of the section after {cell.id} checks {shown}"


def test_the_generic_path_is_taken() -> None:
    generic = code_paths.settings("generic")
    assert code_paths.capability(generic) == "DEFAULT"


def test_the_path_of_avx2_is_taken_or_refused_in_a_sentence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    if code_paths.main(["avx2"]) == 0:
        assert code_paths.capability(code_paths.settings("avx2")) == "AVX2"
        assert "ATEN_CPU_CAPABILITY=avx2" in capsys.readouterr().out
    else:
        assert "no AVX2" in capsys.readouterr().err


def test_a_processor_without_avx2_is_told_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arm = (["ASIMDHP", "SVE"], {"ASIMDHP": True, "SVE": False, "NEON": True})
    monkeypatch.setattr(code_paths, "numpy_features", lambda: arm)
    assert code_paths.main(["avx2"]) == 1
    assert capsys.readouterr() == ("", "this processor has no AVX2\n")
    assert code_paths.main(["generic"]) == 0
    assert "NPY_DISABLE_CPU_FEATURES=ASIMDHP\n" in capsys.readouterr().out


def test_an_unknown_path_is_named_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    assert code_paths.main(["sse9"]) == 2
    assert capsys.readouterr().err == "Name one path: generic or avx2.\n"
