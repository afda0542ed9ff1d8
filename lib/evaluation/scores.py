"""The scores of a translator on the parts of a corpus."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from lib.corpora import normalize, references
from lib.evaluation.metrics import bleu, chrf, exact_match
from lib.translator.translator import Translator


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
) -> tuple[dict[str, Any], list[tuple[str, str, str]]]:
    """Translate the sources of some pairs, and compare with all their targets.

    Each source is translated once, however many right translations it has. The scores
    named ``single`` compare with the first of them alone.

    Args:
        translator: whom to score.
        pairs: sentences and their right translations.
        beam_size: how many beginnings are kept; 1 writes greedily.
        length_penalty: how much beam search favors longer translations.

    Returns:
        The scores with the number of sentences; and each mistake as source, first right
        answer and what was written.

    Raises:
        ValueError: if there are no pairs.

    Example:
        >>> from lib.corpora import load
        >>> from lib.translator import Translator
        >>> pairs = load("grammar").splits["unseen_sentences"][:2]
        >>> score(Translator.load("grammar-en-es"), pairs)[0]["sentences"]
        2
    """
    answers = references(pairs)
    written = translator.translate(
        answers, beam_size=beam_size, length_penalty=length_penalty
    )
    errors = [
        (source, right[0], wrong)
        for (source, right), wrong in zip(answers.items(), written, strict=True)
        if wrong not in right
    ]
    how = {"beam_size": beam_size, "length_penalty": length_penalty}
    return {**compare_with_all(written, list(answers.values())), **how}, errors


def compare_with_all(
    written: Sequence[str], answers: Sequence[Sequence[str]]
) -> dict[str, Any]:
    """Score translations by exact match, BLEU and chrF, with their signatures.

    Args:
        written: one translation for each source.
        answers: all right translations of each source.

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
    # Exact is what equals any right answer.
    nearest = [
        text if text in right else right[0]
        for text, right in zip(written, answers, strict=True)
    ]
    result: dict[str, Any] = {
        "sentences": len(answers),
        "pairs": sum(map(len, answers)),
        "exact_match": round(exact_match(written, nearest), 4),
    }
    for name, metric in (("bleu", bleu), ("chrf", chrf)):
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
