"""How nbval compares the outputs of a chapter that it runs again with the stored ones.

Numbers behind `≈`, up to the next word, may differ: by two units of the last digit, or
by the `margin` in the cell's metadata; so may those with a decimal point that a cell
hands to a figure that answers. All else is equal to the letter, but for the size of a
figure, which no reader reads, and the scripts of those that answer.
"""

import re
from decimal import Decimal
from typing import Any

import pytest
from nbval.plugin import IPyNbCell

from lib.figures.interactive import stored

HANDED = '<script type="application/json">'
BEHIND = re.compile(rf"(≈[-+±\d.,e% ]*|{HANDED}.*?</script>)")
DECIMAL = re.compile(r"(-?\d+\.\d+)")
NUMBER = re.compile(r"( *[-+]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]\d+)?)")
FIGURE = re.compile(r"<Figure size [\d.]+x[\d.]+ with \d+ Axes>")


class Output(str):
    """The text of an output, which nbval compares with the new one by `!=`."""

    margin: float | None = None

    def __ne__(self, new: object) -> bool:
        texts, numbers = _parts(self)
        new_texts, new_numbers = _parts(str(new))
        return texts != new_texts or any(
            abs(one - other) > Decimal(str(self.margin or 2 * _last_digit(one)))
            for one, other in zip(numbers, new_numbers, strict=True)
        )


def _parts(output: str) -> tuple[list[str], list[Decimal]]:
    texts, numbers = [], []
    for part in BEHIND.split(stored(FIGURE.sub("<Figure>", output))):
        kinds = {"≈": NUMBER, HANDED: DECIMAL}
        found = [kind for start, kind in kinds.items() if part.startswith(start)]
        split = found[0].split(part) if found else [part]
        texts += split[::2]
        numbers += [Decimal(number.replace(",", "").strip()) for number in split[1::2]]
    return texts, numbers


def _last_digit(number: Decimal) -> Decimal:
    return Decimal(1).scaleb(int(number.as_tuple().exponent))


def pytest_itemcollected(item: pytest.Item) -> None:
    """Let a cell compare what it prints as an `Output`."""
    if isinstance(item, IPyNbCell):

        def as_output(text: Any) -> Any:
            if not isinstance(text, str):
                return text
            output = Output(text)
            output.margin = item.cell.metadata.get("margin")
            return output

        item.sanitize = as_output
