"""Files of other people's weights: what is accepted, and what one sentence refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from torch import Tensor
from transformers import BertConfig, BertForPreTraining, BertModel

from lib.text import Vocabulary
from lib.today import LanguageModel, read_pretrained, read_tokenizer
from lib.translator import write_language_model
from tests.foreign_models import FAMILIES, foreign, saved, shake

Tensors = dict[str, Tensor]


def tensors_in(folder: Path) -> Tensors:
    return load_file(folder / "model.safetensors")


def put(folder: Path, tensors: Tensors) -> None:
    whole = {name: tensor.contiguous() for name, tensor in tensors.items()}
    save_file(whole, folder / "model.safetensors")


def configure(folder: Path, **settings: object) -> None:
    """Change the settings of a folder; None takes one away."""
    file = folder / "config.json"
    found = json.loads(file.read_text()) | settings
    file.write_text(json.dumps({k: v for k, v in found.items() if v is not None}))


def refused(folder: Path) -> str:
    """Demand one clear sentence."""
    with pytest.raises((ValueError, FileNotFoundError)) as caught:
        read_pretrained(folder)
    message = str(caught.value)
    assert str(folder) in message
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message.replace(str(folder), "")) < 300
    return message


def answer(folder: Path) -> Tensor:
    """Return what a model says to some ids."""
    model, ids = read_pretrained(folder), torch.tensor([[1, 0, 9, 7, 4]])
    with torch.no_grad():
        return model(ids, ids) if model.family == "marian" else model(ids)


TIED = {"tie_word_embeddings": True}
ONE_LAYER: dict[str, dict[str, object]] = {
    "llama": {"num_hidden_layers": 1},
    "gpt2": {"n_layer": 1},
    "bert": {"num_hidden_layers": 1, **TIED},  # its bias is there once
    "marian": {"encoder_layers": 1, "decoder_layers": 1, **TIED},
}


@pytest.mark.parametrize("family", FAMILIES)
class TestEveryTensor:
    @pytest.fixture
    def folder(self, family: str, tmp_path: Path) -> Path:
        return saved(foreign(family, 3, **ONE_LAYER[family]), tmp_path)

    def test_a_missing_one_is_named(self, family: str, folder: Path) -> None:
        whole = tensors_in(folder)
        for gone in whole:
            put(folder, {name: whole[name] for name in whole if name != gone})
            assert f"the tensor {gone!r} is missing" in refused(folder)

    def test_one_too_many_is_named(self, family: str, folder: Path) -> None:
        whole = tensors_in(folder)
        layer = next(name for name in whole if ".0." in name)
        for more in ("adapter.weight", layer.replace(".0.", ".9."), f"{layer}s"):
            put(folder, {**whole, more: torch.ones(2)})
            message = refused(folder)
            assert f"the tensor {more!r} is no part of such a model" in message

    def test_another_shape_is_named(self, family: str, folder: Path) -> None:
        whole = tensors_in(folder)
        for name, tensor in whole.items():
            longer = torch.cat([tensor, tensor[:1]])
            put(folder, {**whole, name: longer})
            shapes = f"has shape {tuple(longer.shape)}, not {tuple(tensor.shape)}"
            assert f"the tensor {name!r} {shapes}" in refused(folder)

    @pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
    def test_half_the_bits_are_read(
        self, family: str, folder: Path, kind: torch.dtype
    ) -> None:
        before = answer(folder)
        put(folder, {name: each.to(kind) for name, each in tensors_in(folder).items()})
        found = answer(folder)
        assert found.dtype == torch.float32
        torch.testing.assert_close(found, before, atol=0.3, rtol=0.1)
        assert not torch.equal(found, before)

    @pytest.mark.parametrize("bad", ["nan", "int8"])
    def test_what_is_no_finite_number_is_named(
        self, family: str, folder: Path, bad: str
    ) -> None:
        whole = tensors_in(folder)
        *_, name = whole
        wrong = whole[name].char() if bad == "int8" else whole[name] * torch.nan
        put(folder, {**whole, name: wrong})
        assert f"the tensor {name!r} is not all finite numbers" in refused(folder)


# What old versions and other heads leave in the files of a family.
LYING: dict[str, dict[str, tuple[int, ...]]] = {
    "llama": {"model.layers.0.self_attn.rotary_emb.inv_freq": (4,)},
    "gpt2": {
        "transformer.h.0.attn.bias": (1, 1, 48, 48),
        "transformer.h.0.attn.masked_bias": (),
    },
    "bert": {
        "bert.pooler.dense.weight": (3, 3),
        "bert.pooler.dense.bias": (3,),
        "cls.seq_relationship.weight": (2, 3),
        "cls.seq_relationship.bias": (2,),
        "bert.embeddings.position_ids": (1, 48),
    },
    "marian": {
        "model.encoder.embed_positions.weight": (48, 3),
        "model.decoder.embed_positions.weight": (48, 3),
    },
}


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_known_to_lie_about_is_let_lie(family: str, tmp_path: Path) -> None:
    folder = saved(foreign(family, 4), tmp_path)
    before = answer(folder)
    lying = {name: torch.ones(shape) for name, shape in LYING[family].items()}
    put(folder, {**tensors_in(folder), **lying})
    assert torch.equal(answer(folder), before)


@pytest.mark.parametrize(
    ("family", "today", "old"),
    [
        ("gpt2", "transformer.", ""),
        ("bert", "LayerNorm.weight", "LayerNorm.gamma"),
        ("bert", "LayerNorm.bias", "LayerNorm.beta"),
    ],
)
def test_names_of_old_are_known(
    family: str, today: str, old: str, tmp_path: Path
) -> None:
    folder = saved(foreign(family, 5), tmp_path)
    before = answer(folder)

    whole = tensors_in(folder)
    put(folder, {name.replace(today, old): each for name, each in whole.items()})
    assert tensors_in(folder).keys() != whole.keys()
    assert torch.equal(answer(folder), before)


def test_a_bert_with_both_its_heads_is_read_and_one_without_is_not(
    tmp_path: Path,
) -> None:
    sizes = {"hidden_size": 8, "num_attention_heads": 2, "intermediate_size": 9}
    config = BertConfig(vocab_size=20, num_hidden_layers=1, **sizes)
    whole = BertForPreTraining(config).eval()
    shake(whole)
    ids = torch.tensor([[1, 0, 9, 7, 4]])
    with torch.no_grad():
        wanted = whole(ids).prediction_logits
    found = answer(saved(whole, tmp_path / "whole"))
    torch.testing.assert_close(found, wanted, atol=1e-4, rtol=0)
    saved(BertModel(config), tmp_path / "bare")
    assert "the tensor 'embeddings.LayerNorm" in refused(tmp_path / "bare")


@pytest.mark.parametrize(
    ("family", "tied"),
    [
        ("llama", "lm_head.weight"),
        ("gpt2", "lm_head.weight"),
        ("bert", "cls.predictions.decoder.weight"),
        ("marian", "model.encoder.embed_tokens.weight"),
    ],
)
def test_what_is_tied_may_be_there_twice_if_it_is_the_same(
    family: str, tied: str, tmp_path: Path
) -> None:
    theirs = foreign(family, 6, **TIED, **SHARED.get(family, {}))
    table = theirs.get_parameter(TABLES[family]).detach()
    folder = saved(theirs, tmp_path)
    before, whole = answer(folder), tensors_in(folder)
    put(folder, {**whole, tied: table})
    assert torch.equal(answer(folder), before)
    put(folder, {**whole, tied: table + 1})
    assert f"the tensor {tied!r} is not what it is tied to" in refused(folder)


TABLES = {
    "llama": "model.embed_tokens.weight",
    "gpt2": "transformer.wte.weight",
    "bert": "bert.embeddings.word_embeddings.weight",
    "marian": "model.shared.weight",
}
SHARED: dict[str, dict[str, object]] = {
    "marian": {"share_encoder_decoder_embeddings": True}
}


@pytest.mark.parametrize(
    ("family", "settings", "words"),
    [
        (
            "llama",
            {"model_type": "mistral"},
            "model_type 'mistral' is none of llama, gpt2",
        ),
        ("llama", {"model_type": None}, "model_type None is none of"),
        ("llama", {"hidden_size": None}, "has no setting 'hidden_size'"),
        ("llama", {"hidden_size": "8"}, "d_model must be a whole number, but it is"),
        ("llama", {"hidden_size": 10**15}, "cannot be read"),
        ("llama", {"vocab_size": 10**18}, "cannot be read"),
        ("llama", {"num_hidden_layers": 10**9}, "too few for so many layers"),
        ("llama", {"max_position_embeddings": 10**9}, "max_len must be at most"),
        ("llama", {"num_key_value_heads": 5}, "kv_heads must divide n_heads"),
        ("llama", {"hidden_act": "mish"}, "activation must be one of"),
        ("llama", {"head_dim": 6, "hidden_size": 4}, "has shape"),
        (
            "llama",
            {"rope_parameters": {"rope_type": "llama3", "rope_theta": 1.0}},
            "rope_type is 'llama3'",
        ),
        ("gpt2", {"scale_attn_weights": False}, "scale_attn_weights is False"),
        (
            "gpt2",
            {"scale_attn_by_inverse_layer_idx": True},
            "scale_attn_by_inverse_layer_idx is True",
        ),
        ("bert", {"is_decoder": True}, "is_decoder is True, and the book has False"),
        (
            "bert",
            {"position_embedding_type": "relative_key"},
            "position_embedding_type is 'relative_key'",
        ),
        ("marian", {"decoder_layers": 7}, "encoder_layers and decoder_layers are not"),
        ("marian", {"decoder_attention_heads": 7}, "attention_heads are not the same"),
        ("marian", {"pad_token_id": 10**4}, "pad_id must be a token of both"),
    ],
)
def test_a_config_that_the_book_cannot_be_is_refused(
    family: str, settings: dict[str, object], words: str, tmp_path: Path
) -> None:
    folder = saved(foreign(family, 7), tmp_path)
    configure(folder, **settings)
    assert words in refused(folder)


def test_a_setting_of_old_says_the_same(tmp_path: Path) -> None:
    theirs = foreign(
        "llama", 8, rope_parameters={"rope_type": "default", "rope_theta": 9.0}
    )
    folder = saved(theirs, tmp_path)
    before = answer(folder)
    configure(folder, rope_parameters=None, rope_theta=9.0)
    assert torch.equal(answer(folder), before)


class TestTheFolder:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        return saved(foreign("gpt2", 9), tmp_path)

    def test_what_is_missing_is_named(self, folder: Path, tmp_path: Path) -> None:
        assert "has no file config.json" in refused(tmp_path / "nowhere")
        weights = folder / "model.safetensors"
        weights.rename(folder / "pytorch_model.bin")
        message = refused(folder)
        assert (
            "has no file model.safetensors, and pytorch_model.bin is a pickle"
            in message
        )

    def test_what_is_damaged_is_told(self, folder: Path) -> None:
        weights = folder / "model.safetensors"
        whole = weights.read_bytes()
        for data in (whole[:-4], whole[:40], b"", b"\xff" * 100, whole + b"more"):
            weights.write_bytes(data)
            assert "cannot be read" in refused(folder)
        for text in ("", "[1]", "{", '{"model_type": []}'):
            (folder / "config.json").write_text(text)
            refused(folder)

    def test_nothing_is_built_before_the_sizes_are_compared(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        configure(folder, n_inner=10**11)

        def no_memory(*_: object, **__: object) -> None:
            pytest.fail("numbers were asked for")

        monkeypatch.setattr("torch.random.fork_rng", no_memory)
        assert "has shape" in refused(folder)

    def test_it_is_not_saved_as_a_model_of_the_book(
        self, folder: Path, tmp_path: Path
    ) -> None:
        """Whose config does not know that there is no √D, say."""
        model, words = read_pretrained(folder), Vocabulary([])
        assert isinstance(model, LanguageModel)
        with pytest.raises(ValueError, match="A gpt2 stays in the folder that it was"):
            write_language_model(tmp_path / "own", model, words)
        assert not (tmp_path / "own").exists()

    def test_its_tokenizer_lies_beside_it(self, folder: Path) -> None:
        with pytest.raises(FileNotFoundError, match=r"has no file tokenizer\.json"):
            read_tokenizer(folder)
        words = Tokenizer(WordLevel({"no": 0, "yes": 1}, unk_token="no"))
        words.save(str(folder / "tokenizer.json"))
        assert read_tokenizer(folder).encode("yes").ids == [1]
        (folder / "tokenizer.json").write_text("{}")
        with pytest.raises(ValueError, match=r"tokenizer\.json is no tokenizer: "):
            read_tokenizer(folder)
