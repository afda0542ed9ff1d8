"""What a program can tell about a wrong translation."""

from __future__ import annotations

import pytest

from lib.evaluation.mistakes import KINDS, kinds_of_mistakes
from tests.refusals import refuses

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


def test_without_a_reference_nothing_can_be_said() -> None:
    refuses(lambda: kinds_of_mistakes("Hi.", "Hola.", []), r"no reference for 'Hi\.'")
