"""Evaluation: how good the translations are."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["exact_match"]


def exact_match(predictions: Sequence[str], references: Sequence[str]) -> float:
    """Return the share of translations that equal their reference to the letter.

    Args:
        predictions: what the model wrote, one string a sentence.
        references: the right answers, in the same order.

    Returns:
        A number from 0 to 1.

    Raises:
        TypeError: if either is no list of sentences, but one string, for example.
        ValueError: if the two differ in length, or are empty.

    Example:
        >>> exact_match(["vamos", "ir"], ["vamos", "voy"])
        0.5

    Built in chapter 9.
    """
    for name, value in (("predictions", predictions), ("references", references)):
        if isinstance(value, str) or not isinstance(value, Sequence):
            kind = "one string: " if isinstance(value, str) else ""
            raise TypeError(
                f"{name} must be a list of sentences, but it is {kind}{value!r}."
            )
    if len(predictions) != len(references):
        raise ValueError(
            "There must be one reference for each prediction, but there are "
            f"{len(predictions)} predictions and {len(references)} references."
        )
    if not predictions:
        raise ValueError("There is nothing to score: the list of predictions is empty.")
    right = sum(p == r for p, r in zip(predictions, references, strict=True))
    return right / len(predictions)
