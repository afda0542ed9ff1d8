"""``python -m lib``: what it prints, where, and what it says to wrong input."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def lib(
    *arguments: str, given: str | bytes = "", folder: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own, as a reader does."""
    data = given.encode() if isinstance(given, str) else given
    done = subprocess.run(
        [sys.executable, "-m", "lib", *arguments],
        input=data,
        capture_output=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
        check=False,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def refused(*arguments: str, given: str | bytes = "") -> str:
    """Demand one clear sentence on standard error, and nothing anywhere else."""
    done = lib(*arguments, given=given)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr.strip().splitlines()[-1]


class TestTranslate:
    def test_one_translation_a_line_in_the_order_of_the_input(self) -> None:
        sentences = ["I like the red car.", "She reads a book.", "I like the red car."]
        done = lib("translate", *sentences)
        assert done.returncode == 0
        assert done.stderr == ""
        lines = done.stdout.splitlines()
        assert len(lines) == 3
        assert lines[0] == lines[2] != lines[1]
        assert lib("translate", given="\n".join(sentences)).stdout == done.stdout

    def test_long_before_short_keeps_its_place(self) -> None:
        long, short = "I do not like the red car.", "I like the car."
        both = lib("translate", long, short).stdout.splitlines()
        assert both == lib("translate", short, long).stdout.splitlines()[::-1]

    def test_unknown_words_are_named_beside_the_translation(self) -> None:
        done = lib("translate", "I like the zyzzyva and the qwerty.")
        assert done.returncode == 0
        assert len(done.stdout.splitlines()) == 1
        assert "“zyzzyva”, “qwerty”" in done.stderr

    @pytest.mark.parametrize("sentence", ["", "   ", "\t"])
    def test_an_empty_sentence_is_refused(self, sentence: str) -> None:
        assert "Sentence 2 is empty" in refused("translate", "I like it.", sentence)

    def test_empty_input_is_refused(self) -> None:
        assert "standard input is empty" in refused("translate")

    def test_a_blank_line_in_the_input_is_named(self) -> None:
        assert "Sentence 2 is empty" in refused("translate", given="One.\n\nTwo.\n")

    def test_marks_alone_are_refused(self) -> None:
        assert "nothing to translate in '?!'" in refused("translate", "?!")

    def test_bytes_that_are_no_text_are_refused(self) -> None:
        message = refused("translate", given=b"I like the caf\xe9.\n")
        assert "not UTF-8 text: byte 14 is 0xe9" in message

    def test_a_sentence_too_long_is_refused(self) -> None:
        assert "too long" in refused("translate", "the dog " * 300)

    def test_a_folder_without_a_translator_is_refused(self, tmp_path: Path) -> None:
        message = refused("translate", "Hello.", "--model", str(tmp_path))
        assert str(tmp_path) in message
        assert "grammar-en-es" in message

    def test_a_batch_size_that_is_none_is_refused(self) -> None:
        message = refused("translate", "Hello.", "--batch-size", "0")
        assert "'0' is not a whole number of at least 1" in message

    def test_a_reader_that_leaves_early_is_no_error(self) -> None:
        command = f"{sys.executable} -m lib translate 'I like it.' | true"
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {command}"],
            cwd=ROOT,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0
        assert done.stderr == b""


class TestEvaluate:
    def test_it_scores_the_unseen_parts(self) -> None:
        done = lib("evaluate", "--limit", "20")
        assert done.returncode == 0
        assert "unseen_sentences: " in done.stdout
        assert "unseen_combinations: " in done.stdout
        assert "of 20 sentences" in done.stdout

    def test_a_part_that_is_not_there_is_refused(self) -> None:
        message = refused("evaluate", "--part", "tset")
        assert "'tset'" in message
        assert "unseen_sentences" in message

    def test_a_corpus_that_is_not_there_is_refused(self) -> None:
        assert "'klingon'" in refused("evaluate", "--corpus", "klingon")


class TestTrain:
    SMALL = (
        "train",
        "--corpus",
        "phrases",
        *("--set", "epochs=2", "--set", "d_model=8", "--set", "n_heads=1"),
        *("--set", "n_layers=1", "--set", "d_ff=8"),
    )

    def test_a_small_run_leaves_a_translator_with_its_scores(
        self, tmp_path: Path
    ) -> None:
        out = str(tmp_path / "run")
        done = lib(*self.SMALL, "--out", out)
        assert done.returncode == 0, done.stderr
        assert "validation: " in done.stdout
        assert {file.name for file in (tmp_path / "run").iterdir()} == {
            "README.md",
            "checkpoint.safetensors",
            "config.json",
            "log.csv",
            "model.safetensors",
            "scores.json",
            "settings.json",
        }
        translated = lib("translate", "lets go", "--model", out)
        assert translated.returncode == 0
        again = lib(*self.SMALL, "--out", out)
        assert again.returncode == 2
        assert "already holds a run" in again.stderr
        assert lib(*self.SMALL, "--out", out, "--resume").returncode == 0

    @pytest.mark.parametrize(
        ("assignment", "words"),
        [
            ("epochs=many", "epochs must be a number, but it is 'many'"),
            ("epochs=2.5", "epochs must be a whole number, but it is '2.5'"),
            ("epochs=0", "epochs must be more than 0, but it is 0"),
            ("epoch=2", "the names are: d_model"),
            ("epochs", "--set takes NAME=VALUE, not 'epochs'"),
            ("n_heads=3", "3 does not divide 128"),
            ("norm_first=yes", "norm_first must be true or false, but it is 'yes'"),
            ("learning_rate=nan", "learning_rate must be more than 0"),
        ],
    )
    def test_an_impossible_setting_is_refused(
        self, assignment: str, words: str
    ) -> None:
        assert words in refused("train", "--set", assignment)

    def test_a_corpus_without_sizes_says_so(self) -> None:
        message = refused("train", "--corpus", "phrases", "--size", "10")
        assert "no option 'size'" in message


def test_no_command_shows_the_usage() -> None:
    assert "command" in refused()


def test_a_wrong_command_names_the_right_ones() -> None:
    message = refused("translat", "Hello.")
    assert "translate" in message
