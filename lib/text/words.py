"""Words to numbers and back."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Self

PAD, SOS, EOS, UNK = "<pad>", "<sos>", "<eos>", "<unk>"
Pair = tuple[str, str]  # a sentence and its translation


def tokenize(sentence: str) -> list[str]:
    """Cut a sentence into words and punctuation marks; capitals are kept.

    Args:
        sentence: any text.

    Returns:
        The tokens, in order.

    Example:
        >>> tokenize("¿Le gusta el coche?")
        ['¿', 'Le', 'gusta', 'el', 'coche', '?']
        >>> tokenize("I don't know.")
        ['I', "don't", 'know', '.']

    Built in chapter 1.
    """
    # One form for each letter: an accent may also come as a character of its own.
    sentence = unicodedata.normalize("NFC", sentence).replace("’", "'")
    # Many languages write marks on letters, as Hindi its vowels; \w knows none.
    marks = {sign for sign in sentence if unicodedata.category(sign)[0] == "M"}
    word = rf"\w[\w{''.join(sorted(marks))}]*"
    # Letters and digits, with apostrophes inside; or else any one mark.
    return re.findall(rf"{word}(?:'{word})*|[^\w\s]", sentence)


def detokenize(tokens: Iterable[str]) -> str:
    """Join tokens to a sentence: no space before . , ? ! and none after ¿ ¡.

    Args:
        tokens: words and punctuation marks.

    Returns:
        The sentence.

    Example:
        >>> detokenize(["¿", "Le", "gusta", "el", "coche", "?"])
        '¿Le gusta el coche?'

    Built in chapter 1.
    """
    sentence = " ".join(tokens)
    sentence = re.sub(r" ([.,;:?!)])", r"\1", sentence)
    return re.sub(r"([¿¡(]) ", r"\1", sentence)


class Vocabulary:
    """A numbered list of tokens, which begins with the four special ones.

    Args:
        tokens: the words, each once, without the special tokens.
        specials: the special tokens in the order of their ids.

    Raises:
        TypeError: if the tokens are one text instead of a list of words.
        ValueError: if a token stands twice, or a special token is missing.

    Example:
        >>> vocabulary = Vocabulary.build(["to go", "lets go"])
        >>> vocabulary.tokens
        ('<pad>', '<sos>', '<eos>', '<unk>', 'go', 'lets', 'to')
        >>> vocabulary.encode("lets fly")
        [5, 3]
        >>> vocabulary.unknown("lets fly")
        ['fly']
        >>> vocabulary.decode([1, 5, 4, 2, 0, 0])
        'lets go'
    """

    def __init__(
        self, tokens: Iterable[str], specials: Sequence[str] = (PAD, SOS, EOS, UNK)
    ) -> None:
        if isinstance(tokens, str):
            raise TypeError(
                f"tokens must be a list of words, not one text: {tokens!r}."
            )
        self.tokens = (*specials, *tokens)
        self.ids = {token: number for number, token in enumerate(self.tokens)}
        if len(self.ids) < len(self.tokens):
            twice = [token for token, n in Counter(self.tokens).items() if n > 1]
            raise ValueError(
                f"The token {twice[0]!r} stands more than once in the list."
            )
        for special in (PAD, SOS, EOS, UNK):
            if special not in self.ids:
                raise ValueError(f"The special token {special!r} is missing.")
        self.pad_id, self.sos_id = self.ids[PAD], self.ids[SOS]
        self.eos_id, self.unk_id = self.ids[EOS], self.ids[UNK]

    @classmethod
    def build(cls, sentences: Iterable[str], min_count: int = 1) -> Self:
        """Collect the words of some sentences, the frequent ones first."""
        if isinstance(sentences, str):
            raise TypeError(f"Give a list of sentences, not one text: {sentences!r}.")
        counts = Counter(word for text in sentences for word in tokenize(text))
        order = sorted(counts, key=lambda word: (-counts[word], word))
        return cls(word for word in order if counts[word] >= min_count)

    def __len__(self) -> int:
        return len(self.tokens)

    def __contains__(self, token: str) -> bool:
        return token in self.ids

    def encode(self, sentence: str) -> list[int]:
        """Return the id of each token; unknown ones become ``<unk>``."""
        return [self.ids.get(token, self.unk_id) for token in tokenize(sentence)]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the sentence up to ``<eos>``, leaving ``<sos>`` and ``<pad>`` out."""
        tokens = []
        for number in map(int, ids):
            if not 0 <= number < len(self.tokens):
                raise ValueError(
                    f"The id {number} is not in this vocabulary of {len(self)} tokens."
                )
            if number == self.eos_id:
                break
            if number not in (self.sos_id, self.pad_id):
                tokens.append(self.tokens[number])
        return self._join(tokens)

    @property
    def alphabet(self) -> frozenset[str]:
        """The characters that it can write alone: none, for it has words."""
        return frozenset()

    def restore(self, sentence: str) -> str:
        """Return a sentence as it comes back when it is cut and joined again."""
        return self._join(self._words(sentence))

    def _words(self, sentence: str) -> list[str]:
        return tokenize(sentence)

    def _join(self, tokens: list[str]) -> str:
        return detokenize(tokens)

    def unknown(self, sentence: str) -> list[str]:
        """Return the tokens of a sentence that the vocabulary lacks, each once."""
        return list(dict.fromkeys(t for t in tokenize(sentence) if t not in self.ids))
