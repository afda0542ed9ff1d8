"""Words to numbers and back."""

from __future__ import annotations

import unicodedata

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.text import EOS, PAD, SOS, UNK, Vocabulary, detokenize, tokenize
from tests.refusals import Call, each_refusal, refuses

WORD = st.text("abcñáé", min_size=1, max_size=4)
WORDS = st.lists(WORD, min_size=1, max_size=8)


# --- tokenize and detokenize ----------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "tokens"),
    [
        ("", []),
        ("  lets   go ", ["lets", "go"]),
        ("¡No, señor!", ["¡", "No", ",", "señor", "!"]),
        ("I don’t know.", ["I", "don't", "know", "."]),
        ("the girls' car", ["the", "girls", "'", "car"]),
        ("<pad>", ["<", "pad", ">"]),
        (unicodedata.normalize("NFD", "él, señor"), ["él", ",", "señor"]),
        ("कि और की।", ["कि", "और", "की", "।"]),  # vowels are marks on letters
        ("ที่นี่", ["ที่นี่"]),
        ("❤\ufe0fyou", ["❤", "\ufe0f", "you"]),  # a mark, but on no letter
    ],
)
def test_words_and_marks_are_tokens(sentence: str, tokens: list[str]) -> None:
    assert tokenize(sentence) == tokens


def test_a_sentence_is_put_together_again() -> None:
    for sentence in ("¿Le gusta? ¡No, señor!", "I don't know; (he says): yes."):
        assert detokenize(tokenize(sentence)) == sentence


@given(text=st.text(max_size=20))
def test_tokenizing_any_text_is_settled_after_once(text: str) -> None:
    tokens = tokenize(text)
    assert all(token and not any(c.isspace() for c in token) for token in tokens)
    assert tokenize(" ".join(tokens)) == tokens


# --- Vocabulary -----------------------------------------------------------------------


@given(words=WORDS)
def test_known_words_survive_the_way_there_and_back(words: list[str]) -> None:
    sentence = " ".join(words)
    vocabulary = Vocabulary.build([sentence])
    ids = vocabulary.encode(sentence)
    assert len(ids) == len(words)
    assert all(number > vocabulary.unk_id for number in ids)
    assert vocabulary.decode(ids) == sentence
    assert vocabulary.unknown(sentence) == []
    assert all(word in vocabulary for word in words)
    assert Vocabulary.build(words[::-1]).tokens == vocabulary.tokens


@given(known=WORDS, asked=WORDS)
def test_other_words_become_unknown(known: list[str], asked: list[str]) -> None:
    vocabulary = Vocabulary.build([" ".join(known)])
    ids = vocabulary.encode(" ".join(asked))
    for word, number in zip(asked, ids, strict=True):
        assert (number == vocabulary.unk_id) == (word not in known)
    missing = [word for word in asked if word not in known]
    assert vocabulary.unknown(" ".join(asked)) == list(dict.fromkeys(missing))


def test_the_special_tokens_may_come_in_another_order() -> None:
    vocabulary = Vocabulary(["go"], specials=(SOS, EOS, UNK, PAD))
    assert (vocabulary.pad_id, vocabulary.sos_id) == (3, 0)
    assert vocabulary.decode([0, 4, 3, 1]) == "go"


def test_frequent_words_come_first_and_rare_ones_can_be_left_out() -> None:
    sentences = ["b a c", "b d", "c b"]
    assert Vocabulary.build(sentences).tokens[4:] == tuple("bcad")
    assert Vocabulary.build(sentences, min_count=2).tokens[4:] == tuple("bc")


def test_decoding_stops_at_the_end_and_skips_what_is_no_word() -> None:
    vocabulary = Vocabulary(["go", "lets"])
    assert vocabulary.decode([5, 3]) == "lets <unk>"
    assert vocabulary.decode(torch.tensor([1, 5, 0, 4, 2, 5])) == "lets go"


@each_refusal(
    (lambda: Vocabulary("lets go"), "not one text: 'lets go'"),
    (lambda: Vocabulary.build("lets go"), "not one text: 'lets go'"),
    (lambda: Vocabulary(["a", "b", "a"]), "'a'"),
    (lambda: Vocabulary(["a"], specials=(PAD, SOS, EOS)), f"'{UNK}' is missing"),
    (lambda: Vocabulary(["go", "lets"]).decode([4, -1]), "id -1 .* 6 tokens"),
    (lambda: Vocabulary(["go", "lets"]).decode([4, 6]), "id 6 .* 6 tokens"),
)
def test_what_is_no_vocabulary_and_no_id_is_refused(call: Call, words: str) -> None:
    refuses(call, words)
