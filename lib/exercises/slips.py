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
from types import SimpleNamespace
from typing import Any

_RULE = re.compile(r"`([^`]+)` → (?:`([^`]+)`|nothing)")
_RULES = re.compile(rf"{_RULE.pattern}(?: and {_RULE.pattern})*")
_INSTEAD = re.compile(r"= `([^`]+)`")


def told(right: Any, own: str, module: str) -> tuple[str, dict[str, list[Any]]]:
    """Return the praise of an exercise, and its slips: sentences with wrong answers.

    Raises:
        ValueError: if the chapter's file has no such heading, or a line of it makes no
            wrong answer; the message names the line.
    """
    praise, slips = read(own, module)
    found: dict[str, list[Any]] = {sentence: [] for sentence in slips}
    for sentence, lines in slips.items():
        for place, line in lines:
            try:
                found[sentence].append(wrong(right, line))
            except (SyntaxError, ValueError) as error:
                raise ValueError(f"{place}: {error}") from error
    return praise, found


def read(own: str, module: str) -> tuple[str, dict[str, list[tuple[str, str]]]]:
    """Return the praise of an exercise, and below each sentence its lines and places.

    Raises:
        ValueError: if the chapter's file has no such heading.
    """
    file = Path(__file__).with_name(f"{module.rpartition('.')[2]}.md")
    lines = file.read_text("utf-8").splitlines()
    if f"## {own}" not in lines:
        raise ValueError(f"{file.name} has no heading '## {own}'.")
    praise, slips = "", dict[str, list[tuple[str, str]]]()
    begin = lines.index(f"## {own}") + 1
    for number, line in enumerate(lines[begin:], start=begin + 1):
        if line.startswith("## "):
            break
        if line.startswith("- "):
            slips[line[2:].strip()] = []
        elif slips and line.strip():
            slips[[*slips][-1]].append((f"{file.name}, line {number}", line.strip()))
        else:
            praise = f"{praise} {line}".strip()
    return praise, slips


def wrong(right: Any, line: str) -> Any:
    """Return the right answer with some of its code rewritten.

    Args:
        right: a function or a class.
        line: what stands below a sentence.

    Raises:
        SyntaxError: if what it makes is no Python.
        ValueError: if it is no such line, or a piece does not stand in the right answer
            exactly once.

    Example:
        >>> from lib.masks import causal_mask
        >>> wrong(causal_mask, "= `length + 1`")(3)
        4
    """
    space = dict(vars(inspect.getmodule(right)))
    exec(code(right, line), space)
    made = space[right.__name__]
    space[right.__name__] = SimpleNamespace(right=right)  # as an exercise has it
    return made


def code(right: Any, line: str) -> str:
    """Return what gives a wrong answer the name of the right one."""
    if instead := _INSTEAD.fullmatch(line):
        given = inspect.signature(right).parameters.values()
        names = [str(one.replace(annotation=one.empty)) for one in given]
        return f"{right.__name__} = lambda {', '.join(names)}: {instead[1]}"
    if not _RULES.fullmatch(line):
        raise ValueError(
            f"{line!r} is neither `a piece` → `another` nor = `what it gives back`."
        )
    source = _without_record(right)
    for old, new in _RULE.findall(line):
        if (times := source.count(old)) != 1:
            raise ValueError(
                f"{old!r} stands {times} times in {right.__name__}; a piece that is "
                "replaced stands there exactly once."
            )
        source = source.replace(old, new)
    return source


def _without_record(right: Callable[..., Any]) -> str:
    source = textwrap.dedent(inspect.getsource(right))
    return source[source.index("class " if isinstance(right, type) else "def ") :]
