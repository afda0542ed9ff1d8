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


def _words(text: str) -> tuple[Word, ...]:
    """Read words with their Spanish."""
    return tuple(Word(*pair.split(": ")) for pair in text.split(", "))


# The Spanish is masculine; the feminine follows the rules of adjectives.
PROFESSIONS = _words(
    "doctor: médico, nurse: enfermero, teacher: profesor, lawyer: abogado, "
    "engineer: ingeniero, singer: cantante, student: estudiante, writer: escritor"
)
CITIES = _words(
    "Madrid: Madrid, Barcelona: Barcelona, Seville: Sevilla, London: Londres, "
    "Paris: París, Rome: Roma, Spain: España, Mexico: México, France: Francia, "
    "Italy: Italia, Germany: Alemania, England: Inglaterra, Argentina: Argentina"
)
# What one is in English and has in Spanish.
IDIOMS = _words(
    "hungry: hambre, thirsty: sed, sleepy: sueño, cold: frío, hot: calor, "
    "afraid: miedo, right: razón, in a hurry: prisa"
)
SMALL_NUMBERS = _words("two: dos, three: tres, four: cuatro, five: cinco")
LARGE_NUMBERS = _words(
    "six: seis, seven: siete, eight: ocho, nine: nueve, ten: diez, eleven: once, "
    "twelve: doce, fifteen: quince, twenty: veinte, thirty: treinta, forty: cuarenta, "
    "fifty: cincuenta, sixty: sesenta"
)
_WOMEN = ("Ana", "Clara", "Inés", "Isabel", "María", "Sofía")
_MEN = ("Carlos", "Luis", "Pablo", "Pedro")
NAMES = tuple(
    GenderedWord(name, name, "f" if name in _WOMEN else "m")
    for name in sorted(_WOMEN + _MEN)
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
