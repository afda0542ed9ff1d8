"""Measure the translator of the page, without a page: its code, run by Node.js.

    page_measure.py                 all of it, into lib/shipped/measurements/page.json
    page_measure.py --limit 20      few sentences, to see that everything runs; no file

On the test part of the corpus that the shipped translator was trained on: BLEU of lib
and of the page's rounded weights, written greedily and with a beam; how many of the
first thousand translations are lib's, token for token, where the page's code has the
same float weights; and how fast the page's model writes.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor

from book.tools.lab.record import MODEL, record
from book.tools.lab.timing import spread
from book.tools.project.address import ROOT
from book.tools.site.javascript import run_node
from book.tools.site.page_model import write_parts
from lib import corpora
from lib.decoding import beam_search, greedy_decode
from lib.decoding.search import length_norm
from lib.evaluation.scores import compare_with_all
from lib.masks import padding_mask
from lib.text.files import write_json
from lib.text.reading import Source, in_batches, joined
from lib.translator import SHIPPED, Translator

# Of a text: the token ids of each of its sentences, up to their ends, and all as text.
Written = tuple[list[list[int]], str]

DECODERS = {"greedy": 0, "beam": 4}  # the width of the beam, 0 for none
COMPARED = 1000  # of these the page's code also translates with lib's float weights
PENALTY = 0.6
ROUNDS = 5
TIMED = 40  # sentences in each round


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure everything, and write the record."""
    return record(measure, "page.json", __doc__ or "", arguments)


def measure(place: Path, limit: int | None) -> dict[str, Any]:
    """Translate in every way, compare and score."""
    parts = write_parts(place)
    answers = corpora.references(corpora.load(MODEL).splits["test"])
    test = dict(list(answers.items())[:limit])
    own = Translator.load(MODEL)
    decoders = {
        name: compare(own, place, beam, test) for name, beam in DECODERS.items()
    }
    return {
        "node": run_node("--version").stdout.strip(),
        "parts": len(parts),
        "bytes": sum(part.stat().st_size for part in parts),
        "length_penalty": PENALTY,
        "decoders": decoders,
        **speed(place, list(test)),
    }


def compare(
    own: Translator, parts: Path, beam: int, answers: dict[str, list[str]]
) -> dict[str, Any]:
    """Translate in three ways, and score and compare what is written."""
    sentences = list(answers)
    lib, page = in_lib(own, sentences, beam), written_by(parts, sentences, beam)
    exact = written_by(SHIPPED / MODEL, sentences[:COMPARED], beam)
    right = list(answers.values())

    def bleu(written: list[Written]) -> float:
        texts = [text for _, text in written]
        return float(compare_with_all(texts, right[: len(texts)])["bleu"])

    return {
        "beam_size": beam or 1,
        "sentences": len(sentences),
        "bleu": {"lib": bleu(lib), "page": bleu(page)},
        "compared": len(exact),
        "same_as_lib": sum(a[0] == b[0] for a, b in zip(exact, lib, strict=False)),
        "bleu_of_compared": {"lib": bleu(lib[: len(exact)]), "page": bleu(exact)},
    }


def in_node(
    folder: Path, sentences: Sequence[str], beam: int, warm: Sequence[str] = ()
) -> dict[str, Any]:
    """What the page's code writes, and how long it took."""
    job = {"folder": str(folder), "beam": beam, "sentences": list(sentences)}
    with TemporaryDirectory() as place:
        file = Path(place) / "job.json"
        write_json(file, {**job, "warm": list(warm)})
        done = run_node(ROOT / "book" / "tools" / "lab" / "page_translate.js", file)
    if done.returncode:
        raise RuntimeError(f"Node.js could not translate: {done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def written_by(folder: Path, sentences: Sequence[str], beam: int) -> list[Written]:
    """What the page's code writes."""
    found = in_node(folder, sentences, beam)["found"]
    return [(each["ids"], each["text"]) for each in found]


def in_lib(own: Translator, sentences: Sequence[str], beam: int) -> list[Written]:
    """What lib writes."""
    ends = (own.tgt_vocab.sos_id, own.tgt_vocab.eos_id)

    def write(ids: list[list[int]]) -> list[list[int]]:
        src = torch.nn.utils.rnn.pad_sequence(
            [torch.tensor(row) for row in ids], True, own.src_vocab.pad_id
        )
        if beam:
            found = beam_search(own.model, src, *ends, beam, PENALTY)
            return [hypotheses[0].ids for hypotheses in found]
        pad_id = own.tgt_vocab.pad_id
        rows = greedy_decode(own.model, src, *ends).tolist()
        return [[number for number in row if number != pad_id] for row in rows]

    def whole(found: list[tuple[Source, list[int]]]) -> Written:
        text = joined((source, own.tgt_vocab.decode(ids)) for source, ids in found)
        return [ids for _, ids in found], text

    return [whole(found) for found in in_batches(sentences, 64, own.read_text, write)]


@torch.inference_mode()
def gap(
    own: Translator, sentence: str | Source, one: list[int], other: list[int], beam: int
) -> float:
    """How far apart lib holds two translations of a sentence: nothing in a tie.

    For a beam the difference of their scores; greedily that of the log-probabilities of
    the first two tokens that are not the same.
    """
    src = torch.tensor([own.read(sentence).ids])
    src_mask = padding_mask(src, own.src_vocab.pad_id)
    memory = own.model.encode(src, src_mask)
    places = zip(one, other, strict=False)
    first = next(i for i, (a, b) in enumerate(places) if a != b)

    def log_probabilities(ids: list[int]) -> Tensor:
        tgt = torch.tensor([[own.tgt_vocab.sos_id, *ids[:-1]]])
        logits = own.model.decode(tgt, memory, src_mask)[0]
        logits[:, [own.tgt_vocab.pad_id, own.tgt_vocab.sos_id]] = -torch.inf
        return logits.log_softmax(dim=-1)[range(len(ids)), ids]

    def score(ids: list[int]) -> Tensor:
        found = log_probabilities(ids)
        return found.sum() / length_norm(len(ids), PENALTY) if beam else found[first]

    return float((score(one) - score(other)).abs())


def speed(parts: Path, sentences: list[str]) -> dict[str, Any]:
    """Tokens a second of processor time, and what a reader waits for."""
    rates, firsts = [], []
    for number in range(ROUNDS):
        timed = sentences[number * TIMED : (number + 1) * TIMED] or sentences
        done = in_node(parts, timed, 0, warm=timed[:3])
        tokens = sum(len(ids) for each in done["found"] for ids in each["ids"])
        rates.append(tokens / done["processor_seconds"])
        firsts += [each["first"] for each in done["found"]]
    return {
        "tokens_a_processor_second": spread(rates),
        "first_word_seconds": spread(firsts),
    }


if __name__ == "__main__":
    raise SystemExit(main())
