"""One step of training: the rate, and the task that Lightning trains."""

from __future__ import annotations

from typing import Any

import lightning
import torch
from torch import Tensor

from lib.decoding import greedy_decode
from lib.evaluation.scores import BLEU_TOKENIZER, bleu
from lib.loss import token_accuracy, translation_loss
from lib.model import Transformer
from lib.text import Batch, Vocabulary
from lib.today import modernize
from lib.training.settings import TrainingSettings


def warmup_decay(step: int, warmup_steps: int, total_steps: int) -> float:
    """Return the share of the peak learning rate: up in a line, then down to zero.

    The paper (§5.3) comes down with one over the square root of the step, for a run of
    open length. A run whose length is known ends better at zero.

    Args:
        step: optimizer steps made so far.
        warmup_steps: steps until the peak.
        total_steps: steps of the whole run.

    Returns:
        A number from 0 to 1.

    Raises:
        ValueError: if the warm-up is not shorter than the run.

    Example:
        >>> [warmup_decay(step, warmup_steps=2, total_steps=6) for step in range(6)]
        [0.5, 1.0, 1.0, 0.75, 0.5, 0.25]

    Built in chapter 12.
    """
    if not 0 <= warmup_steps < total_steps:
        raise ValueError(
            "The warm-up must be shorter than the run, but warmup_steps is "
            f"{warmup_steps} and the run has {total_steps} steps."
        )
    if step < warmup_steps:
        return (step + 1) / warmup_steps
    way_down = total_steps - warmup_steps
    return max(0.0, (total_steps - step) / way_down)


_SECOND = 2 / 3  # of the highest rate, where it rises again


class TranslationTask(lightning.LightningModule):
    r"""Teacher forcing with label smoothing, Adam and a warm-up (§5.3, §5.4).

    Args:
        settings: sizes, leaves and hyperparameters; the seed, with the number of the
            epoch, decides the dropout of that epoch.
        src_vocab: the words of the source language.
        tgt_vocab: the words of the target language.
        bleu_tokenizer: how the BLEU of the validation part cuts sentences into words.

    Example:
        >>> words = Vocabulary(["go", "to"])
        >>> tiny = TrainingSettings(d_model=8, n_heads=2, d_ff=16)
        >>> ids = torch.tensor([[4, 5]])
        >>> TranslationTask(tiny, words, words).model(ids, ids).shape
        torch.Size([1, 2, 6])
    """

    def __init__(
        self,
        settings: TrainingSettings,
        src_vocab: Vocabulary,
        tgt_vocab: Vocabulary,
        bleu_tokenizer: str = BLEU_TOKENIZER,
    ) -> None:
        super().__init__()
        self.pad_id = tgt_vocab.pad_id
        config = settings.model_config(len(src_vocab), len(tgt_vocab), self.pad_id)
        leaves = settings.leaves().changes()
        self.model: Any = modernize(Transformer(config), **leaves)
        self.settings = settings
        self.tgt_vocab = tgt_vocab
        self.bleu_tokenizer = bleu_tokenizer
        self.written: list[str] = []
        self.wanted: list[str] = []
        self.tokens_seen = 0  # of the labels, in this epoch

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        # Without some of these Lightning would begin anew, and say nothing.
        parts = {"state_dict", "optimizer_states", "lr_schedulers", "loops"}
        if missing := (parts | {"callbacks"}) - checkpoint.keys():
            raise ValueError(
                f"checkpoint.safetensors is not whole, it lacks {', '.join(missing)}; "
                "delete it and start the run again."
            )

    def on_train_batch_start(self, batch: Any, batch_idx: int) -> None:
        # So that a run which was interrupted goes on exactly as if it had not been. Not
        # at the start of the epoch: Lightning may still draw numbers after that.
        if batch_idx == 0:
            self.tokens_seen = 0
            # Several processes draw different dropout, as they have other sentences.
            # On a processor only the last 32 bits of a seed count.
            process = self.global_rank * 1_000_000_007
            seed = self.settings.seed * 100_003
            torch.manual_seed(seed + self.current_epoch + process)

    def training_step(self, batch: Batch) -> Tensor:
        tokens = self._count_tokens(batch)
        share = self._share_of_loss(batch, tokens)
        loss: Tensor = self.trainer.strategy.reduce(share.detach(), reduce_op="mean")
        if not loss.isfinite():
            raise ValueError(
                f"The loss has become {loss.item()}: the training has diverged; begin "
                "again with a smaller learning_rate."
            )
        self._log("train_loss", loss, tokens)
        self.tokens_seen += tokens
        return share

    def _share_of_loss(self, batch: Any, tokens: int) -> Tensor:
        """Return what the mean over all processes makes the loss of the batch."""
        processes = self.trainer.world_size
        mine = shard(batch, self.global_rank, processes)
        weight = self._count_tokens(mine) * processes / max(tokens, 1)
        # Without a sentence, it computes for nothing: the others wait for it.
        *read, labels = mine if len(mine[0]) else batch
        logits = self.model(*read)  # (B, T, V)
        smoothing = self.settings.label_smoothing
        loss = translation_loss(logits, labels, self.pad_id, smoothing)
        return loss * weight  # by tokens, not by sentences: the loss is a mean of those

    def _count_tokens(self, batch: Batch) -> int:
        return int((batch[-1] != self.pad_id).sum())

    def _log(self, name: str, value: Tensor | float, weight: int = 1) -> None:
        # Means over an epoch weigh each batch by what it holds, not all alike.
        self.log(name, value, on_step=False, on_epoch=True, batch_size=weight)

    def configure_optimizers(self) -> Any:
        """Adam with the paper's settings; the rate changes after every step."""
        rate = self.settings.learning_rate
        optimizer = torch.optim.Adam(
            self.model.parameters(), lr=rate, betas=(0.9, 0.98), eps=1e-9
        )
        total = int(self.trainer.estimated_stepping_batches)
        first = total * self.settings.rise_again // self.settings.epochs
        # A run shorter than the warm-up would never come down.
        shortest = min(first or total, total - first)
        warmup = min(self.settings.warmup_steps, shortest // 4)

        def share(step: int) -> float:
            if step < first:
                return warmup_decay(step, warmup, first)
            height = _SECOND if first else 1.0
            return height * warmup_decay(step - first, warmup, total - first)

        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, share)
        return {
            "optimizer": optimizer,
            "lr_scheduler": {"scheduler": schedule, "interval": "step"},
        }

    def validation_step(self, batch: Batch) -> None:
        *read, labels = batch
        logits = self.model(*read)  # (B, T, V)
        tokens = self._count_tokens(batch)
        loss = translation_loss(logits, labels, self.pad_id)
        self._log("validation_loss", loss, tokens)
        accuracy = token_accuracy(logits, labels, self.pad_id)
        self._log("validation_token_accuracy", accuracy, tokens)
        # A little longer than the answer: who has not stopped by then is wrong anyway.
        limit = min(batch.tgt_out.size(1) + 10, self.model.config.max_len)
        ends = self.tgt_vocab.sos_id, self.tgt_vocab.eos_id
        written = greedy_decode(self.model, batch.src, *ends, limit)
        self.written += map(self.tgt_vocab.decode, written.tolist())
        self.wanted += map(self.tgt_vocab.decode, batch.tgt_out.tolist())

    def on_validation_epoch_end(self) -> None:
        pairs = zip(self.written, self.wanted, strict=True)
        right = sum(written == wanted for written, wanted in pairs)
        self._log("validation_exact_match", right / len(self.wanted))
        score = bleu(self.written, self.wanted, self.bleu_tokenizer)
        self._log("validation_bleu", score.value)
        self.written, self.wanted = [], []


def shard(batch: Batch, rank: int, world_size: int) -> Batch:
    r"""Return the sentences of a batch that one of several processes works on.

    Shape:
        src: from :math:`(B, S)` to about B / ``world_size`` rows; the targets, of
        :math:`(B, T)`, in the same way. No rows are left if the batch has too few.

    Example:
        >>> words = torch.tensor([[4], [5], [6]])
        >>> shard(Batch(words, words, words), rank=1, world_size=2).src
        tensor([[5]])
    """
    # Every second, third, … row, because neighbors are of similar length.
    return Batch(*(part[rank::world_size] for part in batch))
