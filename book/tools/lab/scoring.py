"""Grade a translator on the test part: scores, counts sentence by sentence, mistakes.

Only counts and scores come out of here, never a sentence of a corpus.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from lib.corpora import Corpus, Pair, normalize, references
from lib.evaluation import (
    KINDS,
    bleu,
    compare_with_all,
    far_pairs,
    group_by,
    kinds_of_mistakes,
    nearest_distances,
    sentence_counts,
)
from lib.text import tokenize

RUNS = (1, 2, 3, 4)
COUNTED = [f"{kind}{n}" for kind in ("right", "all") for n in RUNS]
COUNTED += ["written", "reference"]
LENGTHS = (1, 4, 6, 8, 10, 13)
SEEN = (0, 1, 5, 20, 100, 500)
DISTANCES = (0, 1, 2, 3, 4, 6)
TOLD = ("sentences", "pairs", "bleu", "bleu_single", "chrf", "exact_match")


class Graded(NamedTuple):
    """All that is written about the test part.

    Args:
        scores: those of the test part and of its far part.
        errors: kinds of mistakes, and scores by length, distance and rarest word.
        counts: what BLEU counts in each sentence, with its length, as CSV.
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
    distances = nearest_distances(answers, [source for source, _ in train])
    traits = {
        "words": [len(normalize(source).split()) for source in sources],
        "references": [len(answer) for answer in right],
        "far": [int(source in far) for source in sources],
    }
    counts = counts_table({"": sentence_counts(written, right).tolist()}, traits)
    errors = count_errors(answers, written, train, distances)
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
    answers: dict[str, list[str]],
    written: Sequence[str],
    train: Sequence[Pair],
    distances: Sequence[int],
) -> dict[str, Any]:
    """Count the kinds of mistakes, and score by length, distance and rarest word."""
    spanish = {word for _, target in train for word in words(target)}
    english = Counter(word for source in references(train) for word in words(source))
    kinds = Counter(
        kind
        for (source, right), text in zip(answers.items(), written, strict=True)
        for kind in kinds_of_mistakes(source, text, right, spanish)
    )
    right = list(answers.values())
    lengths = [len(tokenize(source)) for source in answers]
    rarest = [min(english[word] for word in words(source)) for source in answers]
    return {
        "part": "test",
        "sentences": len(written),
        "exact": sum(text in r for text, r in zip(written, right, strict=True)),
        "kinds": {kind: kinds[kind] for kind in KINDS},
        "by_length": by_group(lengths, LENGTHS, written, right),
        "by_distance": by_group(distances, DISTANCES, written, right),
        "by_rarest_word": by_group(rarest, SEEN, written, right),
    }


def words(sentence: str) -> list[str]:
    """Return the words in lower case, without the marks."""
    return [token.lower() for token in tokenize(sentence) if token[0].isalnum()]


def by_group(
    values: Sequence[int],
    edges: Sequence[int],
    written: Sequence[str],
    right: Sequence[list[str]],
) -> list[dict[str, Any]]:
    """Score each group of sentences by itself."""
    rows = []
    for name, members in group_by(values, edges):
        if members:
            texts, answers = of_members(members, written, right)
            found = compare_with_all(texts, answers)
            row = {"group": name} | {key: found[key] for key in TOLD}
            row["bleu_bare"] = bare_bleu(texts, [answer[0] for answer in answers])
            rows.append(row)
    return rows


def bare_bleu(written: Sequence[str], first: Sequence[str]) -> float:
    """Return BLEU with one reference each, the marks at the ends of sentences left out.

    A full stop is easy to get right, and a large part of a short sentence.
    """
    bare = [[re.sub(r"[.!?…]+$", "", t) for t in texts] for texts in (written, first)]
    return round(bleu(bare[0], bare[1]).value, 2)
