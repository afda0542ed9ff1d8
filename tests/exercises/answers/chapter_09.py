"""Right and wrong answers to the exercises of chapter 9."""

import numpy as np
import torch

from lib.checks import chapter_09 as check


def shift(ids, sos_id, eos_id):
    return [sos_id, *ids], [*ids, eos_id]


def shift_as_tensors(ids, sos_id, eos_id):
    target = torch.tensor([sos_id, *ids, eos_id])
    return target[:-1], target[1:]


def write_greedily(next_scores, sos_id, eos_id, max_len):
    written = [sos_id]
    while len(written) <= max_len:
        best = int(next_scores(written).argmax())
        if best == eos_id:
            break
        written.append(best)
    return written[1:]


def writer(
    feed=lambda written: written,
    choose=torch.argmax,
    result=lambda written, eos_id: written[1:],
    stops=True,
    extra=0,
):
    """An answer to 9.2 with one thing done otherwise."""

    def answer(next_scores, sos_id, eos_id, max_len):
        written = [sos_id]
        while len(written) <= max_len + extra:
            best = int(choose(next_scores(feed(written))))
            if best == eos_id and stops:
                break
            written.append(best)
        return result(written, eos_id)

    return answer


def finder(rows=lambda t: slice(t + 1), steps=None, negate=False):
    """An answer to 9.3 that compares some rows, after changing some words."""

    def answer(run, target, vocab_size):
        before = run(target)
        for t in range(len(target)) if steps is None else steps:
            changed = target.clone()
            changed[t] = (target[t] + 1) % vocab_size
            if not torch.allclose(run(changed)[rows(t)], before[rows(t)], atol=1e-6):
                return not negate
        return negate

    return answer


def finder_of_suffixes(run, target, vocab_size):
    """Right too: all words from t on change, and the rows up to t must not move."""
    for t in range(len(target)):
        changed = target.clone()
        changed[t:] = (changed[t:] + 1) % vocab_size
        if (run(changed)[: t + 1] != run(target)[: t + 1]).any():
            return True
    return False


def finder_with_numpy(run, target, vocab_size):
    moved = [finder(steps=[t])(run, target, vocab_size) for t in range(len(target))]
    return np.any(moved)


def finder_without_clone(run, target, vocab_size):
    before = run(target)
    for t in range(len(target)):
        target[t] = (target[t] + 1) % vocab_size
        if not torch.allclose(run(target)[: t + 1], before[: t + 1]):
            return True
    return False


def finder_that_returns_early(run, target, vocab_size):
    for t in range(len(target)):
        changed = target.clone()
        changed[t] = (target[t] + 1) % vocab_size
        return not torch.allclose(run(changed)[: t + 1], run(target)[: t + 1])
    return False


def finder_writing(word):
    """An answer to 9.3 that writes some word in the place of each."""

    def answer(run, target, vocab_size):
        before = run(target)
        for t in range(len(target)):
            changed = target.clone()
            changed[t] = word(int(target[t]))
            if not torch.allclose(run(changed)[: t + 1], before[: t + 1]):
                return True
        return False

    return answer


def finder_by_winners(run, target, vocab_size):
    before = run(target).argmax(dim=-1)
    for t in range(len(target)):
        changed = target.clone()
        changed[t] = (target[t] + 1) % vocab_size
        if (run(changed).argmax(dim=-1) != before)[: t + 1].any():
            return True
    return False


def places(logits, labels):
    return logits.argmax(dim=-1) == labels


def sentences_right(logits, labels, pad_id):
    return int((places(logits, labels) | (labels == pad_id)).all(dim=1).sum())


def sentences_right_as_tensor(logits, labels, pad_id):
    return sum(
        places(logits, labels)[i][labels[i] != pad_id].all() for i in range(len(labels))
    )


RIGHT = [
    (check.shift, shift),
    (check.shift, shift_as_tensors),
    (check.write_greedily, write_greedily),
    (
        check.write_greedily,
        writer(feed=lambda written: torch.tensor(written)),
    ),
    (check.leaks, finder()),
    (check.leaks, finder_of_suffixes),
    (check.leaks, finder_with_numpy),
    (check.shift, lambda ids, sos, eos: np.array([[sos, *ids], [*ids, eos]])),
    (check.shift, lambda ids, sos, eos: torch.tensor([[sos, *ids], [*ids, eos]])),
    (check.sentences_right, sentences_right),
    (check.sentences_right, lambda *given: np.int64(sentences_right(*given))),
    (check.sentences_right, sentences_right_as_tensor),
]

WRONG = [
    (check.shift, lambda ids, sos, eos: ([*ids, eos], [*ids, eos]), "the leak"),
    (check.shift, lambda ids, sos, eos: (ids, ids), "the leak"),
    (check.shift, lambda ids, sos, eos: ([*ids, eos], [sos, *ids]), "are exchanged"),
    (
        check.shift,
        lambda ids, sos, eos: ([sos, *ids, eos], [*ids, eos]),
        "has both <sos> and <eos>",
    ),
    (check.shift, lambda ids, sos, eos: ([sos, *ids[:-1]], ids), "to say <eos>"),
    (check.shift, lambda ids, sos, eos: (ids, [*ids[1:], eos]), "follows <sos>"),
    (
        check.shift,
        lambda ids, sos, eos: ([eos, *ids], [*ids, sos]),
        "<sos> and <eos> are exchanged",
    ),
    (check.shift, lambda ids, sos, eos: [sos, *ids], "should be two lists"),
    (check.shift, lambda ids, sos, eos: ([1, *ids], [*ids, 2]), "shift([4]"),
    (
        check.write_greedily,
        writer(result=lambda written, eos_id: written),
        "begins with <sos>",
    ),
    (
        check.write_greedily,
        writer(result=lambda written, eos_id: [*written[1:], eos_id]),
        "ends with <eos>",
    ),
    (
        check.write_greedily,
        writer(result=lambda written, eos_id: [*written, eos_id]),
        "<sos> and <eos> around it",
    ),
    (check.write_greedily, writer(choose=torch.argmin), "smallest score"),
    (
        check.write_greedily,
        writer(feed=lambda written: written[-1:]),
        "Only one id goes into",
    ),
    (check.write_greedily, writer(stops=False), "goes on after <eos>"),
    (check.write_greedily, writer(extra=1), "more than max_len"),
    (check.write_greedily, writer(extra=-1), "stops too early"),
    (
        check.write_greedily,
        writer(feed=lambda written: written[1:]),
        "should get [sos_id]",
    ),
    (
        check.write_greedily,
        writer(feed=lambda written: written[1:] or written),
        "<sos> is missing from the second call",
    ),
    (check.write_greedily, lambda *_: 3, "should be a list of ids"),
    (check.write_greedily, lambda *_: [], "should be [3, 4, 3, 5]"),
    (check.leaks, finder(negate=True), "are exchanged"),
    (check.leaks, finder(rows=lambda t: slice(None)), "True of all code"),
    (check.leaks, finder(rows=lambda t: slice(t, None)), "True of all code"),
    (check.leaks, lambda *_: False, "never calls run"),
    (check.leaks, finder(rows=lambda t: slice(0)), "False of all code"),
    (check.leaks, finder(rows=lambda t: slice(t, t + 1)), "compares row t alone"),
    (check.leaks, finder(rows=lambda t: slice(t)), "leaves row t out"),
    (check.leaks, finder(steps=[0]), "step 1, 2, 3, 4, 5 is never changed"),
    (check.leaks, finder(steps=range(1, 6)), "step 0 is never changed"),
    (check.leaks, finder_that_returns_early, "is never changed"),
    (check.leaks, finder_without_clone, "Several words are changed at once"),
    (check.leaks, finder_writing(lambda old: 0), "step 3 is never changed"),
    (check.leaks, finder_writing(lambda old: old), "the same target each time"),
    (check.leaks, finder_writing(lambda old: old + 1), "wrap round with % vocab_size"),
    (check.leaks, finder_by_winners, "misses a leak that changes the scores a little"),
    (check.leaks, lambda run, target, size: run(target), "should be True or False"),
    (check.leaks, lambda run, target, size: 1.0, "should be True or False"),
    (
        check.sentences_right,
        lambda logits, labels, pad: int(places(logits, labels).all(dim=1).sum()),
        "also has to say <pad>",
    ),
    (
        check.sentences_right,
        lambda logits, labels, pad: int(
            (places(logits, labels) & (labels != pad)).sum()
        ),
        "These are words: count the sentences",
    ),
    (
        check.sentences_right,
        lambda logits, labels, pad: int(places(logits, labels).sum()),
        "and padding with them",
    ),
    (
        check.sentences_right,
        lambda logits, labels, pad: int(
            (places(logits, labels) | (labels == pad)).sum()
        ),
        "These are places",
    ),
    (
        check.sentences_right,
        lambda *given: sentences_right(*given) / len(given[1]),
        "This is a share",
    ),
    (
        check.sentences_right,
        lambda logits, labels, pad: (
            places(logits, labels)[labels != pad].float().mean()
        ),
        "This is a share",
    ),
    (
        check.sentences_right,
        lambda logits, labels, pad: int(
            (places(logits, labels) | (labels == pad)).any(dim=1).sum()
        ),
        "not one of them",
    ),
    (
        check.sentences_right,
        lambda logits, labels, pad: (places(logits, labels) | (labels == pad)).all(1),
        "one answer for each sentence",
    ),
    (
        check.sentences_right,
        lambda logits, labels, pad: places(logits, labels),
        "one answer for each word",
    ),
    (
        check.sentences_right,
        lambda logits, labels, pad: (places(logits, labels) | (labels == pad)).all(),
        "one answer for the whole batch",
    ),
    (
        check.sentences_right,
        lambda logits, labels, pad: bool(
            (places(logits, labels) | (labels == pad)).all()
        ),
        "one answer for the whole batch",
    ),
    (
        check.sentences_right,
        lambda logits, labels, pad: int(
            (places(logits, labels) & (labels != pad)).all(dim=1).sum()
        ),
        "Padding counts as wrong",
    ),
    (
        check.sentences_right,
        lambda logits, labels, pad: int(
            (places(logits, labels) | (labels == pad)).all(dim=0).sum()
        ),
        "It counts columns",
    ),
    (
        check.sentences_right,
        lambda logits, labels, pad: int(
            (places(logits, labels) | (labels != pad)).all(dim=1).sum()
        ),
        "the other way round",
    ),
    (
        check.sentences_right,
        lambda logits, labels, pad: int(
            (places(logits, labels) | (logits.argmax(-1) == pad)).all(dim=1).sum()
        ),
        "where the model says <pad>",
    ),
    (
        check.sentences_right,
        lambda logits, labels, pad: int(
            (places(logits, labels) | (labels == pad) | (logits.argmax(-1) == pad))
            .all(dim=1)
            .sum()
        ),
        "forgives the model a <pad>",
    ),
    (
        check.sentences_right,
        lambda logits, labels, pad: len(labels) - sentences_right(logits, labels, pad),
        "counts the wrong sentences",
    ),
    (
        check.sentences_right,
        lambda logits, labels, pad: sentences_right(logits, labels, 0),
        "ask for pad_id",
    ),
    (check.sentences_right, lambda *_: 5, "one right and in one wrong sentence"),
    (check.sentences_right, lambda *_: "five", "should be 5, but is 'five'"),
]
