"""What people type: cut into sentences, made fit for a model, given back in kind."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.config import TransformerConfig
from lib.model import Transformer
from lib.text import SubwordVocabulary
from lib.text.reading import (
    PLACEHOLDER,
    apart,
    in_kind,
    joined,
    prepare,
    read_text,
    sentences,
)
from lib.text.subwords import ALPHABET
from lib.text.words import UNK
from lib.translator import Translator

LETTERS = frozenset(ALPHABET + string.whitespace)


@pytest.mark.parametrize(
    "cut",
    [
        "It was late.| We were tired.",
        "Dr. Lee paid Mr. Oz $3.50.| He left.",
        "J. R. Smith is here.| Yes!",
        '"Where?" he asked.| "Here."',
        'He said, "It is late. I go."| Then?',
        "I said no.| He left.",
        "Is it I.| He asked.",
        "Wait...| What?!| Yes. 😀",
        "I waited…| but she came.",
        '"Well... no," he said.',
        "It is 5 p.m.| Tom left.|\nBye",
        "hello",
        "it is late.| i told mr. oz.| ok",
    ],
)
def test_a_text_is_cut_where_its_sentences_end(cut: str) -> None:
    parts = [part.strip() for part in cut.split("|")]
    assert [part for part, _ in sentences(cut.replace("|", ""))] == parts


@given(st.text(st.sampled_from('abcD .!?"\n1😀'), max_size=40))
def test_nothing_of_a_text_is_lost(text: str) -> None:
    joined = "".join(part + space for part, space in sentences(text))
    assert joined.strip() == text.strip()


@pytest.mark.parametrize(
    ("typed", "read", "back"),
    [
        ("I LOVE YOU", "I love you.", "I LOVE YOU"),
        ("where are you?", "Where are you?", "where are you?"),
        ("“Hi,” she said…", '"Hi," she said.', "“Hi,” she said..."),
        ("“Go home.”", "Go home.", "“Go home.”"),
        ("I waited... 😀", "I waited.", "I waited... 😀"),
        ("I love it 😀😀", "I love it.", "I love it 😀😀"),
        ("👋 hi :)", "Hi.", "👋 hi :)"),
        ("Ask 王伟 now.", f"Ask {PLACEHOLDER} now.", "Ask 王伟 now."),
        ("See www.a.org/x?y=1.", f"See {PLACEHOLDER}.", "See www.a.org/x?y=1."),
        ("Write to an@b.co.uk", f"Write to {PLACEHOLDER}.", "Write to an@b.co.uk"),
        ("Write to 木@b.org", f"Write to {PLACEHOLDER}.", "Write to 木@b.org"),
        ("So\u200b\xa0what ?", "So what ?", "So what ?"),
        ("I", "I.", "I"),
    ],
)
def test_what_was_typed_is_read_plainly_and_given_back(
    typed: str, read: str, back: str
) -> None:
    text, form = prepare(typed, LETTERS)
    assert text == read
    assert in_kind(text.replace(PLACEHOLDER, UNK), form) == back


def test_a_single_word_is_read_as_the_vocabulary_has_it() -> None:
    tokens = ["▁bread", "▁stop", "▁Stop", "▁hi"]
    typed = ["bread", "Bread", "BREAD", "stop", "hi", "bread is"]
    read = [prepare(word, LETTERS, tokens)[0] for word in typed]
    assert read == ["bread.", "Bread.", "bread.", "Stop.", "Hi.", "Bread is."]


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("we met in paris in july", "We met in Paris in July."),
        ("I LOVE PARIS", "I love Paris."),
        ("she may march on monday!", "She may march on Monday!"),
        ("I met paris in july.", "I met paris in july."),
        ("Really?!", "Really?"),
        ("I won!!!", "I won!"),
        ("Tom & Ann saw R&B.", "Tom and Ann saw R&B."),
    ],
)
def test_small_letters_and_many_marks_are_read_as_they_were_meant(
    typed: str, read: str
) -> None:
    assert prepare(typed, LETTERS)[0] == read


@given(st.text(st.sampled_from("abcXYZ .!?“”'😀王é"), max_size=30))
def test_what_is_read_can_be_written(typed: str) -> None:
    text, _ = prepare(typed, LETTERS)
    assert set(text) <= LETTERS | {PLACEHOLDER}
    assert "  " not in text


def test_a_missing_placeholder_is_not_made_up() -> None:
    _, form = prepare("Ask 王 and 李 now.", LETTERS)
    assert in_kind(f"Pregunta a {UNK}.", form) == "Pregunta a 王."
    assert in_kind("Pregunta <unk>.", form._replace(held=())) == "Pregunta <unk>."


@pytest.mark.parametrize(
    ("typed", "around", "said"),
    [
        ("“I am here,” he said.", "“_,” he said.", "I am here"),
        ("She asked, “Where?”", "She asked, “_.”", "Where?"),
        ('"No," he said, "not now."', '"No," he said, "not now."', ""),
        ('The sign says "No dogs".', 'The sign says "_".', "No dogs"),
        ('"Wait..." he said.', '"_" he said.', "Wait..."),
        ('A 6" pipe and a 4" pipe.', 'A 6" pipe and a 4" pipe.', ""),
        ('He said "yes.', 'He said "yes.', ""),
        ("He said “!”", "He said “!”", ""),
        (f'"Yes," said {PLACEHOLDER}.', f'"Yes," said {PLACEHOLDER}.', ""),
    ],
)
def test_what_is_said_is_read_apart(typed: str, around: str, said: str) -> None:
    assert apart(typed) == (around.replace("_", PLACEHOLDER), said)


def test_what_is_said_stands_in_its_place_again() -> None:
    letters = SubwordVocabulary.build(["Yes, he is here."] * 3, 400, ALPHABET)
    typed = "HE SAID: “IT IS LATE. I GO.” “Yes,” said 王… Go."
    read = read_text(typed, letters, 200, prose=True)
    assert [source.said for source in read] == [0, 1, 1, 0, 1, 0]
    same = [(source, source.text.replace(PLACEHOLDER, UNK)) for source in read]
    assert joined(same) == typed.replace("…", "...")


def test_a_translator_of_prose_reads_several_sentences_and_joins_them() -> None:
    words = SubwordVocabulary.build(["Yes, he is here. Hello!"] * 3, 60, ALPHABET)
    sizes = TransformerConfig(
        len(words), len(words), d_model=8, n_heads=2, n_layers=1, d_ff=8, max_len=40
    )
    translator = Translator(Transformer(sizes), words, words, prose=True)
    apart = translator.translate(["He is here.", "Hello 王 x 😀"])
    assert translator.translate(["He is here.  Hello 王 x 😀"]) == ["  ".join(apart)]
    assert translator.unknown_words("Ask 王 now.") == []


def test_digits_are_cut_singly_and_letters_that_were_never_seen_are_known() -> None:
    words = SubwordVocabulary.build(["in 1987 and 1989"] * 9, 400, ALPHABET)
    assert words.subwords("in 1989.") == ["▁in", "▁", "1", "9", "8", "9", "."]
    assert words.decode(words.encode("Łódź £3")) == "Łódź £3"
    assert UNK in words.subwords("王")
