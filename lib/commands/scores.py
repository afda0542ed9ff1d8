"""The scores of a translator on the parts of a corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lib.evaluation import exact_match
from lib.translator import Translator

__all__ = ["score", "unseen_parts"]


def unseen_parts(splits: Mapping[str, Any]) -> list[str]:
    """Return the names of the parts that no training sees.

    Args:
        splits: the parts of a corpus by their names.

    Example:
        >>> unseen_parts({"train": [], "validation": [], "unseen_sentences": []})
        ['unseen_sentences']
        >>> unseen_parts({"train": [], "validation": [], "test": []})
        ['test']

    Built in chapter 9.
    """
    return [name for name in splits if name.startswith(("unseen", "test"))]


def score(
    translator: Translator, pairs: Sequence[tuple[str, str]]
) -> tuple[dict[str, Any], list[tuple[str, str, str]]]:
    """Translate the sources of some pairs, and compare with their targets.

    Args:
        translator: whom to score.
        pairs: sentences and their right translations.

    Returns:
        The number of sentences and the share translated exactly; and each mistake as
        source, right answer and what was written.

    Raises:
        ValueError: if there are no pairs.

    Example:
        >>> from lib.corpora import load
        >>> from lib.translator import Translator
        >>> pairs = load("grammar", size=2000).splits["unseen_sentences"][:2]
        >>> score(Translator.load("grammar-en-es"), pairs)[0]["sentences"]
        2

    Built in chapter 9.
    """
    references = [target for _, target in pairs]
    written = translator.translate(source for source, _ in pairs)
    rate = exact_match(written, references)
    errors = [
        (source, right, wrong)
        for (source, right), wrong in zip(pairs, written, strict=True)
        if right != wrong
    ]
    return {"sentences": len(pairs), "exact_match": round(rate, 4)}, errors
