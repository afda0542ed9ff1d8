"""Two real processes train one model: what they learn, and how they end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from tests.lib.test_training import ROOT, losses

SMALL = (
    *("train", "--corpus", "phrases", "--accelerator", "cpu"),
    *("--set", "d_model=16", "--set", "n_heads=2", "--set", "n_layers=1"),
    *("--set", "d_ff=16", "--set", "dropout=0", "--set", "max_tokens=24"),
)
LOGGED = ("train_loss", "validation_loss", "step", "tokens")
TWO = ("--devices", "2", "--strategy", "ddp")


def lib(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "lib", *arguments],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=hears_ctrl_c if os.name == "posix" else None,
    )


def hears_ctrl_c() -> None:
    """What a script starts in its background is deaf to Ctrl-C: this is not."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_two_processes_learn_what_one_does(tmp_path: Path) -> None:
    """Two real processes, with gradients that travel between them."""
    runs = [
        lib(*SMALL, "--set", "epochs=8", "--out", str(tmp_path / name), *more)
        for name, more in (("one", ()), ("two", TWO))
    ]
    said = [run.communicate(timeout=300) for run in runs]
    assert [run.returncode for run in runs] == [0, 0], said
    (out, _), (out_of_two, errors) = said
    assert out_of_two == out  # and not twice
    assert errors.count("The translator is in") == 1
    one, two = (
        torch.tensor([[float(row[name]) for name in LOGGED] for row in losses(folder)])
        for folder in (tmp_path / "one", tmp_path / "two")
    )
    torch.testing.assert_close(two, one, rtol=0, atol=1e-4)
    assert len(one) == 8
    assert one[-1, 0] < 0.9 * one[0, 0]


def pressed_ctrl_c(run: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Interrupt as a terminal does; again, as a person would, if nothing happens.

    Returns how often that was, and what was said.
    """
    for times in range(1, 5):  # Python loses an interrupt inside a destructor
        os.killpg(run.pid, signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return times, *run.communicate(timeout=40)
    raise AssertionError("Ctrl-C does not end it")


@pytest.mark.skipif(os.name == "nt", reason="Windows interrupts no group of processes")
def test_ctrl_c_ends_both_processes_with_one_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run = lib(*SMALL, "--set", "epochs=5000", "--out", str(folder), *TWO)
    for _ in range(2000):  # tenths of a second at most
        if (folder / "log.csv").exists():
            break
        time.sleep(0.1)
    times, out, errors = pressed_ctrl_c(run)
    # One more press may come while Python closes down, and end it by the signal itself;
    # a shell says 130 of both.
    by_signal = times > 1 and run.returncode == -signal.SIGINT
    assert run.returncode == 130 or by_signal, errors
    assert out == ""
    assert errors.count("goes on with --resume.") == 1
    assert errors.count("stopped.") == 1
    assert "Traceback" not in errors


def test_a_loss_that_is_no_number_is_said_once(tmp_path: Path) -> None:
    wild = ("--set", "learning_rate=1e38", "--set", "clip=1e38", "--set", "epochs=50")
    run = lib(*SMALL, *wild, "--out", str(tmp_path / "run"), *TWO)
    out, errors = run.communicate(timeout=200)
    assert run.returncode == 2, errors
    assert out == ""
    assert errors.count("begin again with a smaller learning_rate.") == 1
    assert "Traceback" not in errors
