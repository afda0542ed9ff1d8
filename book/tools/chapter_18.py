"""The next word, asked of models that learned to fill gaps; and what chance gives.

    python -m book.tools.chapter_18 lib/shipped/measurements/families.json

The models are the encoder and the decoder of one gap in `families.json`, trained again
as `book.tools.lab.families` of commit e2bcea6 did. Two minutes of one core.
"""

import itertools
import json
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import torch

from lib import corpora
from lib.decoding import evaluating
from lib.text import MASK, SEP, TextDataset, Vocabulary, special_id, tokenize
from lib.today import LanguageConfig, LanguageModel
from lib.training import translation_loss, warmup_decay

FEW_WORDS = """
    I You We They He She you we they he she and don't doesn't will won't . today tonight
    Ana Pedro like likes love loves need needs dance dances run runs sing sings sleep
    sleeps study studies work works read reads eat eats drink drinks buy buys the
    delicious fresh cold bananas bread fish juice meat milk potatoes rice strawberries
    tea tomatoes water soup orange apple apples oranges coffee tomato banana
"""
STEPS, BATCH, RATE, WARMUP = 1200, 32, 4e-3, 100
ARTICLES = {"el", "la", "los", "las"}
PLEASES = {"gusta", "gustan", "encanta", "encantan"}
PRONOUNS = {"yo", "tú", "él", "ella", "nosotros", "ellos"}
PERSONS = (("mos", "we"), ("n", "they"), ("s", "you"), ("o", "I"), ("é", "I"))


def few_sentences() -> tuple[list[str], list[str], Vocabulary]:
    """Return the Spanish sentences to learn, those kept apart, and all their words."""
    words = set(FEW_WORDS.split())
    every = dict.fromkeys(itertools.chain(*corpora.load("grammar").splits.values()))
    chosen = [pair for pair in every if set(tokenize(pair[0])) <= words]
    random.Random(0).shuffle(chosen)
    kept = chosen[::5]
    learned = [pair for pair in chosen if pair not in kept]
    built = Vocabulary.build(text for pair in [*learned, *kept] for text in pair).tokens
    vocabulary = Vocabulary(built[4:], specials=(*built[:4], SEP, MASK))
    return [t for _, t in learned], [t for _, t in kept], vocabulary


def gap(text: str, place: int, vocabulary: Vocabulary) -> tuple[list[int], list[int]]:
    """Return a text whose word at this place is hidden, and that word as its label."""
    ids = [vocabulary.sos_id, *vocabulary.encode(text), vocabulary.eos_id]
    labels = [vocabulary.pad_id] * len(ids)
    labels[place + 1] = ids[place + 1]
    ids[place + 1] = special_id(vocabulary, MASK)
    return ids, labels


def learned(texts: list[str], vocabulary: Vocabulary, causal: bool, seed: int) -> Any:
    """Train a model to fill each gap of the texts."""
    torch.manual_seed(seed)
    config = LanguageConfig(
        len(vocabulary), d_model=48, n_heads=4, n_layers=2, d_ff=144, dropout=0.1,
        max_len=64, norm_first=True, causal=causal,
    )  # fmt: skip
    model = LanguageModel(config)
    places = [(text, n) for text in texts for n in range(len(tokenize(text)))]
    dataset = TextDataset((gap(*one, vocabulary) for one in places), vocabulary.pad_id)
    adam = torch.optim.Adam(model.parameters(), lr=RATE, betas=(0.9, 0.98))
    plan = torch.optim.lr_scheduler.LambdaLR(
        adam, lambda step: warmup_decay(step, WARMUP, STEPS)
    )
    for _ in range(STEPS):
        drawn = torch.randint(len(dataset), (BATCH,)).tolist()
        *read, labels = dataset.collate([dataset[place] for place in drawn])
        adam.zero_grad()
        translation_loss(model(*read), labels, dataset.pad_id).backward()
        adam.step()
        plan.step()
    return model


def right(model: Any, texts: list[str], vocabulary: Vocabulary) -> dict[str, int]:
    """Count the words filled right in the whole text, and with nothing behind them."""
    mask, found = special_id(vocabulary, MASK), Counter[str]()
    with evaluating(model), torch.no_grad():
        for text in texts:
            ids = [vocabulary.sos_id, *vocabulary.encode(text), vocabulary.eos_id]
            for place in range(2, len(ids) - 2):  # neither the first nor the period
                for name, behind in (("inside", ids[place + 1 :]), ("next", [])):
                    scores = model(torch.tensor([[*ids[:place], mask, *behind]]))
                    found[name] += scores[0, place].argmax().item() == ids[place]
                found["of"] += 1
    return dict(found)


def always(texts: list[str], kept: list[str]) -> dict[str, int]:
    """Count what the commonest answer among the texts to learn gets right."""

    def asked(texts: list[str]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {"article": [], "gusta or gustan": []}
        found["ending"] = []
        for text in texts:
            words = [word.lower() for word in tokenize(text)]
            for place, word in enumerate(words):
                before = ["", "", *(w for w in words[:place] if w != "no")][-2:]
                if word in ARTICLES:
                    found["article"].append(word)
                elif word in PLEASES:
                    found["gusta or gustan"].append(person(word))
                elif word != "no" and before[1] in PRONOUNS and before[0] != "a":
                    found["ending"].append(person(word))
        return found

    return {
        name: asked(kept)[name].count(Counter(said).most_common(1)[0][0])
        for name, said in asked(texts).items()
    }


def person(verb: str) -> str:
    """Return who does it, by the ending of a Spanish verb."""
    return next((who for ending, who in PERSONS if verb.endswith(ending)), "he")


def main(file: Path) -> None:
    """Write both into the file."""
    torch.set_num_threads(1)
    texts, kept, vocabulary = few_sentences()
    found = json.loads(file.read_text())
    found["always"] = always(texts, kept)
    found["next word"] = {
        name: [
            right(learned(texts, vocabulary, causal, seed), kept, vocabulary)
            for seed in range(3)
        ]
        for name, causal in (("encoder", False), ("decoder, one gap", True))
    }
    file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
