"""Scores: BLEU, chrF and exact match, of a corpus' parts and of texts."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import torch
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from torch.nn import functional as F

from lib.corpora import normalize, references
from lib.decoding import evaluating
from lib.text import TextDataset, Vocabulary, group_by_length
from lib.today import LanguageModel
from lib.translator.translator import Translator

BLEU_TOKENIZER = "13a"  # sacreBLEU's own choice
CHRF_BETA = 2
# Languages that write no spaces between words, or hang much on a word, as Korean does.
_TOKENIZERS = {
    **dict.fromkeys(("zh", "zho", "cmn", "yue"), "zh"),
    **dict.fromkeys(("ja", "jpn", "ko", "kor", "th", "tha", "lo", "km", "my"), "char"),
}


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
    try:
        return BLEU(tokenize=tokenizer)
    except (LookupError, ImportError, RuntimeError, OSError) as error:
        # Some want a package, or are downloaded when they are first asked for.
        reason = " ".join(str(error).split()).rstrip(".")
        raise ValueError(
            f"sacreBLEU has no tokenizer {tokenizer!r} at hand ({reason}); it knows "
            f"{', '.join(BLEU.TOKENIZERS)}, and 13a, zh and char need nothing more."
        ) from error


def aligned_references(
    predictions: Sequence[str], references: Sequence[str | Sequence[str]]
) -> list[list[str]]:
    """Return a list of right answers for each prediction, or refuse what is none."""
    _check_lists(predictions, references)
    answers = [[r] if isinstance(r, str) else list(r) for r in references]
    if [] in answers:
        raise ValueError(f"Sentence {answers.index([])} has no reference.")
    return answers


def _sacrebleu(
    metric: Any,
    predictions: Sequence[str],
    references: Sequence[str | Sequence[str]],
) -> Score:
    answers = aligned_references(predictions, references)
    # sacreBLEU wants columns: all first references, all second ones; None where a
    # sentence has fewer.
    columns = list(zip_longest(*answers))
    result = metric.corpus_score(predictions, columns)
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
    for value in (predictions, references):
        if isinstance(value, str):
            raise TypeError(f"Give a list of sentences, not one text: {value!r}.")
    if not 0 < len(predictions) == len(references):
        raise ValueError(
            "There must be predictions, and something right for each, but there are "
            f"{len(predictions)} predictions and {len(references)} references."
        )


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
    written: dict[str, str] = {}
    order = sorted(lengths, key=lengths.__getitem__)
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


_TOKENS = 4096  # of a batch


class TextScore(NamedTuple):
    """The scores of a language model on some texts.

    Args:
        perplexity: among how many tokens it hesitates at each, as if all were alike.
        bits_per_character: how many bits it needs for a character, the end of a text
            being one.
        tokens: how many tokens were scored, the ends included.
        characters: how many characters, the ends included.
        texts: how many texts.
        unread: texts that are left out because they are longer than the model reads.
    """

    perplexity: float
    bits_per_character: float
    tokens: int
    characters: int
    texts: int
    unread: int


@torch.inference_mode()
def score_texts(
    model: LanguageModel, vocabulary: Vocabulary, texts: Sequence[str]
) -> TextScore:
    """Measure how well a causal language model foretells some texts.

    Args:
        model: the language model.
        vocabulary: its words or sub-words.
        texts: sentences that it has not seen, each begun anew.

    Raises:
        ValueError: if there is no text that the model can read.

    Example:
        >>> from lib.today import LanguageConfig
        >>> words = Vocabulary(["lets", "go"])
        >>> model = LanguageModel(LanguageConfig(6, d_model=8, n_heads=2))
        >>> score_texts(model, words, ["lets go", "go"]).tokens
        5
    """
    whole = TextDataset.of_texts(texts, vocabulary)
    lengths = whole.lengths()
    read = [i for i, length in enumerate(lengths) if length <= model.config.max_len]
    if not read:
        raise ValueError("There is no text that the model can read.")
    batches = group_by_length([lengths[i] for i in read], max(_TOKENS, max(lengths)))
    device, nats = next(model.parameters()).device, 0.0
    with evaluating(model):
        for places in batches:
            batch = whole.collate([whole[read[place]] for place in places])
            ids, mask, labels = (part.to(device) for part in batch)
            logits = model(ids, mask).transpose(1, 2)  # (B, V, T)
            losses = F.cross_entropy(logits, labels, reduction="none")  # (B, T)
            nats += float(losses[mask].double().sum())
    tokens = sum(lengths[i] for i in read)
    characters = sum(len(texts[i]) + 1 for i in read)
    return TextScore(
        perplexity=math.exp(nats / tokens),
        bits_per_character=nats / math.log(2) / characters,
        tokens=tokens,
        characters=characters,
        texts=len(read),
        unread=len(texts) - len(read),
    )
