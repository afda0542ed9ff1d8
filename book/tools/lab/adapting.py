"""Trained models are taught something new, and kept in 8 bits; for chapter 21.

    adapting.py lib/shipped/measurements/adapting.json      half an hour of one core

The translator says *tú* to everybody and learns *usted*; the language model ends behind
a question and learns to answer. What stands in the file already is kept, as long as the
weights are the same.
"""

import argparse
import copy
import itertools
import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from book.tools.lab.record import begun, weights_of
from book.tools.lab.timing import environment
from lib import corpora
from lib.corpora import references
from lib.decoding import generate
from lib.evaluation import (
    bleu,
    far_pairs,
    paired_bootstrap,
    score_texts,
    sentence_counts,
)
from lib.model import Transformer
from lib.speed import fuse
from lib.text import Pair, ParallelDataset, TextDataset, tokenize
from lib.text.files import write_json
from lib.training.adapting import low_rank, merge_low_rank
from lib.training.task import translation_loss, warmup_decay
from lib.translator import Translator
from lib.translator.folder import read_language_model

TRANSLATOR, LANGUAGE_MODEL = "tatoeba-en-es", "tatoeba-en"
SUBJECTS = {
    "He": ("Él", {"he", "himself"}),
    "She": ("Ella", {"she", "her", "hers", "herself"}),
}
YOUR_VERBS = {"is": "are", "was": "were", "has": "have", "does": "do"}
YOUR_VERBS |= {f"{one}n't": f"{other}n't" for one, other in YOUR_VERBS.items()}
ADVERBS = """
    all almost also already always both even ever hardly just never often only rarely
    seldom sometimes soon still usually
"""
WITH_BASE = {"i", "we", "they", "to"}
YOU = {"you", "your", "yours", "yourself"}
FAMILIAR = "tú te ti tu tus contigo tuyo tuya tuyos tuyas eres vas has das ves vos"
NOT_FAMILIAR = """
    este triste existe insiste consiste asiste chiste atrás detrás otras parte arte
    suerte muerte fuerte norte corte deporte transporte pasaporte
"""
BETWEEN = {"no", "se", "me", "lo", "la", "le", "nos", "te", "nunca"}
SHIPPED_PAIRS = 100  # of each sort; what the chapter trains on
STEPS, BATCH = 100, 16
RATES = {"low rank": 3e-3, "all weights": 3e-4}
QUESTION = re.compile(
    r"(Is|Are|Was|Were|Do|Does|Did|Can|Could|Will|Would|Have|Has|Should|Must) "
    r"(I|you|he|she|it|we|they)\b[^?]*\?"
)
TURNED = {"I": "you", "you": "I"}
OF_I = {"are": "am", "were": "was", "has": "have"}
OF_YOU = {"am": "are", "was": "were"}
ASK_STEPS, ASK_BATCH, ASK_RATE = 80, 32, 1e-3


def bases(pairs: Sequence[Pair]) -> set[str]:
    """Return the English words that follow *I*, *we*, *they* or *to*."""
    found = set()
    for source, _ in pairs:
        words = tokenize(source.lower())
        found |= {b for a, b in itertools.pairwise(words) if a in WITH_BASE}
    return found


def as_you(pair: Pair, known: set[str]) -> Pair | None:
    """Turn *He likes tea*, *A él…* into *You*, *Usted*; None where the rule is unsure.

    English changes its verb, Spanish does not: *usted* has the verb of *él*.
    """
    (subject, *words), (pronoun, *rest) = (text.split(" ") for text in pair)
    his, own = SUBJECTS.get(subject, (None, set()))
    if his != pronoun or own & set(tokenize(" ".join(words).lower())):
        return None
    is_adverb = [w in ADVERBS.split() or w[-2:] == "ly" for w in words]
    if all(is_adverb):
        return None
    place = is_adverb.index(False)
    verb = words[place].rstrip(".,!?")
    mark = words[place][len(verb) :]
    if verb.endswith("s") and verb not in YOUR_VERBS:
        roots = (f"{verb[:-3]}y" * verb.endswith("ies"), verb[:-1], verb[:-2])
        verb = next((root for root in roots if root in known), "")
        if not verb:
            return None
    words[place] = YOUR_VERBS.get(verb, verb) + mark
    words = ["your" if word == "his" else word for word in words]
    return " ".join(["You", *words]), " ".join(["Usted", *rest])


class Data:
    """The sentences of Tatoeba, sorted by whom they address."""

    def __init__(self) -> None:
        splits = corpora.load(TRANSLATOR).splits
        self.train = splits["train"]
        known = bases(self.train)
        made = (as_you(pair, known) for pair in self.train)
        self.rule = [pair for pair in made if pair]
        self.real = [
            (source, target)
            for source, target in self.train
            if says_you(source) and "usted" in tokenize(target.lower())
        ]
        self.others = [pair for pair in self.train if not says_you(pair[0])]
        draw = random.Random(0)
        for part in (self.rule, self.real, self.others):
            draw.shuffle(part)
        self.test = [*dict.fromkeys(s for s, _ in splits["test"] if says_you(s))]
        learned = [*self.train, *self.rule]
        test = [pair for pair in splits["test"] if says_you(pair[0])]
        self.far = {s for s, _ in far_pairs({"train": learned, "test": test})}
        elsewhere = references(splits["validation"])
        self.elsewhere = {s: r for s, r in elsewhere.items() if not says_you(s)}
        self.english = {name: sources(part) for name, part in splits.items()}

    @cached_property
    def third(self) -> set[str]:
        """The words that follow *él*, *ella* or *usted* at least twice: their verbs."""
        seen: set[str] = set()
        twice: set[str] = set()
        for _, target in self.train:
            words = [word for word in tokenize(target.lower()) if word not in BETWEEN]
            for before, word in itertools.pairwise(words):
                if before in {"él", "ella", "usted"}:
                    (twice if word in seen else seen).add(word)
        return twice

    def address(self, text: str) -> str:
        """Say how a Spanish text addresses: *usted*, *tú*, or open."""
        words = set(tokenize(text.lower()))
        if words & {"usted", "ustedes"}:
            return "usted"
        return "tú" if any(map(self.is_familiar, words)) else "open"

    def is_familiar(self, word: str) -> bool:
        """Tell whether a word says *tú*: from a list, or by the ending of a verb."""
        if word in FAMILIAR.split() or word in NOT_FAMILIAR.split():
            return word in FAMILIAR.split()
        if re.search(r"([aei]ste|rás|rías|[aeiáéí]rte)$", word):
            return True
        return len(word) > 3 and word.endswith("s") and word[:-1] in self.third

    def mixed(self, name: str) -> list[Pair]:
        """Return what a run learns: pairs of *usted*, and as many without *you*."""
        rule = {"few": self.rule[:SHIPPED_PAIRS]}.get(name, self.rule)
        if name == "usted alone":
            return rule
        real = self.real if name == "with real ones" else []
        return [*rule, *real, *self.others[: len(rule)]]


def sources(pairs: Sequence[Pair]) -> list[str]:
    """Return the different English sentences."""
    return [*dict.fromkeys(source for source, _ in pairs)]


def says_you(source: str) -> bool:
    """Tell whether an English sentence has *you* or *your*."""
    return not YOU.isdisjoint(tokenize(source.lower()))


def sort_of(source: str) -> str:
    """Say what sort of sentence with *you* it is."""
    if source.startswith("You "):
        return "statements"
    return "questions" if source.endswith("?") else "others"


class Told:
    """What a model writes for the held-out sentences, beside the shipped one."""

    def __init__(self, translator: Translator, data: Data) -> None:
        self.translator, self.data = translator, data
        self.texts = self.written(translator.model)
        self.rights = [*data.elsewhere.values()]
        self.counts = sentence_counts(self.texts[1], self.rights)

    def written(self, model: Transformer) -> tuple[list[str], list[str]]:
        """Translate greedily: the sentences with *you*, and those without."""
        shipped = self.translator
        marks = shipped.src_vocab, shipped.tgt_vocab, shipped.punctuate, shipped.prose
        asked = [*self.data.test, *self.data.elsewhere]
        found = Translator(model, *marks).translate(asked)
        return found[: len(self.data.test)], found[len(self.data.test) :]

    def of(self, make: Callable[[], Transformer]) -> dict[str, Any]:
        """Make a model; return how it addresses, and what it changes elsewhere."""
        you, elsewhere = self.written(make())
        data, ways = self.data, ("usted", "tú", "open")
        addressed: dict[str, list[int]] = {}
        for source, text in zip(data.test, you, strict=True):
            way = ways.index(data.address(text))
            sort = sort_of(source)
            for name in (sort, f"far {sort}")[: 1 + (source in data.far)]:
                addressed.setdefault(name, [0, 0, 0])[way] += 1
        score = bleu(elsewhere, self.rights)
        counts = sentence_counts(elsewhere, self.rights)
        return {
            "addressed": addressed,
            "bleu": round(score.value, 2),
            "signature": score.signature,
            "difference": [round(n, 2) for n in paired_bootstrap(counts, self.counts)],
            "same": sum(a == b for a, b in zip(elsewhere, self.texts[1], strict=True)),
            "usted": sum(data.address(text) == "usted" for text in elsewhere),
            "examples": you[:12],
        }

    def of_run(self, run: dict[str, Any]) -> dict[str, Any]:
        """Take the steps of one run, and return what has come of it."""
        learning = adapted(run["kind"], run["rank"], self.translator).parameters()
        numbers = sum(each.numel() for each in learning if each.requires_grad)
        taught = partial(teach, self.translator, self.data, **run)
        return {**run, "numbers": numbers, **self.of(taught)}


def adapted(kind: str, rank: int, translator: Translator) -> Transformer:
    """Return a copy of the translator that can learn."""
    if kind == "all weights":
        return copy.deepcopy(translator.model).requires_grad_(True)
    return low_rank(translator.model, rank)


def learn(
    model: nn.Module,
    dataset: Any,
    steps: int,
    *,
    rate: float,
    warmup: int,
    batch: int,
    looks: int = 1,
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


def teach(
    translator: Translator,
    data: Data,
    *,
    kind: str,
    rank: int,
    pairs: str,
    seed: int,
    rate: float = 0.0,
) -> Transformer:
    """Take the steps of one run, and return the model with all merged."""
    torch.manual_seed(seed)
    model = adapted(kind, rank, translator)
    words = translator.src_vocab, translator.tgt_vocab
    dataset = ParallelDataset(data.mixed(pairs), *words)
    if pairs == "few":
        as_in_the_chapter(model, dataset, rate, seed)
    else:
        how: dict[str, Any] = {"rate": rate or RATES[kind], "warmup": 10}
        list(learn(fuse(model).train(), dataset, STEPS, batch=BATCH, **how))
    return merge_low_rank(model).eval()


def as_in_the_chapter(
    model: nn.Module, pairs: ParallelDataset, rate: float, seed: int
) -> None:
    """Take the sixty steps of the chapter: one rate, nothing dropped."""
    draw = random.Random(seed)
    learning = [each for each in model.parameters() if each.requires_grad]
    adam = torch.optim.Adam(learning, lr=rate)
    for _ in range(60):
        batch = pairs.collate([pairs[draw.randrange(len(pairs))] for _ in range(BATCH)])
        logits = model(batch.src, batch.tgt_in)
        adam.zero_grad()
        translation_loss(logits, batch.tgt_out, pairs.pad_id).backward()
        adam.step()


def prefer(
    told: Told, steps: int, beta: float = 0.1, rate: float = 1e-3
) -> Transformer:
    """Learn from two translations each, of which one is preferred (Rafailov et al.)."""
    translator = told.translator
    chosen = told.data.rule[:SHIPPED_PAIRS]
    said = translator.translate([source for source, _ in chosen])
    refused = [(s, text) for (s, _), text in zip(chosen, said, strict=True)]
    words = translator.src_vocab, translator.tgt_vocab
    sides = [ParallelDataset(side, *words) for side in (chosen, refused)]
    torch.manual_seed(0)
    model = low_rank(translator.model, 4)
    computing, before = fuse(model), fuse(translator.model)
    adam = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], rate)
    for _ in range(steps):
        places = torch.randint(len(chosen), (BATCH,)).tolist()
        batches = [side.collate([side[n] for n in places]) for side in sides]
        with torch.no_grad():
            old = [log_probs(before, batch) for batch in batches]
        new = [log_probs(computing, batch) for batch in batches]
        lead = (new[0] - old[0]) - (new[1] - old[1])
        adam.zero_grad()
        (-F.logsigmoid(beta * lead).mean()).backward()
        adam.step()
    return merge_low_rank(model)


def log_probs(model: nn.Module, batch: Any) -> Tensor:
    """Return how likely a model finds each target of a batch (B)."""
    logits = model(batch.src, batch.tgt_in).transpose(1, 2)  # (B, V, T)
    losses = F.cross_entropy(logits, batch.tgt_out, ignore_index=0, reduction="none")
    return -losses.sum(dim=1)


@torch.no_grad()
def rounded(model: Transformer, bits: int, by_row: bool) -> Transformer:
    """Return a copy whose matrices have been through few bits a number."""
    copied = copy.deepcopy(model)
    most = 2 ** (bits - 1) - 1  # as `to_eight_bits` has 127
    for weight in copied.parameters():
        if weight.dim() == 2:
            rows = weight if by_row else weight.view(1, -1)
            scale = rows.abs().amax(dim=1, keepdim=True).clamp(min=1e-12) / most
            weight.copy_(((rows / scale).round() * scale).view_as(weight))
    return copied


def answer(question: str) -> str:
    """Return the short answer *yes* to a question that can be answered so."""
    found = QUESTION.fullmatch(question)
    if not found:
        return ""
    verb, pronoun = found[1].lower(), TURNED.get(found[2], found[2])
    verb = {"I": OF_I, "you": OF_YOU}.get(pronoun, {}).get(verb, verb)
    return f"Yes, {pronoun} {verb}."


class Asked:
    """The language model, and questions to learn from and to be asked."""

    def __init__(self, data: Data) -> None:
        self.words = read_language_model(LANGUAGE_MODEL)[1]
        self.learned, self.kept = (
            [text for text in data.english[part] if answer(text)]
            for part in ("train", "test")
        )
        self.plain = [text for text in data.english["validation"] if text[-1] != "?"]

    def examples(self, loss_on_all: bool) -> TextDataset:
        """Return questions with their answers; those that are read may be no labels."""
        rows, pad = [], self.words.pad_id
        for text in self.learned:
            prompt = [self.words.sos_id, *self.words.encode(text)]
            ids = [*prompt, *self.words.encode(answer(text)), self.words.eos_id]
            free = 0 if loss_on_all else len(prompt) - 1
            rows.append((ids[:-1], [pad] * free + ids[1 + free :]))
        return TextDataset(rows, pad).fitting(64)

    def written(self, model: Any, questions: Sequence[str]) -> list[str]:
        """Write on behind each question, greedily."""
        prompts = [[self.words.sos_id, *self.words.encode(q)] for q in questions]
        found = generate(model, prompts, self.words.eos_id, max_new=12)
        return [self.words.decode(ids) for ids in found]

    def right(self, texts: Sequence[str]) -> int:
        """Count the right answers to the questions that were held out."""
        return sum(a == answer(q) for a, q in zip(texts, self.kept, strict=True))

    def of(self, model: Any) -> dict[str, Any]:
        """Count right answers and silence, and score what is no question."""
        texts = self.written(model, self.kept)
        score = score_texts(model, self.words, self.plain)
        return {
            "right": self.right(texts),
            "silent": sum(not text for text in texts),
            "perplexity": round(score.perplexity, 2),
            "examples": texts[:8],
        }

    def taught(self, loss_on_all: bool, seed: int) -> dict[str, Any]:
        """Train it to answer, and look on the way."""
        model = read_language_model(LANGUAGE_MODEL)[0]
        torch.manual_seed(seed)
        how: dict[str, Any] = {"rate": ASK_RATE, "warmup": 10, "batch": ASK_BATCH}
        right = {}
        for step in learn(model, self.examples(loss_on_all), ASK_STEPS, looks=8, **how):
            right[str(step)] = self.right(self.written(model, self.kept))
            model.train()
        return {"right_at": right, **self.of(model)}


def plan() -> list[dict[str, Any]]:
    """Return every run of the translator."""
    usual = {"kind": "low rank", "rank": 4, "pairs": "usted and others", "seed": 0}
    whole = usual | {"kind": "all weights", "rank": 0}
    return [
        *(usual, whole),
        *(way | {"pairs": "usted alone"} for way in (usual, whole)),
        *(usual | {"rank": rank} for rank in (1, 16)),
        usual | {"pairs": "with real ones"},
        *(way | {"seed": seed} for seed in (1, 2) for way in (usual, whole)),
        *(whole | {"seed": seed, "rate": 1e-4} for seed in range(3)),
        *(
            usual | {"pairs": "few", "seed": seed, "rate": rate}
            for rate in (5e-3, 1e-3)
            for seed in range(3)
        ),
    ]


def head_of(data: Data) -> dict[str, Any]:
    """Say what all is measured on."""
    return {
        "environment": environment(),
        "weights": {name: weights_of(name) for name in (TRANSLATOR, LANGUAGE_MODEL)},
        "settings": {"steps": STEPS, "batch": BATCH, "rates": RATES},
        "pairs": {"rule": len(data.rule), "real": len(data.real)},
        "learned": [list(pair) for pair in data.mixed("few")],
        "asked": data.test[:12],
        "statements": [s for s in data.test if sort_of(s) == "statements"],
        "elsewhere": len(data.elsewhere),
    }


def measured(told: Told, asked: Asked) -> dict[str, Callable[[], dict[str, Any]]]:
    """Return each part of the record by its name, as a function that measures it."""
    model = told.translator.model
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "answer before": lambda: (
            asked.of(read_language_model(LANGUAGE_MODEL)[0])
            | {"asked": asked.kept[:8], "of": len(asked.kept)}
            | {"learned": len(asked.learned)}
        )
    }
    for seed, loss in itertools.product(range(3), ("the answer", "all")):
        name = f"answer, loss on {loss}, seed {seed}"
        parts[name] = partial(asked.taught, loss == "all", seed)
    parts["before"] = partial(told.of, lambda: model)
    for bits, each in itertools.product((8, 4), ("row", "matrix")):
        made = partial(rounded, model, bits, each == "row")
        parts[f"{bits} bits, a scale a {each}"] = partial(told.of, made)
    for steps in (20, 40, STEPS):
        made = partial(prefer, told, steps)
        parts[f"preferred, {steps} steps"] = partial(told.of, made)
    for run in plan():
        parts[" ".join(map(str, run.values()))] = partial(told.of_run, run)
    return parts


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what is not there yet."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    file = parser.parse_args(arguments).file
    torch.set_num_threads(1)
    data = Data()
    record = begun(file, head_of(data))
    parts = record.setdefault("parts", {})
    told = Told(Translator.load(TRANSLATOR), data)
    for name, measure in measured(told, Asked(data)).items():
        if name not in parts:
            parts[name] = measure()
            write_json(file, record)
            print(name, parts[name], flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
