"""A translator says when it is unsure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from lib.decoding import greedy_decode
from lib.text.reading import in_loop, without_loops
from lib.translator import Translator
from tests.lib.test_translator import make
from tests.refusals import refuses

SENTENCES = ["The dog sees a cat.", "A cat.", "The cat sees the dog sees a cat."]


@pytest.mark.parametrize("beam_size", [1, 3])
def test_doubt_is_the_loss_of_what_was_written_summed_over_its_tokens(
    beam_size: int,
) -> None:
    translator = make()
    for sentence in SENTENCES:
        ids = translator.read(sentence).ids
        ((written, log_prob),) = translator.write([ids], beam_size, 0.6)
        if beam_size == 1:
            src, ends = translator._pad([ids]), translator._ends
            greedy = greedy_decode(translator.model, src, *ends).tolist()
            assert [written] == greedy
        (found,) = translator.translate_with_doubt([sentence], beam_size=beam_size)
        assert found.doubt == -log_prob
        src, tgt = torch.tensor([ids]), torch.tensor([written])
        read = torch.tensor([[translator.tgt_vocab.sos_id, *written[:-1]]])
        logits = translator.model(src, read).index_fill(2, torch.tensor([0, 1]), -1e9)
        loss = torch.nn.functional.cross_entropy(logits[0], tgt[0], reduction="sum")
        assert found.doubt == pytest.approx(loss.item(), abs=1e-4)


def test_doubt_knows_neither_neighbors_nor_padding() -> None:
    translator = make()
    together = translator.translate_with_doubt(SENTENCES)
    assert [found.text for found in together] == translator.translate(SENTENCES)
    for sentence, found in zip(SENTENCES, together, strict=True):
        (alone,) = translator.translate_with_doubt([sentence])
        assert alone.doubt == pytest.approx(found.doubt, rel=1e-4)


def test_a_text_is_as_doubtful_as_its_worst_sentence() -> None:
    prose = make()
    prose.prose = True
    apart = prose.translate_with_doubt(["The dog sees a cat.", "A cat."])
    (text,) = prose.translate_with_doubt(["The dog sees a cat. A cat."])
    assert text.doubt == pytest.approx(max(found.doubt for found in apart), rel=1e-4)


def test_the_threshold_decides_and_lies_in_the_folder(tmp_path: Path) -> None:
    translator = make()
    doubt = [found.doubt for found in translator.translate_with_doubt(SENTENCES)]
    translator.unsure_above = (min(doubt) + max(doubt)) / 2
    translator.save(tmp_path)
    loaded = Translator.load(tmp_path)
    unsure = [found.unsure for found in loaded.translate_with_doubt(SENTENCES)]
    assert unsure == [one > translator.unsure_above for one in doubt]
    assert set(unsure) == {True, False}


def test_a_folder_of_old_is_never_unsure_and_a_foreign_limit_is_refused(
    tmp_path: Path,
) -> None:
    make().save(tmp_path)
    told = json.loads((tmp_path / "config.json").read_text("utf-8"))
    assert "unsure_above" not in told
    translator = Translator.load(tmp_path)
    assert not any(one.unsure for one in translator.translate_with_doubt(SENTENCES))
    for limit in ("much", [1], "nan", -1):
        text = json.dumps({**told, "unsure_above": limit})
        (tmp_path / "config.json").write_text(text, "utf-8")
        refuses(lambda: Translator.load(tmp_path), "unsure_above|not a whole")


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("¿Has leído la Lava Lava Lava Lava Lavik?", "¿Has leído la Lavik?"),
        ("Nadie. Nadie. Nadie.", "Nadie."),
        ("BORRRRRRSSSSS?", "BORS?"),
        ("No, no, y 1000000 o 12 12 12.", "No, no, y 1000000 o 12 12 12."),
        ("Titicaca... ¡Jaja!", "Titicaca... ¡Jaja!"),
    ],
)
def test_a_loop_is_cut_short(written: str, kept: str) -> None:
    assert without_loops(written) == kept


def test_a_loop_is_unsure_unless_its_source_has_one() -> None:
    prose = make()
    prose.prose, prose.unsure_above = True, torch.inf
    prose.tgt_vocab.decode = lambda ids: "El perro perro perro perro."  # type: ignore[method-assign]
    once, thrice = prose.translate_with_doubt(["The dog.", "The dog dog dog dog."])
    assert (once.text, once.unsure) == ("El perro.", True)
    assert (thrice.text, thrice.unsure) == ("El perro perro perro perro.", False)
    assert not in_loop("no no no no", make().read("A cat."))  # no prose, nothing cut
