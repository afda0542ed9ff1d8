"""What each kind of drawn pair teaches: one short run for each, from the same weights.

    copying_kinds.py FILE --from FOLDER    FOLDER: what the copying run began with

Each run sees the same share of drawn pairs, all of one kind, for as many steps. Counted
are new surnames in sentences of the validation part (drawn as those of the pairs are,
so most are on the same list), strangers' sentences of the part to choose with, and
words that were copied and have a translation.
What stands in FILE already is kept.
"""

from __future__ import annotations

import argparse
import dataclasses
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from book.tools.lab.record import begun
from lib import corpora
from lib.corpora import Corpus
from lib.corpora.copying import Copying
from lib.corpora.drawn import Drawn
from lib.evaluation.scores import score
from lib.evaluation.strangers import count_strangers, strangers
from lib.text.files import write_json
from lib.text.subwords import ALPHABET, SubwordVocabulary
from lib.training import TrainingSettings, train
from lib.training.words import with_words
from lib.translator import Translator
from lib.translator.card import machine

EVERY, SHARE, SIZE = 4, 0.4, 6150
KINDS = {
    "as they are": (),
    "names": ("named",),
    "numbers": ("numbered", "framed"),
    "quotes": ("quoted",),
    "forms": ("odd",),
    "all of them": ("named", "numbered", "framed", "quoted", "odd"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Train what is not there yet, and count."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--from", dest="start", type=Path, required=True)
    options = parser.parse_args(arguments)
    start, corpus = Translator.load(options.start), corpora.load("tatoeba-en-es")
    sizes = {
        name: getattr(start.model.config, name)
        for name in ("d_model", "n_layers", "d_ff", "dropout")
    }
    settings = TrainingSettings(
        **sizes,
        tie_embeddings=True,
        vocab_size=SIZE,
        epochs=1,
        max_tokens=2048,
        learning_rate=5e-4,
        warmup_steps=50,
        label_smoothing=0.1,
    )
    head = {"corpus": corpus.name, "every": EVERY, "share": SHARE, "machine": machine()}
    record = begun(options.file, {**head, "settings": dataclasses.asdict(settings)})
    runs = record.setdefault("runs", [])
    texts = (text for pair in corpus.splits["train"] for text in pair)
    words = SubwordVocabulary.build(texts, SIZE, ALPHABET)
    start.prose = True
    for name, ways in {"before": None, **KINDS}.items():
        if not any(run["name"] == name for run in runs):
            made = (
                start if ways is None else taught(start, corpus, words, settings, ways)
            )
            runs.append({"name": name, **counted(made, corpus)})
            write_json(options.file, record)
            print(runs[-1], flush=True)
    return 0


def taught(
    start: Translator,
    corpus: Corpus,
    words: SubwordVocabulary,
    settings: TrainingSettings,
    ways: Sequence[str],
) -> Translator:
    """Go on with a translator on pairs of one kind."""
    copying = Copying(corpus.splits["train"])
    pairs = copying.mixed(SHARE if ways else 0.0, settings.seed, ways or ("odd",))
    splits = {
        "train": pairs[::EVERY],
        "validation": corpus.splits["validation"][:100],
    }
    model = with_words(start, (words, words))
    task = train(splits, words, words, settings, start=model)
    return Translator(task.model, words, words, prose=True)


def counted(translator: Translator, corpus: Corpus) -> dict[str, Any]:
    """Count names that were copied, words that should not have been, and the rest."""
    asked = renamed(corpus)
    written = translator.translate([src for src, _, _ in asked])
    kept = sum(name in text for (_, _, name), text in zip(asked, written, strict=True))
    typed = strangers("validation")
    answers = translator.translate([one.english for one in typed])
    found = count_strangers(typed, answers)
    scores, _ = score(translator, corpus.splits["validation"])
    sources = dict(corpus.splits["validation"])
    plain = translator.translate(sources)
    return {
        "names": {"copied": kept, "sentences": len(asked)},
        "strangers": {"right": found["right"], "sentences": found["sentences"]},
        "kinds": found["kinds"],
        "copied_words": sum(map(has_copied, sources, sources.values(), plain)),
        "sentences": len(sources),
        "bleu": scores["bleu"],
    }


def renamed(corpus: Corpus) -> list[tuple[str, str, str]]:
    """Put a new surname into the validation pairs that have one name on both sides."""
    copying, numbers = Copying(corpus.splits["train"]), random.Random(0)
    found = []
    for src, tgt in dict(corpus.splits["validation"]).items():
        names = copying.names(src, tgt)
        if len(names) == 1:
            new = Drawn(numbers).draw("surname")[0]
            name = rf"\b{names[0]}\b"
            found.append((re.sub(name, new, src), re.sub(name, new, tgt), new))
    return found


def has_copied(source: str, reference: str, written: str) -> bool:
    """Tell whether a word of four small letters or more was copied without a reason."""
    words = set(re.findall(r"\b[a-z]{4,}\b", source))
    return any(
        re.search(rf"\b{word}\b", written) and not re.search(rf"\b{word}\b", reference)
        for word in words
    )


if __name__ == "__main__":
    raise SystemExit(main())
