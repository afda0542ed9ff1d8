"""The benchmark runs, compares like with like, and writes what it says."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import Mock

import pytest
import torch
from torch import nn

from book.tools.bench import __main__ as command
from book.tools.bench import batches, sections, timing, training
from book.tools.bench.models import QUICK, PyTorchModel, Sizes, book_model
from book.tools.bench.sections import SECTIONS
from book.tools.bench.table import number, table
from lib.model import count_parameters
from lib.text.files import read_json

# --- fairness -------------------------------------------------------------------------


def test_turns_are_taken_and_the_warm_up_is_not_counted() -> None:
    calls: list[tuple[str, int]] = []

    def contender(name: str):
        def run(number: int) -> int:
            calls.append((name, number))
            return 10

        return run

    rates = timing.race({"a": contender("a"), "b": contender("b")}, rounds=3)
    assert calls == [
        *(("b", 0), ("a", 0), ("a", 1), ("b", 1)),
        *(("b", 2), ("a", 2), ("a", 3), ("b", 3)),
    ]
    assert {name: len(values) for name, values in rates.items()} == {"a": 3, "b": 3}
    assert min(rates["a"]) > 0


def test_a_ratio_is_taken_pair_by_pair() -> None:
    # The second round was slow for both: the ratio does not see it.
    rates = {"ours": [30.0, 3.0, 24.0], "theirs": [10.0, 1.0, 8.0]}
    result = timing.ratio(rates, "ours", "theirs")
    assert result == {"name": "ours ÷ theirs", "median": 3.0, "low": 3.0, "high": 3.0}
    assert timing.spread([5.0, 1.0, 3.0]) == {"median": 3.0, "low": 1.0, "high": 5.0}


def test_all_batches_hold_the_same_sentences_within_the_limit() -> None:
    pairs = batches.sentence_pairs(QUICK)
    by_length = batches.batches_by_length(QUICK)
    as_they_come = batches.batches_as_they_come(QUICK)
    one_length = batches.batches_of_one_length(QUICK)
    for batch in by_length + as_they_come:
        assert batch.src.numel() <= QUICK.max_tokens
        assert batch.tgt_in.numel() <= QUICK.max_tokens
    assert sum(len(batch.src) for batch in by_length) == len(pairs)
    tokens = sum(int((batch.src != 0).sum()) for batch in by_length)
    assert tokens == sum(len(src) for src, _ in pairs)
    for batch in one_length:
        size = (QUICK.padded_batch, QUICK.padded_length)
        assert batch.src.shape == batch.tgt_in.shape == batch.tgt_out.shape == size
    made = (by_length, as_they_come, one_length)
    shares = list(map(batches.padding_share, made))
    assert shares == sorted(shares)
    assert shares[0] < 0.15 < 0.7 < shares[2]


def test_sentences_are_as_long_as_everyday_ones() -> None:
    pairs = batches.sentence_pairs(Sizes())
    src = torch.tensor([float(len(src)) for src, _ in pairs])
    more = torch.tensor([float(len(tgt) - 1) for _, tgt in pairs]) - src
    assert 9 < src.mean() < 10
    assert 3 <= src.min() <= src.max() <= 60
    assert 0.4 < more.mean() < 0.8
    # The longer the source, the further its translation may be from that length.
    assert 1.3 < more[src < 8].std() < 1.6 < 2.2 < more[src > 12].std() < 2.9


def test_both_models_have_the_same_size() -> None:
    sizes = Sizes()
    theirs = count_parameters(PyTorchModel(sizes, paper_dropout=True))
    norms = 2 * 2 * sizes.d_model  # the two norms that nn.Transformer has at the ends
    assert count_parameters(book_model(sizes, tied=False)) == theirs - norms


def test_the_papers_dropout_leaves_two_kinds_of_dropout_out() -> None:
    def working(model: nn.Module) -> int:
        return sum(
            part.p > 0 if isinstance(part, nn.Dropout) else part.dropout > 0
            for part in model.modules()
            if isinstance(part, nn.Dropout | nn.MultiheadAttention)
        )

    ours = working(book_model(QUICK))
    paper = working(PyTorchModel(QUICK, paper_dropout=True))
    assert paper == ours == 1 + 2 + 3
    # One more in each layer's feed-forward block, and one in each attention.
    assert working(PyTorchModel(QUICK, paper_dropout=False)) == paper + 2 + 3


def test_the_loss_is_the_same_number_whoever_computes_it() -> None:
    model, batch = book_model(QUICK).eval(), batches.batches_by_length(QUICK)[0]
    expected = training.plain_loss(model, batch)
    for loss in (training.book_loss, training.packed_loss):
        torch.testing.assert_close(loss(model, batch), expected)


def test_every_contender_learns_in_the_loop() -> None:
    batch = batches.batches_by_length(QUICK)[0]
    for name, build in training.MODELS.items():
        model = build(QUICK)
        before = nn.utils.parameters_to_vector(model.parameters()).clone()
        step = training.trainer(model, [batch])
        assert step(0) == int((batch.tgt_out != 0).sum())
        after = nn.utils.parameters_to_vector(model.parameters())
        assert not torch.equal(before, after), name


# --- what is written ------------------------------------------------------------------


def test_every_section_runs_and_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # No process of its own: one section believes in it, the other has no compiler.
    no_compiler = Mock(side_effect=RuntimeError("a\nno compiler was found"))
    monkeypatch.setattr(training, "in_fresh_process", lambda *_: 12.6)
    monkeypatch.setattr(sections, "in_fresh_process", no_compiler)
    assert command.main(["--quick", "--out", str(tmp_path)]) == 0
    result = read_json(tmp_path / "bench.json")
    assert list(result["sections"]) == list(SECTIONS)
    for name, section in result["sections"].items():
        for row in section["rows"] + section["ratios"]:
            assert 0 < row["low"] <= row["median"] <= row["high"], (name, row)
    assert result["sections"]["training"]["rows"][0]["megabytes"] == 13
    assert result["sections"]["compile"]["note"].endswith("no compiler was found.")
    text = (tmp_path / "bench.md").read_text(encoding="utf-8")
    assert text == capsys.readouterr().out
    for section in result["sections"].values():
        for row in section["rows"]:
            assert f"| {row['name']} | {number(row['median'])} (" in text


def test_a_section_alone_leaves_the_others_of_this_machine(tmp_path: Path) -> None:
    file = tmp_path / "bench.json"

    def measured(name: str) -> list[str]:
        assert command.main([name, "--quick", "--out", str(tmp_path)]) == 0
        return list(read_json(file)["sections"])

    assert measured("beam") == ["beam"]
    before = read_json(file)["sections"]["beam"]
    assert measured("threads") == ["threads", "beam"]
    record = read_json(file)
    assert record["sections"]["beam"] == before
    record["environment"]["processor"] = "another"
    file.write_text(json.dumps(record))
    assert measured("threads") == ["threads"]


def test_a_quick_run_leaves_the_record_alone() -> None:
    before = (command.RECORDS / "bench.json").read_bytes()
    assert command.main(["--quick", "beam"]) == 0
    assert (command.RECORDS / "bench.json").read_bytes() == before


def test_memory_is_measured_in_a_process_of_its_own() -> None:
    assert 0 < timing.in_fresh_process(training.peak_of, training.OURS, QUICK) < 500


def test_the_shipped_record_is_of_the_sizes_that_the_book_names() -> None:
    record = read_json(command.RECORDS / "bench.json")
    assert record["sizes"] == json.loads(json.dumps(Sizes().__dict__))
    assert list(record["sections"]) == list(SECTIONS)
    assert (command.RECORDS / "bench.md").read_text(encoding="utf-8") == table(record)
