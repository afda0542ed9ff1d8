"""Sub-words: what is cut comes together again, and nothing typed is special."""

from __future__ import annotations

import os
import pickle  # noqa: TID251 - several processes hand vocabularies on this way
import re
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import BPE, WordPiece

from lib.text import EOS, PAD, SOS, UNK
from lib.text.subwords import SubwordVocabulary
from tests.refusals import Call, each_refusal, refuses

ROOT = Path(__file__).parents[2]
SPECIALS = (PAD, SOS, EOS, UNK)
SENTENCES = [
    "The old man reads the newspaper, doesn't he?",
    "She doesn't read the older newspapers.",
    "¿Lee el periódico el señor? ¡No lo lee!",
    "El niño leyó «los periódicos» en 1984.",
    "Aujourd'hui l'élève a lu 1,984 journaux à l'école.",
    'He said: "read it" (twice).',
] * 3

# Every character that has a name and a shape; control characters are no text.
PAIR: Any = [("lets go", "vamos")]
TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn", "Co")), max_size=30)


@pytest.fixture(scope="module")
def known() -> SubwordVocabulary:
    """Return a vocabulary that knows each character of the sentences above."""
    return SubwordVocabulary.build(SENTENCES, size=200)


def plain(sentence: str) -> str:
    """Return the sentence as it comes back: one form for accents, quotes, spaces."""
    sentence = unicodedata.normalize("NFC", sentence).replace("’", "'")
    return " ".join(sentence.replace("▁", " ").split())


def every_copy(vocabulary: SubwordVocabulary) -> list[SubwordVocabulary]:
    return [
        vocabulary,
        SubwordVocabulary.from_json(vocabulary.to_json()),
        pickle.loads(pickle.dumps(vocabulary)),  # noqa: S301  what we just wrote
    ]


# --- there and back -------------------------------------------------------------------


@given(text=TEXT)
@example(text="")
@example(text="<unk> is <eos>")
@example(text="doesn’t The THE l’élève aujourd’hui e\u0301t\u00e9")
@example(text="a ▁▁b▁ ")
@example(text="👩‍👩‍👧 and 🇪🇸")
@example(text="'tis the girls' snake_case, «1,984» ¡no! (twice)")
def test_any_text_comes_back_from_characters_that_are_known(text: str) -> None:
    vocabulary = SubwordVocabulary.build([text, "a"], size=300)
    ids = vocabulary.encode(text)
    assert not set(ids) & {0, 1, 2, 3}
    assert vocabulary.decode(ids) == plain(text)
    assert vocabulary.unknown(text) == []
    assert bool(ids) == bool(plain(text))


def test_neither_the_order_nor_how_it_was_typed_changes_what_is_learned(
    known: SubwordVocabulary,
) -> None:
    for form in (
        [unicodedata.normalize("NFD", sentence) for sentence in SENTENCES],
        [sentence.replace(" ", "▁") for sentence in SENTENCES],
        reversed(SENTENCES),
    ):
        assert SubwordVocabulary.build(form, size=200).to_json() == known.to_json()


# --- characters that were never seen --------------------------------------------------


@given(text=TEXT)
def test_what_is_unknown_is_told(known: SubwordVocabulary, text: str) -> None:
    ids = known.encode(text)
    assert (known.unk_id in ids) == bool(known.unknown(text))
    assert [known.tokens[number] for number in ids] == known.subwords(text)


@pytest.mark.parametrize(
    ("sentence", "written", "unknown"),
    [
        ("the 木木 man", "the <unk> man", ["木木"]),
        ("the man😀", "the man<unk>", ["😀"]),
        ("the men", "the men", []),  # never seen, and yet spelled out
        ("😀 the 😀", "<unk> the <unk>", ["😀"]),
        # A terminal hands over bytes that are no UTF-8 in this form.
        ("the \udcff man", "the <unk> man", ["\udcff"]),
    ],
)
def test_only_what_was_never_seen_is_lost(
    known: SubwordVocabulary, sentence: str, written: str, unknown: list[str]
) -> None:
    assert known.decode(known.encode(sentence)) == written
    assert known.unknown(sentence) == unknown


# --- special tokens -------------------------------------------------------------------


@pytest.mark.parametrize("special", SPECIALS)
def test_a_special_token_that_is_typed_is_text(special: str) -> None:
    sentences = [*SENTENCES, "a < b > c", "eos pad sos unk"]
    for vocabulary in every_copy(SubwordVocabulary.build(sentences, size=200)):
        for sentence in (special, f"the{special}man{special}"):
            ids = vocabulary.encode(sentence)
            assert not set(ids) & {0, 1, 2, 3}
            assert vocabulary.decode(ids) == sentence
            assert vocabulary.unknown(sentence) == []
    learned = SubwordVocabulary.build([f"the{special} man"] * 9, size=300)
    assert learned.tokens.index(special) < 4
    # Cut between words and marks, as any other sentence: no piece holds both.
    assert not [t for t in learned.tokens[4:] if re.search(r"<\w|\w>", t)]


# --- learning -------------------------------------------------------------------------


@pytest.mark.parametrize("size", [4, "30", 1_000_001])
def test_an_impossible_size_is_refused(size: Any) -> None:
    """A huge one would end the process, for want of memory."""
    told = rf"^size must be .* it is {size!r}\.$"
    refuses(lambda: SubwordVocabulary.build(SENTENCES, size=size), told)


def test_the_size_counts_the_special_tokens_and_no_character_is_left_out() -> None:
    assert len(SubwordVocabulary.build(SENTENCES, size=100)) == 100
    few = SubwordVocabulary.build(["low lower lowest"], size=5)
    assert few.tokens == (*SPECIALS, *"elorstw▁")
    assert few.decode(few.encode("west lo")) == "west lo"
    all_of_it = SubwordVocabulary.build(["low lower lowest"], size=1_000_000)
    assert len(all_of_it) == 19  # more cannot be learned
    assert all_of_it.subwords("lower lowest") == ["▁lower", "▁lowest"]


def test_the_most_frequent_pair_is_learned_first_inside_words() -> None:
    vocabulary = SubwordVocabulary.build(["xa xa xa ya xb"], size=4 + 5 + 2)
    assert vocabulary.tokens[4:] == ("a", "b", "x", "y", "▁", "▁x", "▁xa")


@each_refusal(
    (lambda: SubwordVocabulary.build(["  ", "\n", "▁"]), "no words to learn"),
    (lambda: SubwordVocabulary.build("lets go"), "not one text: 'lets go'"),
    (lambda: SubwordVocabulary.build(PAIR), r"text, but it is \('lets go', 'vamos'\)"),
)
def test_there_must_be_sentences_to_learn_from(call: Call, words: str) -> None:
    refuses(call, words)


# --- the same again -------------------------------------------------------------------


def test_every_process_learns_the_same(known: SubwordVocabulary) -> None:
    """Whatever the order of its sets, and with one thread or with many."""
    code = (
        "import sys; from lib.text.subwords import SubwordVocabulary\n"
        f"text = SubwordVocabulary.build({SENTENCES!r}, 200).to_json()\n"
        "sys.stdout.buffer.write(text.encode('utf-8'))"
    )
    several = {**os.environ, "RAYON_NUM_THREADS": "4", "PYTHONHASHSEED": "1"}
    command = [sys.executable, "-c", code]
    text = subprocess.check_output(command, cwd=ROOT, env=several)
    assert text.decode("utf-8") == known.to_json()


# --- files ----------------------------------------------------------------------------


def test_what_is_loaded_cuts_as_what_was_saved(
    known: SubwordVocabulary, tmp_path: Path
) -> None:
    file = tmp_path / "pieces.json"
    file.write_text(known.to_json(), "utf-8")
    for loaded in (SubwordVocabulary.load(file), *every_copy(known)):
        assert loaded.to_json() == known.to_json()
        for sentence in ("the 😀 <eos> man", *SENTENCES):
            assert loaded.subwords(sentence) == known.subwords(sentence)


WORDS = {token: number for number, token in enumerate([*SPECIALS, "▁", "a", "▁a"])}
NO_EOS = [token for token in WORDS if token != EOS]


def bpe(words: dict[str, int]) -> str:
    return Tokenizer(BPE(words, [("▁", "a")])).to_str()


PANIC = bpe(WORDS).replace('subword_prefix":null', 'subword_prefix":"##"')


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[" * 100_000, ""),
        (PANIC, ""),  # which the library makes of it
        (Tokenizer(WordPiece(WORDS, unk_token=UNK)).to_str(), "The setting '"),
        (bpe({t: n for n, t in enumerate(NO_EOS)}), "special token '<eos>' is missing"),
        (bpe({**WORDS, "b": 9}), "not numbered from 0"),
        (bpe(WORDS), "The setting '"),  # special tokens that are only words
    ],
)
def test_a_file_that_is_no_vocabulary_is_refused(
    tmp_path: Path, content: str, reason: str
) -> None:
    """In one sentence that names the file, and says what is wrong with it."""
    file = tmp_path / "pieces.json"
    file.write_text(content, "utf-8")
    named = rf"^{re.escape(str(file))} is no sub-word vocabulary: "
    named += rf".*{reason}.*(?<!\.)\.$"
    message = refuses(lambda: SubwordVocabulary.load(file), named)
    assert len(message) < len(str(file)) + 200


@pytest.mark.parametrize(
    ("change", "setting"),
    [
        (lambda t: setattr(t.model, "dropout", 0.5), "model"),
        (lambda t: t.add_tokens(["the man"]), "added_tokens"),
        (lambda t: t.enable_padding(length=20), "padding"),
    ],
)
def test_a_tokenizer_that_cuts_in_another_way_is_refused(
    known: SubwordVocabulary, change: Callable[[Tokenizer], None], setting: str
) -> None:
    """Its ids would be others than those that a model learned."""
    tokenizer = Tokenizer.from_str(known.to_json())
    SubwordVocabulary(tokenizer)
    change(tokenizer)
    words = f"he setting '{setting}' of the tokeniz"
    refuses(lambda: SubwordVocabulary(tokenizer), words)
    refuses(lambda: SubwordVocabulary.from_json(tokenizer.to_str()), words)
