"""The translator's folder, and what a reader may type."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from lib.config import TransformerConfig
from lib.decoding import beam_search
from lib.model import Transformer
from lib.text import EOS, PAD, SOS, UNK, Vocabulary
from lib.text.subwords import SubwordVocabulary
from lib.translator import SHIPPED, Translator
from tests.refusals import Call, each_refusal, refuses

ENGLISH = Vocabulary(["The", "dog", "sees", "cat", "a", "."])
SPANISH = Vocabulary(["El", "perro", "ve", "gato", "un", "."])


SIZES = {
    **dict.fromkeys(("src_vocab_size", "tgt_vocab_size"), 10),
    "d_model": 8,
    "n_heads": 2,
    "n_layers": 1,
    "d_ff": 8,
    "max_len": 12,
}


def make(tied: bool = False, **settings: int) -> Translator:
    torch.manual_seed(0)
    config = TransformerConfig(**{**SIZES, **settings}, tie_embeddings=tied)
    return Translator(Transformer(config), ENGLISH, SPANISH, punctuate=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make().save(tmp_path)
    return tmp_path


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("half", [False, True])
def test_what_is_loaded_is_what_was_saved(
    tied: bool, half: bool, tmp_path: Path
) -> None:
    saved = make(tied)
    before = torch.get_rng_state()
    saved.save(tmp_path, half=half)
    loaded = Translator.load(tmp_path)
    assert torch.equal(torch.get_rng_state(), before)
    assert loaded.model.config == saved.model.config
    assert loaded.src_vocab.tokens == saved.src_vocab.tokens
    for name, weight in saved.model.state_dict().items():
        expected = weight.half().float() if half else weight
        assert torch.equal(loaded.model.state_dict()[name], expected)
    assert loaded.model.training is False
    kept = load_file(tmp_path / "model.safetensors").values()
    assert all((weight.dtype == torch.float16) is half for weight in kept)
    if tied:
        table = loaded.model.tgt_embedding.table.weight
        assert loaded.model.output_proj.weight is table
        assert loaded.model.src_embedding.table.weight is table


@given(
    st.lists(st.sampled_from(ENGLISH.tokens[4:9]), min_size=1, max_size=9),
    st.integers(1, 5),
    st.sampled_from([1, 2, 4]),
)
def test_a_batch_translates_as_its_sentences_alone(
    words: list[str], batch_size: int, beam: int
) -> None:
    translator = make()
    sentences = [" ".join(words), "the dog", "a cat sees the dog .", "The cat"]
    together = translator.translate(sentences, batch_size, beam)
    assert together == [translator.translate([s], 1, beam)[0] for s in sentences]


def test_a_sentence_gets_its_capital_and_its_full_stop() -> None:
    translator = make()
    assert translator.read("  the   dog ").text == "The dog."
    assert translator.read("the dog?").text == "The dog?"
    assert translator.read("the dog!!").text == "The dog."
    assert translator.read("the dog!?").text == "The dog!?"
    assert translator.read("a !").text == "A."
    translator.punctuate = False
    assert translator.read(" the dog ").text == "the dog"


FILES = {"config.json", "model.safetensors"}
PAD_SECOND = Vocabulary(SPANISH.tokens[4:], specials=(SOS, PAD, EOS, UNK))
A_DOG: Any = ["the dog"]


@each_refusal(
    *(
        (lambda nothing=nothing: make().translate([nothing]), "nothing to translate")
        for nothing in ("", "¿?")
    ),
    (lambda: make().translate(["the " * 12]), "13 words and marks is too long"),
    (lambda: make().translate(A_DOG[0]), "takes a list of sentences"),
    (lambda: make().translate([*A_DOG, A_DOG]), "must be text, but it is"),
    (lambda: make().translate(A_DOG, 0), "at least 1, but it is 0"),
    (lambda: make().translate(A_DOG, 2.5), "whole number, but it is 2.5"),
    (lambda: make().translate(A_DOG, beam_size=0), "beam_size .* but it is 0"),
    (lambda: make().translate(A_DOG, beam_size=11), "beam_size .* but it is 11"),
    (
        lambda: Translator(make().model, Vocabulary(["one"]), SPANISH),
        "10 and 10 tokens, but these have 5 and 10",
    ),
    (
        lambda: Translator(make().model, ENGLISH, PAD_SECOND),
        "theirs are 0, 0 and 1",
    ),
)
def test_what_cannot_be_translated_is_refused(call: Call, words: str) -> None:
    refuses(call, words)


def test_the_longest_sentence_is_translated() -> None:
    assert len(make().translate(["the " * 10])) == 1  # 10, a full stop, <eos>


@pytest.mark.parametrize(("number", "half"), [(1e5, True), (torch.nan, False)])
def test_weights_that_a_file_cannot_keep_are_refused(
    number: float, half: bool, folder: Path
) -> None:
    before = {file: file.read_bytes() for file in folder.iterdir()}
    translator = make()
    with torch.no_grad():
        translator.model.output_proj.bias[3] = number
    told = r"'output_proj\.bias' are not all numbers"
    refuses(lambda: translator.save(folder, half=half), told)
    assert {file: file.read_bytes() for file in folder.iterdir()} == before


@pytest.mark.parametrize("penalty", [0.0, 2.0])
def test_the_best_translations_are_those_of_the_beam(penalty: float) -> None:
    translator = make()
    ids = translator.src_vocab.encode("A cat sees the dog.")
    src = torch.tensor([[*ids, translator.src_vocab.eos_id]])
    (wanted,) = beam_search(translator.model, src, 1, 2, 3, penalty, n_best=3)
    found = translator.n_best("a cat sees the dog", 3, penalty)
    assert found == [(translator.tgt_vocab.decode(h.ids), h.score) for h in wanted]
    (best,) = translator.translate(["a cat sees the dog"], 1, 3, penalty)
    assert found[0][0] == best


def test_a_name_is_a_folder_first_and_then_a_shipped_translator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name, shipped = "grammar-en-es", SHIPPED / "grammar-en-es"
    Path(name).mkdir()  # without a translator it hides none
    tokens = Translator.load(shipped).src_vocab.tokens
    assert Translator.load(name).src_vocab.tokens == tokens != ENGLISH.tokens
    make().save(name)
    assert Translator.load(name).src_vocab.tokens == ENGLISH.tokens
    for none in ("", "../models/grammar-en-es", "*"):
        with pytest.raises(FileNotFoundError, match="are: grammar-en-es"):
            Translator.load(none)


def describe(folder: Path, **changes: object) -> None:
    """Change the description of a saved translator."""
    description = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(description | changes))


def refuses_folder(folder: Path, reason: str) -> None:
    kinds = (ValueError, FileNotFoundError)
    message = refuses(lambda: Translator.load(folder), reason, kinds)
    assert str(folder) in message
    assert len(message) - len(str(folder)) < 300


class TestDamage:
    """A foreign folder gets one sentence that names it; a damaged one: test_doors."""

    @pytest.mark.parametrize(
        ("key", "value"),
        [
            ("d_model", 10**30),
            ("d_ff", 10**18),
            ("n_layers", 10**9),
            ("max_len", 10**8),
        ],
    )
    def test_sizes_beyond_all_memory(self, folder: Path, key: str, value: int) -> None:
        """These fit no memory, or would be built for ever."""
        describe(folder, model={**SIZES, key: value})
        refuses_folder(folder, "not a whole translator")

    @pytest.mark.parametrize(
        ("name", "weight", "reason"),
        [
            ("output_proj.bias", torch.zeros(3), r"output_proj.bias: .*\[3\]"),
            ("output_proj.bias", torch.full((10,), torch.nan), "not all finite"),
            ("more", torch.zeros(3), "not its own, such as 'more'"),
            ("output_proj.bias", None, "Missing key.*output_proj.bias"),
            ("encoder.layers.7.w", torch.zeros(3), "are of 3 layers, not of 2"),
        ],
    )
    def test_other_weights(
        self, folder: Path, name: str, weight: torch.Tensor | None, reason: str
    ) -> None:
        weights = {**load_file(folder / "model.safetensors"), name: weight}
        kept = {key: value for key, value in weights.items() if value is not None}
        save_file(kept, folder / "model.safetensors")
        refuses_folder(folder, reason)


LINES = ["the dog sees the cat", "a cat sees a dog", "el perro ve al gato"] * 4


def make_subwords(shared: bool = True) -> Translator:
    """Return a tiny translator whose vocabulary is made of pieces."""
    torch.manual_seed(0)
    one = SubwordVocabulary.build(LINES, 30)
    two = one if shared else SubwordVocabulary.build(LINES[2::3], 20)
    config = TransformerConfig(
        len(one), len(two), 8, n_heads=2, n_layers=1, d_ff=8, tie_embeddings=shared
    )
    return Translator(Transformer(config), one, two)


class TestSubwords:
    """A translator of pieces, whole and damaged."""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        make_subwords().save(tmp_path, half=True)
        return tmp_path

    @pytest.mark.parametrize(
        ("shared", "names"),
        [(True, {"tokenizer.json"}), (False, {"src.json", "tgt.json"})],
    )
    def test_what_is_loaded_is_what_was_saved(
        self, shared: bool, names: set[str], tmp_path: Path
    ) -> None:
        saved = make_subwords(shared)
        saved.save(tmp_path)
        loaded = Translator.load(tmp_path)
        assert (loaded.src_vocab is loaded.tgt_vocab) is shared
        sentence = "the dogs seeing a cat"
        assert loaded.n_best(sentence) == saved.n_best(sentence)
        assert {file.name for file in tmp_path.iterdir()} == FILES | names

    def test_only_characters_can_be_unknown(self) -> None:
        translator = make_subwords()
        assert translator.unknown_words("dots sat stages") == []
        assert translator.unknown_words("the 木 sees 木 zzz") == ["木", "zzz"]

    def test_the_tokenizer_of_another(self, folder: Path) -> None:
        other = SubwordVocabulary.build(LINES, 20).to_json()
        (folder / "tokenizer.json").write_text(other)
        refuses_folder(folder, "vocabularies of 30 and 30 tokens, but these have 20")

    @pytest.mark.parametrize("name", ["../tokenizer.json", "a/b.json", "nothing.json"])
    def test_a_file_outside_the_folder_is_never_read(
        self, folder: Path, name: str
    ) -> None:
        inside = folder / "inside"
        make_subwords().save(inside)
        (inside / "a").mkdir()
        shutil.copy(folder / "tokenizer.json", inside / "a" / "b.json")
        describe(inside, src_vocab=name, tgt_vocab=name)
        refuses_folder(inside, "not the name of a file in it|it has no file")


def test_saving_over_an_old_translator_leaves_no_rest(folder: Path) -> None:
    make(d_ff=16).save(folder)
    assert Translator.load(folder).model.config.d_ff == 16
    assert {file.name for file in folder.iterdir()} == FILES
