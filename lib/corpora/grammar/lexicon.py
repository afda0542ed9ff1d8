"""The words of the grammar other than nouns and verbs: adjectives, names, times."""

from __future__ import annotations

from lib.corpora.grammar.words import Adjective, GenderedWord, Time, Word, kinds

# English, Spanish, copula, kinds it stands beside, kinds that may be so.
_ADJECTIVES = """
red, rojo, ser, clothes vehicle flower part chair, clothes vehicle part
white, blanco, ser, clothes vehicle flower part pet house, clothes vehicle part pet
black, negro, ser, clothes vehicle pet bag umbrella, clothes vehicle pet
yellow, amarillo, ser, clothes vehicle flower part bird, clothes vehicle part
green, verde, ser, clothes vehicle part bottle apple, clothes vehicle part
blue, azul, ser, clothes vehicle part bag umbrella cup, clothes vehicle part
big, grande, ser, thing building animal room vehicle park, building animal room
small, pequeño, ser, thing building animal room vehicle, building animal room
new, nuevo, ser, thing building vehicle, building vehicle
old, viejo, ser, thing building vehicle, building vehicle
expensive, caro, ser, thing clothes, thing
cheap, barato, ser, thing clothes, thing
dirty, sucio, estar, clothes room vehicle plate cup, clothes room vehicle
clean, limpio, estar, clothes room vehicle plate cup, clothes room vehicle
modern, moderno, ser, building vehicle, building vehicle
elegant, elegante, ser, clothes eatery, clothes
tall, alto, ser, person, person kin
young, joven, ser, man woman king queen actor actress, person kin
strong, fuerte, ser, person horse wolf, person kin
intelligent, inteligente, ser, person pet, person kin
famous, famoso, ser, person sight, person kin
kind, amable, ser, person, person kin
rich, rico, ser, person, person kin
fresh, fresco, ser, bread fish cheese milk egg tomato salad strawberry,
cold, frío, estar, warm, warm
hot, caliente, estar, warm, warm
delicious, delicioso, ser, tasty,
interesting, interesante, ser, text event, text event
boring, aburrido, ser, text event, text event
difficult, difícil, ser, text hard, text hard
long, largo, ser, text event hard skirt dress street, text event hard
good, bueno, ser, text event wine coffee cheese actor actress waiter,
bad, malo, ser, text event,
great, grande, ser, great,
open, abierto, estar, , closed shop
closed, cerrado, estar, , closed shop
empty, vacío, estar, , bottle box bag cup plate bus train place room
full, lleno, estar, , bottle box bag cup plate bus train place
tired, cansado, estar, , person kin pet
sick, enfermo, estar, , person kin pet
happy, contento, estar, , person kin
sad, triste, estar, , person kin
busy, ocupado, estar, , person kin
nervous, nervioso, estar, , person kin
bored, aburrido, estar, , person kin
worried, preocupado, estar, , person kin
"""

_BEFORE_NOUN = frozenset({"good", "bad", "great"})

# The Spanish is masculine; the feminine follows the rules of adjectives.
PROFESSIONS = (
    Word("doctor", "médico"),
    Word("nurse", "enfermero"),
    Word("teacher", "profesor"),
    Word("lawyer", "abogado"),
    Word("engineer", "ingeniero"),
    Word("singer", "cantante"),
    Word("student", "estudiante"),
    Word("writer", "escritor"),
)

NAMES = (
    GenderedWord("Ana", "Ana", "f"),
    GenderedWord("Carlos", "Carlos", "m"),
    GenderedWord("Clara", "Clara", "f"),
    GenderedWord("Inés", "Inés", "f"),
    GenderedWord("Isabel", "Isabel", "f"),
    GenderedWord("Luis", "Luis", "m"),
    GenderedWord("María", "María", "f"),
    GenderedWord("Pablo", "Pablo", "m"),
    GenderedWord("Pedro", "Pedro", "m"),
    GenderedWord("Sofía", "Sofía", "f"),
)

CITIES = (
    Word("Madrid", "Madrid"),
    Word("Barcelona", "Barcelona"),
    Word("Seville", "Sevilla"),
    Word("London", "Londres"),
    Word("Paris", "París"),
    Word("Rome", "Roma"),
    Word("Spain", "España"),
    Word("Mexico", "México"),
    Word("France", "Francia"),
    Word("Italy", "Italia"),
    Word("Germany", "Alemania"),
    Word("England", "Inglaterra"),
    Word("Argentina", "Argentina"),
)

BODY = (
    GenderedWord("head", "cabeza", "f"),
    GenderedWord("back", "espalda", "f"),
    GenderedWord("foot", "pie", "m"),
    GenderedWord("leg", "pierna", "f"),
    GenderedWord("hand", "mano", "f"),
    GenderedWord("eye", "ojo", "m"),
    GenderedWord("arm", "brazo", "m"),
    GenderedWord("tooth", "diente", "m"),
)

# What one is in English and has in Spanish.
IDIOMS = (
    Word("hungry", "hambre"),
    Word("thirsty", "sed"),
    Word("sleepy", "sueño"),
    Word("cold", "frío"),
    Word("hot", "calor"),
    Word("afraid", "miedo"),
    Word("right", "razón"),
    Word("in a hurry", "prisa"),
)

SMALL_NUMBERS = (
    Word("two", "dos"),
    Word("three", "tres"),
    Word("four", "cuatro"),
    Word("five", "cinco"),
)
LARGE_NUMBERS = (
    Word("six", "seis"),
    Word("seven", "siete"),
    Word("eight", "ocho"),
    Word("nine", "nueve"),
    Word("ten", "diez"),
    Word("eleven", "once"),
    Word("twelve", "doce"),
    Word("fifteen", "quince"),
    Word("twenty", "veinte"),
    Word("thirty", "treinta"),
    Word("forty", "cuarenta"),
    Word("fifty", "cincuenta"),
    Word("sixty", "sesenta"),
)

TIMES = (
    Time("yesterday", "ayer", ("past",)),
    Time("last night", "anoche", ("past",)),
    Time("this morning", "esta mañana", ("past",)),
    Time("last week", "la semana pasada", ("past",)),
    Time("every day", "todos los días", ("present",)),
    Time("every week", "todas las semanas", ("present",)),
    Time("today", "hoy", ("present", "past", "future")),
    Time("tomorrow", "mañana", ("future",)),
    Time("tonight", "esta noche", ("future",)),
    Time("next week", "la próxima semana", ("future",)),
)


def times_of(tense: str) -> list[Time]:
    """The times that may stand with a tense, in the order of the table."""
    return [time for time in TIMES if tense in time.tenses]


def _read_adjectives() -> tuple[Adjective, ...]:
    """Read the table of adjectives."""
    found = []
    for line in _ADJECTIVES.strip().splitlines():
        en, es, copula, beside, being = (cell.strip() for cell in line.split(","))
        before = en in _BEFORE_NOUN
        found.append(Adjective(en, es, kinds(beside), kinds(being), copula, before))
    return tuple(found)


ADJECTIVES = _read_adjectives()
