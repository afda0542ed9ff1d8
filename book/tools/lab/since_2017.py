"""One small language model, with each change since 2017 and with one after another.

    since_2017.py FILE     47 runs, twenty-five minutes of a core; chapter 19

All learn the same English sentences in the same order, in as many steps. What stands in
FILE already is kept, so that an interrupted run can go on.
"""

import argparse
import itertools
import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import torch

from book.tools.lab.families import learn
from book.tools.lab.language_model import texts_of
from book.tools.lab.record import add_runs
from book.tools.lab.timing import Contender, environment, race, spread
from lib import corpora
from lib.decoding import evaluating
from lib.decoding.cache import CachedTextScorer
from lib.evaluation import score_texts
from lib.model import count_parameters
from lib.text import SubwordVocabulary, TextDataset
from lib.text.files import write_json
from lib.today import LanguageConfig, LanguageModel, modernize

CHANGES: dict[str, dict[str, Any]] = {  # by year
    "pre-norm": {"norm_first": True},
    "RMS norm": {"norm": "rms"},
    "gated": {"feed_forward": "gated"},
    "rotary": {"positions": "rotary"},
    "grouped": {"kv_heads": 2},
    "multi-query": {"kv_heads": 1},
}
WAY = list(CHANGES)[:5]  # multi-query is grouped further still
CHANGED = [  # nothing, each change alone, and one after another
    *([], *([name] for name in CHANGES)),
    *(WAY[:count] for count in range(2, len(WAY) + 1)),
]
SEEDS, MORE = (0, 1, 2), (3, 4, 5, 6)
NEAR = [WAY[:4], WAY]  # nearer to each other than three seeds can tell: more seeds
SIZES: dict[str, Any] = {
    "d_model": 64,
    "n_heads": 4,
    "n_layers": 4,
    "d_ff": 192,
    "max_len": 32,
}
WORDS, LONGEST = 1000, 16  # sub-words of all, and of a sentence
STEPS, BATCH, RATE, WARMUP, LOOKS = 600, 64, 4e-3, 100, 10
FASTER = 4 * RATE
ROUNDS = 30  # of the race for speed


class Texts(NamedTuple):
    """What all learn, and what none does."""

    vocabulary: SubwordVocabulary
    learned: TextDataset
    held_out: list[str]


def wanted() -> list[dict[str, Any]]:
    """Return what each run is: all at the usual rate, and two at a higher one."""
    usual = [*((changes, RATE) for changes in CHANGED), ([], FASTER), (WAY[:1], FASTER)]
    found = [*itertools.product(usual, SEEDS)]
    found += itertools.product([(changes, RATE) for changes in NEAR], MORE)
    return [{"changes": c, "rate": rate, "seed": seed} for (c, rate), seed in found]


def model_of(changes: Sequence[str], size: int) -> LanguageModel:
    """Return a new model of 2017, but for these changes."""
    names: dict[str, Any] = {"norm_first": False}
    for name in changes:
        names |= CHANGES[name]
    first = names.pop("norm_first")
    config = LanguageConfig(size, dropout=0.0, norm_first=first, **SIZES)
    return modernize(LanguageModel(config), **names)


def cache_bytes(model: LanguageModel) -> int:
    """Return the bytes that a cache keeps of one token, read from a real one."""
    with evaluating(model), torch.inference_mode():
        scorer = CachedTextScorer(model, torch.tensor([[1]]))
        scorer.step(torch.tensor([1]))
    return sum(
        each[:, :, : part.length].nbytes
        for part in scorer.own
        for each in (part.keys, part.values)
    )


def texts_to_learn() -> Texts:
    """Return half of the English sentences of Tatoeba, and held-out ones."""
    texts = texts_of(corpora.load("tatoeba-en-es"), "source")
    vocabulary = SubwordVocabulary.build(texts["train"][::8], WORDS)
    learned = TextDataset.of_texts(texts["train"][::2], vocabulary)
    return Texts(vocabulary, learned.fitting(LONGEST), texts["validation"][::2])


def measure(
    texts: Texts, steps: int, changes: list[str], rate: float, seed: int
) -> dict[str, Any]:
    """Train one model, and look ten times at its loss on held-out sentences."""
    torch.manual_seed(seed)
    model, curve = model_of(changes, len(texts.vocabulary)), {}
    how: dict[str, Any] = {"rate": rate, "warmup": WARMUP, "batch": BATCH}
    learning = learn(model, texts.learned, steps, looks=LOOKS, **how)
    torch.manual_seed(seed)  # the same batches, whatever the model began with
    for step in itertools.chain([0], learning):
        score = score_texts(model, texts.vocabulary, texts.held_out)
        curve[str(step)] = round(math.log(score.perplexity), 4)
    sizes = {"parameters": count_parameters(model), "cache": cache_bytes(model)}
    return {**sizes, "curve": curve}


def speeds(texts: Texts) -> dict[str, dict[str, float]]:
    """Compare the seconds of training steps with those of 2017, taken in turns."""

    def contender(changes: list[str]) -> Contender:
        model = model_of(changes, len(texts.vocabulary))

        def work(number: int) -> int:
            torch.manual_seed(number)  # the same batches for all
            # `learn` trains while it is asked for steps; the largest is their number.
            return max(learn(model, texts.learned, 4, rate=1e-5, batch=BATCH))

        return work

    ways = {" + ".join(each) or "2017": each for each in CHANGED}
    rates = race({name: contender(way) for name, way in ways.items()}, ROUNDS)
    return {
        name: spread([a / b for a, b in zip(rates["2017"], each, strict=True)])
        for name, each in rates.items()
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Train what is asked for and not there yet."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    file = parser.parse_args(arguments).file
    torch.set_num_threads(1)
    texts = texts_to_learn()
    settings = {**SIZES, "sub_words": len(texts.vocabulary), "steps": STEPS}
    settings |= {"batch": BATCH, "rate": RATE, "warmup": WARMUP}
    counts = {"learned": len(texts.learned), "held_out": len(texts.held_out)}
    head = {"sentences": counts, "settings": settings, "environment": environment()}
    record = add_runs(file, head, wanted(), partial(measure, texts, STEPS))
    if "seconds" not in record:
        write_json(file, record | {"seconds": speeds(texts)})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
