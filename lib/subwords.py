"""Sub-words: a vocabulary of pieces, so that no word is unknown."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import BPE
from tokenizers.trainers import BpeTrainer

from lib.vocabulary import EOS, PAD, SOS, UNK, Vocabulary, tokenize

__all__ = ["SubwordVocabulary"]

_SPECIALS = (PAD, SOS, EOS, UNK)
_SPACE = "▁"  # marks where a word begins, as the field writes it
# A word with the apostrophes inside it, or a run of marks; the space stands in front.
_WORD = rf"{_SPACE}?[^\W{_SPACE}]+(?:'\w+)*|{_SPACE}?[^\w\s{_SPACE}]+|{_SPACE}"


class SubwordVocabulary(Vocabulary):
    """A numbered list of pieces of words, learned by byte-pair encoding (§5.1).

    Frequent words are one piece, rare ones several; a word that was never seen is
    spelled out. One such vocabulary can serve both languages.

    Args:
        tokenizer: a trained byte-pair tokenizer with the four special tokens.

    Raises:
        ValueError: if a special token is missing.

    Example:
        >>> sentences = ["low lower lowest", "new newer newest"] * 9
        >>> vocabulary = SubwordVocabulary.build(sentences, size=30)
        >>> vocabulary.pieces("slow newest")
        ['▁', 's', 'lo', 'w', '▁newest']
        >>> vocabulary.decode(vocabulary.encode("slow newest"))
        'slow newest'

    Built in chapter 10.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        pieces = tokenizer.get_vocab()
        order = sorted(pieces, key=lambda piece: pieces[piece])
        if [pieces[piece] for piece in order] != list(range(len(order))):
            raise ValueError("The pieces of the tokenizer are not numbered from 0 on.")
        super().__init__(order, specials=())
        self.tokenizer = tokenizer

    @classmethod
    def build(  # a size in place of a least count
        cls, sentences: Iterable[str], size: int = 4000
    ) -> Self:
        """Learn the pieces from some sentences: those of the training part alone.

        Args:
            sentences: sentences of one language, or of both.
            size: number of tokens, the four special ones included.

        Raises:
            TypeError: if the sentences are one text.
            ValueError: if ``size`` leaves no room for a piece, or there are no words.
        """
        if isinstance(sentences, str):
            raise TypeError(f"Give a list of sentences, not one text: {sentences!r}.")
        if not isinstance(size, int) or size <= len(_SPECIALS):
            raise ValueError(
                f"size must be a whole number above {len(_SPECIALS)}, because the "
                f"special tokens come first, but it is {size!r}."
            )
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
        trainer = BpeTrainer(
            vocab_size=size, special_tokens=list(_SPECIALS), show_progress=False
        )
        tokenizer.train_from_iterator(sentences, trainer)
        if tokenizer.get_vocab_size() <= len(_SPECIALS):
            raise ValueError("There are no words to learn pieces from.")
        return cls(tokenizer)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what :meth:`to_json` wrote.

        Raises:
            ValueError: if it is no tokenizer of this kind.
        """
        try:
            kind = json.loads(text)["model"]["type"]
            if kind != "BPE":
                raise ValueError(f"its model is {kind!r}, not 'BPE'")
            return cls(Tokenizer.from_str(text))
        except Exception as error:  # what the library raises has no class of its own
            raise ValueError(f"This is no sub-word vocabulary: {error}.") from error

    def to_json(self) -> str:
        """Return all of it as text, in the format of the ``tokenizers`` library."""
        return self.tokenizer.to_str(pretty=False)

    @classmethod
    def load(cls, file: Path) -> Self:
        """Read a file that holds what :meth:`to_json` wrote."""
        return cls.from_json(file.read_text("utf-8"))

    def pieces(self, sentence: str) -> list[str]:
        """Cut a sentence into pieces; ▁ marks the beginning of a word."""
        return list(self.tokenizer.encode(sentence, add_special_tokens=False).tokens)

    def encode(self, sentence: str) -> list[int]:
        """Return the id of each piece; a character that was never seen is ``<unk>``."""
        return list(self.tokenizer.encode(sentence, add_special_tokens=False).ids)

    def decode(self, ids: Iterable[int]) -> str:
        """Return the sentence up to ``<eos>``, leaving ``<sos>`` and ``<pad>`` out."""
        pieces = []
        for number in map(int, ids):
            if not 0 <= number < len(self.tokens):
                raise ValueError(
                    f"The id {number} is not in this vocabulary of {len(self)} tokens."
                )
            if number == self.eos_id:
                break
            if number not in (self.sos_id, self.pad_id):
                pieces.append(self.tokens[number])
        return "".join(pieces).replace(_SPACE, " ").strip()

    def unknown(self, sentence: str) -> list[str]:
        """Return the words with a character that was never seen, each once."""
        words = dict.fromkeys(tokenize(sentence))
        return [word for word in words if self.unk_id in self.encode(word)]
