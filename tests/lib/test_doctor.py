"""The doctor: no right piece has a fault, and each wrong one is named first."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from lib.__main__ import main
from lib.doctor import examine
from lib.today.blocks import GatedFeedForward, GroupedQueryAttention
from tests.lib import strangers_pieces as strangers

RIGHT = [
    found
    for found in vars(strangers).values()
    if getattr(found, "__module__", "") == strangers.__name__
]
RIGHT += [GatedFeedForward, GroupedQueryAttention, nn.RMSNorm]  # of after 2017
# What makes a right piece wrong, and the words that name the mistake.
WRONG = [
    ("GPT", "self.ln(x)), None", "self.ln(x)).softmax(-1), None", "ends in a softmax"),
    (
        "MultiHeadedAttention",
        "math.sqrt(self.d_k)",
        "math.sqrt(self.d_k * self.h)",
        "√d_model",
    ),
    ("MultiHeadedAttention", "x = x.transpose(1, 2)", "x = x", "reshape alone"),
    (
        "MultiHeadedAttention",
        "scores = scores.masked",
        "scores.masked",
        "never applied",
    ),
    ("MultiHeadedAttention", "-1e9", "1e-9", "become 0"),
    (
        "MultiHeadedAttention",
        "mask.unsqueeze(1)",
        "mask.repeat(self.h, 1, 1).view(n, self.h, *mask.shape[1:])",
        "in one row of a batch",
    ),
    (
        "DotProductAttention",
        "scores.masked_fill(places >= valid_lens[:, None, None], -1e6)",
        "scores.softmax(-1) * (places < valid_lens[:, None, None])\n"
        "            return scores @ values",
        "behind the softmax",
    ),
    ("MHA", "logits + mask * -1e9", "logits * (1 - mask)", "become 0"),
    ("MHA", "self.wv(v)", "self.wk(v)", "`wv` is made and never used"),
    ("MHA", "self.wk(k)", "self.wk(k).reshape(q.shape)", "query's length"),
    ("CausalSelfAttention", "torch.tril", "torch.triu", "upside down"),
    ("CausalSelfAttention", "dim=-1", "dim=-2", "over the queries"),
    ("LayerNormalization", ", unbiased=False", "", "D − 1"),
    ("LayerNormalization", "torch.ones(features)", "torch.ones(1)", "One gain"),
    ("LayerNormalization", "dim=-1", "dim=(-2, -1)", "neighbors"),
    (
        "PositionalEmbedding",
        "(i / embed_dim)",
        "(2 * i / embed_dim)",
        "exponent is doubled",
    ),
    ("PositionalEmbedding", ", : x.size(1)", ", x.size(1)", "same position"),
    (
        "PositionwiseFeedForward",
        "F.relu(self.w_1(x))",
        "self.w_1(x)",
        "two linear maps",
    ),
    (
        "EncoderLayer",
        "x + self.attention",
        "self.attention",
        "no residual around the attention",
    ),
    ("MHA", "logits.softmax(-1)", "F.dropout(logits.softmax(-1))", "dropout stays on"),
    ("DecoderLayer", "x, s_mask", "x", "`s_mask` is never applied"),
    ("DecoderLayer", "(enc, enc, x, s_mask)", "(x, x, x)", "not looked at"),
    ("Seq2SeqTransformer", "memory, future,", "memory,", "future is seen"),
    (
        "Seq2SeqTransformer",
        "layer(memory, src_key_padding_mask=padding)",
        "layer(memory)",
        "Padding is listened to",
    ),
    (
        "Seq2SeqTransformer",
        "layer(memory,",
        "layer(self.positions(self.src_emb(src)),",
        "`encoder.0` has no part",
    ),
    (
        "Seq2SeqTransformer",
        "self.generator(x)",
        "self.generator(x).softmax(-1)",
        "ends in a softmax",
    ),
    ("Seq2SeqTransformer", "nn.init.xavier_uniform_(p)", "pass", "start equal"),
    ("subsequent_mask", "diagonal=1", "diagonal=0", "upside down"),
    ("make_tgt_mask", "&", "|", "joined by “or”"),
    ("shift_tokens", "batch[:, :-1]", "batch[:, 1:]", "no shift"),
    (
        "shift_tokens",
        "batch[:, :-1], batch[:, 1:]",
        "batch[:, 1:], batch[:, :-1]",
        "way",
    ),
    (
        "RotaryEmbedding",
        "torch.cat([angle, angle], -1)",
        "angle.repeat_interleave(2, -1)",
        "turns nothing",
    ),
    ("Splicer", ", batch_first=True", "", "rows of a batch see each other"),
    ("SentenceClassifier", "ids == 0", "ids != 0", "only the padding is read"),
    ("collate_fn", "[*target, 2]", "[1, *target]", "no shift"),
    ("shift_tokens", ", batch[:, 1:]", "[:, :-1], batch[:, 1:-1]", "end token is cut"),
    ("LabelSmoothingLoss", "self.padding_idx,\n", "3,\n", "Another id"),
    ("sequence_loss", "each.sum() / real.sum()", "each.mean()", "counted in the mean"),
    (
        "masked_accuracy",
        "& real).sum() / real.sum()",
        ").float().mean() + PAD_IDX",
        "Padding is counted",
    ),
]


def rewritten(name: str, old: str, new: str):
    source = inspect.getsource(getattr(strangers, name))
    assert old in source
    space = dict(vars(strangers))
    exec(source.replace(old, new), space)
    return space[name]


@pytest.mark.parametrize("thing", RIGHT)
def test_what_is_right_has_no_fault(thing: Any) -> None:
    report = examine(thing)
    assert report.status == 0, str(report)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("DecoderLayer", "dec, enc, t_mask", "enc, dec, t_mask"),
        ("CrossAttention", "context=None", "context"),
        ("EncoderLayer", "x + self.ffn(self.norm2(x))", "x.mean(1)"),
    ],
)
def test_what_is_called_otherwise_has_no_fault(name: str, old: str, new: str) -> None:
    report = examine(rewritten(name, old, new))
    assert report.status == 0, str(report)


@pytest.mark.parametrize(("name", "old", "new", "words"), WRONG)
def test_what_is_wrong_is_named_first(
    name: str, old: str, new: str, words: str
) -> None:
    report = examine(rewritten(name, old, new))
    assert report.faults, str(report)
    assert words in str(report.faults[0]), str(report)


def test_a_built_model_is_as_before() -> None:
    """Weights, mode, gradients and random numbers are left as they were."""
    module = strangers.MHA(48, 6)
    module.wq.weight.grad = torch.ones(48, 48)
    before = {n: p.detach().clone() for n, p in module.named_parameters()}
    torch.manual_seed(3)
    state = torch.get_rng_state()
    assert examine(module).status == 0
    assert torch.equal(torch.get_rng_state(), state)
    assert module.training
    assert all(torch.equal(p, before[n]) for n, p in module.named_parameters())
    assert torch.equal(module.wq.weight.grad, torch.ones(48, 48))
    assert module.wk.weight.grad is None


def test_a_call_of_the_readers_is_taken() -> None:
    module = nn.MultiheadAttention(48, 6, batch_first=True)
    mended = examine(module, call=lambda x, mask: module(x, x, x, attn_mask=mask))
    assert mended.status == 0, str(mended)
    assert "`mask` is written as True = hide" in str(mended)


BLOCK = inspect.getsource(strangers.PositionwiseFeedForward).replace("F.relu", "")
FILES = {
    "loop": (
        "while True:\n    pass",
        2,
        "after 8 seconds while the file was imported, in",
    ),
    "exit": ("import sys\nsys.exit(3)", 2, "calls sys.exit"),
    "crash": ("import os\nos.kill(os.getpid(), 11)", 2, "crashed (SIGSEGV)"),
    "fault": (
        f"import torch\nfrom torch import nn\nprint('\\n' * 10**5)\n{BLOCK}",
        1,
        "two linear",
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_the_command_runs_a_file_and_outlives_it(
    case: str, tmp_path: Path, capsys, monkeypatch
) -> None:
    text, status, words = FILES[case]
    file = tmp_path / "mine.py"
    file.write_text(text, "utf-8")
    if case == "loop":
        monkeypatch.setattr("lib.commands.examine.SECONDS", 8)
    name = "PositionwiseFeedForward"
    assert main(["examine", f"{file}:{name}"]) == status
    told = capsys.readouterr().out
    assert words in told
    assert case != "fault" or "It printed 100,001 lines" in told
