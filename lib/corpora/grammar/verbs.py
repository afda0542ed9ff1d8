"""The verbs of the grammar, and what each of them goes with.

Traits of a verb:

- people: its object may be a person, and then takes the personal *a*;
- gives: it has a recipient, "I give the book to Ana";
- puts: it has an object and the surface that the object ends up on;
- bare: its object may stand without an article, "she buys apples";
- toward, from: its place is a goal or a starting point;
- stative: a state and no event, so that it takes no time and no habit;
- timeless: it has no preterite here, since a past state asks for the imperfect;
- once: nobody does it every day;
- accident: nobody means to do it;
- animals, fed, trains: an animal, a dog or cat, a train may do it;
- told-apart: only the object tells which Spanish verb is meant.
"""

from __future__ import annotations

from lib.corpora.grammar.words import Verb, kinds

# English, past, Spanish infinitive, objects, places, traits.
_VERBS = """
eat, ate, comer, food, eatery, bare fed
drink, drank, beber, drink, , bare fed
buy, bought, comprar, bought, market store, bare
read, read, leer, read, library park bedroom, bare
write, wrote, escribir, written, , bare
wash, washed, lavar, washed, ,
open, opened, abrir, opened, ,
close, closed, cerrar, closed, ,
find, found, encontrar, small pet, , once
lose, lost, perder, small, , once accident
look for, looked, buscar, small pet, , people
see, saw, ver, animal vehicle sight watched, , people
wear, wore, llevar, worn, ,
bring, brought, traer, food drink gift, , bare
make, made, hacer, dish, , bare
visit, visited, visitar, sight, , people
help, helped, ayudar, , , people
wait for, waited, esperar, awaited, station, people
listen to, listened, escuchar, heard, , people
ask for, asked, pedir, food drink, , bare
put, put, poner, small, surface, puts
study, studied, estudiar, language art, library school bedroom, bare
speak, spoke, hablar, language, , bare
play, played, tocar, instrument, , told-apart
play, played, jugar, sport, park beach street, told-apart
give, gave, dar, gift food, , gives
send, sent, enviar, sent gift, , gives
have, had, tener, pet thing relative, , timeless stative
need, needed, necesitar, thing food drink, , timeless stative bare
sleep, slept, dormir, , stay quiet, animals
work, worked, trabajar, , work,
sing, sang, cantar, , church theater park square bathroom,
dance, danced, bailar, , square theater party beach kitchen,
run, ran, correr, , outdoor, animals
live, lived, vivir, , home, stative
go, went, ir, , place occasion, toward
come, came, venir, , occasion office hotel station farm house, toward
arrive, arrived, llegar, , place, toward trains
return, returned, volver, , place, toward
leave, left, salir, , place building own, from trains
"""


def _read_verbs() -> tuple[Verb, ...]:
    """Read the table of verbs."""
    found = []
    for line in _VERBS.strip().splitlines():
        english, past, spanish, *cells = (cell.strip() for cell in line.split(","))
        base, _, particle = english.partition(" ")
        objects, places, traits = map(kinds, cells)
        found.append(Verb(base, past, spanish, objects, places, traits, particle))
    return tuple(found)


VERBS = _read_verbs()
BE = Verb("be", "", "ser")

# English, its past, the Spanish verb that turns the sentence round.
FEELINGS = (
    Verb("like", "liked", "gustar", kinds("food drink read enjoyed art pet flower")),
    Verb("love", "loved", "encantar", kinds("food drink read enjoyed art pet sport")),
    # "Ana is interested in art": the copula and its words do the verb's work.
    Verb("be", "", "interesar", kinds("art read enjoyed"), particle="interested in"),
)

# What somebody may do with a thing, and then do with it again.
CHAINS = (
    ("buy", "read"),
    ("buy", "eat"),
    ("buy", "drink"),
    ("buy", "give"),
    ("find", "wash"),
    ("find", "give"),
    ("open", "close"),
    ("write", "send"),
    ("write", "read"),
    ("wash", "eat"),
    ("make", "eat"),
    ("make", "drink"),
    ("look for", "find"),
    ("bring", "give"),
)

# What somebody who feels so does, and what he cannot do.
REASONS = {
    "hungry": (("eat",), ()),
    "thirsty": (("drink",), ()),
    "sleepy": (("sleep",), ("study", "read")),
    "tired": (("sleep",), ("work", "dance", "run")),
    "sick": (("sleep",), ("work", "come", "sing", "go")),
    "busy": ((), ("come", "go")),
}

# What people do side by side: "Ana sings and I dance".
ACTIVITIES = ("sing", "dance", "work", "sleep", "run", "study")
# What one does and another does not: "Ana speaks French, but I don't".
ABILITIES = ("speak", "play", "sing", "dance", "work", "study", "eat", "drink")

SAYING = (
    Verb("say", "said", "decir"),
    Verb("think", "thought", "creer"),
    Verb("know", "knew", "saber"),
)


def verb(name: str) -> Verb:
    """Find a verb by its English name; "play" gives the first of the two.

    Example:
        >>> verb("look for").spanish
        'buscar'
    """
    return next(each for each in VERBS if each.key.english == name)
