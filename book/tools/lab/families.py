"""One task for three families of models, and gaps to fill; for chapter 18.

    families.py FILE --seeds 0 1 2     fifteen runs, four minutes of one core

All learn the same sentences of the grammar in the same number of steps, with as many
numbers to learn. What stands in FILE already is kept.
"""

import argparse
import itertools
import random
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import nn

from book.tools.lab.record import add_runs
from lib import corpora
from lib.config import TransformerConfig
from lib.decoding import evaluating, generate, greedy_decode
from lib.model import Transformer, count_parameters
from lib.text import (
    MASK,
    SEP,
    Pair,
    ParallelDataset,
    TextDataset,
    Vocabulary,
    special_id,
    tokenize,
)
from lib.today import LanguageConfig, LanguageModel
from lib.training import translation_loss, warmup_decay
from lib.translator.card import machine

FEW_WORDS = """
    I You We They He She you we they he she and don't doesn't will won't . today tonight
    Ana Pedro like likes love loves need needs dance dances run runs sing sings sleep
    sleeps study studies work works read reads eat eats drink drinks buy buys the
    delicious fresh cold bananas bread fish juice meat milk potatoes rice strawberries
    tea tomatoes water soup orange apple apples oranges coffee tomato banana
"""
EVERY = 5  # one sentence in five is kept apart
D, HEADS, INNER = 48, 4, 96
STEPS, BATCH, RATE, WARMUP = 1200, 32, 4e-3, 100
WRITERS = ("encoder-decoder", "decoder, loss on the target", "decoder, loss on all")
READERS = ("encoder", "decoder, one gap")
KINDS = (*WRITERS, *READERS)
GAPS = ("article", "gusta or gustan", "ending")
ARTICLES = {"el", "la", "los", "las"}
PLEASES = {"gusta", "gustan", "encanta", "encantan"}
PRONOUNS = {"yo", "tú", "él", "ella", "nosotros", "ellos"}
PERSONS = (("mos", "we"), ("n", "they"), ("s", "you"), ("o", "I"), ("é", "I"))
LOOKS = 4  # at a run on its way
Parts = tuple[list[Pair], list[Pair]]


def few_sentences() -> Parts:
    """Return pairs of a few dozen words: those to learn, and those kept apart."""
    words = set(FEW_WORDS.split())
    every = dict.fromkeys(itertools.chain(*corpora.load("grammar").splits.values()))
    chosen = [pair for pair in every if set(tokenize(pair[0])) <= words]
    random.Random(0).shuffle(chosen)
    kept = chosen[::EVERY]
    return [pair for pair in chosen if pair not in kept], kept


def with_new_words(parts: Parts) -> int:
    """Count the sentences kept apart whose target has a word that was never learned."""
    known = {word for _, target in parts[0] for word in tokenize(target)}
    return sum(not known.issuperset(tokenize(target)) for _, target in parts[1])


def vocabulary_of(pairs: Sequence[Pair]) -> Vocabulary:
    """Return one vocabulary for both languages, with a separator and a gap."""
    built = Vocabulary.build(text for pair in pairs for text in pair).tokens
    return Vocabulary(built[4:], specials=(*built[:4], SEP, MASK))


def model_of(kind: str, size: int) -> nn.Module:
    """Return a new model: one layer on each side, or two in one stack.

    A decoder layer has a second attention, of 4 · D² numbers; the two layers of the one
    stack have them in their feed-forward blocks, which are wider by D.
    """
    how: dict[str, Any] = {"d_model": D, "n_heads": HEADS, "dropout": 0.1}
    how |= {"norm_first": True, "tie_embeddings": True, "max_len": 64}
    if kind == WRITERS[0]:
        return Transformer(TransformerConfig(size, size, n_layers=1, d_ff=INNER, **how))
    how |= {"causal": kind != READERS[0], "d_ff": INNER + D}
    return LanguageModel(LanguageConfig(size, n_layers=2, **how))


def dataset_of(kind: str, pairs: Sequence[Pair], vocabulary: Vocabulary) -> Any:
    """Return the pairs in the form that this kind learns from."""
    if kind == WRITERS[0]:
        return ParallelDataset(pairs, vocabulary, vocabulary)
    if kind in READERS:
        texts = [target for _, target in pairs]
        places = [(t, n) for t in texts for n in range(len(tokenize(t)))]
        return TextDataset((gap(*one, vocabulary) for one in places), vocabulary.pad_id)
    return TextDataset.of_pairs(pairs, vocabulary, loss_on_all=kind == WRITERS[2])


def gap(text: str, place: int, vocabulary: Vocabulary) -> tuple[list[int], list[int]]:
    """Return a text whose word at this place is hidden, and that word as its label."""
    ids = [vocabulary.sos_id, *vocabulary.encode(text), vocabulary.eos_id]
    labels = [vocabulary.pad_id] * len(ids)
    labels[place + 1] = ids[place + 1]
    ids[place + 1] = special_id(vocabulary, MASK)
    return ids, labels


def questions(texts: Sequence[str]) -> dict[str, list[tuple[str, int]]]:
    """Return the gaps that are asked for: each with its text and its place."""
    asked: dict[str, list[tuple[str, int]]] = {name: [] for name in GAPS}
    for text in texts:
        words = [word.lower() for word in tokenize(text)]
        for place, word in enumerate(words):
            before = ["", "", *(w for w in words[:place] if w != "no")][-2:]
            if word in ARTICLES:
                asked["article"].append((text, place))
            elif word in PLEASES:
                asked["gusta or gustan"].append((text, place))
            elif word != "no" and before[1] in PRONOUNS and before[0] != "a":
                asked["ending"].append((text, place))
    return asked


def person(verb: str) -> str:
    """Return who does it, by the ending of a Spanish verb."""
    return next((who for ending, who in PERSONS if verb.endswith(ending)), "he")


def is_right(kind: str, said: str, wanted: str) -> bool:
    """Tell whether a gap is filled right: a verb by its ending, an article whole."""
    if kind == "article":
        return said == wanted
    if kind == "gusta or gustan":
        return said in PLEASES and person(said) == person(wanted)
    return said.isalpha() and person(said) == person(wanted)


def filled(model: Any, texts: Sequence[str], vocabulary: Vocabulary) -> dict[str, Any]:
    """Count the gaps filled right, of how many, and those filled with *no*."""
    found = {}
    for kind, gaps in questions(texts).items():
        rows = TextDataset((gap(*one, vocabulary) for one in gaps), vocabulary.pad_id)
        ids, mask, labels = rows.collate([rows[n] for n in range(len(rows))])
        with evaluating(model), torch.no_grad():
            numbers = model(ids, mask).argmax(dim=-1)
        asked = labels != vocabulary.pad_id
        said, wanted = (
            [vocabulary.tokens[number] for number in row[asked].tolist()]
            for row in (numbers, labels)
        )
        right = sum(map(is_right, itertools.repeat(kind), said, wanted))
        found[kind] = [right, len(gaps), said.count("no")]
    return found


def learn(
    model: nn.Module,
    dataset: Any,
    steps: int,
    *,
    rate: float = RATE,
    warmup: int = WARMUP,
    batch: int = BATCH,
    looks: int = LOOKS,
) -> Iterator[int]:
    """Take so many steps with Adam on sentences drawn at random; stop now and then.

    The rate falls to zero at the end, so a look before it is at a run that goes on.
    """
    adam = torch.optim.Adam(model.parameters(), lr=rate, betas=(0.9, 0.98))
    plan = torch.optim.lr_scheduler.LambdaLR(
        adam, lambda step: warmup_decay(step, min(warmup, steps // 4), steps)
    )
    for step in range(1, steps + 1):
        drawn = torch.randint(len(dataset), (batch,)).tolist()
        *read, labels = dataset.collate([dataset[place] for place in drawn])
        adam.zero_grad()
        translation_loss(model(*read), labels, dataset.pad_id).backward()
        adam.step()
        plan.step()
        if step % max(1, steps // looks) == 0:
            yield step


def translations(
    model: Any, sources: Sequence[str], vocabulary: Vocabulary
) -> list[str]:
    """Write the likeliest next word again and again, for each source."""
    sos, eos = vocabulary.sos_id, vocabulary.eos_id
    if isinstance(model, LanguageModel):
        sep = special_id(vocabulary, SEP)
        prompts = [[sos, *vocabulary.encode(source), sep] for source in sources]
        written: Any = generate(model, prompts, eos, max_new=20)
    else:
        rows = [torch.tensor([*vocabulary.encode(s), eos]) for s in sources]
        src = nn.utils.rnn.pad_sequence(rows, batch_first=True)
        written = greedy_decode(model, src, sos, eos, max_len=20).tolist()
    return [vocabulary.decode(ids) for ids in written]


def measure(parts: Parts, steps: int, kind: str, seed: int) -> dict[str, Any]:
    """Train one model, and count what it writes right to the letter."""
    vocabulary = vocabulary_of([*parts[0], *parts[1]])
    torch.manual_seed(seed)
    model = model_of(kind, len(vocabulary))

    def right(part: Sequence[Pair]) -> int:
        said = translations(model, [source for source, _ in part], vocabulary)
        return sum(a == b for a, (_, b) in zip(said, part, strict=True))

    start = time.process_time()  # of all cores, whatever else the machine does
    seen = {
        str(step): right(parts[1]) if kind in WRITERS else 0
        for step in learn(model, dataset_of(kind, parts[0], vocabulary), steps)
    }
    seconds = round(time.process_time() - start, 1)
    head = {"parameters": count_parameters(model), "seconds": seconds}
    if kind in READERS:
        return head | filled(model, [target for _, target in parts[1]], vocabulary)
    return head | {"learned": right(parts[0]), "kept": seen}


def main(arguments: Sequence[str] | None = None) -> int:
    """Train what is asked for and not there yet."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--steps", type=int, default=STEPS)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    parts = few_sentences()
    learned, kept = map(len, parts)
    counts = {"learned": learned, "kept": kept}
    head = {
        "sentences": counts | {"kept_with_new_words": with_new_words(parts)},
        "settings": {"steps": options.steps, "batch": BATCH, "rate": RATE},
        "machine": machine(),
    }
    found = itertools.product(KINDS, options.seeds)
    wanted = [{"kind": kind, "seed": seed} for kind, seed in found]
    add_runs(options.file, head, wanted, partial(measure, parts, options.steps))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
