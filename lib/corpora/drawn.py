"""Names, numbers, dates and prices, drawn at random, in English and in Spanish."""

from __future__ import annotations

import functools
import random
import tomllib
from pathlib import Path

from lib.text.reading import PLACEHOLDER

LISTS = Path(__file__).with_name("copying.toml")
MONTHS = {
    "January": "enero",
    "February": "febrero",
    "March": "marzo",
    "April": "abril",
    "May": "mayo",
    "June": "junio",
    "July": "julio",
    "August": "agosto",
    "September": "septiembre",
    "October": "octubre",
    "November": "noviembre",
    "December": "diciembre",
}
WEEKDAYS = {
    "Monday": "lunes",
    "Tuesday": "martes",
    "Wednesday": "miércoles",
    "Thursday": "jueves",
    "Friday": "viernes",
    "Saturday": "sábado",
    "Sunday": "domingo",
}
ORDINALS = {
    "1st": "primer",
    "2nd": "segundo",
    "3rd": "tercer",
    "4th": "cuarto",
    "5th": "quinto",
    "6th": "sexto",
    "7th": "séptimo",
    "8th": "octavo",
    "9th": "noveno",
    "10th": "décimo",
    "first": "primer",
    "second": "segundo",
    "third": "tercer",
    "fourth": "cuarto",
    "fifth": "quinto",
}
_CURRENCIES = (("$", "dólares"), ("$", "dólares"), ("€", "euros"), ("£", "libras"))
_ONSETS = [
    *"bcdfghjklmnñpqrstvwyz",
    "br",
    "ch",
    "dr",
    "fr",
    "kh",
    "kr",
    "ph",
    "sh",
    "st",
    "th",
]
_VOWELS = ["a", "a", "a", *"aeeiioouuöüáéı", "ai", "au", "ei", "ia", "ie", "ou"]
_CODAS = [
    "",
    "",
    "",
    "",
    "n",
    "r",
    "s",
    "l",
    "m",
    "k",
    "t",
    "nd",
    "ng",
    "ck",
    "sz",
    "v",
]


def spanish_number(number: str) -> str:
    """Write a number as Spanish does: 45,000 as 45.000, and 12.50 as 12,50.

    The Academy accepts a comma or a period before decimals, and would rather see a
    space between thousands (Ortografía de la lengua española, 2010). Most Spanish
    sentences of the corpus have a period there, so that is the rule here.

    Example:
        >>> [spanish_number(number) for number in ("45,000", "12.50", "7:30", "1987")]
        ['45.000', '12,50', '7:30', '1987']
    """
    return number.translate(str.maketrans(".,", ",."))


@functools.cache
def lists() -> dict[str, list[str]]:
    """Return what the file of names and frames holds: its words, or its lines."""
    told = tomllib.loads(LISTS.read_text("utf-8"))
    return {
        name: text.strip().splitlines() if "\t" in text else text.split()
        for name, text in told.items()
    }


class Drawn:
    """Draw what can stand in a sentence, in English and in Spanish.

    Args:
        numbers: where the random numbers come from.

    Example:
        >>> Drawn(random.Random(0)).draw("price")
        ('£6,892.65', '6.892,65 libras')
    """

    def __init__(self, numbers: random.Random) -> None:
        self.numbers = numbers

    def draw(self, kind: str) -> tuple[str, str]:
        """Draw a "name", "price" or whatever a method below draws.

        Raises:
            ValueError: if nothing of the kind can be drawn.
        """
        way = getattr(self, f"_{kind}", None)
        if way is None:
            raise ValueError(f"Nothing of the kind {kind!r} can be drawn.")
        drawn = way()
        return drawn if isinstance(drawn, tuple) else (drawn, drawn)

    def _of(self, name: str) -> str:
        return self.numbers.choice(lists()[name])

    def _man(self) -> str:
        return self._called("masculine")

    def _woman(self) -> str:
        return self._called("feminine")

    def _person(self) -> str:
        return self._called(self.numbers.choice(["masculine", "feminine"]))

    def _called(self, first_names: str) -> str:
        """Draw a name of one to three words, half of them made up."""
        made_up = self.numbers.random() < 0.5
        first = self._made_up() if made_up else self._of(first_names)
        if made_up and first_names == "feminine":
            first = first.rstrip("aeiou") + "a"
        words = self.numbers.choices([1, 2, 3], [70, 25, 5])[0]
        return " ".join([first, *(self._surname() for _ in range(words - 1))])

    def _surname(self) -> str:
        return self._made_up() if self.numbers.random() < 0.4 else self._of("surnames")

    def _place(self) -> str:
        return self._made_up() if self.numbers.random() < 0.4 else self._of("places")

    def _company(self) -> str:
        return self._made_up() if self.numbers.random() < 0.3 else self._of("companies")

    def _made_up(self) -> str:
        """Make a name of two to four syllables that nobody has met."""
        draw = self.numbers.choice
        syllables = self.numbers.choices([1, 2, 3, 4], [10, 50, 30, 10])[0]
        parts = [draw(_ONSETS) + draw(_VOWELS) + draw(_CODAS) for _ in range(syllables)]
        if self.numbers.random() < 0.2:  # it begins with a vowel
            parts.insert(0, draw("aeiou"))
        name = "".join(parts)
        if self.numbers.random() < 0.15:  # a letter stands twice, as in Anneke
            at = self.numbers.randrange(1, len(name))
            name = name[:at] + name[at - 1 :]
        return name.capitalize()

    def _unknown(self) -> str:
        return PLACEHOLDER

    def _number(self) -> str:
        return str(
            self.numbers.randrange(2, 10 ** self.numbers.choice([1, 2, 2, 3, 4]))
        )

    def _thousands(self) -> tuple[str, str]:
        number = self.numbers.randrange(1, 10 ** self.numbers.choice([1, 2, 3, 4]))
        zeros = self.numbers.random() < 0.6
        last = 0 if zeros else self.numbers.randrange(1000)
        return self._written(f"{number * 1000 + last:,}")

    def _decimal(self) -> tuple[str, str]:
        whole = self.numbers.randrange(10 ** self.numbers.choice([1, 2, 3]))
        places = self.numbers.choice([1, 1, 2])
        return self._written(f"{whole}.{self.numbers.randrange(10**places):0{places}}")

    def _written(self, number: str) -> tuple[str, str]:
        return number, spanish_number(number)

    def _percent(self) -> tuple[str, str]:
        amount = self.draw(self.numbers.choice(["number", "decimal"]))
        return f"{amount[0]}%", f"{amount[1]}%"

    def _price(self) -> tuple[str, str]:
        whole = self.numbers.randrange(2, 10 ** self.numbers.choice([1, 2, 3, 4, 7]))
        cents = (
            f".{self.numbers.randrange(100):02}" if self.numbers.random() < 0.5 else ""
        )
        sign, unit = self.numbers.choice(_CURRENCIES)
        english, spanish = self._written(f"{whole:,}{cents}")
        return f"{sign}{english}", f"{spanish} {unit}"

    def _year(self) -> str:
        first, last = self.numbers.choice([(1000, 2100), (1900, 2030)])
        return str(self.numbers.randrange(first, last))

    def _clock(self) -> str:
        minutes = self.numbers.choice([0, 30, *self.numbers.choices(range(60), k=3)])
        return f"{self.numbers.randrange(2, 13)}:{minutes:02}"

    def _time(self) -> tuple[str, str]:
        clock = self._clock()
        if self.numbers.random() < 0.7:
            return clock, clock
        half = self.numbers.choice(["a.m.", "p.m."])
        written = self.numbers.choice(["{} {}", "{}{}"])
        short = self.numbers.choice([half, half.replace(".", "")])
        if self.numbers.random() < 0.6:
            clock = clock.split(":")[0]
        return written.format(clock, short), f"{clock} {half}"

    def _ordinal(self) -> tuple[str, str]:
        return self.numbers.choice([*ORDINALS.items()])

    def _month(self) -> tuple[str, str]:
        return self.numbers.choice([*MONTHS.items()])

    def _weekday(self) -> tuple[str, str]:
        return self.numbers.choice([*WEEKDAYS.items()])

    def _day(self) -> tuple[str, str]:
        day, month = self.numbers.randrange(2, 32), self.numbers.choice([*MONTHS])
        return f"{month} {day}", f"{day} de {MONTHS[month]}"

    def _date(self) -> tuple[str, str]:
        (english, spanish), year = self._day(), self._year()
        return f"{english}, {year}", f"{spanish} de {year}"

    def _phone(self) -> str:
        groups = self.numbers.choice([(3, 4), (3, 3, 4), (2, 3, 4)])
        return "-".join(
            "".join(self.numbers.choices("0123456789", k=size)) for size in groups
        )
