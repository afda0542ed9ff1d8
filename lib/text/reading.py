"""The way of a text to a model and back: as people type it, whatever engine writes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import NamedTuple, TypeVar

from uniseg.sentencebreak import sentences as unicode_sentences

from lib.text.subwords import SubwordVocabulary
from lib.text.words import UNK, Vocabulary

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
    spans = chain(held, repeat(held[-1]))
    return re.sub(PLACEHOLDER, lambda _: next(spans), text)


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
    rules = [_ADDRESS, _FACE, _DOTS]
    if alphabet:
        # A placeholder is never lost, though the vocabulary may have the sign.
        writable = re.escape("".join(sorted(alphabet)))
        rules.append(re.compile(f"(?:{PLACEHOLDER}|[^{writable} ])+"))
    spans = [match.span() for rule in rules for match in rule.finditer(text)]
    held, kept, end = [], [], 0
    for start, stop in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= end:
            space = text[start] == " "
            kept += [text[end : start + space], PLACEHOLDER]
            held.append(text[start + space : stop])
            end = stop
    return "".join([*kept, text[end:]]), held


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


Text = TypeVar("Text")  # one or more sentences, read or not
Written = TypeVar("Written")  # what is written for a sentence


class Source(NamedTuple):
    """A sentence as a model wants to read it.

    Args:
        text: the sentence, prepared.
        ids: its token ids, ``<eos>`` included.
        form: how it was typed, for its translation to be given back in kind.
        space: what stands between it and the next sentence of the same text.
        said: whether it is what is said in the sentence before it.
    """

    text: str
    ids: list[int]
    form: Form = Form()
    space: str = ""
    said: bool = False


def read_source(
    sentence: str | Source,
    vocabulary: Vocabulary,
    max_len: int,
    punctuate: bool = False,
    prose: bool = False,
) -> Source:
    """Prepare a sentence, and look up its token ids, unless that is done already.

    Args:
        sentence: what the user wrote, or what this function has made of it.
        vocabulary: of the source language.
        max_len: how many tokens the model can read.
        punctuate: True to give it its capital and its period, if it lacks them or ends
            in "!".
        prose: True to make of it what :func:`prepare` makes.

    Example:
        >>> words = Vocabulary.build(["Lets go ."])
        >>> read_source(" lets  go!", words, max_len=9, punctuate=True)
        Source(text='Lets go.', ids=[5, 6, 4, 2], form=Form(before='', after='', \
capitals='some', ended=True, curly=False, held=(), loops=True), space='', \
said=False)
    """
    if isinstance(sentence, Source):
        return sentence
    if not isinstance(sentence, str):
        raise TypeError(f"A sentence must be text, but it is {sentence!r}.")
    sentence = " ".join(sentence.split())
    if not re.search(r"\w", sentence):
        where = sentence and f" in {sentence!r}"
        raise ValueError(f"There is nothing to translate{where}; write a sentence.")
    form = Form()
    if prose:
        sentence, form = prepare(sentence, vocabulary.alphabet, vocabulary.ids)
    elif punctuate:
        sentence = sentence[0].upper() + sentence[1:].rstrip(" !")
        if sentence[-1] not in ".?":
            sentence += "."
    ids = [*vocabulary.encode(sentence), vocabulary.eos_id]
    if len(ids) > max_len:
        subwords = isinstance(vocabulary, SubwordVocabulary)
        unit = "sub-words" if subwords else "words and marks"
        raise ValueError(
            f"A sentence of {len(ids) - 1} {unit} is too long; this translator reads "
            f"at most {max_len - 1}: {sentence[:40]!r}…"
        )
    return Source(sentence, ids, form)


def read_text(
    text: str | Source,
    vocabulary: Vocabulary,
    max_len: int,
    punctuate: bool = False,
    prose: bool = False,
) -> list[Source]:
    """Prepare a text, which has several sentences if it is prose, else one.

    The arguments are those of :func:`read_source`.
    """
    settings = (vocabulary, max_len, punctuate, prose)
    if not prose or not isinstance(text, str) or not re.search(r"\w", text):
        return [read_source(text, *settings)]
    return [
        read_source(sentence, *settings)._replace(space=space, said=said)
        for sentence, space, said in _parts(text)
    ]


def _parts(text: str) -> Iterator[tuple[str, str, bool]]:
    """Give the sentences of a text, and behind each what is said in it."""
    for sentence, space in sentences(text):
        around, said = apart(sentence)
        yield around, space, False
        yield from ((*part, True) for part in sentences(said))


def unknown_words(source: Source, vocabulary: Vocabulary) -> list[str]:
    """Return the words of a sentence that a vocabulary lacks, each once."""
    # As nearly always, there is nothing to look up; what is held is put back as it is.
    if vocabulary.unk_id not in source.ids or source.form.held:
        return []
    return vocabulary.unknown(source.text)


def check_beam(beam_size: int, length_penalty: float, vocab_size: int) -> None:
    """Refuse a beam that is wider than the target vocabulary, or a penalty below 0."""
    if not 1 <= beam_size <= vocab_size:
        raise ValueError(
            f"beam_size must lie between 1 and the vocabulary's {vocab_size} tokens, "
            f"but it is {beam_size}."
        )
    if length_penalty < 0:
        raise ValueError(
            f"length_penalty must not be below 0, but is {length_penalty}."
        )


def in_batches(
    texts: Iterable[Text],
    batch_size: int,
    read: Callable[[Text], list[Source]],
    write: Callable[[list[list[int]]], list[Written]],
) -> list[list[tuple[Source, Written]]]:
    """Write something for each sentence, many at once, and keep their order.

    Args:
        texts: what to translate.
        batch_size: how many at once.
        read: prepares a text, and gives its sentences.
        write: gets the token ids of a batch, not padded, and writes one thing for each.

    Returns:
        For each text, its sentences with what was written for them.

    Raises:
        TypeError: if one string is given instead of a list, or no number.
        ValueError: if ``batch_size`` is below 1.

    Example:
        >>> def read(text):
        ...     return [Source(text, [int(digit) for digit in text])]
        >>> found = in_batches(["123", "4"], 2, read, lambda ids: list(map(sum, ids)))
        >>> [[number for _, number in written] for written in found]
        [[6], [4]]
    """
    if isinstance(texts, str):
        raise TypeError(f"translate takes a list of sentences; write [{texts!r}].")
    if not isinstance(batch_size, int):
        raise TypeError(f"batch_size must be a whole number, but it is {batch_size!r}.")
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1, but it is {batch_size}.")
    parts = [read(text) for text in texts]
    ids = [source.ids for sources in parts for source in sources]
    # Sentences of similar length share a batch, so that little of it is padding.
    order = sorted(range(len(ids)), key=lambda index: len(ids[index]))
    written: dict[int, Written] = {}
    for start in range(0, len(order), batch_size):
        batch = order[start : start + batch_size]
        results = write([ids[index] for index in batch])
        written.update(zip(batch, results, strict=True))
    found = iter(written[index] for index in range(len(ids)))
    return [[(source, next(found)) for source in sources] for sources in parts]


def in_loop(translation: str, source: Source) -> bool:
    """Tell whether a translation goes round in a circle that its source does not."""
    return not source.form.loops and without_loops(translation) != translation


def joined(sentences: Iterable[tuple[Source, str]]) -> str:
    """Join the translations of a text's sentences, each in the form of its source."""
    parts: list[str] = []
    said: list[str] = []  # in each of them
    for source, text in sentences:
        written = in_kind(text, source.form) + source.space
        if source.said and parts:
            said[-1] += written
        else:
            parts.append(written)
            said.append("")
    held = ([quote] if quote else [] for quote in said)
    return "".join(map(filled, parts, held))


def printable(text: str) -> str:
    r"""Return a text that does nothing to a terminal: its control characters spelled.

    Whoever made a model chose its tokens, and whoever wrote a file its sentences.

    Example:
        >>> printable("hola\x1b[31m")
        'hola\\x1b[31m'
    """
    unseen = r"[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]"  # half a character too
    return re.sub(unseen, lambda found: ascii(found[0])[1:-1], text)
