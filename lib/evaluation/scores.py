"""The scores of a translator on the parts of a corpus."""

from __future__ import annotations

import contextlib
import functools
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from lib.corpora import normalize, references
from lib.evaluation.metrics import BLEU_TOKENIZER, Score, bleu, bleu_metric, chrf
from lib.translator.translator import Translator

_AT_ONCE = 64  # sentences that are translated between two looks at how far it is


def unseen_parts(splits: Mapping[str, Any]) -> list[str]:
    """Return the names of the parts that no training sees.

    Args:
        splits: the parts of a corpus by their names.
    """
    return [name for name in splits if name.startswith(("unseen", "test"))]


def score(
    translator: Translator,
    pairs: Sequence[tuple[str, str]],
    beam_size: int = 1,
    length_penalty: float = 0.6,
    tokenizer: str = BLEU_TOKENIZER,
    watch: Callable[[int, int], object] | None = None,
) -> tuple[dict[str, Any], list[tuple[str, str, str]]]:
    """Translate the sources of some pairs, and compare with all their targets.

    Each source is translated once, however many right translations it has. The scores
    named ``single`` compare with the first of them alone. Both sides are first written
    as the vocabulary of the target writes them, which may know but one apostrophe, or
    no space before a mark. What the translator does not read, because it is too long,
    counts as a translation without a word.

    Args:
        translator: whom to score.
        pairs: sentences and their right translations.
        beam_size: how many beginnings are kept; 1 writes greedily.
        length_penalty: how much beam search favors longer translations.
        tokenizer: how BLEU cuts sentences into words; see
            :func:`~lib.evaluation.tokenizer_for`.
        watch: is told again and again how many sentences are done, and how many there
            are.

    Returns:
        The scores with the number of sentences, and of those ``unread``, if there are
        any; and each mistake as source, first right answer and what was written.

    Raises:
        ValueError: if there are no pairs, or there is no such tokenizer.

    Example:
        >>> from lib.corpora import load
        >>> from lib.translator import Translator
        >>> pairs = load("grammar").splits["unseen_sentences"][:2]
        >>> score(Translator.load("grammar-en-es"), pairs)[0]["sentences"]
        2
    """
    bleu_metric(tokenizer)  # a wrong name is told before the work, not after
    answers = references(pairs)
    how = {"beam_size": beam_size, "length_penalty": length_penalty}
    written = _translations(translator, answers, watch, **how)
    restore = translator.tgt_vocab.restore
    found = [restore(written.get(source, "")) for source in answers]
    right = [[restore(target) for target in targets] for targets in answers.values()]
    errors = [
        (source, answers[source][0], written.get(source, ""))
        for source, text, wanted in zip(answers, found, right, strict=True)
        if text not in wanted
    ]
    result = {**compare_with_all(found, right, tokenizer), **how}
    if len(written) < len(answers):
        result["unread"] = len(answers) - len(written)
    return result, errors


def _translations(
    translator: Translator,
    texts: Iterable[str],
    watch: Callable[[int, int], object] | None,
    **how: Any,
) -> dict[str, str]:
    """Translate what the translator reads, the short sentences first."""
    lengths: dict[str, int] = {}
    for text in texts:
        with contextlib.suppress(ValueError):
            lengths[text] = sum(len(each.ids) for each in translator.read_text(text))
    order = sorted(lengths, key=lengths.__getitem__)
    written: dict[str, str] = {}
    for start in range(0, len(order), _AT_ONCE):
        if watch:
            watch(start, len(order))
        some = order[start : start + _AT_ONCE]
        written.update(zip(some, translator.translate(some, **how), strict=True))
    if watch:
        watch(len(order), len(order))
    return written


def compare_with_all(
    written: Sequence[str],
    answers: Sequence[Sequence[str]],
    tokenizer: str = BLEU_TOKENIZER,
) -> dict[str, Any]:
    """Score translations by exact match, BLEU and chrF, with their signatures.

    Args:
        written: one translation for each source.
        answers: all right translations of each source.
        tokenizer: how BLEU cuts sentences into words.

    Returns:
        The number of sentences and of their references; the share of translations that
        equal one of these; and BLEU and chrF against all references and, under names
        that end in ``single``, against the first of each source.

    Example:
        >>> right = ["Me voy.", "Voy a casa ahora."]
        >>> found = compare_with_all(["Voy a casa ahora."], [right])
        >>> found["exact_match"], found["bleu"], found["bleu_single"] < 20
        (1.0, 100.0, True)
    """
    first = [right[0] for right in answers]
    exact = sum(text in right for text, right in zip(written, answers, strict=True))
    result: dict[str, Any] = {
        "sentences": len(answers),
        "pairs": sum(map(len, answers)),
        "exact_match": round(exact / max(1, len(answers)), 4),
    }
    cut_bleu = functools.partial(bleu, tokenizer=tokenizer)
    metrics: dict[str, Callable[..., Score]] = {"bleu": cut_bleu, "chrf": chrf}
    for name, metric in metrics.items():
        for suffix, right in (("", answers), ("_single", first)):
            found = metric(written, right)
            result[name + suffix] = round(found.value, 2)
            result[f"{name}{suffix}_signature"] = found.signature
    return result


def held_out_fingerprint(splits: Mapping[str, Sequence[tuple[str, str]]]) -> str:
    """Return what tells whether two corpora hold out the same sources."""
    sources = {
        normalize(source) for part in unseen_parts(splits) for source, _ in splits[part]
    }
    return hashlib.sha256("\n".join(sorted(sources)).encode()).hexdigest()
