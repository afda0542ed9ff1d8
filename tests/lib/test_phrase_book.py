"""The book's own pairs to train on: what they must have, and what they must not."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from lib import corpora
from lib.corpora import normalize
from lib.corpora.own import read_pairs
from lib.corpora.remote import download_folder
from lib.evaluation import TYPED, far_pairs, strangers

FOLDER = Path(corpora.__file__).parent
BOOK, COPIES = FOLDER / "phrase-book.tsv", FOLDER / "copies.tsv.gz"
HAS_TATOEBA = (download_folder() / "spa-eng.zip").is_file()
needs_tatoeba = pytest.mark.skipif(
    not HAS_TATOEBA, reason="the sentences are not here (TRANSFORMER_BOOK_CACHE)"
)
ROWS = [line.split("\t") for line in BOOK.read_text("utf-8").splitlines()]
GROUPS: defaultdict[str, list[str]] = defaultdict(list)
for source, _, key in ROWS:
    GROUPS[key].append(source)
WORDS = {key: group for key, group in GROUPS.items() if len(group) == 5}
PHRASES = {key: group for key, group in GROUPS.items() if len(group) != 5}
# Forms that are more than an ending.
IRREGULAR = {
    "antenna": ["antennae"],
    "bay leaf": ["bay leaves"],
    "calf": ["calves"],
    "cross out": ["crossed out"],
    "fireworks": ["firework"],
    "fling": ["flung"],
    "hoof": ["hooves"],
    "kneel": ["knelt"],
    "louse": ["lice"],
    "ox": ["oxen"],
    "rewind": ["rewound"],
    "shrink": ["shrank", "shrunk"],
    "slide": ["slid"],
    "spin": ["spun"],
    "tiptoe": ["tiptoeing"],
    "weave": ["woven", "wove"],
    "wring": ["wrung"],
}


def forms(word: str, sentence: str) -> list[str]:
    """The places of a sentence where a word of the book stands, in whatever form."""
    endings = {"e": "(?:e(?:s|d|rs?)?|ing)", "y": "(?:y(?:s|ed|ing)?|ies|ied|iers?)"}
    found = endings.get(word[-1])
    stem = re.escape(word[:-1] if found else word)
    way = stem + (found or rf"{re.escape(word[-1])}?(?:e?s|ed|ing|ers?)?")
    ways = [way, *IRREGULAR.get(word, ())]
    if word.endswith("man"):
        ways.append(word[:-2] + "en")
    return re.findall(rf"(?<![\w-])(?:{'|'.join(ways)})(?![\w-])", sentence.lower())


def ours() -> Iterator[tuple[str, str]]:
    for file in (BOOK, COPIES):
        yield from read_pairs(file, "en-es")[0]


def test_phrases_stand_in_company_and_words_in_four_sentences() -> None:
    assert len(PHRASES) >= 600
    assert len(WORDS) >= 1500
    assert all(len(lines) in (3, 6) for lines in PHRASES.values())
    for word, (alone, *sentences) in WORDS.items():
        assert normalize(alone) in (normalize(word), normalize(f"to {word}"))
        assert all(forms(word, sentence) for sentence in sentences), word


def test_no_line_stands_twice_and_no_sentence_is_a_frame() -> None:
    """The same other words stand around three words at most."""
    assert max(Counter(normalize(src) for src, *_ in ROWS).values()) == 1
    around = Counter(
        normalize(sentence.lower().replace(forms(word, sentence)[0], "_"))
        for word, (_, *sentences) in WORDS.items()
        for sentence in sentences
    )
    assert around.most_common(1)[0][1] <= 3


def test_a_line_has_a_capital_a_mark_and_the_letters_of_its_language() -> None:
    for src, tgt, _ in ROWS:
        assert re.fullmatch(r"""["A-Z][A-Za-zéñ'",.?!: -]*[.?!]"?""", src), src
        assert re.fullmatch(
            r"""[¿¡"A-ZÁÉÍÓÚÑ][A-ZÁÉÍÓÚÑa-záéíóúüñ",.:;?!¿¡ -]*[.?!:]["?!.]{0,2}""", tgt
        ), tgt
        assert ("?" in tgt, "!" in tgt) == ("¿" in tgt, "¡" in tgt), tgt


@needs_tatoeba
def test_the_words_are_rare_in_training() -> None:
    met: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for src, _ in corpora.load("tatoeba-en-es").splits["train"]:
        words = re.findall(r"[\w'-]+", src.lower().replace("'s ", " "))
        for size in (1, 2):
            for at in range(len(words) - size + 1):
                text = " ".join(words[at : at + size])
                met[text[:2]][text] += 1
    for word, (_, *sentences) in WORDS.items():
        known = {word} | {form for each in sentences for form in forms(word, each)}
        known |= {form for form in met[word[:2]] if forms(word, form) == [form]}
        assert sum(met[form[:2]][form] for form in known) <= 10, word


@pytest.mark.parametrize("part", [*TYPED.values(), "validation"])
def test_no_line_is_typed_by_a_stranger(part: str) -> None:
    """But for the things that one types first: some of them stand in any such book."""
    asked = {normalize(stranger.english) for stranger in strangers(part)}
    same = [src for src, _ in ours() if normalize(src) in asked]
    assert part == "first" or not same


@needs_tatoeba
def test_no_line_is_held_out_and_the_far_part_stays_far() -> None:
    splits = corpora.load("tatoeba-en-es").splits
    held = {
        normalize(src) for part in ("validation", "test") for src, _ in splits[part]
    }
    assert not [src for src, _ in ours() if normalize(src) in held]
    far = far_pairs(splits)
    assert far_pairs({"train": [*ours()], "test": far}) == far


def test_the_copies_are_many_and_have_letters_of_all_latin_alphabets() -> None:
    pairs = read_pairs(COPIES, "en-es")[0]
    assert len({normalize(src) for src, _ in pairs}) >= 20_000
    letters = set("".join(src for src, _ in pairs))
    assert letters >= set("ąćđéğıłñőřșžÅÉÓÖØŁŠŻÞĦ")


def test_the_names_on_trial_stand_in_no_file_of_training() -> None:
    names = [ways[0] for each in strangers("names") for ways in each.wanted]
    learned = list(ours())
    if HAS_TATOEBA:
        learned += corpora.load("tatoeba-en-es").splits["train"]
    text = " ".join(f"{src} {tgt}" for src, tgt in learned)
    assert not [name for name in names if re.search(rf"\b{re.escape(name)}\b", text)]
