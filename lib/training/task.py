"""The tasks that Lightning trains: a language model, and a Transformer."""

from __future__ import annotations

from typing import Any

import lightning
import torch
from torch import Tensor, nn

from lib.decoding import greedy_decode
from lib.evaluation.scores import BLEU_TOKENIZER, bleu
from lib.model import Transformer
from lib.text import Batch, Vocabulary
from lib.today import modernize
from lib.training.devices import shard
from lib.training.objective import (
    token_accuracy,
    translation_loss,
    warmup_decay,
)
from lib.training.settings import TrainingSettings

_SECOND = 2 / 3  # of the highest rate, where it rises again


class LanguageTask(lightning.LightningModule):
    r"""Teacher forcing with label smoothing, Adam and a warm-up (§5.3, §5.4).

    A batch is what the model is called with and, at last, the labels; where a label is
    padding, nothing is learned.

    Args:
        model: the model that learns.
        pad_id: the id of padding in the labels.
        settings: hyperparameters; the seed, with the number of the epoch, decides the
            dropout of that epoch.

    Example:
        >>> from lib.text import TextBatch
        >>> from lib.today import LanguageConfig, LanguageModel
        >>> model = LanguageModel(LanguageConfig(9, d_model=8, n_heads=2))
        >>> ids, mask = torch.tensor([[1, 4, 5]]), torch.ones(1, 3, dtype=torch.bool)
        >>> batch = TextBatch(ids, mask, labels=torch.tensor([[4, 5, 2]]))
        >>> task = LanguageTask(model, pad_id=0, settings=TrainingSettings())
        >>> task.training_step(batch).shape
        torch.Size([])
    """

    def __init__(
        self,
        model: nn.Module,
        pad_id: int,
        settings: TrainingSettings,
    ) -> None:
        super().__init__()
        self.model: Any = model
        self.pad_id = pad_id
        self.settings = settings
        self.begun = False  # its checkpoint, if there was one, has been taken over
        self.tokens_seen = 0  # of the labels, in this epoch
        self.last_loss = torch.tensor(float("nan"))  # of the whole batch

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        # Lightning would begin anew without them.
        _ = checkpoint["loops"], checkpoint["callbacks"]

    def on_train_start(self) -> None:
        self.begun = True

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

    def training_step(self, batch: Any) -> Tensor:
        tokens = self._count_tokens(batch)
        loss = self._share_of_loss(batch, tokens)
        self.last_loss = self._mean_of_processes(loss.detach())
        if not self.last_loss.isfinite():
            raise ValueError(
                f"The loss has become {self.last_loss.item()}: the training has "
                "diverged; begin again with a smaller learning_rate."
            )
        self._log("train_loss", self.last_loss, tokens)
        self.tokens_seen += tokens
        return loss

    def _share_of_loss(self, batch: Any, tokens: int) -> Tensor:
        """Return what the mean over all processes makes the loss of the batch."""
        processes = self.trainer.world_size if self._trainer else 1
        mine = shard(batch, self.global_rank, processes)
        weight = self._count_tokens(mine) * processes / max(tokens, 1)
        # Without a sentence, it computes for nothing: the others wait for it.
        *read, labels = mine if len(mine[0]) else batch
        logits = self.model(*read)  # (B, T, V)
        smoothing = self.settings.label_smoothing
        loss = translation_loss(logits, labels, self.pad_id, smoothing)
        return loss * weight  # by tokens, not by sentences: the loss is a mean of those

    def _mean_of_processes(self, loss: Tensor) -> Tensor:
        if self._trainer is None:
            return loss
        mean: Tensor = self.trainer.strategy.reduce(loss, reduce_op="mean")
        return mean

    def validation_step(self, batch: Any) -> None:
        *read, labels = batch
        logits = self.model(*read)  # (B, T, V)
        tokens = self._count_tokens(batch)
        loss = translation_loss(logits, labels, self.pad_id)
        self._log("validation_loss", loss, tokens)
        accuracy = token_accuracy(logits, labels, self.pad_id)
        self._log("validation_token_accuracy", accuracy, tokens)

    def _count_tokens(self, batch: Any) -> int:
        return int((batch[-1] != self.pad_id).sum())

    def _log(self, name: str, value: Tensor, weight: int) -> None:
        # Means over an epoch weigh each batch by what it holds, not all alike.
        if self._trainer is not None:
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


class TranslationTask(LanguageTask):
    r"""A Transformer that learns to translate, as :class:`LanguageTask` says.

    Args:
        settings: sizes, leaves and hyperparameters.
        src_vocab: the words of the source language.
        tgt_vocab: the words of the target language.
        bleu_tokenizer: how the BLEU of the validation part cuts sentences into words.

    Example:
        >>> words = Vocabulary(["go", "to"])
        >>> tiny = TrainingSettings(d_model=8, n_heads=2, d_ff=16)
        >>> task, ids = TranslationTask(tiny, words, words), torch.tensor([[4, 5]])
        >>> task.training_step(Batch(ids, ids, ids)).shape
        torch.Size([])
    """

    def __init__(
        self,
        settings: TrainingSettings,
        src_vocab: Vocabulary,
        tgt_vocab: Vocabulary,
        bleu_tokenizer: str = BLEU_TOKENIZER,
    ) -> None:
        pad_id = tgt_vocab.pad_id
        config = settings.model_config(len(src_vocab), len(tgt_vocab), pad_id)
        leaves = settings.leaves().changes()
        super().__init__(modernize(Transformer(config), **leaves), pad_id, settings)
        self.tgt_vocab = tgt_vocab
        self.bleu_tokenizer = bleu_tokenizer
        self.written: list[str] = []
        self.wanted: list[str] = []

    def validation_step(self, batch: Batch) -> None:
        super().validation_step(batch)
        written = self._write(batch)  # (B, T)
        exact = self._exact(written, batch.tgt_out)
        self._log("validation_exact_match", exact, len(batch.src))
        self.written += map(self.tgt_vocab.decode, written.tolist())
        self.wanted += map(self.tgt_vocab.decode, batch.tgt_out.tolist())

    def on_validation_epoch_end(self) -> None:
        score = bleu(self.written, self.wanted, self.bleu_tokenizer).value
        self._log("validation_bleu", torch.tensor(score), 1)
        self.written, self.wanted = [], []

    def _write(self, batch: Batch) -> Tensor:
        # A little longer than the answer: who has not stopped by then is wrong anyway.
        limit = min(batch.tgt_out.size(1) + 10, self.model.config.max_len)
        ends = self.tgt_vocab.sos_id, self.tgt_vocab.eos_id
        return greedy_decode(self.model, batch.src, *ends, limit)

    def _exact(self, written: Tensor, wanted: Tensor) -> Tensor:
        """Return the share of sentences that free writing gets right to the token."""
        width = max(written.size(1), wanted.size(1))
        written, wanted = (
            torch.nn.functional.pad(ids, (0, width - ids.size(1)), value=self.pad_id)
            for ids in (written, wanted)
        )
        return (written == wanted).all(dim=1).float().mean()
