"""How sure a BLEU score is, and the difference between two: drawing sentences again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU

from lib.evaluation.scores import BLEU_TOKENIZER, aligned_references, bleu_metric

Counts = NDArray[np.int64]


class Interval(NamedTuple):
    """A number, and between which bounds 95 of 100 draws lie.

    Args:
        value: from all sentences.
        low: 2.5% of the draws lie below it.
        high: 2.5% of the draws lie above it.
    """

    value: float
    low: float
    high: float


def share_interval(count: int, among: int) -> Interval:
    """Return a share with the interval of Wilson (1927), which needs no drawing.

    Args:
        count: how many have it.
        among: of how many.

    Raises:
        ValueError: if there are none to count among.

    Example:
        >>> [round(number, 2) for number in share_interval(9, 10)]
        [0.9, 0.6, 0.98]
    """
    if among < 1:
        raise ValueError(f"A share is one of at least 1, but there are {among}.")
    share, z = count / among, 1.96  # 95 of 100 draws of a normal distribution
    center = share + z**2 / (2 * among)
    margin = z * math.sqrt(share * (1 - share) / among + (z / (2 * among)) ** 2)
    whole = 1 + z**2 / among
    return Interval(share, (center - margin) / whole, (center + margin) / whole)


def sentence_counts(
    predictions: Sequence[str],
    references: Sequence[str | Sequence[str]],
    tokenizer: str = BLEU_TOKENIZER,
) -> Counts:
    """Return what BLEU counts in each sentence: from the sums of these it follows.

    Args:
        predictions: what the model wrote, one string a sentence.
        references: for each of them the right answer, or a list of right answers.
        tokenizer: how sacreBLEU cuts sentences into words.

    Returns:
        One row a sentence: how many runs of one, two, three and four words are right;
        how many runs of each length were written; and the lengths of the translation
        and of the reference that is nearest in length.

    Raises:
        TypeError: if either is no list of sentences.
        ValueError: if the two differ in length, or are empty.

    Shape: ``(sentences, 10)``.

    Example:
        >>> sentence_counts(["The cat sat."], ["A cat sat."]).tolist()
        [[3, 2, 1, 0, 4, 3, 2, 1, 4, 4]]
    """
    answers = aligned_references(predictions, references)
    metric = bleu_metric(tokenizer)
    rows = []
    for text, right in zip(predictions, answers, strict=True):
        found = metric.corpus_score([text], [[answer] for answer in right])
        rows.append([*found.counts, *found.totals, found.sys_len, found.ref_len])
    return np.array(rows, dtype=np.int64)


def bleu_of_counts(counts: Counts) -> float:
    """Compute BLEU from the counts of some sentences.

    Args:
        counts: rows of :func:`sentence_counts`.

    Shape: ``(sentences, 10)``.

    Example:
        >>> round(bleu_of_counts(sentence_counts(["Yes, I do!"], ["Yes, I do."])), 1)
        66.9

    Built in chapter 16.
    """
    sums = counts.sum(axis=0).tolist()
    right, written, (length, wanted) = sums[:4], sums[4:8], sums[8:]
    found = BLEU.compute_bleu(right, written, length, wanted, smooth_method="exp")
    return float(found.score)


def bleu_interval(counts: Counts, samples: int = 1000, seed: int = 0) -> Interval:
    """Return the BLEU of some sentences with the interval that drawing them gives.

    Args:
        counts: rows of :func:`sentence_counts`.
        samples: how often to draw as many sentences as there are, with replacement.
        seed: of the random numbers.

    Shape: ``(sentences, 10)``.

    Example:
        >>> right = ["I go now.", "I sing it."]
        >>> counts = sentence_counts(["I go now.", "We sing."], right)
        >>> value, low, high = bleu_interval(counts)
        >>> low < value < high
        True
    """
    nothing_right = np.zeros_like(counts)  # its BLEU is 0 in every draw
    return paired_bootstrap(counts, nothing_right, samples, seed)


def paired_bootstrap(
    counts: Counts, baseline: Counts, samples: int = 1000, seed: int = 0
) -> Interval:
    """Return by how much BLEU one system is better, with the interval of that.

    Both are scored on the same sentences in each draw (Koehn, 2004), so a draw of easy
    sentences favors neither.

    Args:
        counts: rows of :func:`sentence_counts` for one system.
        baseline: those of the other, for the same sentences in the same order.
        samples: how often to draw as many sentences as there are, with replacement.
        seed: of the random numbers.

    Raises:
        ValueError: if the two have not the same number of sentences, or none.

    Shape: both ``(sentences, 10)``.

    Example:
        >>> right = ["I go to the station now.", "We sing it."]
        >>> good, bad = right, ["I go to the station.", "We sing."]
        >>> found = paired_bootstrap(*(sentence_counts(x, right) for x in (good, bad)))
        >>> found.value > 0
        True

    Built in chapter 16.
    """
    if len(counts) != len(baseline) or not len(counts):
        raise ValueError(
            "Two systems are compared on the same sentences, but one has "
            f"{len(counts)} and the other {len(baseline)}."
        )
    random = np.random.default_rng(seed)
    found = []
    for _ in range(samples):
        drawn = random.integers(len(counts), size=len(counts))  # the same for both
        found.append(bleu_of_counts(counts[drawn]) - bleu_of_counts(baseline[drawn]))
    low, high = np.quantile(found, [0.025, 0.975]).tolist()
    return Interval(bleu_of_counts(counts) - bleu_of_counts(baseline), low, high)
