"""Minimum risk training: a model learns from the scores of what it writes itself."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from lib.decoding import beam_search, length_norm
from lib.evaluation import chrf, sentence_bleu
from lib.text import Batch, Vocabulary, collate
from lib.training.objective import sentence_log_probs

LENGTH_PENALTY = 0.6  # the paper's, as in the search that the scores use (§6.1)


def expected_risk(scores: Tensor, costs: Tensor) -> Tensor:
    r"""Return what translations cost on average, the likelier ones weighing more.

    The scores of one source's translations become probabilities, as if the model had
    no others to choose from. The mean over the sources falls when a translation that
    costs little becomes likelier than one that costs much (Shen et al., 2016).

    Args:
        scores: how likely the model finds each translation; -inf where a source has
            fewer than K.
        costs: what is wrong with each, from 0 to 1.

    Shape:
        - scores and costs: :math:`(B, K)`, with K translations of each source.
        - Output: one number from 0 to 1.

    Raises:
        ValueError: if the shapes differ.

    Example:
        >>> costs = torch.tensor([[0.0, 1.0]])
        >>> expected_risk(torch.tensor([[0.0, 0.0]]), costs)
        tensor(0.5000)
        >>> expected_risk(torch.tensor([[9.0, 0.0]]), costs)  # surer of the right one
        tensor(0.0001)

    Built in chapter 16.
    """
    if scores.shape != costs.shape or scores.dim() != 2:
        raise ValueError(
            "scores and costs must both have shape (B, K), but theirs are "
            f"{tuple(scores.shape)} and {tuple(costs.shape)}."
        )
    return (scores.softmax(dim=-1) * costs).sum(dim=-1).mean()


def translation_cost(translation: str, reference: str) -> float:
    """Return what the mean of BLEU and chrF, from 0 to 1, lacks of 1.

    chrF alone would reward whoever writes more: it weighs recall four to one.

    Args:
        translation: what the model wrote.
        reference: the right answer.

    Example:
        >>> round(translation_cost("Los gatos duermen.", "Los gatos comen."), 2)
        0.54

    Built in chapter 16.
    """
    bleu_value = sentence_bleu(translation, reference)
    chrf_value = chrf([translation], [reference]).value
    # sacreBLEU's 100 may be a hair above it.
    return max(0.0, 1 - (bleu_value + chrf_value) / 200)


def own_translations_risk(
    model: nn.Module, batch: Batch, tgt_vocab: Vocabulary, beam_size: int
) -> Tensor:
    r"""Return the expected risk of what a beam search writes for a batch.

    A translation costs what :func:`translation_cost` says. Its score is that of the
    beam search: the log-probability divided by :func:`~lib.decoding.length_norm` of
    its length.

    Args:
        model: a Transformer; while it writes, it is in evaluation mode.
        batch: the sources with their references.
        tgt_vocab: turns token ids into text.
        beam_size: translations of each source.

    Shape:
        Output: one number from 0 to 1.

    Raises:
        ValueError: if the beam is wider than the vocabulary, or the reference of a
            sentence is empty.

    Example:
        >>> from lib.config import TransformerConfig
        >>> from lib.model import Transformer
        >>> words = Vocabulary(["ana", "canta"])
        >>> sizes = TransformerConfig(6, 6, d_model=8, n_heads=2, d_ff=16)
        >>> batch = Batch(*torch.tensor([[[4, 2]], [[1, 4]], [[4, 2]]]))
        >>> own_translations_risk(Transformer(sizes), batch, words, beam_size=2).shape
        torch.Size([])
    """
    pad_id, sos = tgt_vocab.pad_id, tgt_vocab.sos_id
    found = beam_search(
        model,  # type: ignore[arg-type]  # anything that is called like one
        batch.src,
        sos,
        tgt_vocab.eos_id,
        beam_size,
        LENGTH_PENALTY,
        n_best=beam_size,
    )
    references = map(tgt_vocab.decode, batch.tgt_out.tolist())
    pairs, costs, norms = [], [], []
    for src, hypotheses, reference in zip(batch.src, found, references, strict=True):
        texts = [tgt_vocab.decode(ids) for ids, _ in hypotheses]
        costs.append([translation_cost(text, reference) for text in texts])
        pairs += [(src, src.new_tensor([sos, *ids])) for ids, _ in hypotheses]
        norms += [length_norm(len(ids), LENGTH_PENALTY) for ids, _ in hypotheses]
    # The search has kept no gradients: what it found is scored again.
    again = collate(pairs, pad_id)
    logits = model(again.src, again.tgt_in)  # (B * K, T, V)
    log_probs = sentence_log_probs(logits, again.tgt_out, pad_id)  # (B * K)
    scores = log_probs / log_probs.new_tensor(norms)
    by_source = scores.split([len(row) for row in costs])
    return expected_risk(
        pad_sequence(by_source, True, -torch.inf),  # (B, K)
        pad_sequence([scores.new_tensor(row) for row in costs], True),
    )
