"""Sub-words: a vocabulary of parts of words, so that no word is unknown."""

from __future__ import annotations

import functools
import json
import random
import re
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, Self

from tokenizers import Encoding, Regex, Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import BPE
from tokenizers.trainers import BpeTrainer

from lib.text.words import EOS, PAD, SOS, UNK, Vocabulary, tokenize

_SPECIALS = (PAD, SOS, EOS, UNK)
_LARGEST = 1_000_000  # the library asks for the memory before it learns
_SPACE = "▁"  # marks where a word begins, as the field writes it
# One digit; or a word with the apostrophes inside it, or a run of marks, and the space
# in front. A number is copied digit by digit, so a digit is the same one everywhere.
_WORD = (
    rf"\d|{_SPACE}?[^\W\d{_SPACE}]+(?:'[^\W\d{_SPACE}]+)*"
    rf"|{_SPACE}?[^\w\s{_SPACE}]+|{_SPACE}"
)
ALPHABET = "".join(
    [
        *map(chr, range(0x21, 0x7F)),  # what a keyboard writes
        "¡¿«»£¥€§°ªº²³½¼×÷·",
        *map(chr, range(0xC0, 0x180)),  # the Latin letters of Europe
        "ȘșȚțẞƠơƯư",
    ]
)
"""Characters that names and prices need, though a corpus may lack them."""


class SubwordVocabulary(Vocabulary):
    """A numbered list of sub-words, learned by byte-pair encoding (§5.1).

    Frequent words are one sub-word, rare ones several; a word that was never seen is
    spelled out. One such vocabulary can serve both languages. A special token typed
    in a sentence is plain text: ``"<eos>"`` ends nothing.

    Args:
        tokenizer: a trained byte-pair tokenizer that cuts as :meth:`build` makes it
            cut, with the four special tokens first. It belongs to the vocabulary now.

    Raises:
        ValueError: if a special token is missing, or it cuts in another way.

    Example:
        >>> sentences = ["low lower lowest", "new newer newest"] * 9
        >>> vocabulary = SubwordVocabulary.build(sentences, size=30)
        >>> vocabulary.subwords("slow newest")
        ['▁', 's', 'lo', 'w', '▁newest']
        >>> vocabulary.decode(vocabulary.encode("slow newest"))
        'slow newest'
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        ids = tokenizer.get_vocab()
        order = sorted(ids, key=lambda subword: ids[subword])
        if [ids[subword] for subword in order] != list(range(len(order))):
            raise ValueError("The sub-words of the tokenizer are not numbered from 0.")
        super().__init__(order, specials=())
        _refuse_other_settings(tokenizer)
        tokenizer.encode_special_tokens = True  # typed in a sentence, they are text
        self.tokenizer = tokenizer

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_json, (self.to_json(),)  # a copy is made the same way

    @classmethod
    def build(  # a size in place of a least count
        cls,
        sentences: Iterable[str],
        size: int = 4000,
        alphabet: str = "",
        specials: Sequence[str] = (),
    ) -> Self:
        """Learn the sub-words from some sentences: those of the training part alone.

        Args:
            sentences: sentences of one language, or of both.
            size: number of tokens, the four special ones included. It becomes fewer
                where there is no more to learn, and more where the characters of the
                sentences alone are more: each of them stays a token.
            alphabet: characters that become tokens though no sentence has them, such
                as :data:`ALPHABET`.
            specials: special tokens behind the four, such as ``<sep>``.

        Raises:
            TypeError: if the sentences are one text, or one of them is no text.
            ValueError: if ``size`` leaves no room for a token or is above a million,
                or there are no words.
        """
        if isinstance(sentences, str):
            raise TypeError(f"Give a list of sentences, not one text: {sentences!r}.")
        if not isinstance(size, int) or not len(_SPECIALS) < size <= _LARGEST:
            raise ValueError(
                f"size must be a whole number above {len(_SPECIALS)}, because the "
                f"special tokens come first, and at most {_LARGEST:,}, but it is "
                f"{size!r}."
            )
        tokenizer = _untrained()
        trainer = BpeTrainer(
            vocab_size=size,
            special_tokens=[*_SPECIALS, *specials],
            initial_alphabet=sorted(set(alphabet)),
            show_progress=False,
        )
        tokenizer.train_from_iterator(map(_text, sentences), trainer)
        if tokenizer.get_vocab_size() <= len(_SPECIALS):
            raise ValueError("There are no words to learn sub-words from.")
        return cls(tokenizer)

    @classmethod
    def from_json(cls, text: str | bytes, name: str = "This") -> Self:
        """Read what :meth:`to_json` wrote.

        Args:
            text: what it wrote, or that in UTF-8.
            name: what a message calls the text, such as its file.

        Raises:
            ValueError: if it is no tokenizer of this kind.
        """
        try:
            data = text.encode("utf-8") if isinstance(text, str) else text
            return cls(Tokenizer.from_buffer(data))
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # the library's panic is no Exception
            reason = " ".join(str(error).split()).rstrip(".")
            raise ValueError(f"{name} is no sub-word vocabulary: {reason}.") from error

    def to_json(self) -> str:
        """Return all of it as text, in the format of the ``tokenizers`` library."""
        return self.tokenizer.to_str(pretty=False)

    @classmethod
    def load(cls, file: Path | str) -> Self:
        """Read a file that holds what :meth:`to_json` wrote.

        Raises:
            OSError: if it cannot be read, as when there is no such file.
            ValueError: if it is no tokenizer of this kind; the message names the file.
        """
        return cls.from_json(Path(file).read_bytes(), str(file))

    def subwords(self, sentence: str) -> list[str]:
        """Cut a sentence into sub-words; ▁ marks the beginning of a word."""
        return list(self._cut(sentence).tokens)

    def encode(self, sentence: str) -> list[int]:
        """Return the id of each sub-word; a character never seen is ``<unk>``."""
        return list(self._cut(sentence).ids)

    def encode_with_dropout(
        self, sentence: str, dropout: float, numbers: random.Random
    ) -> list[int]:
        """Cut a sentence as :meth:`encode` does, but leave merges out at random.

        A model that sees a word cut in several ways learns what its parts mean
        (sub-word dropout, Provilkov et al. 2020).

        Args:
            sentence: the sentence.
            dropout: the probability with which each merge is left out, each time it
                is tried.
            numbers: where the random numbers come from.

        Raises:
            ValueError: if ``dropout`` is not at least 0 and below 1.
        """
        if not 0 <= dropout < 1:
            raise ValueError(
                f"dropout must be at least 0 and below 1, but it is {dropout}."
            )
        ids: list[int] = []
        for word in self._words(sentence):
            cut = [
                self.ids.get(subword, self.unk_id)
                for subword in self._merge(word, dropout, numbers)
            ]
            for number, same in groupby(cut):
                # Unknown characters side by side in one word are one <unk>.
                ids += [number] if number == self.unk_id else same
        return ids

    def _words(self, sentence: str) -> list[str]:
        """Return the words and marks inside which sub-words are merged."""
        normal = self.tokenizer.normalizer.normalize_str(_text(sentence))
        return [
            word for word, _ in self.tokenizer.pre_tokenizer.pre_tokenize_str(normal)
        ]

    def _merge(self, word: str, dropout: float, numbers: random.Random) -> list[str]:
        cut = list(word)
        while True:
            found = [
                (rank, place)
                for place, pair in enumerate(pairwise(cut))
                if (rank := self._ranks.get(pair)) is not None
                and (not dropout or numbers.random() >= dropout)
            ]
            if not found:
                return cut
            _, place = min(found)  # the merge that was learned first
            cut[place : place + 2] = [cut[place] + cut[place + 1]]

    @functools.cached_property
    def alphabet(self) -> frozenset[str]:
        """The characters that it can write."""
        return frozenset(token for token in self.tokens if len(token) == 1)

    @functools.cached_property
    def _ranks(self) -> dict[tuple[str, str], int]:
        """Return the merges, each with its place in the order of learning."""
        merges = json.loads(self.to_json())["model"]["merges"]
        return {(left, right): rank for rank, (left, right) in enumerate(merges)}

    def _cut(self, sentence: str) -> Encoding:
        return self.tokenizer.encode(_text(sentence), add_special_tokens=False)

    def _join(self, tokens: list[str]) -> str:
        return "".join(tokens).replace(_SPACE, " ").strip()

    def unknown(self, sentence: str) -> list[str]:
        """Return the words with a character that was never seen, each once."""
        words = dict.fromkeys(tokenize(sentence))
        return [word for word in words if self.unk_id in self.encode(word)]


def _untrained() -> Tokenizer:
    """Return a tokenizer that knows how to cut and has learned no sub-words."""
    tokenizer = Tokenizer(BPE(unk_token=UNK, fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.NFC(),
            normalizers.Replace("’", "'"),
            normalizers.Replace(_SPACE, " "),
            normalizers.Replace(Regex(r"\s+"), " "),
            normalizers.Strip(),
            normalizers.Prepend(_SPACE),
            normalizers.Replace(" ", _SPACE),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(_WORD), "isolated")
    return tokenizer


def _settings(tokenizer: Tokenizer) -> dict[str, Any]:
    """Return all that makes a tokenizer, except for what it has learned."""
    settings: dict[str, Any] = json.loads(tokenizer.to_str())
    learned = ("vocab", "merges")
    model = {k: v for k, v in settings["model"].items() if k not in learned}
    return {**settings, "model": model}


def _refuse_other_settings(tokenizer: Tokenizer) -> None:
    """Raise a ValueError if it cuts otherwise, pads, or leaves merges out at random."""
    empty, added = _untrained(), tokenizer.get_added_tokens_decoder()
    empty.add_special_tokens([added[number].content for number in sorted(added)])
    found, ours = _settings(tokenizer), _settings(empty)
    for name in ours:
        if found.get(name) != ours[name]:
            raise ValueError(
                f"The setting {name!r} of the tokenizer is not the one that "
                "SubwordVocabulary.build gives it."
            )


def _text(sentence: str) -> str:
    """Return the sentence, with � for half a character, which the library refuses."""
    if not isinstance(sentence, str):
        raise TypeError(f"A sentence must be text, but it is {sentence!r}.")
    return re.sub(r"[\ud800-\udfff]", "�", sentence)
