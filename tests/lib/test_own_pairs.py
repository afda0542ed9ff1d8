"""Sentence pairs of the reader's own: reading, training, scoring, serving them."""

from __future__ import annotations

import gzip
import io
import json
import re
import shlex
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.__main__ import main
from lib.commands.options import read_settings
from lib.commands.train import sentences_to_watch
from lib.corpora import SAMPLE, load_own, normalize
from lib.corpora.corpus import limit_training
from lib.corpora.own import in_one_line, read_pairs
from lib.translator import Translator
from lib.translator.folder import read_report
from tests.lib.test_training import equal
from tests.refusals import refused_command, refuses

CREDIT = "Written for this test; license CC0"
OWN = ("--pairs", str(SAMPLE), "--languages", "en-de")
SMALL = ("d_model=32", "n_heads=2", "n_layers=1", "d_ff=64", "epochs=2", "max_len=32")
SETTINGS = [word for setting in SMALL for word in ("--set", setting)]


# --- reading a file -------------------------------------------------------------------

PAIRS = [
    ("Tom is big.", "Tom es grande."),
    ("Mary is old, too.", "Mary también es vieja."),
    ("The book is new.", "El libro es nuevo."),
]


def rows(row: str, *head: str) -> bytes:
    """A file of the pairs, each line written in the same way, below other lines."""
    lines = [row.format(n, 90 + n, en=en, es=es) for n, (en, es) in enumerate(PAIRS)]
    return "".join(f"{line}\n" for line in (*head, *lines)).encode()


def zipped(*names: str) -> bytes:
    with zipfile.ZipFile(data := io.BytesIO(), "w") as archive:
        for name in names:
            archive.writestr(name, TSV)
    return data.getvalue()


def told(*files: Path, columns: Any = None) -> tuple[str, list[Any]]:
    """What is said of files, and the pairs in them; none if they are refused."""
    try:
        pairs, notes = read_pairs(files, "en-es", columns)
    except ValueError as refused:
        return str(refused), []
    return in_one_line(pairs, notes), pairs


TSV = rows("{en}\t{es}")
CSV = TSV.replace(b"\t", b",").replace(PAIRS[1][0].encode(), b'"Mary is old, too."')
UNIT = (
    '<tu><tuv xml:lang="es-ES"><seg>{es}</seg></tuv>'
    '<tuv xml:lang="EN"><seg><ph>{{1}}</ph>{en}</seg></tuv></tu>'
)
TMX = b"<tmx><body><tu/>" + rows(UNIT) + b"</body></tmx>"
ANKI = ("#separator:tab", "#html:true", "#tags column:3")
READ = [
    ("tatoeba.tsv", rows("{}\t{en}\t{}\t{es}"), "columns 2 and 4 of 4"),
    ("pandas.tsv", rows("{}\t{en}\t{es}", "\ten\tes"), "line 1, which names the col"),
    ("spoken.tsv", rows("{es}\t{en}", "Español\tInglés"), "columns: Español, Inglés"),
    ("lands.tsv", rows("{es}\tx\t{en}", "es-ES\tby\ten-US"), "columns 3 and 1 of 3"),
    ("sides.tsv", rows("{es}\t{en}", "target\tsource"), "target, source"),
    ("ends.tsv", b"\xef\xbb\xbf" + rows("{en}\t{es}\r"), "read 3 pairs"),
    ("anki.txt", rows("{en}\t<b>{es}</b>\t{}", *ANKI), "3 lines in which Anki tells"),
    ("deck.txt", rows("B;{en};{es}", "#separator:;", "#deck column:1"), "2 and 3 of 3"),
    ("excel.tsv", rows('"{en}"\t"{es}"\r'), "left out: the quotes"),
    ("r.csv", rows('{},"{en}","{es}"', '"","en","es"'), "columns 2 and 3 of 3"),
    ("unicode.txt", TSV.decode().encode("utf-16"), "read 3 pairs; the first"),
    ("a.jsonl", rows('{{"id": {}, "es": "{es}", "en": "{en}"}}'), "columns 3 and 2 of"),
    ("hub.json", rows('{{"translation": {{"en": "{en}", "es": "{es}"}}}}'), "3 pairs"),
    ("lacks.jsonl", rows('{{"en":"{en}","es":"{es}"}}') + b'{"en":"a"}', "out: 1 pair"),
    ("memory.tmx", TMX, "left out: 1 pair without words on one side"),
    ("packed.csv.gz", gzip.compress(CSV), "left out: the quotes"),
    ("packed.zip", zipped("__MACOSX/x", "a/b"), "read 3 pairs"),
]
REFUSED = [
    ("a.tsv", TSV + b"no\0thing\tnada\n", "it holds a NUL"),
    ("a.tsv", TSV + b"caf\xe9\tcaf\xe9", "not UTF-8 text: byte 108 is 0xe9, in line 4"),
    (
        "a.tsv",
        b"\nno tab\n...\tx\n" + TSV,
        r"3 of 6 .*; not line 1, \[''\]; not line 2, \['no .*3, \['\.\.\.', 'x'\];",
    ),
    ("a.tsv", rows("{}\teng\t{en}\t{}\tspa\t{es}"), "begins with .*'eng', .*--columns"),
    ("a.tsv", b"en\tes\n", "0 of 1 lines hold a pair in 2 columns"),
    ("a.txt", rows("{en}\t{es}", "#separator:pie"), "#separator is 'pie'; it can be"),
    ("a.csv", b'He said "no".,x\n' + TSV.replace(b"\t", b","), "line 3, ..Mary"),
    ("a.jsonl", b'{"en": "a", "es": "b"}\n[]', "no object of JSON in line 2"),
    ("a.tmx", b"<tmx>", "it is no TMX: "),
    ("a.tmx", b'<!DOCTYPE t [<!ENTITY a "b">]><t/>', "it is no TMX: it defines ent"),
    ("a.xlsx", zipped("a"), "it is a workbook; save its sheet as"),
    ("a.zip", zipped("a", "b"), "it holds 2 files, and one is read"),
]
ODD = [
    ('"Where is he?"\t¿Dónde?', '"Where is he?"', "¿Dónde?", ""),
    ('6" nails\tclavos', '6" nails', "clavos", ""),
    ("12\t13", "12", "13", ""),
    ("One.\u2028Two\x0b\tUno.\x85Dos.", "One.\u2028Two", "Uno.\x85Dos.", ""),
    ("&quot;I&#39;m&quot;\tS&iacute;<BR/>no", '"I\'m"', "Sí no", "breaks in 2 sent"),
    ("&copy 1 &no; A&T\t<i>1</i>", "&copy 1 &no; A&T", "<i>1</i>", "tags in 1 sent"),
    ('"A ""b""\r\nc."\t"A, ""d""."', 'A "b" c.', 'A, "d".', "quotes .*; mended: "),
]
CASES = [
    *((*case, PAIRS) for case in READ),
    *((*case, []) for case in REFUSED),
    *(
        ("odd.tsv", line.encode() + b"\n" + TSV, note or "4 pairs; the", [pair, *PAIRS])
        for line, *pair, note in ODD
    ),
]


@pytest.mark.parametrize(("name", "content", "words", "pairs"), CASES)
def test_a_file_is_read_or_refused_in_one_line(
    name: str, content: bytes, words: str, pairs: list[Any], tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    line, found = told(tmp_path / name)
    assert [[*map(str.strip, pair)] for pair in found] == [*map(list, pairs)]
    assert re.search(words, line) and len(line.splitlines()) == 1


def test_columns_overrule_and_several_files_have_a_language_each(
    tmp_path: Path,
) -> None:
    file, *files = (tmp_path / name for name in ("a.tsv", "train.es", "train.en"))
    file.write_bytes(rows("eng\t{en}\tspa\t{es}\t{}", "lang\ta\tlang\tb\tid"))
    assert told(file, columns=(2, 4))[1] == PAIRS
    for columns in (None, (2, 6)):
        said, _ = told(file, columns=columns)
        assert "it begins with ['lang', 'a'," in said and " --columns 1,2 for" in said
    for each, side in zip(files, ("{es}", "{en}"), strict=True):
        each.write_bytes(rows(side))
    assert told(*files)[1] == told(*files[::-1], columns=(1, 2))[1] == PAIRS
    files[1].write_bytes(rows("{en}", "One more."))
    assert "it has 3 and 4 lines" in told(*files)[0]
    refuses(lambda: load_own(SAMPLE, "english"), "two codes .* they are 'english'")


PIECE = st.sampled_from(
    b'\t|\n|"|""|,|;|\r\n|{}|1|en|es|<b>|{"en":"a","es":"b"}|#html:true\n|\0|a\tb\n|PK\3\4'
    b"|#separator:,\n|&#39;|Tom ,|<tmx><tu/></tmx>|\xff\xfe|\x1f\x8b".split(b"|")
)
FORMS = st.sampled_from(["tsv", "csv", "jsonl", "tmx", "tsv.gz", "zip", "xlsx"])


@given(st.lists(PIECE | st.binary(max_size=3), max_size=12).map(b"".join), FORMS)
def test_any_bytes_are_pairs_or_one_sentence(content: bytes, form: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (file := Path(folder) / f"any.{form}").write_bytes(content)
        for columns in (None, (2, 1)):
            said, pairs = told(file, columns=columns)
            form = "read .*; the first: .*" if pairs else r"(its? |\d+ of \d).*\."
            assert re.fullmatch(form, said.removeprefix(f"{file}: "))
            sides = [side for pair in pairs for side in pair]
            assert all(map(normalize, sides)) and "\n" not in "".join(sides)
        assert list(Path(folder).iterdir()) == [file]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16-be"])
def test_sentences_to_watch_stay_as_typed(encoding: str, tmp_path: Path) -> None:
    """Only a line end parts them."""
    typed = ["Tom &amp; I.", "Yes.\u2028No.", 'a\x0b"b"\x85<br>c']
    (tmp_path / "w").write_bytes("\r\n".join([*typed, "", ""]).encode(encoding))
    assert sentences_to_watch(tmp_path / "w", []) == typed
    (tmp_path / "w").write_bytes(b"caf\xe9")
    refuses(lambda: sentences_to_watch(tmp_path / "w", []), "w: it is not UTF-8 text")


# --- --limit --------------------------------------------------------------------------


def test_a_limit_leaves_what_is_held_out_whole() -> None:
    corpus = load_own(SAMPLE, "en-de")
    fifty = limit_training(corpus, 50)
    assert fifty.notes[1:] == ("left out: 142 pairs of train, by limit = 50",)
    assert limit_training(corpus, 192) is corpus
    each = (limit_training(corpus, limit).splits for limit in (10, 50, 192))
    (few, *held_out), (some, *other), (whole, *third) = map(dict.values, each)
    assert {*few} < {*some} < {*whole}
    assert len(some) == 50 and some != whole[:50]
    assert held_out == other == third


# --- the recipe -----------------------------------------------------------------------


def train(folder: Path, *words: str, credit: str = CREDIT) -> Path:
    """Train with the command of the recipe."""
    told = ["--attribution", credit, "--out", str(folder)]
    assert main(["train", *told, *SETTINGS, *words]) == 0
    return folder


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(tmp_path_factory.mktemp("own") / "run", *OWN, "--limit", "150")


def test_the_card_credits_its_own_and_nobody_else(trained: Path) -> None:
    card = (trained / "README.md").read_text("utf-8")
    report = read_report(trained)
    assert CREDIT in card and "BLEU" in card and "tatoeba" not in card.lower()
    assert report["attribution"] == CREDIT
    assert report["corpus"] == "own-sample-en-de"
    assert report["pairs"] == {"train": 150, "validation": 24, "test": 24}
    expected = {"sentences": 24, "beam_size": 4}
    assert expected.items() <= report["scores"]["test"].items()
    # What suits 150 pairs, and what was set.
    assert {"vocab_size": 200, "epochs": 2}.items() <= report["settings"].items()
    # Where the reader keeps things is nobody's affair.
    everything = b"".join(map(Path.read_bytes, trained.glob("*.*")))
    assert str(SAMPLE.parent).encode() not in everything


def test_the_command_and_the_settings_of_the_card_make_the_run_again(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = (trained / "README.md").read_text("utf-8")
    block = card.split("```toml\n")[1].split("```")[0]
    assert block == (trained / "settings.toml").read_text("utf-8")
    command = shlex.split(read_report(trained)["command"])
    assert command[:4] == ["python", "-m", "lib", "train"]
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
    assert err.startswith("own-sample-en-de: read 240 pairs; the first: ")
    assert len(err.splitlines()) == 1 and out.startswith("test: ")
    found = json.loads(scores.read_text("utf-8"))["scores"]["test"]
    assert found == read_report(trained)["scores"]["test"]
    message = refused_command(capsys, "evaluate", "--model", str(trained))
    assert "was trained on a file of its own; name it with --pairs" in message
    file = tmp_path / SAMPLE.name
    file.write_bytes(b"".join(SAMPLE.read_bytes().splitlines(keepends=True)[:120]))
    assert main([word.replace(str(SAMPLE), str(file)) for word in words]) == 0
    assert "may hold sentences that were trained on" in capsys.readouterr().err


def test_what_is_too_long_counts_as_wrong_and_evaluate_takes_the_columns_of_the_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Of two files, as Japanese, which BLEU cuts in another way."""
    pairs = [line.split("\t") for line in SAMPLE.read_text("utf-8").splitlines()]
    for place, side in ((1, "one.txt"), (0, "other.txt")):
        (tmp_path / side).write_text("\n".join(pair[place] for pair in pairs), "utf-8")
    own = ["--pairs", str(tmp_path / "one.txt"), str(tmp_path / "other.txt")]
    own += ["--languages", "en-ja"]
    words = ["--set", "max_len=6", "--set", "vocab_size=0", "--columns", "2,1"]
    (run := tmp_path / "run").mkdir()  # a folder that is there
    train(run, *own, *words)
    out, err = capsys.readouterr()
    report = read_report(run)
    command = report["command"]  # without the files' folder
    assert command.startswith("python -m lib train --pairs one.txt other.txt --lang")
    assert "--columns 2,1" in command
    unread, sentences = (report["scores"]["test"][n] for n in ("unread", "sentences"))
    assert 0 < unread < sentences
    assert f"\ntest: {unread} of {sentences} sources" in err
    assert re.search(r"^train: left out \d+ of \d+ pairs, which are", err, re.M)
    assert f"counted as wrong: {unread}" in out
    card = (run / "README.md").read_text("utf-8")
    assert f"\nOf test, {unread} sources are too long to be read" in card
    assert "|tok:char|" in card
    assert main(["evaluate", *own, "--model", str(run)]) == 0
    told = f"own-one-en-ja: read 240 pairs; the first: {' → '.join(pairs[0])}\n"
    assert capsys.readouterr().err == told


def test_a_run_goes_on_from_the_weights_and_words_of_another(
    trained: Path, tmp_path: Path
) -> None:
    """With a rate that changes nothing, the second is the first, rounded alike."""
    words = [*OWN, "--from", str(trained), "--set", "learning_rate=1e-12"]
    again = train(tmp_path / "again", *words, credit="By the second author.")
    one, other = Translator.load(trained), Translator.load(again)
    assert one.src_vocab.tokens == other.src_vocab.tokens
    assert equal(one.model.state_dict(), other.model.state_dict())
    card = (again / "README.md").read_text("utf-8")
    began = f"| began with | `{trained.name}` |"
    for told in (began, "| 2 epochs in", CREDIT, "By the second author."):
        assert told in card
    assert str(trained.parent) not in card
    assert read_report(again)["settings"]["d_model"] == 32
    assert f"--from {trained.name}" in read_report(again)["command"]


def test_more_pairs_are_learned_from_and_credited_but_none_that_is_held_out(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    held_out = load_own(SAMPLE, "en-de").splits["test"][0][0]
    more, packed = tmp_path / "more.tsv", tmp_path / "packed.tsv.gz"
    more.write_text(f"{held_out.upper()}\tNein.\nA quokka!\tEin Quokka!\n", "utf-8")
    packed.write_bytes(gzip.compress(b"A numbat?\tEin Numbat?\nA kea.\tEin Kea.\n"))
    run = train(tmp_path / "run", *OWN, "--also", str(more), "--also", str(packed))
    told = capsys.readouterr().err
    read = "more.tsv: read 2 pairs; left out: 1 pair of more.tsv whose source stands in"
    assert f"own-sample-en-de: {read} test; the first: " in told
    report = read_report(run)
    assert report["pairs"]["train"] == 192 + 1 + 2
    assert report["command"].endswith("--also more.tsv --also packed.tsv.gz")
    credit = (
        "It learned from `more.tsv`, 1 pair, and from `packed.tsv.gz`, 2 pairs, too"
    )
    assert credit in (run / "README.md").read_text("utf-8")
    assert Translator.load(run).unknown_words("A quokka! A numbat?") == []


def test_more_pairs_that_are_none_are_refused_with_their_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "more.tsv.gz"
    file.write_bytes(gzip.compress(b"A quokka.\tEin Quokka.\nA kea.\n"))
    words = ["train", "--also", str(file), "--out", str(tmp_path / "run")]
    assert "--also needs --attribution" in refused_command(capsys, *words)
    words += ["--attribution", CREDIT]
    assert "not line 2, ['A kea.'];" in refused_command(capsys, *words)
    file.write_bytes(file.read_bytes()[:-3])
    assert "cannot be unpacked" in refused_command(capsys, *words)
    assert not (tmp_path / "run").exists()


# --- --settings -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("epoch = 3", "has 'epoch', which is no setting; the names are: d_model"),
        ("epochs = ", "is not TOML"),
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
