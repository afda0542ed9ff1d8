"""The way of a sentence to a model and back, whatever runs the model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

from lib.text import raw
from lib.text.subwords import SubwordVocabulary
from lib.text.words import Vocabulary

Pair = tuple[str, str]  # a sentence and its translation
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
    form: raw.Form = raw.Form()
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
        prose: True to make of it what :func:`lib.text.raw.prepare` makes.

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
        raise ValueError(
            f"There is nothing to translate in {sentence!r}; write a sentence."
        )
    form = raw.Form()
    if prose:
        sentence, form = raw.prepare(sentence, vocabulary.alphabet, vocabulary.ids)
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
    for sentence, space in raw.sentences(text):
        around, said = raw.apart(sentence)
        yield around, space, False
        yield from ((*part, True) for part in raw.sentences(said))


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
    return not source.form.loops and raw.without_loops(translation) != translation


def joined(sentences: Iterable[tuple[Source, str]]) -> str:
    """Join the translations of a text's sentences, each in the form of its source."""
    parts: list[str] = []
    said: list[str] = []  # in each of them
    for source, text in sentences:
        written = raw.in_kind(text, source.form) + source.space
        if source.said and parts:
            said[-1] += written
        else:
            parts.append(written)
            said.append("")
    held = ([quote] if quote else [] for quote in said)
    return "".join(map(raw.filled, parts, held))


def printable(text: str) -> str:
    r"""Return a text that does nothing to a terminal: its control characters spelled.

    Whoever made a model chose its tokens, and whoever wrote a file its sentences.

    Example:
        >>> printable("hola\x1b[31m")
        'hola\\x1b[31m'
    """
    unseen = r"[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]"  # half a character too
    return re.sub(unseen, lambda found: ascii(found[0])[1:-1], text)
