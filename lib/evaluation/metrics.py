"""Evaluation: how good the translations are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

BLEU_TOKENIZER = "13a"  # sacreBLEU's own choice
CHRF_BETA = 2
# Languages that write no spaces between words, or hang much on a word, as Korean does.
_TOKENIZERS = {
    **dict.fromkeys(("zh", "zho", "cmn", "yue"), "zh"),
    **dict.fromkeys(("ja", "jpn", "ko", "kor", "th", "tha", "lo", "km", "my"), "char"),
}
_SENTENCE_BLEU = BLEU(effective_order=True)


class Score(NamedTuple):
    """A score and the signature that says how it was computed.

    Args:
        value: from 0 to 100.
        signature: sacreBLEU's: references, case, tokens, smoothing, version.
    """

    value: float
    signature: str


def bleu(
    predictions: Sequence[str],
    references: Sequence[str | Sequence[str]],
    tokenizer: str = BLEU_TOKENIZER,
) -> Score:
    """Compare runs of one to four words with the references, over a whole test set.

    BLEU as sacreBLEU computes it, from plain sentences with case and punctuation.

    Args:
        predictions: what the model wrote, one string a sentence.
        references: for each of them the right answer, or a list of right answers.
        tokenizer: how sacreBLEU cuts sentences into words: ``"13a"`` for languages with
            spaces, ``"zh"`` for Chinese, ``"char"`` for single characters, and so on.

    Returns:
        The score from 0 to 100, with its signature.

    Raises:
        TypeError: if either is no list of sentences.
        ValueError: if the two differ in length, or are empty, or sacreBLEU has no such
            tokenizer.

    Example:
        >>> score = bleu(["The cat sat on the mat."], [["The cat sat on the mat."]])
        >>> round(score.value, 1), score.signature.split("|")[:2]
        (100.0, ['nrefs:1', 'case:mixed'])
    """
    return _sacrebleu(bleu_metric(tokenizer), predictions, references)


def chrf(
    predictions: Sequence[str], references: Sequence[str | Sequence[str]]
) -> Score:
    """Compare runs of one to six characters: a nearly right word counts for something.

    Args:
        predictions: what the model wrote, one string a sentence.
        references: for each of them the right answer, or a list of right answers.

    Returns:
        The score from 0 to 100, with its signature. This begins with chrF2, sacreBLEU's
        name for chrF with β = 2: recall weighs four to one in it.

    Raises:
        TypeError: if either is no list of sentences.
        ValueError: if the two differ in length, or are empty.

    Example:
        >>> round(chrf(["gatos"], ["gatas"]).value)
        33
    """
    value, signature = _sacrebleu(CHRF(beta=CHRF_BETA), predictions, references)
    return Score(value, f"chrF{CHRF_BETA}|{signature}")


def sentence_bleu(prediction: str, reference: str) -> float:
    """Compare one translation with one reference, as :func:`bleu` does a test set.

    Of a single short sentence, runs longer than itself do not count; by :func:`bleu`
    it would get next to nothing for them.

    Args:
        prediction: what the model wrote.
        reference: the right answer.

    Returns:
        The score from 0 to 100.

    Example:
        >>> round(sentence_bleu("Los gatos duermen.", "Los gatos comen."))
        35
    """
    return float(_SENTENCE_BLEU.sentence_score(prediction, [reference]).score)


def tokenizer_for(language: str) -> str:
    """Return how BLEU cuts a language, by what sacreBLEU has without other packages.

    Args:
        language: its code, such as "es".

    Example:
        >>> [tokenizer_for(language) for language in ("es", "zh", "ja")]
        ['13a', 'zh', 'char']
    """
    return _TOKENIZERS.get(language, BLEU_TOKENIZER)


def bleu_metric(tokenizer: str) -> BLEU:
    """Return sacreBLEU's BLEU with one of its tokenizers, or refuse the name.

    Raises:
        ValueError: if there is no such tokenizer, or it needs what is not installed.
    """
    if tokenizer not in BLEU.TOKENIZERS:
        known = ", ".join(BLEU.TOKENIZERS)
        raise ValueError(
            f"sacreBLEU has no tokenizer {tokenizer!r}; choose one of: {known}."
        )
    try:
        return BLEU(tokenize=tokenizer)
    except (ImportError, RuntimeError) as error:  # the library's way to ask for more
        reason = " ".join(str(error).split())
        raise ValueError(f"The tokenizer {tokenizer!r} wants more: {reason}") from error
    except OSError as error:  # some are downloaded when they are first asked for
        reason = str(getattr(error, "reason", error))
        raise ValueError(
            f"The tokenizer {tokenizer!r} cannot be downloaded ({reason}); check the "
            "network, or choose one that needs none, such as char."
        ) from error


def aligned_references(
    predictions: Sequence[str], references: Sequence[str | Sequence[str]]
) -> list[list[str]]:
    """Return a list of right answers for each prediction, or refuse what is none."""
    _check_lists(predictions, references)
    answers = [[r] if isinstance(r, str) else list(r) for r in references]
    if not all(answers):
        raise ValueError(f"Sentence {answers.index([])} has no reference.")
    return answers


def _sacrebleu(
    metric: Any,
    predictions: Sequence[str],
    references: Sequence[str | Sequence[str]],
) -> Score:
    answers = aligned_references(predictions, references)
    most = max(map(len, answers))
    # sacreBLEU wants columns: all first references, all second ones; None where a
    # sentence has fewer.
    columns = [
        [row[number] if number < len(row) else None for row in answers]
        for number in range(most)
    ]
    result = metric.corpus_score(list(predictions), columns)
    return Score(float(result.score), str(metric.get_signature()))


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
    """
    _check_lists(predictions, references)
    right = sum(p == r for p, r in zip(predictions, references, strict=True))
    return right / len(predictions)


def _check_lists(predictions: Sequence[str], references: Sequence[Any]) -> None:
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
