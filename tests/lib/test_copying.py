"""Pairs with other names and numbers: what stands on one side stands on the other."""

from __future__ import annotations

import random
import re

import pytest

from lib.corpora.copying import Copying
from lib.corpora.drawn import MONTHS, Drawn, lists, spanish_number
from lib.evaluation.strangers import strangers
from lib.text.reading import PLACEHOLDER
from tests.refusals import refuses

PAIRS = [
    ("Yes, I saw Tom in Boston.", "Sí, vi a Tom en Boston."),
    ("Tom has 12 dogs.", "Tom tiene 12 perros."),
    ("It cost 3,000 yen at 7:30.", "Costó 3,000 yenes a las 7:30."),
    ("On May 3 Mary and Tom were here.", "El 3 de mayo Mary y Tom estaban aquí."),
    ("Where is the man?", "¿Dónde está el hombre?"),
] * 9
# What may stand in the slot of a frame.
FILLING = r"(?:[^\W\d_a-z][\w'.-]*|[$€£]?\d[\d.,:-]*%?)"
KINDS = ("named", "numbered", "framed", "quoted", "odd")


@pytest.fixture(scope="module")
def copying() -> Copying:
    return Copying(PAIRS)


def test_no_name_that_is_drawn_stands_in_a_strangers_sentence() -> None:
    typed = " ".join(
        stranger.english
        for part in ("test", "validation")
        for stranger in strangers(part)
    )
    met = set(re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)*", typed))
    names = ("masculine", "feminine", "surnames", "places", "companies")
    assert not met & {name for kind in names for name in lists()[kind]}


def test_no_frame_is_a_strangers_sentence() -> None:
    slot = rf"{FILLING}(?: {FILLING})*"
    frames = [
        re.compile(re.sub(r"\\{\w+\\}", lambda _: slot, re.escape(bare(line))))
        for line in lists()["frames"]
    ]
    assert frames[0].fullmatch("Yes")
    asked = strangers("test") + strangers("validation")
    same = [
        (frame.pattern, stranger.english)
        for stranger in asked
        for frame in frames
        if frame.fullmatch(bare(stranger.english))
        or frame.fullmatch(bare(stranger.english.capitalize()))
    ]
    assert not same


def bare(line: str) -> str:
    """Take the English of a frame, or a sentence, without the marks around it."""
    return line.split("\t")[0].strip(' .,!?"“”…🎂😀')


@pytest.mark.parametrize("kind", KINDS)
def test_a_name_and_a_number_stand_on_both_sides(kind: str, copying: Copying) -> None:
    numbers = random.Random(0)
    for _ in range(300):
        src, tgt = copying.drawn(kind, numbers)
        assert src.strip()
        assert tgt.strip()
        assert "{" not in src + tgt
        assert src.count(PLACEHOLDER) == tgt.count(PLACEHOLDER)
        plain = src.replace(", ", " ; ")
        found = re.findall(r"\b\d+(?:[.,:]\d+)*(?!\d|st|nd|rd|th)", plain)
        for number in found:
            assert spanish_number(number) in tgt, (src, tgt)
        if kind == "framed" and "My name is" in src:
            assert src.removeprefix("My name is ") == tgt.removeprefix("Me llamo ")


def test_a_month_is_its_own_translation_and_a_time_stays_a_time(
    copying: Copying,
) -> None:
    numbers = random.Random(0)
    dated = [copying.drawn("numbered", numbers) for _ in range(300)]
    for src, tgt in dated:
        month = next((m for m in MONTHS if m in src), None)
        assert month is None or MONTHS[month] in tgt
        assert bool(re.search(r"\d:\d\d", src)) is bool(re.search(r"\d:\d\d", tgt))
    assert len({next((m for m in MONTHS if m in src), None) for src, _ in dated}) > 6


def test_a_frame_writes_half_days_ordinals_and_one_period_at_its_end() -> None:
    copying, numbers = Copying([]), random.Random(0)
    drawn = [copying.drawn("framed", numbers) for _ in range(20_000)]
    half_days = [pair for pair in drawn if re.search(r"\d ?[ap]\.?m", pair[0])]
    assert half_days
    assert all(re.search(r"\d [ap]\.m\.", tgt) for _, tgt in half_days)
    assert not [pair for pair in drawn if ".m.." in pair[0] + pair[1]]
    floors = [tgt for src, tgt in drawn if "the 3rd floor" in src]
    assert floors
    assert all("el tercer piso" in tgt for tgt in floors)


def test_what_stands_for_a_word_is_quoted_with_one_mark(copying: Copying) -> None:
    numbers = random.Random(0)
    drawn = [copying.drawn("quoted", numbers) for _ in range(2000)]
    held = [(src, tgt) for src, tgt in drawn if PLACEHOLDER in src]
    assert 0.3 < len(held) / len(drawn) < 0.7
    assert not [tgt for _, tgt in held if re.search(r'\."\.|"$', tgt)]


def test_a_time_stays_a_time_and_a_contraction_may_lose_its_apostrophe() -> None:
    copying, numbers = Copying([("It's 7:30.", "Son las 7:30.")] * 9), random.Random(0)
    timed = [copying.drawn("numbered", numbers) for _ in range(50)]
    assert all(re.search(r"\d:\d\d", src) for src, _ in timed)
    odd = [copying.drawn("odd", numbers)[0] for _ in range(400)]
    assert 0.15 < sum("'" not in src for src in odd) / len(odd) < 0.35


def test_a_title_brings_its_article_and_a_place_a_place(copying: Copying) -> None:
    numbers = random.Random(0)
    drawn = [copying.drawn("named", numbers) for _ in range(2000)]
    titled = [(src, tgt) for src, tgt in drawn if "saw Mr." in src]
    assert titled
    assert all("a el " not in tgt and "al señor" in tgt for _, tgt in titled)
    known = {*lists()["places"]}
    assert known & {name for src, _ in drawn for name in re.findall(r"in (\w+)\.", src)}


def test_a_seed_decides_all_and_the_share_how_many(copying: Copying) -> None:
    mixed = copying.mixed(0.4, seed=3)
    assert mixed == copying.mixed(0.4, seed=3)
    assert mixed != copying.mixed(0.4, seed=4)
    assert len(mixed) == len(PAIRS)
    kept = set(copying.pairs)
    assert 0.35 * len(PAIRS) < sum(pair not in kept for pair in mixed) + 9
    assert set(copying.mixed(0.0, seed=0)) == kept


def test_the_rule_of_numbers_holds_for_the_corpus_too(copying: Copying) -> None:
    assert (
        "It cost 3,000 yen at 7:30.",
        "Costó 3.000 yenes a las 7:30.",
    ) in copying.pairs


def test_a_corpus_without_names_draws_from_frames() -> None:
    copying = Copying([("Go on!", "¡Sigue!")])
    src, _ = copying.drawn("named", random.Random(0))
    assert src.lower() != "go on!"


def test_what_is_drawn_is_written_in_both_languages() -> None:
    drawn = Drawn(random.Random(1))
    for kind in ("price", "date", "phone", "percent", "person"):
        assert all(drawn.draw(kind))
    refuses(lambda: drawn.draw("house"), "'house' can be drawn")


def test_every_frame_has_the_same_slots_on_both_sides() -> None:
    for name in ("frames", "quotes", "questions"):
        for line in lists()[name]:
            src, tgt = line.split("\t")
            slots = re.compile(r"{\w+}")
            fits = [s.replace("{s}", "{t}") for s in slots.findall(src)]
            assert sorted(fits) == sorted(slots.findall(tgt)), line
