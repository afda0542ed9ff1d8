"""The translator of the page: the same sub-words, logits and translations as lib's."""

from __future__ import annotations

import hashlib
import json
import math
import re
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from book.tools.site import page_model
from book.tools.site.javascript import check_types, run_node
from lib import corpora
from lib.attention import MultiHeadAttention, record_attention
from lib.config import TransformerConfig
from lib.corpora import SAMPLE
from lib.evaluation.strangers import strangers
from lib.model import Transformer
from lib.text.files import read_json
from lib.text.reading import in_kind, joined, read_source, read_text
from lib.translator import SHIPPED, Translator
from lib.translator.folder import weights_to_save
from tests.interactive.figure_page import HERE, ask

FOLDER = SHIPPED / page_model.MODEL
SHIPPED_ONE = Translator.load(page_model.MODEL)
TOKENIZER = str(FOLDER / "tokenizer.json")
PAIRS_OF_SAMPLE = [line.split("\t") for line in SAMPLE.read_text("utf-8").splitlines()]
TYPED = [each.english for each in (*strangers(), *strangers("validation"))]


# --- the code -------------------------------------------------------------------------


def test_the_tests_of_the_modules_pass() -> None:
    done = run_node("--test", *sorted(HERE.glob("*.test.js")))
    assert done.returncode == 0, done.stdout
    assert re.search(r"^\S pass [1-9]", done.stdout, re.M)


def test_the_types_are_right() -> None:
    assert check_types() == ""


# --- sub-words ------------------------------------------------------------------------


def compare_subwords(sentences: list[str]) -> None:
    vocabulary = SHIPPED_ONE.src_vocab
    found = ask("subwords", tokenizer=TOKENIZER, sentences=sentences)
    for sentence, answer in zip(sentences, found, strict=True):
        ids = vocabulary.encode(sentence)
        assert answer["ids"] == ids, sentence
        assert answer["text"] == vocabulary.decode(ids), sentence
        try:
            source = read_source(sentence, vocabulary, 128, prose=True)
        except ValueError as error:
            reason = re.split(r"[;:]", str(error))[0]
            assert answer["source"]["refused"].startswith(reason[:28]), sentence
        else:
            found = answer["source"]
            assert (found["text"], found["ids"]) == (source.text, source.ids)


def test_subwords_of_ten_thousand_sentences_that_ship() -> None:
    """English and Spanish of the grammar, English and German of the sample."""
    grammar = corpora.load("grammar")
    pairs = [pair for rows in grammar.splits.values() for pair in rows]
    texts = (text for pair in [*PAIRS_OF_SAMPLE, *pairs[::6]] for text in pair)
    sentences = [*dict.fromkeys(texts)][:10_000]
    assert len(sentences) == 10_000
    compare_subwords(sentences)


# --- raw text -------------------------------------------------------------------------


def compare_texts(texts: list[str]) -> None:
    """Sentences, ids and spaces are lib's, and what is given back in kind."""
    vocabulary = SHIPPED_ONE.src_vocab
    texts = [text for text in texts if re.search(r"\w", text)]
    found = ask("texts", tokenizer=TOKENIZER, texts=texts)
    for text, answer in zip(texts, found, strict=True):
        read = read_text(text, vocabulary, 10_000, prose=True)
        assert answer == [
            [[*each[:2], each.space, each.said] for each in read],
            [in_kind(each.text, each.form) for each in read],
            joined((each, each.text) for each in read),
        ], text


def test_what_strangers_type_is_read_as_lib_reads_it() -> None:
    """400 sentences, and the same in other forms."""
    texts = [
        *TYPED,
        *(text.upper() for text in TYPED),
        *(text.lower().rstrip(".") for text in TYPED),
        *map(" ".join, pairwise(TYPED)),
        *(f"\N{PARTY POPPER} “{text}” — {other}…" for text, other in pairwise(TYPED)),
    ]
    assert len(texts) > 1900
    compare_texts(texts)


# What both sides know: a character that Unicode has named after one of them was made is
# <unk> for both, but only the newer one takes it for a letter.
KNOWN = st.characters(exclude_categories=["Cs", "Cn"])
ODD = st.lists(
    st.one_of(
        KNOWN,
        st.sampled_from([*" '’▁\t\n\u00a0\u200b\u0301.,!?¿-_²Ⅷ\ufeff\x1c\x85木😀"]),
        st.sampled_from(["don't", "I'll", "<eos>", "<unk>", "naïve", "e\u0301t", "12"]),
        st.sampled_from(["The", ' "dog," ', " “el”", " niño", "ing", "…", "--", " '"]),
    ),
    max_size=12,
).map("".join)


@settings(
    max_examples=10,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # the message names the text
)
@example(["a \ud800 b", "\udfff", "²… a²b it'²", "go " * 400, "", " ", "?", "x" * 999])
@given(st.lists(ODD, min_size=30, max_size=60))
def test_odd_text_is_read_as_lib_reads_it(texts: list[str]) -> None:
    compare_subwords(texts)
    # What ends at a period with no space behind it, the two libraries hold apart.
    compare_texts([re.sub("[.\u2024\ufe52\uff0e]", "!", text) for text in texts])


# --- logits ---------------------------------------------------------------------------

PAIRS = [
    ([4, 5, 6, 7, 2], [1, 8, 9, 4]),
    ([10, 2], [1]),
    ([9, 9, 8, 7, 6, 5, 4, 2], [1, 4, 4, 5, 6, 7, 8, 9, 10]),
]
SMALL = TransformerConfig(11, 12, d_model=8, n_heads=2, n_layers=2, d_ff=20, max_len=16)


def small_model(norm_first: bool, tied: bool) -> Transformer:
    torch.manual_seed(5)
    size = 12 if tied else 11
    config = replace(
        SMALL, norm_first=norm_first, tie_embeddings=tied, src_vocab_size=size
    )
    model = Transformer(config).eval()
    for parameter in model.parameters():  # norms and biases are no ones and zeros now
        torch.nn.init.normal_(parameter, std=0.5)
    return model


def save(model: Transformer, place: Path) -> None:
    save_file(weights_to_save(model, torch.float32), place / "model.safetensors")


@torch.inference_mode()
def answer(model: Transformer, src: list[int], tgt: list[int]) -> dict[str, Any]:
    with record_attention(model) as weights:
        logits = model(torch.tensor([src]), torch.tensor([tgt]))[0]
    return {"logits": logits, "weights": {k: w[0] for k, w in weights.items()}}


def compare_logits(
    model: Transformer, folder: Path, pairs: Any, switches: dict[str, Any]
) -> None:
    asked = {"folder": str(folder), "config": asdict(model.config)}
    found = ask("logits", **asked, pairs=pairs, switches=switches)
    for (src, tgt), theirs in zip(pairs, found, strict=True):
        ours = answer(model, src, tgt)
        near(theirs["logits"], ours["logits"], 1e-4)
        assert theirs["weights"].keys() == ours["weights"].keys()
        for name, weights in ours["weights"].items():
            near(theirs["weights"][name], weights, 1e-5)


def near(found: list[Any], expected: torch.Tensor, margin: float) -> None:
    numbers = torch.tensor(found, dtype=expected.dtype)
    torch.testing.assert_close(numbers, expected, rtol=0, atol=margin)


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("tied", [True, False])
def test_logits_and_attention_are_those_of_lib(
    norm_first: bool, tied: bool, tmp_path: Path
) -> None:
    model = small_model(norm_first, tied)
    save(model, tmp_path)
    compare_logits(model, tmp_path, PAIRS, {})


def test_logits_of_the_shipped_model_are_those_of_lib() -> None:
    vocabulary = SHIPPED_ONE.src_vocab
    pairs = [
        ([*vocabulary.encode(src), 2], [1, *vocabulary.encode(tgt)])
        for src, tgt in PAIRS_OF_SAMPLE[::24]
    ]
    compare_logits(SHIPPED_ONE.model, FOLDER, pairs, {})


HEAD = "encoder.layers.1.self_attention.0"
SWITCHES: dict[str, Any] = {
    "withoutPositions": True,
    "withoutCausalMask": True,
    "withoutScale": True,
    "silencedHeads": [HEAD],
}


@torch.no_grad()
def take_away(model: Transformer, switch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make lib's model lack what the switch takes away, in another way."""
    attentions = {
        name: part
        for name, part in model.named_modules()
        if isinstance(part, MultiHeadAttention)
    }
    if switch == "withoutPositions":
        model.positions.table.zero_()
    elif switch == "withoutCausalMask":
        monkeypatch.setattr(
            "lib.model.causal_mask", lambda size, _: torch.ones(size, size).bool()
        )
    elif switch == "withoutScale":
        for part in attentions.values():  # longer queries make the division void
            part.query_proj.weight.mul_(math.sqrt(4))
            part.query_proj.bias.mul_(math.sqrt(4))
    else:  # the output map no longer hears the first of two heads
        attentions[HEAD.removesuffix(".0")].output_proj.weight[:, :4] = 0


@pytest.mark.parametrize("switch", SWITCHES)
def test_what_is_taken_away_is_what_lib_lacks_then(
    switch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = small_model(norm_first=True, tied=False)
    save(model, tmp_path)
    src, tgt = PAIRS[0]
    whole = answer(model, src, tgt)["logits"]
    take_away(model, switch, monkeypatch)
    assert not torch.allclose(whole, answer(model, src, tgt)["logits"], atol=1e-3)
    compare_logits(model, tmp_path, PAIRS, {switch: SWITCHES[switch]})


# --- translations ---------------------------------------------------------------------


def compare_translations(sentences: list[str], beam: int) -> None:
    """What the page's code writes with the weights of lib is what lib writes."""
    job = {"folder": str(FOLDER), "beam": beam, "sentences": sentences}
    with TemporaryDirectory() as place:
        file = Path(place) / "job.json"
        file.write_text(json.dumps(job), "utf-8")
        done = run_node(HERE / "translate_lines.js", file)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    ours = SHIPPED_ONE.translate(sentences, beam_size=max(beam, 1))
    for sentence, theirs, text in zip(sentences, found, ours, strict=True):
        assert theirs == text, sentence


def sentences_of_all_kinds(count: int) -> list[str]:
    """A third of what strangers type, the rest from the sample and the grammar."""
    grammar = corpora.load("grammar")
    splits = ("unseen_sentences", "unseen_combinations")
    english = [source for name in splits for source, _ in grammar.splits[name]]
    sample = [source for source, _ in PAIRS_OF_SAMPLE]
    return [*TYPED[: count // 3], *dict.fromkeys([*sample, *english])][:count]


@pytest.mark.parametrize(("beam", "count"), [(0, 40), (2, 10), (4, 10)])
def test_translations_are_those_of_lib(beam: int, count: int) -> None:
    """`make exhaustive` compares a thousand, greedy and with a beam."""
    compare_translations(sentences_of_all_kinds(1000)[:: 1000 // count], beam)


# --- the page's model -----------------------------------------------------------------


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return page_model.write_parts(tmp_path_factory.mktemp("parts"))


def test_the_page_reads_what_was_written(parts: list[Path]) -> None:
    assert sum(part.stat().st_size for part in parts) <= page_model.MOST_BYTES
    weights = load_file(FOLDER / "model.safetensors")
    names = ["output_proj.bias", "encoder.norm.weight"]
    matrix = "decoder.layers.2.feed_forward.outer.weight"
    read = ask("parts", folder=str(parts[0].parent), names=[*names, matrix])
    assert read["config"] == read_json(FOLDER / "config.json")["model"]
    assert tuple(read["tokens"]) == SHIPPED_ONE.src_vocab.tokens
    merges = read_json(FOLDER / "tokenizer.json")["model"]["merges"]
    assert read["merges"] == [" ".join(pair) for pair in merges]
    shapes = {name: (rows, columns) for name, rows, columns in read["shapes"]}
    assert shapes == {n: tuple(torch.atleast_2d(w).shape) for n, w in weights.items()}
    for name in names:  # 16 bits, as in the file
        assert torch.equal(torch.tensor(read["found"][name][0]), weights[name].float())
    exact = weights[matrix].float()
    scales, _ = page_model.quantized(exact.numpy())
    step = torch.from_numpy(scales)[:, None]
    found = torch.tensor(read["found"][matrix])
    assert ((found - exact).abs() <= 0.501 * step).all()
    assert not torch.equal(found, exact)


def test_one_large_weight_widens_the_steps_of_its_row_and_zeros_stay_zero() -> None:
    matrix = np.zeros((3, 1000), np.float32)
    matrix[:2, ::2] = 0.1
    matrix[1, 0] = -10
    scales, numbers = page_model.quantized(matrix)
    assert scales[0] == pytest.approx(page_model.STEP * matrix[0].std())
    assert scales[1] == pytest.approx(10 / page_model.LARGEST)
    assert numbers[1, 0] == -page_model.LARGEST
    assert np.isfinite(scales[2])
    assert not numbers[2].any()


def test_the_record_is_of_this_model_and_keeps_its_promises() -> None:
    record = read_json(SHIPPED / "measurements" / "page.json")
    weights = (FOLDER / "model.safetensors").read_bytes()
    assert record["weights"] == hashlib.sha256(weights).hexdigest()
    assert record["bytes"] <= page_model.MOST_BYTES
    for decoder in record["decoders"].values():
        assert decoder["bleu"]["lib"] - decoder["bleu"]["page"] <= 0.3
        assert decoder["same_as_lib"] == decoder["compared"] == 1000
        compared = decoder["bleu_of_compared"]
        assert compared["page"] == compared["lib"]
    assert record["tokens_a_processor_second"]["median"] >= 30
    assert record["first_word_seconds"]["median"] < 1
