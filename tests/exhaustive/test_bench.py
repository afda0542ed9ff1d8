"""The benchmark runs, compares like with like, and writes what it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from torch import nn

from book.tools.lab.bench import command, sections
from book.tools.lab.bench.models import (
    QUICK,
    PyTorchModel,
    Sizes,
    batches_as_they_come,
    batches_by_length,
    batches_of_one_length,
    book_loss,
    book_model,
    packed_loss,
    padding_share,
    plain_loss,
    sentence_pairs,
    trainer,
)
from book.tools.lab.bench.sections import SECTIONS, contenders, loss_of
from book.tools.lab.bench.timing import (
    environment,
    in_fresh_process,
    race,
    ratio,
    spread,
)
from lib.model import count_parameters
from lib.text.files import read_json


@pytest.fixture
def no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the sections that start a process of their own believe that they did."""

    def answer(arguments: list[str], seconds: int = 0) -> str:
        if arguments[0] == "--peak":
            return "12.6"
        raise RuntimeError("no compiler was found")

    monkeypatch.setattr(sections, "in_fresh_process", answer)


# --- fairness -------------------------------------------------------------------------


def test_turns_are_taken_and_the_warm_up_is_not_counted() -> None:
    calls: list[tuple[str, int]] = []

    def contender(name: str):
        def run(number: int) -> int:
            calls.append((name, number))
            return 10

        return run

    rates = race({"a": contender("a"), "b": contender("b")}, rounds=3)
    assert calls == [
        *(("b", 0), ("a", 0), ("a", 1), ("b", 1)),
        *(("b", 2), ("a", 2), ("a", 3), ("b", 3)),
    ]
    assert {name: len(values) for name, values in rates.items()} == {"a": 3, "b": 3}
    assert min(rates["a"]) > 0


def test_a_ratio_is_taken_pair_by_pair() -> None:
    # The second round was slow for both: the ratio does not see it.
    rates = {"ours": [30.0, 3.0, 24.0], "theirs": [10.0, 1.0, 8.0]}
    result = ratio(rates, "ours", "theirs")
    assert result == {"name": "ours ÷ theirs", "median": 3.0, "low": 3.0, "high": 3.0}
    assert spread([5.0, 1.0, 3.0]) == {"median": 3.0, "low": 1.0, "high": 5.0}


def test_all_batches_hold_the_same_sentences_within_the_limit() -> None:
    pairs = sentence_pairs(QUICK)
    by_length, as_they_come = batches_by_length(QUICK), batches_as_they_come(QUICK)
    for batch in by_length + as_they_come:
        assert batch.src.numel() <= QUICK.max_tokens
        assert batch.tgt_in.numel() <= QUICK.max_tokens
    assert sum(len(batch.src) for batch in by_length) == len(pairs)
    tokens = sum(int((batch.src != 0).sum()) for batch in by_length)
    assert tokens == sum(len(src) for src, _ in pairs)
    for batch in batches_of_one_length(QUICK):
        size = (QUICK.padded_batch, QUICK.padded_length)
        assert batch.src.shape == batch.tgt_in.shape == batch.tgt_out.shape == size
    shares = [
        padding_share(batches)
        for batches in (by_length, as_they_come, batches_of_one_length(QUICK))
    ]
    assert shares == sorted(shares)
    assert shares[0] < 0.15 < 0.7 < shares[2]


def test_sentences_are_as_long_as_everyday_ones() -> None:
    pairs = sentence_pairs(Sizes())
    src = torch.tensor([float(len(src)) for src, _ in pairs])
    more = torch.tensor([float(len(tgt) - 1) for _, tgt in pairs]) - src
    assert 9 < src.mean() < 10
    assert 3 <= src.min() <= src.max() <= 60
    assert 0.4 < more.mean() < 0.8
    # The longer the source, the further its translation may be from that length.
    assert 1.3 < more[src < 8].std() < 1.6
    assert 2.2 < more[src > 12].std() < 2.9


def test_both_models_have_the_same_size() -> None:
    sizes = Sizes()
    theirs = count_parameters(PyTorchModel(sizes, paper_dropout=True))
    norms = 2 * 2 * sizes.d_model  # the two norms that nn.Transformer has at the ends
    assert count_parameters(book_model(sizes, tied=False)) == theirs - norms


def test_the_papers_dropout_leaves_two_kinds_of_dropout_out() -> None:
    def working(model: nn.Module) -> int:
        parts = [part for part in model.modules() if isinstance(part, nn.Dropout)]
        attentions = [
            m for m in model.modules() if isinstance(m, nn.MultiheadAttention)
        ]
        return sum(part.p > 0 for part in parts) + sum(
            m.dropout > 0 for m in attentions
        )

    ours = working(book_model(QUICK))
    paper = working(PyTorchModel(QUICK, paper_dropout=True))
    assert paper == ours == 1 + 2 + 3
    # One more in each layer's feed-forward block, and one in each attention.
    assert working(PyTorchModel(QUICK, paper_dropout=False)) == paper + 2 + 3


def test_the_loss_is_the_same_number_whoever_computes_it() -> None:
    model, batch = book_model(QUICK).eval(), batches_by_length(QUICK)[0]
    expected = plain_loss(model, batch)
    for loss in (book_loss, packed_loss):
        torch.testing.assert_close(loss(model, batch), expected)


@pytest.mark.parametrize("half", [False, True])
def test_every_contender_learns_in_the_loop(half: bool) -> None:
    for name, build in contenders().items():
        model = build(QUICK)
        before = [parameter.clone() for parameter in model.parameters()]
        batch = batches_by_length(QUICK)[0]
        step = trainer(model, [batch], loss_of(name), half)
        assert step(0) == int((batch.tgt_out != 0).sum())
        assert any(
            not torch.equal(now, then)
            for now, then in zip(model.parameters(), before, strict=True)
        ), name


# --- what is written ------------------------------------------------------------------


def test_every_section_runs_and_is_written(
    no_processes: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["--quick", "--out", str(tmp_path)]) == 0
    result = read_json(tmp_path / "bench.json")
    assert list(result["sections"]) == list(SECTIONS)
    for name, section in result["sections"].items():
        for row in section["rows"] + section["ratios"]:
            assert 0 < row["low"] <= row["median"] <= row["high"], (name, row)
    assert result["sections"]["training"]["rows"][0]["megabytes"] == 13
    assert "no compiler was found" in result["sections"]["compile"]["note"]
    text = (tmp_path / "bench.md").read_text(encoding="utf-8")
    assert text == capsys.readouterr().out
    for section in result["sections"].values():
        for row in section["rows"]:
            assert f"| {row['name']} | {command._number(row['median'])} (" in text


def test_a_section_alone_leaves_the_others_as_they_were(
    no_processes: None, tmp_path: Path
) -> None:
    arguments = ["--quick", "--out", str(tmp_path)]
    command.main(["beam", *arguments])
    before = read_json(tmp_path / "bench.json")
    command.main(["threads", *arguments])
    after = read_json(tmp_path / "bench.json")
    assert list(after["sections"]) == ["threads", "beam"]
    assert after["sections"]["beam"] == before["sections"]["beam"]


def test_numbers_of_another_machine_are_not_mixed_in(tmp_path: Path) -> None:
    arguments = ["--quick", "--out", str(tmp_path)]
    command.main(["beam", *arguments])
    record = read_json(tmp_path / "bench.json")
    record["environment"]["processor"] = "another"
    (tmp_path / "bench.json").write_text(json.dumps(record))
    command.main(["threads", *arguments])
    assert list(read_json(tmp_path / "bench.json")["sections"]) == ["threads"]
    (tmp_path / "bench.json").write_text("{")
    command.main(["threads", *arguments])
    assert list(read_json(tmp_path / "bench.json")["sections"]) == ["threads"]


def test_a_quick_run_leaves_the_record_alone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = command.RECORDS / "bench.json"
    before = file.read_bytes() if file.is_file() else None
    assert command.main(["--quick", "threads"]) == 0
    assert (file.read_bytes() if file.is_file() else None) == before
    assert "## Threads" in capsys.readouterr().out


def test_a_wrong_section_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--quick", "speed"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("There is no section 'speed'; the sections are training, ")
    assert len(error.splitlines()) == 1


def test_the_record_names_no_machine_and_no_path() -> None:
    import platform

    told = json.dumps(environment())
    assert platform.node() not in told or len(platform.node()) < 4
    assert "/" not in told.replace("\\/", "")


def test_memory_is_measured_in_a_process_of_its_own() -> None:
    name = sections.OURS
    assert 0 < float(in_fresh_process(["--peak", name, "--quick"])) < 500


def test_a_failure_in_the_other_process_is_told() -> None:
    with pytest.raises(RuntimeError, match="invalid choice"):
        in_fresh_process(["--peak", "nobody"])


# --- the record that ships ------------------------------------------------------------

RECORD = command.RECORDS / "bench.json"


def test_the_shipped_record_is_of_the_sizes_that_the_book_names() -> None:
    record = read_json(RECORD)
    assert record["sizes"] == json.loads(json.dumps(Sizes().__dict__))
    assert list(record["sections"]) == list(SECTIONS)
    table = (command.RECORDS / "bench.md").read_text(encoding="utf-8")
    assert table == command.table(record)
