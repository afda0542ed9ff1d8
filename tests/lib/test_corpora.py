"""The corpora by name, how they are split, and what lies here: phrases, the grammar."""

from __future__ import annotations

import bz2
import hashlib
import re
from collections import Counter
from itertools import chain, pairwise
from pathlib import Path
from random import Random
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib import corpora
from lib.__main__ import main
from lib.corpora import grammar
from lib.corpora.corpus import Corpus, normalize, split_by_source
from lib.text import detokenize, tokenize
from tests.refusals import refuses

SPLITS = corpora.load("grammar").splits
PAIRS = list(chain.from_iterable(SPLITS.values()))
FEATURES = grammar.features()
LINKED = grammar.word_pairs()


# --- by name --------------------------------------------------------------------------


def test_an_unknown_name_is_refused_in_one_sentence() -> None:
    words = r"'klingon'.*'grammar', .*'phrases', .*\.$"
    refuses(lambda: corpora.load("klingon"), words)


def test_a_corpus_shows_sizes_and_not_its_pairs() -> None:
    corpus = corpora.load()
    assert repr(corpus) == (
        "Corpus('grammar', en to es, train: 50,000, validation: 1,000, "
        "unseen_sentences: 2,500, unseen_combinations: 2,500)"
    )
    refuses(lambda: Corpus("nothing", "en", "es", {}), "no splits")


@pytest.mark.parametrize("vocab_size", [0, 40])
def test_a_run_learns_its_words_from_the_training_part_alone(
    vocab_size: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    begun = Mock(side_effect=ValueError("This is far enough."))
    monkeypatch.setattr("lib.training.train", begun)
    train = [("Ana sings.", "Ana canta."), ("I sing.", "Canto.")] * 9
    for held_out in (("Ana sings.", "Ana canta."), ("Zebras graze.", "Pacen cebras.")):
        splits = {"train": train, "validation": [held_out], "test": [held_out] * 50}
        made = Corpus("two", "en", "es", splits)
        monkeypatch.setattr(corpora, "load", Mock(return_value=made))
        words = ["--set", f"vocab_size={vocab_size}", "--out", str(tmp_path / "run")]
        assert main(["train", *words]) == 2
    one, other = (
        [vocabulary.tokens for vocabulary in call.args[1:3]]
        for call in begun.call_args_list
    )
    assert one == other


def test_the_phrases_of_the_first_translator() -> None:
    corpus = corpora.load("phrases")
    assert dict(corpus.splits["tiny"]) == {"lets go": "vamos", "to go": "ir"}
    train = corpus.splits["train"]
    assert len(dict(train)) == len(train) >= 8
    for text in chain.from_iterable(train):
        assert detokenize(tokenize(text)) == text


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Where is Ana?", "where  is ana", True),
        ("I don’t know.", "i don't know", True),
        ("CAFE\u0301", "café", True),
        ("I eat", "I ate", False),
        ("él", "el", False),
        ("कि ¨ और", "की और", False),
        ("¨कि´", "कि", True),  # marks on no letter
    ],
)
def test_case_marks_and_spacing_do_not_make_a_source_new(
    one: str, other: str, same: bool
) -> None:
    assert (normalize(one) == normalize(other)) is same


# --- the table of the grammar ---------------------------------------------------------


def test_the_sentences_stay_the_same_to_the_byte() -> None:
    """The shipped translator's scores and the chapters' outputs rest on them."""
    lines = [f"{name}\t{en}\t{es}" for name, part in SPLITS.items() for en, es in part]
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    assert digest == "ac6b4ac2140fe6d0863158cd8696608826ed570c60a5399e277c885d3b9678b6"


def test_no_source_stands_twice_so_each_has_one_answer() -> None:
    assert len({normalize(source) for source, _ in PAIRS}) == len(PAIRS) == 56_000


def new_combinations() -> dict[str, set[str]]:
    """What meets in the sentences of the last part, and in no other."""
    met = {
        name: {each for source, _ in part for each in FEATURES[source].combinations}
        for name, part in SPLITS.items()
    }
    seen = met["train"] | met["validation"] | met["unseen_sentences"]
    return {
        source: set(FEATURES[source].combinations) - seen
        for source, _ in SPLITS["unseen_combinations"]
    }


def test_each_sentence_of_the_last_part_has_a_combination_never_met() -> None:
    new = new_combinations()
    assert all(new.values())
    kinds = Counter("+" in each for each in set().union(*new.values()))
    assert kinds[True] >= 50, "verbs with an object"
    assert kinds[False] >= 20, "adjectives with a noun"


def test_the_words_of_these_combinations_are_well_known() -> None:
    known = Counter(
        (word, "+" in each)
        for source, _ in SPLITS["train"]
        for each in FEATURES[source].combinations
        for word in words_of(each)
    )
    for each in set().union(*new_combinations().values()):
        assert all(known[word, "+" in each] >= 20 for word in words_of(each)), each


def words_of(combination: str) -> list[str]:
    """The verb or adjective, and the noun."""
    return combination.split("+" if "+" in combination else " ")


def test_they_never_meet_in_the_letters_of_the_training_part_either() -> None:
    """Read from the sentences alone: "drinks the milk"; "drank" may escape."""
    sources = "\n".join(source for source, _ in SPLITS["train"])
    tested = "\n".join(source for source, _ in SPLITS["unseen_combinations"])
    between = r" (?:(?:the|a|an|my|your|this|that|these|those) )?"
    found = 0
    for each in set().union(*new_combinations().values()):
        if "+" in each:
            verb, noun = words_of(each)
            pattern = re.compile(rf"\b{verb}s?{between}{noun}s?\b")
            assert not pattern.search(sources), each
            found += bool(pattern.search(tested))
    assert found >= 20


@pytest.mark.parametrize("side", [0, 1])
def test_every_word_of_the_tests_was_learned(side: int) -> None:
    known = {word for pair in SPLITS["train"] for word in tokenize(pair[side])}
    assert len(known) >= 300
    for name in list(SPLITS)[1:]:
        for pair in SPLITS[name]:
            assert known.issuperset(tokenize(pair[side])), pair


def test_the_features_belong_to_their_sentence() -> None:
    assert list(FEATURES) == [source for source, _ in PAIRS]
    for source, one in FEATURES.items():
        words = source.casefold()
        assert one.subject.casefold() in words, source
        assert one.object.casefold() in words, source
        assert one.gender in ("m", "f"), source
        assert one.number in ("singular", "plural"), source
        assert one.tense in ("present", "past", "future"), source
        assert one.verb, source
        if one.subject in PRONOUNS:
            assert (one.gender, one.number) == PRONOUNS[one.subject], source
        assert (one.tense != "future") or re.search(r"\b(will|won't)\b", words), source
        for each in one.combinations:
            noun = words_of(each)[1].casefold()
            assert noun[:3] in words or IRREGULAR[noun] in words, source


IRREGULAR = {"man": "men", "mouse": "mice"}
PRONOUNS = {
    "I": ("m", "singular"),
    "you": ("m", "singular"),
    "he": ("m", "singular"),
    "she": ("f", "singular"),
    "we": ("m", "plural"),
    "they": ("m", "plural"),
}


# One sentence of each kind that the card speaks of, in the order of the columns.
BY_HAND = """
He will help the women.|he|m|singular|future|help|the women|help+woman
Did his feet hurt yesterday?|his feet|m|plural|past|hurt||
There aren't maps on the bed.|maps|m|plural|present|be||
We say that he is interested in art.|we|m|plural|present|say||be interested in+art
You say that I love to run.|you|m|singular|present|say||
We found a hat and gave it to you.|we|m|plural|past|find|a hat|find+hat, give+hat
You aren't going to bring meat tomorrow.|you|m|singular|present|bring|meat|bring+meat
I can't run because I am tired.|I|m|singular|present|run||
What does he eat?|he|m|singular|present|eat||
Who is going to help him?|who|m|singular|present|help|him|
I will dance at the beach, but Inés won't.|I|m|singular|future|dance||
"""


@pytest.mark.parametrize("line", BY_HAND.strip().splitlines())
def test_features_that_were_read_by_hand(line: str) -> None:
    source, *cells, met = line.split("|")
    assert list(FEATURES[source]) == [*cells, tuple(met.split(", ") if met else ())]


def faults(english: str, spanish: str) -> list[str]:
    """Everything that is wrong with the form of a pair, by rule."""
    rules = {
        r"\b(a|de) el\b": "no contraction",
        r"\by (i|í|hi)(?!e)": "y before i",
        r"\be (?!i|í|hi)": "e without i",
        r"\b(le|les) (lo|la|los|las)\b": "le lo",
        r"\b(\w+) \1\b": "a word twice",
        r"\b(la|una) (agua|aula|águila|hambre)\b": "la before a stressed a",
    }
    found = [what for rule, what in rules.items() if re.search(rule, spanish, re.I)]
    if re.search(r"\b(a [aeiou]|an [^aeiou])", english, re.IGNORECASE):
        found.append("a or an")
    for text in (english, spanish):
        if not re.fullmatch(r"¿?[A-ZÁÉÍÓÚÑ][A-Za-zÁÉÍÓÚÜÑáéíóúüñ', ]+[.?]", text):
            found.append("capital, letters or mark")
        if "  " in text or detokenize(tokenize(text)) != text:
            found.append("spaces")
    if len({"?" in english, "?" in spanish, spanish.startswith("¿")}) != 1:
        found.append("question marks")
    return found


def test_no_sentence_breaks_a_rule() -> None:
    """A capital and a mark are among the rules, so that translators may add them."""
    assert corpora.load("grammar").punctuated
    assert not corpora.load("phrases").punctuated
    broken = [(pair, faults(*pair)) for pair in PAIRS]
    assert not [each for each in broken if each[1]][:5]


def test_determiners_agree_in_number_with_their_noun() -> None:
    """Those that are never a pronoun; these nouns are the same in both numbers."""
    ends_in_s = {"paraguas", "autobús", "francés", "inglés"}
    for _, spanish in PAIRS:
        for before, noun in pairwise(re.findall(r"\w+", spanish.casefold())):
            if before in ("un", "una", "esta", "nuestro", "nuestra"):
                assert not noun.endswith("s") or noun in ends_in_s, spanish
            if before in ("estos", "estas", "esos", "esas", "muchos", "muchas", "dos"):
                assert noun.endswith("s"), spanish


def test_the_time_selects_the_tense() -> None:
    for english, spanish in PAIRS:
        if "yesterday" in english.casefold() and "," not in english:
            assert re.search(r"\bayer\b", spanish, re.IGNORECASE)
            assert not re.search(r"\b(will|won't|going to)\b", english)
        if "tomorrow" in english.casefold():
            assert re.search(r"\bmañana\b", spanish, re.IGNORECASE)
            assert not re.search(r"\b(did|didn't|was|were|wasn't)\b", english)


@pytest.mark.parametrize(
    "line", ["train\tI sing.\tCanto.", "tset\tI sing.\tCanto." + 7 * "\t", ""]
)
def test_a_line_that_was_mended_badly_is_named(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header, first = bz2.decompress(grammar.FILE.read_bytes()).decode().split("\n")[:2]
    file = tmp_path / "grammar.tsv.bz2"
    file.write_bytes(bz2.compress("\n".join([header, first, line, first]).encode()))
    monkeypatch.setattr(grammar, "FILE", file)
    monkeypatch.setattr(grammar, "_lines", grammar._lines.__wrapped__)
    words = rf"^Line 3 of {file} .* 9 more cells"
    refuses(lambda: corpora.load("grammar"), words)


# --- how they are split ---------------------------------------------------------------


@settings(max_examples=40)
@given(seed=st.integers(), count=st.integers(60, 150))
def test_no_source_stands_in_two_splits(seed: int, count: int) -> None:
    """Sources that come again, with other translations, capitals and marks."""
    random = Random(seed)
    pairs = []
    for _ in range(count):
        source = random.choice("abcdefghijklmnopqrstuvw")
        mark = random.choice(["", ".", "!", " ?"])
        pairs.append(((source.upper() if mark else source) + mark, random.choice("xy")))
    splits = split_by_source(pairs, seed)
    assert sorted(chain(*splits.values())) == sorted(pairs)
    sources = [{normalize(source) for source, _ in part} for part in splits.values()]
    assert all(sources)
    assert sum(map(len, sources)) == len(set().union(*sources))
    shuffled = split_by_source(pairs[::-1], seed)
    assert {name: set(part) for name, part in shuffled.items()} == {
        name: set(part) for name, part in splits.items()
    }


def test_the_seed_chooses_and_nothing_else() -> None:
    pairs = [(f"cat {number}", "gato") for number in range(200)]
    held_out = [split_by_source(pairs, seed)["test"] for seed in (0, 0, 1)]
    assert held_out[0] == held_out[1] != held_out[2]
    # The same on every machine: a sentence does not move to another split.
    digest = hashlib.sha256(repr(held_out[0]).encode()).hexdigest()
    assert digest[:16] == "94bf8b5fade5c3ee"


def test_a_large_corpus_holds_out_a_fixed_number() -> None:
    pairs = [(f"cat {n // 2}", f"gato {n}") for n in range(60_000)]
    splits = split_by_source(pairs)
    sizes = {name: len(corpora.references(part)) for name, part in splits.items()}
    assert sizes == {"train": 26_500, "validation": 1_000, "test": 2_500}
    assert {len(r) for r in corpora.references(splits["test"]).values()} == {2}


def test_references_name_each_target_once() -> None:
    pairs = [("a", "1"), ("b", "2"), ("a", "3"), ("a", "1")]
    assert corpora.references(pairs) == {"a": ["1", "3"], "b": ["2"]}
    assert corpora.references([]) == {}


# --- the dictionary of the grammar ----------------------------------------------------


BY_HAND_LINKED = [
    ("I like the red car", "Me gusta el coche rojo", "1-1 4-3 3-4"),
    (
        "The tall girl has a black cat",
        "La niña alta tiene un gato negro",
        "2-1 1-2 3-3",
    ),
    ("Ana is from Italy and I sleep", "Ana es de Italia y yo duermo", "0-0 3-3 6-6"),
    ("Two women went home", "Dos mujeres fueron a casa", "0-0 1-1 2-2 3-4"),
]


@pytest.mark.parametrize(("english", "spanish", "links"), BY_HAND_LINKED)
def test_it_links_what_a_reader_links(english: str, spanish: str, links: str) -> None:
    found = {
        f"{i}-{j}"
        for i, one in enumerate(english.lower().split())
        for j, other in enumerate(spanish.lower().split())
        if (one, other) in LINKED
    }
    assert set(links.split()) <= found
    extra = {"6-5", "5-6"} if "black" in english else set()
    assert found - set(links.split()) == extra


def test_every_noun_and_adjective_is_in_it() -> None:
    met = {each for one in FEATURES.values() for each in one.combinations}
    words = {each.split("+")[-1] for each in met if "+" in each}
    words |= {word for each in met if "+" not in each for word in each.split()}
    assert len(words) > 180
    assert {word.lower() for word in words} <= {english for english, _ in LINKED}


def test_nothing_else_is() -> None:
    english = {one for one, _ in LINKED}
    assert not english & {"the", "a", "my", "he", "is", "to", "and", "not", "will"}
    assert not any(" " in word for pair in LINKED for word in pair)


def test_most_sentences_of_the_corpus_have_a_link() -> None:
    sentences = SPLITS["train"][:500]
    linked = [
        any((one, other) in LINKED for one in source for other in target)
        for source, target in (
            [tokenize(text.lower()) for text in pair] for pair in sentences
        )
    ]
    assert sum(linked) / len(linked) > 0.95
