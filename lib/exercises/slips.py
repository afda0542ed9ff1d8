"""Slips as text: a chapter's Markdown file names each, and says how it is made.

    ## window_mask
    With a width of the whole length it is the causal mask again.

    - This mask is inverted: True means may be attended to.
      `.bool()` → `.logical_not()`

Under its heading, an exercise has its praise, then a list of sentences. Each line below
a sentence makes a wrong answer out of the right one: pieces of its code that others
take the place of, or `= ` and what it gives back instead.
"""

import inspect
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

_EXERCISE = re.compile(r"^## (\w+)\n(.+(?:\n.+)*)\n\n((?:.+\n)+)", re.M)
_SLIP = re.compile(r"^- (.+(?:\n  [^`=].*)*)\n((?:  [`=].*\n)+)", re.M)
_RULE = re.compile(r"`([^`]+)` → (?:`([^`]+)`|nothing)")


def told(right: Any, own: str, module: str) -> tuple[str, dict[str, list[Any]]]:
    """The praise of an exercise, and its slips: sentences with wrong answers."""
    file = Path(__file__).with_name(f"{module.rpartition('.')[2]}.md")
    for name, praise, slips in _EXERCISE.findall(file.read_text("utf-8")):
        if name == own:
            return _line(praise), {
                _line(sentence): [wrong(right, line) for line in lines.splitlines()]
                for sentence, lines in _SLIP.findall(slips)
            }
    raise ValueError(f"{file.name} has no heading '## {own}'.")


def wrong(right: Any, line: str) -> Any:
    """The right answer with some of its code rewritten.

    Raises:
        ValueError: if a piece does not stand in it exactly once.
    """
    if line.strip().startswith("= "):
        given = ", ".join(map(_plain, inspect.signature(right).parameters.values()))
        code = f"lambda {given}: {line.strip()[2:].strip('`')}" if given else line[3:]
        return eval(code.strip("` "), right.__globals__)
    source = _without_record(right)
    for old, new in _RULE.findall(line):
        if source.count(old) != 1:
            raise ValueError(f"{right.__name__} has {old!r} {source.count(old)} times.")
        source = source.replace(old, new)
    space: dict[str, Any] = dict(vars(inspect.getmodule(right)))
    exec(source, space)
    return space[right.__name__]


def _without_record(right: Callable[..., Any]) -> str:
    source = textwrap.dedent(inspect.getsource(right))
    return source[re.search(r"^(def|class) ", source, re.M).start() :]  # type: ignore


def _plain(parameter: inspect.Parameter) -> str:
    default = parameter.default
    known = default is not inspect.Parameter.empty
    return f"{parameter.name}={default!r}" if known else parameter.name


def _line(text: str) -> str:
    return " ".join(text.split())
