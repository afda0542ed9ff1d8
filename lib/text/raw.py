"""Raw text, as people type it: made fit for a model, and given back in kind."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterator, Sequence
from itertools import chain, repeat
from typing import NamedTuple

from uniseg.sentencebreak import sentences as unicode_sentences

from lib.text.words import UNK

PLACEHOLDER = "\ufffc"
"""Stands for what a vocabulary cannot write; it becomes ``<unk>``."""

_PLAIN = str.maketrans(
    {
        **dict.fromkeys("“”„‟″", '"'),
        **dict.fromkeys("‘’‚‛′´`", "'"),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("\u00ad\u200b\u2060\ufeff"),  # what nobody sees
        "…": "...",
    }
)
# Nothing ends after these, nor after an initial; "I." may well end a sentence.
_GOES_ON = re.compile(
    r"(?:^|[\s(\"'])(?:(?i:Mrs?|Ms|Dr|Prof|St|Sr|Jr|Gen|Capt|Lt|Rev|vs|e\.g|i\.e)"
    r"|[A-HJ-Z])\.$"
)
_ADDRESS = re.compile(
    r"(?:https?://|www\.)[^\s\"<>]*[\w/]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
)
_QUOTE = re.compile(r'(?<!\w)(["“])(?=\S)([^"“”]*?)((?<!\.)[.,])?(?<=\S)(["”])(?!\w)')
_DOTS = re.compile(r"(?<=\w)\.{3,}(?!.*\w)")
_FACE = re.compile(r"(?:^|\s)(?:[:;]-?[()DP]|<3)(?=\s|$)")
_LOOP = re.compile(r"(\D)\1{3,}|(\D{2,}?)\2{2,}", re.IGNORECASE)
_MARKS = re.compile(r"[?!]{2,}")
# Names that every language course has; "march", "may" and "polish" are words as well.
_NAMES = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|april|june|july"
    r"|august|(?:septem|octo|novem|decem)ber|christmas|english|spanish|french|german"
    r"|italian|japanese|chinese|russian|american|london|paris|boston|tokyo|england"
    r"|spain|france|germany|italy|japan|china|russia|canada|mexico|america|europe)\b"
)
_ODD_SPACES = re.compile(r"[\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")  # no end to anybody
_ENDS = re.compile(r"[.?!。？！؟।]['\")»]*$")


class Form(NamedTuple):
    """How a sentence was typed, for its translation to be given back in kind.

    Args:
        before: what stood in front and is carried over, such as an emoji.
        after: what stood behind.
        capitals: "all", "none", or "some", as in most sentences.
        ended: whether it ends with a mark.
        curly: whether its quotation marks are typographic ones.
        held: what each placeholder stands for.
        loops: whether it says something again and again, as its translation then may.
    """

    before: str = ""
    after: str = ""
    capitals: str = "some"
    ended: bool = True
    curly: bool = False
    held: tuple[str, ...] = ()
    loops: bool = True


def plain(text: str) -> str:
    """Write typographic characters as a keyboard does, and leave invisible ones out.

    Example:
        >>> plain("“Wait…” he said – and left.")
        '"Wait..." he said - and left.'
    """
    return unicodedata.normalize("NFC", text).translate(_PLAIN)


def sentences(text: str) -> list[tuple[str, str]]:
    """Cut a text into sentences, each with the space that follows it.

    Unicode's rules (UAX #29) find the ends, as a browser's ``Intl.Segmenter`` does.
    They know no abbreviations, so a part that ends in one goes on, as does one whose
    quotation is still open.

    Example:
        >>> sentences("Mr. Lee left at 7.30. Nobody saw him.")
        [('Mr. Lee left at 7.30.', ' '), ('Nobody saw him.', '')]
    """
    parts: list[str] = []
    for part in _by_unicode(_ODD_SPACES.sub(" ", text)):
        if parts and (_is_open(parts[-1]) or _goes_on(parts[-1], part)):
            parts[-1] += part
        else:
            parts.append(part)
    return [(part.strip(), _space_behind(part)) for part in parts]


def apart(sentence: str) -> tuple[str, str]:
    """Take what is said out of the words around it, where a placeholder stands for it.

    Both are sentences like any other then; few that a model was trained on have both.
    Where there is more than one quotation, a model may lose one: that stays whole.

    Example:
        >>> around, said = apart('"I am tired," he said.')
        >>> around.replace(PLACEHOLDER, "()"), said
        ('"()," he said.', 'I am tired')
        >>> apart('"Nobody spoke."')
        ('"Nobody spoke."', '')
    """
    quote = _QUOTE.search(sentence)
    around = _QUOTE.sub("", sentence, count=1)
    if not quote or re.search(f'["“”{PLACEHOLDER}]', around):
        return sentence, ""
    said = quote[2]
    if not (re.search(r"\w", around) and re.search(r"\w", said)):
        return sentence, ""
    text = _QUOTE.sub(rf"\1{PLACEHOLDER}\3\4", sentence)
    return re.sub(rf'(?<={PLACEHOLDER})(?=["”]$)', ".", text), said


def filled(text: str, held: Sequence[str]) -> str:
    """Put back what placeholders stand for, one after the other.

    Example:
        >>> filled(f"Pregunta a {PLACEHOLDER}.", ["王"])
        'Pregunta a 王.'
    """
    if not held:
        return text
    first, *parts = text.split(PLACEHOLDER)
    spans = chain(held, repeat(held[-1]))
    return first + "".join(
        span + part for span, part in zip(spans, parts, strict=False)
    )


def _by_unicode(text: str) -> Iterator[str]:
    """Cut by Unicode's rules, to which no sentence ends before a small letter."""
    shown = text
    if not any(map(str.isupper, text)):
        shown = re.sub(r"(?<=[.?!]\s)[a-z]", lambda small: small[0].upper(), text)
    start = 0
    for part in unicode_sentences(shown):
        yield from re.split(r"(?<=\.\.\.\s)|(?<=…\s)", text[start : start + len(part)])
        start += len(part)


def _is_open(part: str) -> bool:
    text = plain(part).strip()
    no_end = "\n" not in part and _GOES_ON.search(text)
    return bool(no_end) or text.count('"') % 2 == 1 or not re.search(r"\w", text)


def _goes_on(before: str, part: str) -> bool:
    """Tell what is no sentence of its own: marks, and "he said" behind a quote."""
    quoted = plain(before).rstrip().endswith(('"', "'"))
    return not re.search(r"\w", part) or (quoted and part.lstrip()[:1].islower())


def _space_behind(part: str) -> str:
    return part[len(part.rstrip()) :]


def prepare(
    sentence: str, alphabet: frozenset[str], tokens: Container[str] = ()
) -> tuple[str, Form]:
    """Make a sentence what a model was trained on, and say how it was typed.

    Args:
        sentence: one sentence.
        alphabet: the characters that the vocabulary can write; empty if it has words.
        tokens: its tokens. Few sentences begin with the name of a thing, so that a
            single word, such as "bread", may be one only without a capital.

    Returns:
        The sentence, and its form for :func:`in_kind`.

    Example:
        >>> letters = frozenset("abcdefghijklmnopqrstuvwxyzI. ")
        >>> prepare("i love it 😀", letters)
        ('I love it.', Form(before='', after=' 😀', capitals='none', ended=False, \
curly=False, held=(), loops=False))
    """
    curly = bool(re.search("[“”]", sentence))
    text, held = _hold(" ".join(plain(sentence).split()), alphabet)
    text, before, after, held = _carry(text, held)
    if re.fullmatch('"[^"]*"', text):
        text, before, after = text[1:-1], before + '"', '"' + after
    capitals = _capitals(text)
    if capitals == "all":
        text = text.lower()
    text = _MARKS.sub(lambda run: "?" if "?" in run[0] else "!", text)
    text = re.sub("(?<= )&(?= )", "and", text)
    if capitals != "some":
        text = _NAMES.sub(lambda name: _large(name[0]), text)
    first = _large(text)
    if capitals != "some" and not (
        len(text) > 2 and f"▁{text}" in tokens and f"▁{first}" not in tokens
    ):
        text = first
    ended = bool(_ENDS.search(text))
    text = text if ended else text.rstrip(" ,;:") + "."
    loops = without_loops(text) != text
    return text, Form(before, after, capitals, ended, curly, tuple(held), loops)


def without_loops(text: str) -> str:
    """Let a text say once what it says three times in a row or more.

    A model that has lost its way writes the same tokens until its limit stops it. The
    text shows that best: as tokens, 1000000 is a loop as well, and a loop is often cut
    another way each time around. So decoding stays as the paper has it, and what it
    wrote is cut here, behind any engine; digits never are, and a single character
    only from four times on.

    Example:
        >>> without_loops("Lo siento. Lo siento. Lo siento. Lo siento.")
        'Lo siento.'
        >>> without_loops("No, no, pero cuesta 1000000 en la calle.")
        'No, no, pero cuesta 1000000 en la calle.'
    """
    return _LOOP.sub(lambda loop: loop[1] or loop[2], f" {text}")[1:].rstrip()


def _hold(text: str, alphabet: frozenset[str]) -> tuple[str, list[str]]:
    """Put a placeholder for addresses, faces, and runs that cannot be written."""
    spans = [
        match.span()
        for rule in (_ADDRESS, _FACE, _DOTS)
        for match in rule.finditer(text)
    ]
    if alphabet:
        spans += _unwritable(text, alphabet)
    held, kept, end = [], [], 0
    for start, stop in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= end:
            space = text[start] == " "
            kept += [text[end : start + space], PLACEHOLDER]
            held.append(text[start + space : stop])
            end = stop
    return "".join([*kept, text[end:]]), held


def _unwritable(text: str, alphabet: frozenset[str]) -> Iterator[tuple[int, int]]:
    start = None
    for place, character in enumerate([*text, " "]):
        strange = character != " " and character not in alphabet
        if strange and start is None:
            start = place
        elif not strange and start is not None:
            yield start, place
            start = None


def _carry(text: str, held: list[str]) -> tuple[str, str, str, list[str]]:
    """Set aside what stands at the ends and holds no letter, such as an emoji."""
    before = after = ""
    while held and text.startswith(PLACEHOLDER) and not re.search(r"\w", held[0]):
        rest = text[1:].lstrip()
        before += held[0] + text[1 : len(text) - len(rest)]
        text, held = rest, held[1:]
    while held and text.endswith(PLACEHOLDER) and not re.search(r"\w", held[-1]):
        rest = text[:-1].rstrip()
        after = text[len(rest) : -1] + held[-1] + after
        text, held = rest, held[:-1]
    return text, before, after, held


def _large(word: str) -> str:
    return word[:1].upper() + word[1:]


def _capitals(text: str) -> str:
    cased = [letter for letter in text if letter.lower() != letter.upper()]
    if not any(letter.isupper() for letter in cased):
        return "none" if cased else "some"
    return "all" if len(cased) > 1 and all(map(str.isupper, cased)) else "some"


def in_kind(translation: str, form: Form) -> str:
    """Give a translation the form in which its source was typed.

    Example:
        >>> in_kind("Me encanta.", Form(after=" 😀", capitals="none", ended=False))
        'me encanta 😀'
    """
    text = translation if form.loops else without_loops(translation)
    text = text.replace(UNK, PLACEHOLDER) if form.held else text
    if not form.ended and not text.endswith(".."):
        text = text.removesuffix(".")
    if form.capitals != "some":
        text = text.upper() if form.capitals == "all" else text.lower()
    text = form.before + filled(text, form.held) + form.after
    return re.sub(r'"([^"]*)"', r"“\1”", text) if form.curly else text
