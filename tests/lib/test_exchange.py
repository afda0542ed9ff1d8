"""Known pairs with other names, numbers and forms: both sides still say the same."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.corpora.exchange import Exchange

PAIRS = [
    ("Yes, I saw Tom in Boston.", "Sí, vi a Tom en Boston."),
    ("No, she saw Zofia in Oslo.", "No, ella vio a Zofia en Oslo."),
    ("Nobody saw Olga's dog.", "Nadie vio al perro de Olga."),
    ("It cost 3,250 yen at 7:30.", "Costó 3.250 yenes a las 7:30."),
    ("It cost 9,870 euros at 2:15.", "Costó 9.870 euros a las 2:15."),
    ("Room 12 isn't free?", "¿No está libre la habitación 12?"),
    ("Room 48 is mine.", "La habitación 48 es mía."),
    ("The TV is in English.", "La TV está en inglés."),
]


@pytest.fixture(scope="module")
def exchange() -> Exchange:
    return Exchange(PAIRS)


def test_a_name_is_what_both_sides_write_alike_with_a_capital(
    exchange: Exchange,
) -> None:
    assert [exchange.names(*pair) for pair in PAIRS] == [
        *(["Tom", "Boston"], ["Zofia", "Oslo"], ["Olga"]),
        *([], [], [], [], []),
    ]


@settings(max_examples=60)
@given(share=st.floats(0, 1), seed=st.integers(0, 2**40))
def test_what_stands_on_one_side_stands_on_the_other(share: float, seed: int) -> None:
    drawn = Exchange(PAIRS).drawn(share, seed)
    assert drawn == Exchange(PAIRS).drawn(share, seed)
    assert len(drawn) == len(PAIRS)
    for (src, tgt), (before, _) in zip(drawn, PAIRS, strict=True):
        digits = [re.sub(r"\D", "", n) for n in re.findall(r"\d[\d.,:]*", src)]
        assert digits == [re.sub(r"\D", "", n) for n in re.findall(r"\d[\d.,:]*", tgt)]
        # Each number keeps its shape, and each side its own marks.
        shapes = (re.findall("0[0.,:]*", re.sub(r"\d", "0", s)) for s in (before, src))
        assert next(shapes) == next(shapes)
        capitals = re.findall(r"(?<!^)(?<![.?!] )\b[A-Z]\w{2,}", src)
        # Without its apostrophe, "Olga's" is "Olgas".
        assert all(name[:-1] in tgt for name in capitals if name != "English")


def test_a_share_of_nothing_changes_nothing_and_one_of_all_every_name(
    exchange: Exchange,
) -> None:
    assert exchange.drawn(0, seed=0) == PAIRS
    drawn = [exchange.drawn(1, seed) for seed in range(200)]
    firsts = {pairs[0][0] for pairs in drawn}
    # Tom, Zofia and Olga stand behind "saw", but two of them end in -a.
    assert not any("Zofia" in src or "Olga" in src for src in firsts)
    assert {"Boston", "Oslo"} <= {src.split(" in ")[1].strip(".") for src in firsts}


def test_halves_of_names_and_two_names_come_as_well() -> None:
    """Knowing the names is then not enough."""
    names = ["Boston", "Oslo", "Lisbon", "Turin"]
    pairs = [(f"I live in {name}.", f"Vivo en {name}.") for name in names]
    exchange = Exchange(pairs)
    drawn = {exchange.drawn(1, seed)[0] for seed in range(300)}
    found = {tgt.removeprefix("Vivo en ").rstrip(".") for _, tgt in drawn}
    assert {*names} < found
    assert "Boslo" in found
    assert "Lisbon Turin" in found


def test_a_sixth_of_the_share_loses_marks_or_capitals(exchange: Exchange) -> None:
    drawn = [exchange.drawn(0.6, seed)[5] for seed in range(1000)]
    kinds = [
        sum(src.endswith(".") for src, _ in drawn),
        sum("'" not in src for src, _ in drawn),
        sum(tgt.islower() for _, tgt in drawn),
    ]
    assert all(15 < kind < 55 for kind in kinds), kinds
