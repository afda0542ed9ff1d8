"""``python -m lib``: what it prints, where, and what it says to wrong input."""

from __future__ import annotations

import dataclasses
import errno
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from unittest.mock import Mock

import pytest

from lib import commands, corpora
from lib.__main__ import main
from lib.commands.evaluate import score_lines
from lib.corpora import SAMPLE, Corpus
from lib.text import Vocabulary
from lib.training import TranslationTask, read_log
from lib.translator import Translator

ROOT = Path(__file__).parents[2]
# As bash reads it, to which a backslash of Windows is no part of a path. Windows looks
# for programs in its own folder first, where another bash lies.
PYTHON = Path(sys.executable).as_posix()
BASH = shutil.which("bash") or "bash"


@dataclasses.dataclass
class Done:
    """What a command left behind."""

    code: object
    out: str
    err: str


Lib = Callable[..., Done]
Refused = Callable[..., str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run every test in a folder where a file that nobody asked for would be seen."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def lib(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Lib:
    """Run a command in this process, which spares the seconds of importing PyTorch."""

    def run(*arguments: str, given: str | bytes = "") -> Done:
        data = given.encode() if isinstance(given, str) else given
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), "ascii"))
        try:
            code: object = main(arguments)
        except SystemExit as end:
            code = end.code
        return Done(code, *capsys.readouterr())

    return run


@pytest.fixture
def refused(lib: Lib) -> Refused:
    """Demand one clear sentence on standard error, and nothing anywhere else."""

    def run(*arguments: str, given: str | bytes = "") -> str:
        done = lib(*arguments, given=given)
        assert (done.code, done.out, os.listdir()) == (2, "", [])
        assert "Traceback" not in done.err
        return done.err.strip().splitlines()[-1]

    return run


def process(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash, as a reader does; ``$LIB`` is the command line."""
    lib = f"{PYTHON} -W error -m lib"
    return subprocess.run(
        [BASH, "-c", f"set -o pipefail; {command}"],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "LIB": lib, **environment},
        encoding="utf-8",
        check=False,
    )


# --- a process of its own -------------------------------------------------------------


def test_whatever_the_system_it_reads_and_writes_utf8() -> None:
    done = process(
        "printf '\\xef\\xbb\\xbfDo you like the red car?\\r\\nI fly.' | "
        "$LIB translate --model grammar-en-es",
        PYTHONIOENCODING="ascii",
    )
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == "¿Te gusta el coche rojo?"
    assert len(done.stdout.splitlines()) == 2
    assert done.stderr.startswith("Sentence 2: this translator has never seen “fly”")
    assert not os.listdir()


def test_a_reader_that_leaves_early_is_no_error() -> None:
    done = process("$LIB translate 'I like the red car.' | true")
    assert (done.returncode, done.stderr) == (0, "")


def test_what_goes_on_is_said_and_how_far_it_is(tmp_path: Path) -> None:
    small = "--set epochs=1 --set d_model=8 --set n_heads=1"
    done = process(f"$LIB train --corpus phrases {small} --out '{tmp_path}/run'")
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("python -m lib train: loading PyTorch …\n")
    assert "Epoch 1 of 1" in done.stderr
    assert "Epoch 0" not in done.stderr
    assert "8 of 8 sentences translated" in done.stderr


def test_a_wrong_option_is_told_before_anything_large_is_imported() -> None:
    """And corpora that lie here do without what downloads."""
    large = "{'torch', 'numpy', 'pooch', 'requests'}"
    code = f"import lib.__main__, sys; print({large} & set(sys.modules))"
    done = process(f'{PYTHON} -W error -c "{code}"')
    assert (done.stdout, done.stderr) == ("set()\n", "")


def test_ctrl_c_while_it_imports_is_no_traceback(tmp_path: Path) -> None:
    """An import of this name presses Ctrl-C instead."""
    press = "import signal; signal.raise_signal(signal.SIGINT)"
    (tmp_path / "tokenizers.py").write_text(press)
    # What bash starts may ignore it.
    start = "import signal, runpy; signal.signal(2, signal.default_int_handler)"
    start += "; runpy.run_module('lib', run_name='__main__')"
    done = process(
        f'{PYTHON} -c "{start}" translate Hello.',
        PYTHONPATH=os.pathsep.join([str(tmp_path), str(ROOT)]),
    )
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "\npython -m lib: stopped.\n"


# --- translate ------------------------------------------------------------------------


def test_one_translation_a_line_in_the_order_of_the_input(lib: Lib) -> None:
    sentences = ["I like the red car.", "She reads a book.", "I like the red car."]
    done = lib("translate", *sentences)
    assert (done.code, done.err) == (0, "")
    first, second, third = done.out.splitlines()
    assert first == third != second
    for end in ("\n", "\r\n", "\r"):
        for form in ("utf-8-sig", "utf-16", "utf-16-le"):
            text = end.join([*sentences, ""]).encode(form)
            assert lib("translate", given=text).out == done.out
    # Only a line feed ends a line.
    odd = lib("translate", given=sentences[0].replace(" ", "\u2028"))
    assert odd.out.splitlines() == [first]


def test_a_beam_of_one_is_greedy_and_a_wide_one_may_differ(lib: Lib) -> None:
    sentences, translator = ["I like the red car."], Translator.load("tatoeba-en-es")
    for options, arguments in (
        (("--beam", "1", "--length-penalty", "1"), (64, 1, 1.0)),
        ((), (64, 4)),
    ):
        done = lib("translate", *sentences, *options)
        assert done.out.splitlines() == translator.translate(sentences, *arguments)


def test_unknown_words_are_named_and_do_nothing_to_the_terminal(lib: Lib) -> None:
    sentence = f"I like \x1b[31m \x00 \udce9 {'z' * 5000}."
    done = lib("translate", sentence, "--model", "grammar-en-es")
    assert done.code == 0
    assert len(done.out.splitlines()) == 1
    assert r"“\x1b”, “[”, “31m”, “\x00”, “\udce9”, “zzz" in done.err
    assert len(done.err) < 300


def test_the_tokens_of_a_model_do_nothing_to_the_terminal(
    lib: Lib, tmp_path: Path
) -> None:
    own = Translator.load("grammar-en-es")
    tokens = [f"\x1b[31m\x9b{token}\r" for token in own.tgt_vocab.tokens[4:]]
    Translator(own.model, own.src_vocab, Vocabulary(tokens)).save(tmp_path / "foul")
    model = ("--model", str(tmp_path / "foul"))
    said = lib("translate", "I like the red car.", *model)
    scored = lib("evaluate", "--corpus", "phrases", "--beam", "1", *model)
    for done in (said, scored):
        assert r"\x1b[31m\x9b" in done.out
        assert not {"\x1b", "\x9b", "\r"} & set(done.out + done.err)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (b"\xef\xbb\xbf", "standard input is empty"),
        ("One.\n\nTwo.\n", "Sentence 2 is empty"),
        ("One.\n?!", "Sentence 2: There is nothing to translate in '?!'"),
        (b"I like the caf\xe9.\n", "not UTF-8 text: byte 14 is 0xe9"),
        ("One.\nTwo.\n" + "the dog " * 300, "Sentence 3: A sentence of 601 sub-words"),
    ],
)
def test_input_that_is_none_is_refused(
    given: str | bytes, words: str, refused: Refused
) -> None:
    assert words in refused("translate", given=given)


def test_a_doubtful_translation_gets_a_note(lib: Lib) -> None:
    translator = Translator.load("grammar-en-es")
    translator.unsure_above = 1.0
    translator.save("doubts")
    asked = ("I like the red car.", "Reads often book she me my.")
    done = lib("translate", "--model", "doubts", *asked)
    assert done.err.endswith("Sentence 2: the translator is unsure here.\n")
    assert "Sentence 1" not in done.err
    assert done.out == lib("translate", "--model", "grammar-en-es", *asked).out


def test_streams_that_are_closed_or_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["translate"]) == 2
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["translate", "I like the red car."]) == 0
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr(sys, "stdout", Mock(write=Mock(side_effect=full)))
    monkeypatch.setattr(sys, "stderr", said := io.StringIO())
    assert main(["translate", "I like the red car."]) == 2
    assert said.getvalue() == "python -m lib: No space left on device.\n"


THE_MODEL = {"model.py", "layers.py", "attention.py", "positions.py", "masks.py"}


def test_a_sentence_goes_through_the_files_of_the_map(
    lib: Lib, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CONTRIBUTING.md lists them; the model's own pieces stand behind its file."""
    translator = Translator.load("tatoeba-en-es")
    files: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        file = Path(frame.f_code.co_filename)
        if event == "call" and file.is_relative_to(ROOT / "lib"):
            files.add(file.relative_to(ROOT / "lib").as_posix())

    def opened(*_: str) -> Translator:
        sys.setprofile(note)
        return translator

    monkeypatch.setattr(commands.translate, "_open", opened)
    try:
        assert lib("translate", "I like tea.").out == "Me gusta el té.\n"
    finally:
        sys.setprofile(None)
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    way = text.split("### A sentence, from the keyboard")[1].split("###")[0]
    wanted = set(re.findall(r"^\d+\. `lib/([\w/]+\.py)`", way, re.M))
    assert len(wanted) == 10
    ours = ("speed/", "today/")
    behind = {each for each in files if each in THE_MODEL or each.startswith(ours)}
    assert files - (behind - wanted) == wanted


# --- evaluate -------------------------------------------------------------------------


def test_strangers_need_no_corpus_and_are_told_by_kind(
    lib: Lib, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpora, "load", None)
    few = ("evaluate", "--part", "strangers", "--limit", "2", "--json", "s.json")
    done = lib(*few, "--errors", "1")
    assert done.code == 0
    told = json.loads(Path("s.json").read_text("utf-8"))["scores"]["strangers"]
    assert f"strangers: {told['right']} of 2 translations carry what" in done.out
    assert f"  everyday {told['right']} of 2\n" in done.out
    done = lib("evaluate", "--part", "first", "--limit", "1", "--errors", "0")
    assert "first: " in done.out
    assert " of 1 translations carry what they must" in done.out


def test_all_references_count_and_as_many_mistakes_are_shown_as_asked(
    lib: Lib, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = [("I go.", "Me voy."), ("I go.", "Voy."), ("Come here now.", "Ni hablar.")]
    corpus = Corpus("phrases", "en", "es", {"train": [("x", "y")], "test": pairs})
    monkeypatch.setattr(corpora, "load", Mock(return_value=corpus))
    for errors in (0, 1):
        done = lib("evaluate", "--corpus", "phrases", "--errors", str(errors))
        assert done.out.startswith("test: ")
        assert "of 2 sentences" in done.out
        assert done.out.count("with one reference each") == 2
        assert done.out.count("written") == errors


def test_a_corpus_is_scored_whole_and_the_scores_go_to_a_file_as_well(lib: Lib) -> None:
    command = ("evaluate", "--corpus", "phrases", "--json", "kept/scores.json")
    done = lib(*command, "--beam", "2", "--length-penalty", "1.5")
    found = json.loads(Path("kept/scores.json").read_text("utf-8"))
    assert (found["corpus"], found["model"]) == ("phrases", "tatoeba-en-es")
    assert list(found["scores"]) == list(corpora.load("phrases").splits)
    for part, result in found["scores"].items():
        assert "\n".join(score_lines(part, result)) in done.out
        assert re.search(r"nrefs:.*version:", result["bleu_signature"])
        assert (result["beam_size"], result["length_penalty"]) == (2, 1.5)


@pytest.mark.parametrize("text", ["[]", '{"corpus": ["grammar"]}'])
def test_a_folder_that_does_not_tell_its_corpus_asks_for_one(
    text: str, lib: Lib
) -> None:
    Translator.load("grammar-en-es").save("model")
    Path("model/scores.json").write_text(text)
    done = lib("evaluate", "--model", "model")
    assert done.code == 2
    assert done.err.endswith("name a --corpus.\n")


# --- train ----------------------------------------------------------------------------


SMALL = (
    *("train", "--corpus", "phrases", "--set", "epochs=2", "--set", "d_model=8"),
    *("--set", "n_heads=1", "--set", "n_layers=1", "--set", "d_ff=8"),
)


def test_a_small_run_leaves_a_translator_with_its_scores(
    lib: Lib, tmp_path: Path
) -> None:
    run = tmp_path / "a run"
    command = (*SMALL, "--set", "epochs=3", "--out", str(run))
    done = lib(*command)
    assert done.code == 0, done.err
    assert done.out.startswith("validation: ")
    assert done.err == f"The translator is in {run}.\n"
    assert {file.name for file in run.iterdir()} == {
        *("README.md", "checkpoint.safetensors", "config.json", "log.csv"),
        *("model.safetensors", "scores.json", "settings.json", "settings.toml"),
        "sentences.csv",
    }
    assert not os.listdir()
    watched = read_log(run / "sentences.csv", ["epoch"])
    assert [row["epoch"] for row in watched if row["source"] == "she is tired"] == [
        *"123"
    ]
    assert lib("translate", "lets go", "--model", str(run)).code == 0
    again = lib(*command)
    assert again.code == 2
    assert "already holds a run" in again.err
    again = lib(*command, "--resume")
    assert (again.code, again.out) == (0, done.out)


def test_ctrl_c_says_how_to_go_on(lib: Lib, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as during:
        during.setattr(TranslationTask, "training_step", interrupted)
        done = lib(*SMALL, "--out", "run")
    assert (done.code, done.out) == (130, "")
    assert "The run in run goes on with --resume." in done.err
    assert lib(*SMALL, "--out", "run", "--resume").code == 0


def test_what_is_left_out_is_told_and_a_run_without_sentences_refused(
    lib: Lib, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = dataclasses.replace(corpora.load("phrases"), notes=("left out 3 pairs",))
    monkeypatch.setattr(corpora, "load", lambda name: told)
    done = lib("train", "--corpus", "phrases", "--set", "max_len=2", "--out", "run")
    assert (done.code, os.listdir()) == (2, [])
    assert "phrases: left out 3 pairs" in done.err
    assert "left out 8 of 8 pairs, which are longer than" in done.err
    assert "no sentences in its part 'train'" in done.err.splitlines()[-1]


def test_a_translator_adds_the_marks_that_its_corpus_has(
    lib: Lib, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And without ``--out`` it is written under runs."""
    phrases = dataclasses.replace(corpora.load("phrases"), punctuated=True)
    monkeypatch.setattr(corpora, "load", lambda name: phrases)
    assert lib(*SMALL).code == 0
    assert Translator.load("runs/phrases-en-es").punctuate


def test_what_is_there_stays_there(lib: Lib, here: Path) -> None:
    """Also with ``--out ""``, which means the folder one stands in."""
    (here / "README.md").write_text("mine")
    (here / "file").write_text("mine too")
    for options, words in (
        (("--out", ""), "holds something else than a run, such as README.md"),
        (("--out", ".", "--resume"), "holds something else than a run, such as"),
        (("--out", "file"), "file is a file; choose another"),
        (("--out", "file/run"), "Not a directory"),
    ):
        done = lib(*SMALL, *options)
        assert done.code == 2
        assert words in done.err
    assert {file.name: file.read_text() for file in here.iterdir()} == {
        "README.md": "mine",
        "file": "mine too",
    }


def test_what_is_exported_translates_alike(lib: Lib) -> None:
    folder = "served/it's here"
    done = lib("export", "grammar-en-es", "--to", "ctranslate2", folder)
    assert (done.code, done.err, os.listdir()) == (0, "", ["served"])
    use = shlex.split(done.out.split("use it with: python -m lib ")[1])
    greedy = ("--beam", "1", "I like the red car.", "She reads a book.")
    plain = lib("translate", "--model", "grammar-en-es", *greedy)
    assert lib(*use, *greedy).out == plain.out
    unknown = lib(*use, "--beam", "1", "I like the zyzzyva.")
    assert "has never seen “zyzzyva”" in unknown.err
    done = lib("translate", "I go.", "--model", folder)
    assert done.code == 2
    assert "is an export for CTranslate2; use it with --engine" in done.err


PHRASES = "train --corpus phrases --out run"
GO_ON = f"{PHRASES} --from grammar-en-es"
OWN = f"train --pairs {shlex.quote(str(SAMPLE))}"
CREDITED = f"{OWN} --languages en-de --attribution x"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("translat Hello.", "translate"),
        *(
            (f"translate Hello. --beam={value}", f"{value[:30]}")
            for value in ("0", "²", "2.5", "9" * 5000)
        ),
        ("translate Hello. --beam=6151", "beam_size must lie between 1 and"),
        *(
            (f"translate Hello. --length-penalty={value}", "not a number of at least 0")
            for value in ("-1", "nan", "much")
        ),
        ("translate Hello. --model=no", "'no' is no folder of a translator: it has no"),
        ("translate Hello. --engine ctranslate2", "is no export for CTranslate2"),
        ("evaluate --part tset --corpus grammar", "part 'tset'; its parts are: train"),
        ("export nowhere --to ctranslate2 there", "is no folder of a translator"),
        *(
            (f"{PHRASES} --set {setting}", words)
            for setting, words in (
                ("epochs=many", "epochs must be a whole number, but it is 'many'"),
                ("epoch=2", "the names are: d_model"),
                ("epochs", "--set takes NAME=VALUE, not 'epochs'"),
                ("max_tokens=6", "does not fit into a batch of max_tokens = 6"),
                ("d_model=2000000000000", "does not fit into memory; make it smaller"),
            )
        ),
        (f"{GO_ON} --set d_model=32", "; leave out d_model = 32."),
        (f"{OWN} --columns 2,2", "'2,2' names one column twice"),
        (f"{OWN} --columns 2", "'' is not a whole number of at least 1."),
        ("train --columns 1,2", "name it with --pairs"),
        (OWN, "--pairs needs --languages"),
        (f"{OWN} --languages en-de --attribution ' '", "--pairs needs --attribution"),
        (f"{CREDITED} --tokenizer words", "no tokenizer 'words'"),
        (f"{OWN} --corpus grammar", "not both"),
        ("train --languages en-de", "name it with --pairs"),
        ("train --pairs no.tsv --languages en-de --attribution x", "directory: no.tsv"),
        ("write a --seed=-1", "'-1' is not a whole number of at least 0."),
        ("write a --top-p 2", "top_p must be above 0 and at most 1, but it is 2.0."),
        ("write a --model nowhere", "'nowhere' is no folder of a language model"),
    ],
)
def test_an_impossible_command_is_refused_and_leaves_nothing(
    command: str, words: str, refused: Refused
) -> None:
    message = refused(*shlex.split(command))
    assert words in message
    assert len(message) < 400
