"""Evaluation: how good translations are, how sure that is, and what went wrong."""

from lib.evaluation.bootstrap import (
    Interval,
    bleu_interval,
    bleu_of_counts,
    paired_bootstrap,
    sentence_counts,
    share_interval,
)
from lib.evaluation.metrics import (
    Score,
    bleu,
    chrf,
    exact_match,
    sentence_bleu,
    tokenizer_for,
)
from lib.evaluation.microscope import logit_lens, patched, record_states
from lib.evaluation.mistakes import KINDS, group_by, kinds_of_mistakes
from lib.evaluation.neighbors import (
    FAR,
    far_pairs,
    nearest_distances,
    with_far_parts,
    word_edits,
)
from lib.evaluation.scores import compare_with_all, score, unseen_parts
from lib.evaluation.strangers import (
    TYPED,
    Stranger,
    count_strangers,
    score_strangers,
    strangers,
    what_is_wrong,
)
from lib.evaluation.texts import TextScore, score_texts
from lib.evaluation.unplugged import mean_outputs, unplugged

__all__ = [
    "FAR",
    "KINDS",
    "TYPED",
    "Interval",
    "Score",
    "Stranger",
    "TextScore",
    "bleu",
    "bleu_interval",
    "bleu_of_counts",
    "chrf",
    "compare_with_all",
    "count_strangers",
    "exact_match",
    "far_pairs",
    "group_by",
    "kinds_of_mistakes",
    "logit_lens",
    "mean_outputs",
    "nearest_distances",
    "paired_bootstrap",
    "patched",
    "record_states",
    "score",
    "score_strangers",
    "score_texts",
    "sentence_bleu",
    "sentence_counts",
    "share_interval",
    "strangers",
    "tokenizer_for",
    "unplugged",
    "unseen_parts",
    "what_is_wrong",
    "with_far_parts",
    "word_edits",
]
