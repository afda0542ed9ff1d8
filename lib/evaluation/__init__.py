"""Evaluation: how good translations are, how sure that is, and what went wrong."""

from lib.evaluation.bootstrap import (
    Interval,
    bleu_interval,
    bleu_of_counts,
    paired_bootstrap,
    sentence_counts,
)
from lib.evaluation.metrics import Score, bleu, chrf, exact_match, sentence_bleu
from lib.evaluation.mistakes import KINDS, group_by, kinds_of_mistakes
from lib.evaluation.neighbors import (
    FAR,
    far_pairs,
    nearest_distances,
    with_far_parts,
    word_edits,
)
from lib.evaluation.scores import compare_with_all, score, unseen_parts

__all__ = [
    "FAR",
    "KINDS",
    "Interval",
    "Score",
    "bleu",
    "bleu_interval",
    "bleu_of_counts",
    "chrf",
    "compare_with_all",
    "exact_match",
    "far_pairs",
    "group_by",
    "kinds_of_mistakes",
    "nearest_distances",
    "paired_bootstrap",
    "score",
    "sentence_bleu",
    "sentence_counts",
    "unseen_parts",
    "with_far_parts",
    "word_edits",
]
