"""Grade a translator on the test part: scores, counts sentence by sentence, mistakes.

Only counts and scores come out of here, never a sentence of a corpus.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from lib.corpora import Corpus, Pair, normalize, references
from lib.evaluation import (
    KINDS,
    compare_with_all,
    far_pairs,
    kinds_of_mistakes,
    nearest_distances,
    sentence_counts,
)
from lib.text import tokenize

RUNS = (1, 2, 3, 4)
COUNTED = [f"{kind}{n}" for kind in ("right", "all") for n in RUNS]
COUNTED += ["written", "reference"]


class Graded(NamedTuple):
    """All that is written about the test part.

    Args:
        scores: those of the test part and of its far part.
        errors: kinds of mistakes.
        counts: what BLEU counts in each sentence, as CSV, with its length, how many
            references it has, whether it is far, how many words it is from the nearest
            source that was learned from, and how often its rarest word was seen.
        far: which sources the far part has, as their number and a fingerprint.
    """

    scores: dict[str, Any]
    errors: dict[str, Any]
    counts: str
    far: dict[str, Any]


def grade(
    answers: dict[str, list[str]],
    written: list[str],
    corpus: Corpus,
    train: Sequence[Pair],
) -> Graded:
    """Score translations of sources of the test part, all of them or the first few.

    Args:
        answers: the sources with their references.
        written: the translations.
        corpus: whose parts say which sources are far from any that it trains on.
        train: all pairs that were learned from.
    """
    right = list(answers.values())
    sources = list(answers)
    far = set(references(far_pairs(corpus.splits))) & set(sources)
    members = [place for place, source in enumerate(sources) if source in far]
    scores = {"test": compare_with_all(written, right)}
    if members:
        scores["test-far"] = compare_with_all(*of_members(members, written, right))
    seen = Counter(word for source in references(train) for word in words(source))
    traits = {
        "words": [len(normalize(source).split()) for source in sources],
        "references": [len(answer) for answer in right],
        "far": [int(source in far) for source in sources],
        "distance": nearest_distances(answers, [source for source, _ in train]),
        "rarest": [min(seen[word] for word in words(source)) for source in sources],
    }
    counts = counts_table({"": sentence_counts(written, right).tolist()}, traits)
    errors = count_errors(answers, written, train)
    return Graded(scores, errors, counts, fingerprint(far))


def of_members(
    members: Sequence[int], written: Sequence[str], right: Sequence[list[str]]
) -> tuple[list[str], list[list[str]]]:
    """Return some of the translations, and their references."""
    return [written[i] for i in members], [right[i] for i in members]


def fingerprint(sources: set[str]) -> dict[str, Any]:
    """Tell a set of sentences from any other without showing one of them."""
    text = "\n".join(sorted(map(normalize, sources)))
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
    return {"sources": len(sources), "sha256": digest}


def counts_table(
    systems: dict[str, list[list[int]]], traits: dict[str, list[int]] | None = None
) -> str:
    """Return what BLEU counts in each sentence as CSV, for one system or several."""
    traits = traits or {}
    head = [f"{prefix}{name}" for prefix in systems for name in COUNTED]
    rows = zip(
        *systems.values(), *([[n] for n in t] for t in traits.values()), strict=True
    )
    lines = [",".join([*head, *traits])]
    lines += [",".join(str(n) for part in row for n in part) for row in rows]
    return "\n".join(lines) + "\n"


def count_errors(
    answers: dict[str, list[str]], written: Sequence[str], train: Sequence[Pair]
) -> dict[str, Any]:
    """Count the kinds of mistakes."""
    spanish = {word for _, target in train for word in words(target)}
    right = list(answers.values())
    kinds = Counter(
        kind
        for (source, answer), text in zip(answers.items(), written, strict=True)
        for kind in kinds_of_mistakes(source, text, answer, spanish)
    )
    return {
        "part": "test",
        "sentences": len(written),
        "exact": sum(text in r for text, r in zip(written, right, strict=True)),
        "kinds": {kind: kinds[kind] for kind in KINDS},
    }


def words(sentence: str) -> list[str]:
    """Return the words in lower case, without the marks."""
    return [token.lower() for token in tokenize(sentence) if token[0].isalnum()]
