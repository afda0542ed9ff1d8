"""Evaluation: how good translations are, how sure that is, and what went wrong."""

from lib.evaluation.intervals import (
    Interval,
    bleu_interval,
    bleu_of_counts,
    paired_bootstrap,
    sentence_counts,
    share_interval,
)
from lib.evaluation.microscope import (
    logit_lens,
    mean_outputs,
    patched,
    record_states,
    unplugged,
)
from lib.evaluation.neighbors import (
    FAR,
    far_pairs,
    nearest_distances,
    with_far_parts,
    word_edits,
)
from lib.evaluation.scores import (
    Score,
    TextScore,
    bleu,
    chrf,
    compare_with_all,
    exact_match,
    score,
    score_texts,
    tokenizer_for,
    unseen_parts,
)
from lib.evaluation.strangers import (
    TYPED,
    Stranger,
    count_strangers,
    score_strangers,
    strangers,
    what_is_wrong,
)

__all__ = [
    "FAR",
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
    "logit_lens",
    "mean_outputs",
    "nearest_distances",
    "paired_bootstrap",
    "patched",
    "record_states",
    "score",
    "score_strangers",
    "score_texts",
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
