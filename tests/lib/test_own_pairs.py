"""Sentence pairs of the reader's own: reading, training, scoring, serving them."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest

from lib.__main__ import main
from lib.commands.settings import read_settings
from lib.corpora import SAMPLE, load_own
from lib.corpora.splitting import limit_training
from lib.translator import Translator
from lib.translator.card import read_report
from tests.lib.test_training import equal
from tests.refusals import refused_command, refuses

CREDIT = "Written for this test; license CC0"
OWN = ("--pairs", str(SAMPLE), "--languages", "en-de")
SMALL = ("d_model=32", "n_heads=2", "n_layers=1", "d_ff=64", "epochs=2", "max_len=32")
SETTINGS = [word for setting in SMALL for word in ("--set", setting)]


# --- reading a file -------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_what_other_programs_write_is_read_too(
    end: str, mark: str, tmp_path: Path
) -> None:
    """Other line ends, blank last lines, a mark of the encoding, and more columns."""
    lines = [f"{line}\tCC0" for line in SAMPLE.read_text("utf-8").splitlines()]
    file = tmp_path / "en-de.tsv"
    file.write_bytes((mark + end.join([*lines, "", "\t ", ""])).encode())
    found = load_own(file, "en-de")
    assert found.splits == load_own(SAMPLE, "en-de").splits
    assert found.name == found.title == "own-en-de"


@pytest.mark.parametrize(
    ("first", "is_header"),
    [
        ("en\tde", True),
        ("English\tGerman", True),
        ("source_sentence\tSentence (DE)", True),
        ("Text\ttext", False),  # a pair, in these languages
        ("German\tdeutsch sprechend", False),
        ("en\tfr", False),
    ],
)
def test_a_line_that_names_the_columns_is_no_pair(
    first: str, is_header: bool, tmp_path: Path
) -> None:
    file = sample_with(tmp_path, {0: first.encode()})
    corpus = load_own(file, "en-de")
    assert sum(map(len, corpus.splits.values())) == 240 - is_header
    assert any("names the columns" in note for note in corpus.notes) == is_header


def sample_with(folder: Path, changes: dict[int, bytes]) -> Path:
    """The sample with other lines in some places."""
    lines = dict(enumerate(SAMPLE.read_bytes().splitlines())) | changes
    (folder / "bad.tsv").write_bytes(b"\n".join(lines.values()))
    return folder / "bad.tsv"


def test_bad_lines_are_all_counted_and_the_first_are_named(tmp_path: Path) -> None:
    wrong = (b"no tab here", b"", b"caf\xe9\tcaf\xe9", b"...\tnichts", b"nothing\t ")
    file = sample_with(tmp_path, dict(zip((2, 5, 7, 9, 10), wrong, strict=True)))
    assert refuses(lambda: load_own(file, "en-de")) == (
        f"{file}: 5 of 240 lines are no sentence, tab and translation: line 3 has no "
        "tab, line 6 is empty, line 8 is not UTF-8, and 2 more; correct them, or leave "
        "them out."
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"one\ttwo\tthree", "1 of 240 lines is no.*line 4 has 3 columns instead of 2"),
        (b"...\tnichts", "line 4 has no words in its source"),
        (b"nothing\t ", "line 4 has no words in its target"),
        (b"no\0thing\tnichts", "line 4 holds a NUL"),
    ],
)
def test_a_bad_line_says_what_it_lacks(line: bytes, words: str, tmp_path: Path) -> None:
    bad = sample_with(tmp_path, {3: line})
    refuses(lambda: load_own(bad, "en-de"), words)


@pytest.mark.parametrize(
    ("content", "languages", "words"),
    [
        (b" \n\r\n", "en-de", "is empty; give it one pair a line"),
        ("one\teins".encode("utf-16"), "en-de", "is text in UTF-16; save it as UTF-8"),
        (b"one\teins\n", "en-de", "only 1 different sources, and 10 are needed"),
        (b"one\teins\n", "english-german", "they are 'english-german'"),
        (b"one\teins\n", "en", "they are 'en'"),
    ],
)
def test_what_cannot_be_a_corpus_is_refused(
    content: bytes, languages: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "few.tsv").write_bytes(content)
    refuses(lambda: load_own(tmp_path / "few.tsv", languages), words)


# --- --limit --------------------------------------------------------------------------


def test_a_limit_leaves_what_is_held_out_whole() -> None:
    whole = load_own(SAMPLE, "en-de")
    fifty, ten = (limit_training(whole, limit) for limit in (50, 10))
    assert len(fifty.splits["train"]) == 50
    assert set(ten.splits["train"]) < set(fifty.splits["train"])
    assert fifty.splits["train"] != whole.splits["train"][:50]
    assert set(fifty.splits["train"]) < set(whole.splits["train"])
    for name in ("validation", "test"):
        assert fifty.splits[name] == whole.splits[name]
    assert fifty.notes == ("left out: 142 pairs of train, by limit = 50",)
    assert limit_training(whole, 1000) is whole
    with pytest.raises(ValueError, match="but it is 0"):
        limit_training(whole, 0)


# --- the recipe -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train on the sample with the command of the recipe."""
    folder = tmp_path_factory.mktemp("own") / "run"
    words = [*OWN, "--attribution", CREDIT, "--limit", "150", *SETTINGS]
    words += ["--out", str(folder)]
    assert main(["train", *words]) == 0
    return folder


def test_the_card_credits_its_own_and_nobody_else(trained: Path) -> None:
    card = (trained / "README.md").read_text("utf-8")
    report = read_report(trained)
    assert CREDIT in card
    assert "tatoeba" not in card.lower()
    assert report["attribution"] == CREDIT
    assert report["corpus"] == report["name"] == "own-sample-en-de"
    assert report["pairs"] == {"train": 150, "validation": 24, "test": 24}
    assert report["scores"]["test"]["sentences"] == 24
    assert report["scores"]["test"]["beam_size"] == 4
    assert report["settings"]["vocab_size"] == 200  # what suits 150 pairs
    assert report["settings"]["epochs"] == 2  # as it was set
    assert "BLEU" in card
    # Where the reader keeps things is nobody's affair.
    for file in filter(Path.is_file, trained.iterdir()):
        assert str(SAMPLE.parent).encode() not in file.read_bytes(), file


def test_the_command_and_the_settings_of_the_card_make_the_run_again(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = (trained / "README.md").read_text("utf-8")
    block = card.split("```toml\n")[1].split("```")[0]
    assert block == (trained / "settings.toml").read_text("utf-8")
    assert tomllib.loads(block) == read_report(trained)["settings"]
    command = shlex.split(read_report(trained)["command"])
    assert command[:4] == ["python", "-m", "lib", "train"]
    assert "--set" not in command
    assert str(trained) not in card
    monkeypatch.chdir(tmp_path)
    (tmp_path / "settings.toml").write_text(block)
    shutil.copy(SAMPLE, tmp_path)
    assert main([*command[3:], "--out", "again"]) == 0
    again = tmp_path / "again" / "model.safetensors"
    assert again.read_bytes() == (trained / "model.safetensors").read_bytes()


def test_evaluate_scores_the_same_sentences(
    trained: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    scores = tmp_path / "scores.json"
    words = ("evaluate", *OWN, "--model", str(trained), "--json", str(scores))
    capsys.readouterr()
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert err == "" and out.startswith("test: ")
    found = json.loads(scores.read_text("utf-8"))["scores"]["test"]
    assert found == read_report(trained)["scores"]["test"]


def test_evaluate_asks_for_the_file_and_says_when_it_is_another(
    trained: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    message = refused_command(capsys, "evaluate", "--model", str(trained))
    assert "was trained on a file of its own; name it with --pairs" in message
    file = tmp_path / SAMPLE.name
    file.write_bytes(b"".join(SAMPLE.read_bytes().splitlines(keepends=True)[:120]))
    words = ("--pairs", str(file), "--languages", "en-de", "--model", str(trained))
    assert main(["evaluate", *words]) == 0
    assert "may hold sentences that were trained on" in capsys.readouterr().err


def test_what_is_too_long_to_be_scored_is_told_before_and_counts_as_wrong(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """As Japanese, which BLEU cuts in another way, and with a folder that is there."""
    words = ["--pairs", str(SAMPLE), "--languages", "en-ja", "--attribution", CREDIT]
    words += [*SETTINGS, "--set", "max_len=6", "--set", "vocab_size=0"]
    words += ["--out", str(tmp_path)]
    assert main(["train", *words]) == 0
    out, err = capsys.readouterr()
    (note,) = (line for line in err.splitlines() if line.startswith("test: "))
    found = read_report(tmp_path)["scores"]["test"]
    assert 0 < found["unread"] < found["sentences"]
    assert note.startswith(f"test: {found['unread']} of {found['sentences']} sources")
    for part in ("train", "validation"):
        assert re.search(rf"^{part}: left out \d+ of \d+ pairs, which are", err, re.M)
    assert f"counted as wrong: {found['unread']}" in out
    card = (tmp_path / "README.md").read_text("utf-8")
    assert f"\nOf test, {found['unread']} sources are too long to be read" in card
    assert "|tok:char|" in card


def test_a_run_goes_on_from_the_weights_and_words_of_another(
    trained: Path, tmp_path: Path
) -> None:
    """With a rate that changes nothing, the second is the first, rounded alike."""
    again = tmp_path / "again"
    words = ["--attribution", "By the second author.", "--from", str(trained)]
    words += ["--set", "epochs=1", "--set", "learning_rate=1e-12"]
    assert main(["train", *OWN, *words, "--out", str(again)]) == 0
    one, other = Translator.load(trained), Translator.load(again)
    assert one.src_vocab.tokens == other.src_vocab.tokens
    assert equal(one.model.state_dict(), other.model.state_dict())
    card = (again / "README.md").read_text("utf-8")
    assert f"| began with | `{trained.name}` |" in card
    assert "| training | 1 epoch in" in card
    assert str(trained.parent) not in card
    assert CREDIT in card
    assert "By the second author." in card
    assert read_report(again)["settings"]["d_model"] == 32
    assert f"--from {trained.name}" in read_report(again)["command"]


def test_more_pairs_are_learned_from_and_credited_but_none_that_is_held_out(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    held_out = load_own(SAMPLE, "en-de").splits["test"][0][0]
    more, packed = tmp_path / "more.tsv", tmp_path / "packed.tsv.gz"
    more.write_text(f"{held_out.upper()}\tNein.\nA quokka!\tEin Quokka!\n", "utf-8")
    packed.write_bytes(gzip.compress(b"A numbat?\tEin Numbat?\nA kea.\tEin Kea.\n"))
    words = [*OWN, "--attribution", CREDIT, *SETTINGS, "--set", "epochs=1"]
    words += [
        "--also",
        str(more),
        "--also",
        str(packed),
        "--out",
        str(tmp_path / "run"),
    ]
    assert main(["train", *words]) == 0
    told = capsys.readouterr().err
    assert "more.tsv: left out: 1 pair of more.tsv whose source stands in test" in told
    report = read_report(tmp_path / "run")
    assert report["pairs"]["train"] == 192 + 1 + 2
    assert report["command"].endswith("--also more.tsv --also packed.tsv.gz")
    credit = (
        "It learned from `more.tsv`, 1 pair, and from `packed.tsv.gz`, 2 pairs, too"
    )
    assert credit in (tmp_path / "run" / "README.md").read_text("utf-8")
    vocabulary = Translator.load(tmp_path / "run").src_vocab
    assert vocabulary.unk_id not in vocabulary.encode("A quokka! A numbat?")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"A quokka.\tEin Quokka.\nA kea.\n", "line 2 has no tab"),
        (b"A quokka.\t \n", "line 1 has no words in its target"),
        (b"", "is empty; give it one pair a line"),
    ],
)
def test_more_pairs_that_are_none_are_refused_with_their_line(
    content: bytes, message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "more.tsv.gz"
    file.write_bytes(gzip.compress(content))
    words = ["train", "--also", str(file), "--out", str(tmp_path / "run")]
    assert "--also needs --attribution" in refused_command(capsys, *words)
    words += ["--attribution", CREDIT]
    assert message in refused_command(capsys, *words)
    file.write_bytes(file.read_bytes()[:-3])
    assert "cannot be unpacked" in refused_command(capsys, *words)
    assert not (tmp_path / "run").exists()


# --- --settings -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("epoch = 3", "has 'epoch', which is no setting; the names are: d_model"),
        ("epochs = ", "is not TOML"),
        ("epochs = 2.5", "epochs must be a whole number, but it is 2.5"),
    ],
)
def test_a_file_of_settings_that_is_none_is_refused(
    content: str, message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(content)
    assert message in refused_command(capsys, "train", "--settings", str(file))


def test_what_is_set_goes_before_the_file(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("epochs = 3\ndropout = 0\nclip = 2.0\n")
    found = read_settings(["epochs=7"], file)
    assert (found.epochs, found.dropout, found.clip) == (7, 0, 2.0)
