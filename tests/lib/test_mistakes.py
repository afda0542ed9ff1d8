"""What a program can tell about a wrong translation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.evaluation.mistakes import KINDS, group_by, kinds_of_mistakes
from tests.refusals import Call, each_refusal, refuses

WRONG = [
    ("I waited for him for an hour.", "Esperé.", ["Le esperé una hora."], "too short"),
    ("I left.", "Me fui de casa ayer.", ["Me fui.", "Salí."], "too long"),
    ("He ran.", "Él corrió corrió.", ["Él corrió rápido.", "Corrió."], "repetition"),
    ("I saw a squirrel.", "Vi una squirrel.", ["Vi una ardilla."], "copied word"),
    ("He never eats.", "Él come siempre.", ["Él nunca come."], "negation"),
    ("He always eats.", "Él nunca come.", ["Él siempre come."], "negation"),
    ("It costs 25 euros.", "Cuesta 52 euros.", ["Cuesta 25 euros."], "number"),
    ("Is she here?", "Ella está aquí.", ["¿Está ella aquí?"], "question"),
    ("She is here.", "¿Está ella aquí?", ["Ella está aquí."], "question"),
    ("I like the car.", "Me gusta el auto.", ["Me gusta el coche."], "other words"),
]


@pytest.mark.parametrize(("source", "written", "right", "kind"), WRONG)
def test_each_kind_is_told(
    source: str, written: str, right: list[str], kind: str
) -> None:
    assert kinds_of_mistakes(source, written, right) == [kind]
    assert kind in KINDS


@pytest.mark.parametrize(("source", "written", "right", "kind"), WRONG)
def test_what_one_reference_does_is_no_mistake(
    source: str, written: str, right: list[str], kind: str
) -> None:
    assert kinds_of_mistakes(source, written, [*right, written]) == []
    near = written.replace("Él", "Ella").replace("Me ", "Nos ") + " ."
    assert kinds_of_mistakes(source, written, [*right, near]) == ["other words"]


@pytest.mark.parametrize(
    ("source", "written", "right"),
    [
        ("There are 2 cats.", "Hay 2 gatos.", ["Hay dos gatos."]),  # as the source
        ("I met Anna Hall.", "Vi a Anna Hall.", ["Encontré a Ana Hall."]),  # names
        ("Yes, yes, I go.", "Sí, sí, me voy.", ["Sí, sí, voy."]),
        ("No animal came.", "Ningún animal llegó.", ["No vino ningún animal."]),
        ("Go on!", "¡Sigue así!", ["¡Continúa tú!"]),
    ],
)
def test_what_is_right_in_its_own_way_is_other_words(
    source: str, written: str, right: list[str]
) -> None:
    assert kinds_of_mistakes(source, written, right) == ["other words"]


def test_a_sentence_may_have_several_mistakes() -> None:
    found = kinds_of_mistakes(
        "Is it never 30 degrees?", "Es 20 20.", ["¿Nunca hace 30 grados?"]
    )
    assert found == ["repetition", "negation", "number", "question"]


def test_words_are_invented_when_training_did_not_have_them() -> None:
    case = ("The smith left.", "El herraro se fue.", ["El herrero se fue."])
    assert kinds_of_mistakes(*case) == ["other words"]
    known = {"el", "se", "fue", "herrero"}
    assert kinds_of_mistakes(*case, known) == ["invented word"]
    assert kinds_of_mistakes(*case, known | {"herraro"}) == ["other words"]
    rare = ("I saw Zoltan.", "Yo vi Zoltan.", ["Vi a Zoltan."])
    assert kinds_of_mistakes(*rare, {"vi", "a", "yo"}) == ["other words"]


@given(st.lists(st.integers(0, 30)), st.sets(st.integers(1, 20)))
def test_each_sentence_is_in_one_group(values: list[int], others: set[int]) -> None:
    groups = group_by(values, [0, *sorted(others)])
    found = [number for _, members in groups for number in members]
    assert sorted(found) == list(range(len(values)))
    for name, members in groups:
        low = int(name.split()[0])
        assert all(values[number] >= low for number in members)
        if " to " in name:
            assert all(values[n] <= int(name.split(" to ")[1]) for n in members)


@each_refusal(
    (lambda: kinds_of_mistakes("Hi.", "Hola.", []), r"no reference for 'Hi\.'"),
    (lambda: group_by([5], []), "must grow"),
    (lambda: group_by([5], [1, 1]), "must grow"),
    (lambda: group_by([4, 2], [3, 5]), "2 lies below the first edge, 3"),
)
def test_what_cannot_be_grouped_is_refused(call: Call, words: str) -> None:
    refuses(call, words)
