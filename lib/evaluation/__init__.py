"""Evaluation: how good translations are, and what is wrong with the others."""

from lib.evaluation.metrics import Score, bleu, chrf, exact_match
from lib.evaluation.mistakes import KINDS, group_by, kinds_of_mistakes
from lib.evaluation.scores import compare_with_all, score, unseen_parts

__all__ = [
    "KINDS",
    "Score",
    "bleu",
    "chrf",
    "compare_with_all",
    "exact_match",
    "group_by",
    "kinds_of_mistakes",
    "score",
    "unseen_parts",
]
