"""Sub-words: what is cut comes together again, and nothing typed is special."""

from __future__ import annotations

import copy
import json
import os
import pickle  # noqa: TID251 - several processes hand vocabularies on this way
import random
import re
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import BPE, Unigram, WordLevel, WordPiece

from lib import corpora
from lib.text import EOS, PAD, SOS, UNK
from lib.text.subwords import SubwordVocabulary
from lib.translator import SHIPPED
from tests.strategies import FEW

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
TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn", "Co")), max_size=30)


@pytest.fixture(scope="module")
def known() -> SubwordVocabulary:
    """Return a vocabulary that knows each character of the sentences above."""
    return SubwordVocabulary.build(SENTENCES, size=200)


def plain(sentence: str) -> str:
    """Return the sentence as it comes back: one form for accents, quotes, spaces."""
    sentence = unicodedata.normalize("NFC", sentence).replace("’", "'")
    return " ".join(sentence.replace("▁", " ").split())


def there_and_back(vocabulary: SubwordVocabulary, sentence: str) -> str:
    return vocabulary.decode(vocabulary.encode(sentence))


# --- there and back -------------------------------------------------------------------


@FEW
@given(text=TEXT)
@example(text="")
@example(text="<unk> is <eos>")
@example(text="a ▁▁b▁ ")
@example(text="👩‍👩‍👧 and 🇪🇸")
@example(text="'tis the girls' snake_case")
def test_any_text_comes_back_from_characters_that_are_known(text: str) -> None:
    vocabulary = SubwordVocabulary.build([text, "a"], size=300)
    ids = vocabulary.encode(text)
    assert not set(ids) & {0, 1, 2, 3}
    assert vocabulary.decode(ids) == plain(text)
    assert vocabulary.unknown(text) == []


@FEW
@given(words=st.lists(st.sampled_from(" ".join(SENTENCES).split()), max_size=8))
def test_known_words_come_back_in_any_order(
    known: SubwordVocabulary, words: list[str]
) -> None:
    sentence = " ".join(words)
    assert there_and_back(known, sentence) == sentence
    assert "".join(known.subwords(sentence)) == "".join(f"▁{word}" for word in words)


@pytest.mark.parametrize(
    "sentence",
    [
        "¿Lee el niño los periódicos? ¡No!",
        "«¡No!», said the old man.",
        '"El niño," he said (twice): 1,984.',
        "She doesn't, l'élève a lu aujourd'hui.",
        "'tis the readers' newspaper",
        "1 19 198 1984 4891",
    ],
)
def test_marks_stay_where_they_stood(known: SubwordVocabulary, sentence: str) -> None:
    assert there_and_back(known, sentence) == sentence


@pytest.mark.parametrize("nothing", ["", " ", "   \t\n ", "\u00a0", "▁", " ▁ ▁"])
def test_nothing_but_space_is_no_piece(known: SubwordVocabulary, nothing: str) -> None:
    assert known.encode(nothing) == []
    assert known.subwords(nothing) == []
    assert known.unknown(nothing) == []
    assert known.decode([]) == ""


def test_spaces_of_any_kind_and_number_are_one(known: SubwordVocabulary) -> None:
    ids = known.encode("the old man")
    for sentence in ("  the   old man ", "the\told\nman", "the\u00a0old\u2003man"):
        assert known.encode(sentence) == ids


def test_an_accent_typed_on_its_own_makes_no_difference(
    known: SubwordVocabulary,
) -> None:
    composed = "El niño leyó el periódico à l'école"
    apart = unicodedata.normalize("NFD", composed)
    assert len(apart) > len(composed)
    assert known.encode(apart) == known.encode(composed)
    assert there_and_back(known, apart) == composed
    learned = [unicodedata.normalize("NFD", sentence) for sentence in SENTENCES]
    assert SubwordVocabulary.build(learned, size=200).tokens == known.tokens


def test_both_apostrophes_are_one(known: SubwordVocabulary) -> None:
    assert known.encode("doesn’t") == known.encode("doesn't")
    assert known.encode("l’élève aujourd’hui") == known.encode("l'élève aujourd'hui")


def test_a_word_keeps_its_apostrophe(known: SubwordVocabulary) -> None:
    assert known.subwords("doesn't") == ["▁doesn't"]


def test_capitals_are_kept(known: SubwordVocabulary) -> None:
    assert known.encode("The") != known.encode("the")
    assert there_and_back(known, "The the THE tHe") == "The the THE tHe"


def test_the_mark_of_a_word_typed_inside_one_is_a_space(
    known: SubwordVocabulary,
) -> None:
    assert known.encode("the▁old") == known.encode("the old")
    assert known.encode("▁the ▁old▁") == known.encode("the old")
    marked = [sentence.replace(" ", "▁") for sentence in SENTENCES]
    assert SubwordVocabulary.build(marked, size=200).tokens == known.tokens


# --- characters that were never seen --------------------------------------------------


@FEW
@given(text=TEXT)
def test_what_is_unknown_is_told(known: SubwordVocabulary, text: str) -> None:
    ids = known.encode(text)
    assert not set(ids) & {known.pad_id, known.sos_id, known.eos_id}
    assert (known.unk_id in ids) == bool(known.unknown(text))
    assert [known.tokens[number] for number in ids] == known.subwords(text)


@pytest.mark.parametrize(
    ("sentence", "written", "unknown"),
    [
        ("the 😀 man", "the <unk> man", ["😀"]),
        ("the 木木 man", "the <unk> man", ["木木"]),
        ("the man😀", "the man<unk>", ["😀"]),
        ("the men", "the men", []),  # never seen, and yet spelled out
        ("😀 the 😀", "<unk> the <unk>", ["😀"]),
    ],
)
def test_only_what_was_never_seen_is_lost(
    known: SubwordVocabulary, sentence: str, written: str, unknown: list[str]
) -> None:
    assert there_and_back(known, sentence) == written
    assert known.unknown(sentence) == unknown


def test_half_a_character_is_an_unknown_one(known: SubwordVocabulary) -> None:
    """A terminal hands over bytes that are no UTF-8 in this form."""
    half = "the \udcff man"
    assert there_and_back(known, half) == "the <unk> man"
    assert known.subwords(half)[-1] == "▁man"
    built = SubwordVocabulary.build(["the \udcff man"])
    assert SubwordVocabulary.from_json(built.to_json()).tokens == built.tokens


@pytest.mark.parametrize("value", [None, 3, b"the man", ["the man"]])
def test_only_text_is_cut(known: SubwordVocabulary, value: Any) -> None:
    for cut in (known.encode, known.subwords):
        with pytest.raises(
            TypeError, match=f"text, but it is {re.escape(repr(value))}"
        ):
            cut(value)


# --- special tokens -------------------------------------------------------------------


def every_copy(vocabulary: SubwordVocabulary) -> list[SubwordVocabulary]:
    return [
        vocabulary,
        SubwordVocabulary.from_json(vocabulary.to_json()),
        copy.deepcopy(vocabulary),
        pickle.loads(pickle.dumps(vocabulary)),  # noqa: S301  what we just wrote
    ]


@pytest.mark.parametrize("special", SPECIALS)
def test_a_special_token_that_is_typed_is_text(special: str) -> None:
    sentences = [*SENTENCES, "a < b > c", "eos pad sos unk"]
    for vocabulary in every_copy(SubwordVocabulary.build(sentences, size=200)):
        for sentence in (special, f"the {special} man", f"the{special}man{special}"):
            ids = vocabulary.encode(sentence)
            assert not set(ids) & {0, 1, 2, 3}
            assert special not in vocabulary.subwords(sentence)
            assert vocabulary.decode(ids) == sentence
            assert vocabulary.unknown(sentence) == []


@pytest.mark.parametrize("special", SPECIALS)
def test_nor_does_it_end_a_sentence_whose_marks_are_unknown(special: str) -> None:
    name = special.strip("<>")
    for vocabulary in every_copy(SubwordVocabulary.build([*SENTENCES, "eos pad sunk"])):
        ids = vocabulary.encode(f"the {special} man")
        assert not set(ids) & {vocabulary.pad_id, vocabulary.sos_id, vocabulary.eos_id}
        assert vocabulary.decode(ids) == f"the <unk>{name}<unk> man"
        assert vocabulary.unknown(f"the {special} man") == ["<", ">"]


def test_a_special_token_to_learn_from_is_text_too() -> None:
    built = SubwordVocabulary.build([f"the{s} {s} man" for s in SPECIALS] * 9, size=300)
    assert built.tokens[:4] == SPECIALS
    # Cut between words and marks, as any other sentence: no piece holds both.
    assert not [t for t in built.tokens[4:] if re.search(r"[<>]", t) and "s" in t]
    assert {"<", ">", "eos", "pad"} <= set(built.tokens)


def test_the_special_tokens_come_first(known: SubwordVocabulary) -> None:
    assert known.tokens[:4] == SPECIALS
    assert (known.pad_id, known.sos_id, known.eos_id, known.unk_id) == (0, 1, 2, 3)


def test_decoding_stops_at_the_end_and_skips_what_is_no_piece(
    known: SubwordVocabulary,
) -> None:
    old, man = known.encode("the old"), known.encode("man")
    assert known.decode([1, *old, 0, *man, 2, *old]) == "the old man"
    assert known.decode(torch.tensor([1, *old, 2, 0])) == "the old"
    assert known.decode([2, *old]) == ""
    for number in (-1, len(known)):
        with pytest.raises(ValueError, match=f"id {number} .* {len(known)} tokens"):
            known.decode([*old, number])


# --- learning -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "size",
    [4, 0, -1, True, False, 10.0, 4.5, "30", None, float("nan"), 1_000_001, 10**30],
)
def test_an_impossible_size_is_refused(size: Any) -> None:
    """A huge one would end the process, for want of memory."""
    with pytest.raises(ValueError, match=rf"^size must be .* it is {size!r}\.$"):
        SubwordVocabulary.build(SENTENCES, size=size)


def test_the_size_counts_the_special_tokens() -> None:
    for size in (60, 100, 150):
        assert len(SubwordVocabulary.build(SENTENCES, size=size)) == size


@pytest.mark.parametrize("size", [5, 8, 11])
def test_a_size_below_the_characters_keeps_each_of_them(size: int) -> None:
    vocabulary = SubwordVocabulary.build(["low lower lowest"], size=size)
    assert vocabulary.tokens == (*SPECIALS, *"elorstw▁")
    assert there_and_back(vocabulary, "west lo") == "west lo"


@pytest.mark.parametrize("size", [100, 4000, 1_000_000])
def test_a_size_above_what_can_be_learned_learns_all(size: int) -> None:
    vocabulary = SubwordVocabulary.build(["low lower lowest"], size=size)
    assert len(vocabulary) == 19
    assert vocabulary.subwords("low lower lowest") == ["▁low", "▁lower", "▁lowest"]


def test_the_most_frequent_pair_is_learned_first() -> None:
    vocabulary = SubwordVocabulary.build(["xa xa xa ya xb"], size=4 + 5 + 2)
    assert vocabulary.tokens[4:] == ("a", "b", "x", "y", "▁", "▁x", "▁xa")


def test_no_piece_reaches_over_two_words(known: SubwordVocabulary) -> None:
    assert [token for token in known.tokens if "▁" in token[1:]] == []
    many = SubwordVocabulary.build(["the man."] * 50, size=100)
    assert many.subwords("the man.") == ["▁the", "▁man", "."]


@pytest.mark.parametrize("nothing", [[], [""], ["  ", "\n"], ["▁"], iter(())])
def test_there_must_be_words_to_learn_from(nothing: Any) -> None:
    with pytest.raises(
        ValueError, match=r"^There are no words to learn sub-words from\.$"
    ):
        SubwordVocabulary.build(nothing)


def test_one_text_is_no_list_of_sentences() -> None:
    with pytest.raises(TypeError, match="not one text: 'lets go'"):
        SubwordVocabulary.build("lets go")


@pytest.mark.parametrize("value", [None, 3, ("to go", "ir"), ["to go"], b"to go"])
def test_a_sentence_that_is_no_text_is_refused_by_its_value(value: Any) -> None:
    """Pairs, for example, that someone forgot to take apart."""
    with pytest.raises(TypeError, match=f"text, but it is {re.escape(repr(value))}"):
        SubwordVocabulary.build(["lets go", value])


def test_an_error_of_the_source_of_the_sentences_comes_through() -> None:
    def lines():
        yield "lets go"
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        SubwordVocabulary.build(lines())


def test_sentences_may_come_one_at_a_time(known: SubwordVocabulary) -> None:
    built = SubwordVocabulary.build((sentence for sentence in SENTENCES), size=200)
    assert built.tokens == known.tokens


# --- the same again -------------------------------------------------------------------


@FEW
@given(order=st.permutations(SENTENCES))
def test_the_order_of_the_sentences_does_not_matter(
    known: SubwordVocabulary, order: list[str]
) -> None:
    assert SubwordVocabulary.build(order, size=200).to_json() == known.to_json()


@pytest.mark.parametrize("seed", ["0", "1"])
def test_every_process_learns_the_same(known: SubwordVocabulary, seed: str) -> None:
    """Whatever the order of its sets, and with one thread or with many."""
    code = (
        "import json, sys; from lib.text.subwords import SubwordVocabulary\n"
        "sentences = json.loads(sys.stdin.buffer.read())\n"
        "text = SubwordVocabulary.build(sentences, 200).to_json()\n"
        "sys.stdout.buffer.write(text.encode('utf-8'))"
    )
    threads = {"RAYON_NUM_THREADS": str(1 + 3 * int(seed)), "PYTHONHASHSEED": seed}
    ended = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(SENTENCES).encode(),
        capture_output=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, **threads},
    )
    assert ended.stdout.decode("utf-8") == known.to_json()


def test_the_pieces_are_those_of_the_training_part_alone() -> None:
    """A character that stands in the test part alone stays unknown."""
    splits = corpora.load("grammar", size=300).splits
    train = [text for pair in splits["train"] for text in pair]
    built = SubwordVocabulary.build(train, size=300)
    assert built.unknown("木 Ξ") == ["木", "Ξ"]
    letters = set("▁").union(*map(plain, train)) - {" "}
    assert {token for token in built.tokens if len(token) == 1} == letters
    for name, part in splits.items():
        for sentence in (text for pair in part for text in pair):
            assert built.unknown(sentence) == [], name
            assert there_and_back(built, sentence) == sentence


# --- files ----------------------------------------------------------------------------


def test_what_is_loaded_cuts_as_what_was_saved(
    known: SubwordVocabulary, tmp_path: Path
) -> None:
    file = tmp_path / "pieces.json"
    file.write_text(known.to_json(), "utf-8")
    mixed = random.Random(0)
    sentences = ["", "the 😀 <eos> man", *SENTENCES]
    sentences += ["".join(mixed.sample(s, len(s))) for s in SENTENCES]
    loads = [SubwordVocabulary.load(file), SubwordVocabulary.load(str(file))]
    for loaded in (*loads, *every_copy(known)):
        assert loaded.tokens == known.tokens
        assert loaded.to_json() == known.to_json()
        for sentence in sentences:
            assert loaded.encode(sentence) == known.encode(sentence)
            assert loaded.subwords(sentence) == known.subwords(sentence)
            assert loaded.unknown(sentence) == known.unknown(sentence)


def test_the_shipped_pieces_cut_as_the_model_learned_them() -> None:
    shipped = SubwordVocabulary.load(SHIPPED / "tatoeba-en-es" / "tokenizer.json")
    assert len(shipped) == 6000
    for sentence, ids in (
        ("I don't know.", [141, 364, 335, 15]),
        ("¿Qué? ¡No!", [182, 490, 29, 739, 1252, 4]),
        ("I said él, el 10.", [141, 880, 480, 13, 188, 2966, 15]),
    ):
        assert shipped.encode(sentence) == ids
        assert shipped.decode(ids) == sentence
    assert there_and_back(shipped, "I say <eos> now.") == "I say <unk>eos<unk> now."


def test_a_missing_file_or_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("{}")
    for name in ("missing.json", "no/such.json", "folder", "file/below"):
        with pytest.raises(OSError, match=re.escape(str(tmp_path / name))):
            SubwordVocabulary.load(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        SubwordVocabulary.load(tmp_path / "missing.json")


def refused(file: Path, content: str | bytes, reason: str = "") -> None:
    """Demand one sentence that names the file, from the file and from the text."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    file.write_bytes(data)
    named = (
        rf"^{re.escape(str(file))} is no sub-word vocabulary: .*{reason}.*(?<!\.)\.$"
    )
    with pytest.raises(ValueError, match=named) as caught:
        SubwordVocabulary.load(file)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < len(str(file)) + 200
    if isinstance(content, str):
        with pytest.raises(ValueError, match=rf"^This is no sub-word .*{reason}"):
            SubwordVocabulary.from_json(content)


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe{\x00}\x00", b"\x80\x04}\x94.", "«sí»".encode("latin-1")],
    ids=["UTF-16", "pickle", "Latin-1"],
)
def test_a_file_that_is_not_utf_8(tmp_path: Path, content: bytes) -> None:
    refused(tmp_path / "pieces.json", content, "it is not text in UTF-8")


@pytest.mark.parametrize("content", ["", " \n", "\ufeff{}", "sí", "<!DOCTYPE html>"])
def test_a_file_that_is_no_json(tmp_path: Path, content: str) -> None:
    refused(tmp_path / "pieces.json", content)


@pytest.mark.parametrize("share", [0.01, 0.3, 0.6, 0.9, 0.9999])
def test_a_file_that_was_cut_short(
    known: SubwordVocabulary, tmp_path: Path, share: float
) -> None:
    whole = known.to_json()
    refused(tmp_path / "pieces.json", whole[: int(len(whole) * share)])


@pytest.mark.parametrize(
    "content", ["null", "3", '"BPE"', "[]", "{}", '{"model": []}', '{"model": "BPE"}']
)
def test_json_of_something_else(tmp_path: Path, content: str) -> None:
    refused(tmp_path / "pieces.json", content, "it does not describe a tokenizer")


def test_json_that_is_deeper_than_python_reads(tmp_path: Path) -> None:
    refused(tmp_path / "pieces.json", "[" * 100_000)


WORDS = {token: number for number, token in enumerate([*SPECIALS, "▁", "a", "▁a"])}


@pytest.mark.parametrize(
    "model",
    [
        WordPiece(WORDS, unk_token=UNK),
        WordLevel(WORDS, unk_token=UNK),
        Unigram([(token, -1.0) for token in WORDS], unk_id=3),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_tokenizer_of_another_kind(tmp_path: Path, model: Any) -> None:
    name = type(model).__name__
    text = Tokenizer(model).to_str()
    refused(tmp_path / "pieces.json", text, f"its model is '{name}', not 'BPE'")


@pytest.mark.parametrize("special", SPECIALS)
def test_a_tokenizer_without_a_special_token(tmp_path: Path, special: str) -> None:
    words = [token for token in WORDS if token != special]
    model = BPE({token: number for number, token in enumerate(words)}, [("▁", "a")])
    reason = f"special token '{special}' is missing"
    refused(tmp_path / "pieces.json", Tokenizer(model).to_str(), reason)


def test_a_tokenizer_with_a_gap_in_its_numbers(tmp_path: Path) -> None:
    model = BPE({**WORDS, "b": 9}, [("▁", "a")])
    refused(tmp_path / "pieces.json", Tokenizer(model).to_str(), "not numbered from 0")


def know_one_more(tokenizer: Tokenizer) -> None:
    tokenizer.add_tokens(["the man"])


def cut_at_random(tokenizer: Tokenizer) -> None:
    tokenizer.model.dropout = 0.5


def cut_bytes(tokenizer: Tokenizer) -> None:
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()


def lower_case(tokenizer: Tokenizer) -> None:
    tokenizer.normalizer = normalizers.Lowercase()


@pytest.mark.parametrize(
    ("change", "setting"),
    [
        (lower_case, "normalizer"),
        (cut_bytes, "pre_tokenizer"),
        (cut_at_random, "model"),
        (know_one_more, "added_tokens"),
        (lambda tokenizer: tokenizer.enable_truncation(2), "truncation"),
        (lambda tokenizer: tokenizer.enable_padding(length=20), "padding"),
    ],
)
def test_a_tokenizer_that_cuts_in_another_way(
    known: SubwordVocabulary,
    tmp_path: Path,
    change: Callable[[Tokenizer], None],
    setting: str,
) -> None:
    """Its ids would be others than those that a model learned."""
    tokenizer = Tokenizer.from_str(known.to_json())
    SubwordVocabulary(tokenizer)
    change(tokenizer)
    with pytest.raises(ValueError, match=rf"^The setting '{setting}' of the tokenizer"):
        SubwordVocabulary(tokenizer)
    refused(tmp_path / "pieces.json", tokenizer.to_str(), f"The setting '{setting}'")


def test_special_tokens_that_are_only_words_of_the_model(tmp_path: Path) -> None:
    text = Tokenizer(BPE(WORDS, [("▁", "a")])).to_str()
    refused(tmp_path / "pieces.json", text, "The setting '")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("vocab", None),
        ("vocab", ["a", "b"]),
        ("vocab", {**WORDS, "a": -1}),
        ("vocab", {**WORDS, "a": 2**40}),
        ("vocab", {**WORDS, "a": 0}),
        ("merges", None),
        ("merges", [["a"]]),
        ("merges", [["zz", "q"]]),
        ("continuing_subword_prefix", "##"),  # the library panics at this one
        ("unk_token", None),
        ("byte_fallback", True),
    ],
)
def test_a_damaged_model(
    known: SubwordVocabulary, tmp_path: Path, name: str, value: Any
) -> None:
    content = json.loads(known.to_json())
    assert name in content["model"]
    content["model"][name] = value
    refused(tmp_path / "pieces.json", json.dumps(content))


def test_a_message_of_several_lines_becomes_one(
    known: SubwordVocabulary, tmp_path: Path
) -> None:
    content = json.loads(known.to_json())
    content["model"]["merges"] = [["two\nlines", "q"]]
    refused(tmp_path / "pieces.json", json.dumps(content), "two lines")


def test_a_key_pressed_while_reading_is_no_damage(
    known: SubwordVocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(text: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lib.text.subwords.json.loads", interrupted)
    with pytest.raises(KeyboardInterrupt):
        SubwordVocabulary.from_json("{}")
