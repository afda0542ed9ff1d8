"""Files of others: every tensor in its place, flat files too, or a sentence."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from torch import Tensor
from transformers import BertConfig, BertForPreTraining, BertModel, LlamaForCausalLM

from lib.corpora.remote import VARIABLE, download_folder
from lib.text import Vocabulary
from lib.today import LanguageModel, read_pretrained, read_tokenizer
from lib.translator import write_language_model
from tests.foreign_models import FAMILIES, foreign, saved, shake
from tests.refusals import refuses

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
    kinds = (ValueError, FileNotFoundError)
    message = refuses(lambda: read_pretrained(folder), re.escape(str(folder)), kinds)
    assert message.endswith(".")
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

    def test_what_is_wrong_with_one_is_told(self, family: str, folder: Path) -> None:
        whole = tensors_in(folder)

        def refused_with(changes: Mapping[str, Tensor | None], words: str) -> None:
            changed = {**whole, **changes}
            put(folder, {name: x for name, x in changed.items() if x is not None})
            assert f"the tensor {words}" in refused(folder)

        for name, tensor in whole.items():
            refused_with({name: None}, f"{name!r} is missing")
            longer = torch.cat([tensor, tensor[:1]])
            shapes = f"{tuple(longer.shape)}, not {tuple(tensor.shape)}"
            refused_with({name: longer}, f"{name!r} has shape {shapes}")
        for wrong in (tensor.char(), tensor * torch.nan):
            refused_with({name: wrong}, f"{name!r} is not all finite numbers")
        layer = next(name for name in whole if ".0." in name)
        for more in ("adapter.weight", layer.replace(".0.", ".9."), f"{layer}s"):
            refused_with({more: torch.ones(2)}, f"{more!r} is no part of such a model")

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
    assert "without its head, the tensors 'cls.pred" in refused(tmp_path / "bare")


@pytest.mark.parametrize(
    ("family", "table", "tied"),
    [
        ("llama", "model.embed_tokens", "lm_head"),
        ("gpt2", "transformer.wte", "lm_head"),
        ("bert", "bert.embeddings.word_embeddings", "cls.predictions.decoder"),
        ("marian", "model.shared", "model.encoder.embed_tokens"),
    ],
)
def test_what_is_tied_may_be_there_twice_if_it_is_the_same(
    family: str, table: str, tied: str, tmp_path: Path
) -> None:
    one = {"share_encoder_decoder_embeddings": True} if family == "marian" else {}
    theirs = foreign(family, 6, **TIED, **one)
    weight = theirs.get_parameter(f"{table}.weight").detach()
    folder = saved(theirs, tmp_path)
    before, whole = answer(folder), tensors_in(folder)
    put(folder, {**whole, f"{tied}.weight": weight})
    assert torch.equal(answer(folder), before)
    put(folder, {**whole, f"{tied}.weight": weight + 1})
    told = f"the tensor '{tied}.weight' is not what it is tied to"
    assert told in refused(folder)


LLAMA3 = {"rope_type": "llama3", "rope_theta": 1.0}


@pytest.mark.parametrize(
    ("family", "settings", "words"),
    [
        ("llama", {"model_type": "mistral"}, "'mistral' is none of llama, gpt2"),
        ("llama", {"hidden_size": None}, "has no setting 'hidden_size'"),
        ("llama", {"hidden_size": 10**15}, "cannot be read"),
        ("llama", {"num_hidden_layers": 10**9}, "too few for so many layers"),
        ("llama", {"hidden_act": "mish"}, "activation must be one of"),
        ("llama", {"head_dim": 10}, "head_dim is 10, and the book has hidden_size /"),
        ("llama", {"rope_parameters": LLAMA3}, "rope_type is 'llama3'"),
        ("llama", {"rope_scaling": {"type": "linear"}}, "rope_type is 'linear'"),
        ("llama", {"is_causal": False}, "is_causal is False, and the book has True"),
        ("gpt2", {"scale_attn_weights": False}, "scale_attn_weights is False"),
        ("bert", {"is_decoder": True}, "is_decoder is True, and the book has False"),
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


def test_what_ends_a_text_is_told_by_the_generation_first(tmp_path: Path) -> None:
    folder = saved(foreign("llama", 8), tmp_path)
    file = folder / "generation_config.json"
    for first, then, end in (
        ([5, 3], 2, [5, 3]), ([5], 2, 5), (0, [2, 3], 0), ([], 2, None), (None, 4, 4),
    ):  # fmt: skip
        file.write_text(json.dumps({"eos_token_id": first}))
        configure(folder, eos_token_id=then)
        assert read_pretrained(folder).end_id == end
    file.write_text('{"eos_token_id": [5, "3"]}')
    assert "eos_token_id is [5, '3'], which is no id of a token" in refused(folder)
    file.unlink()
    assert read_pretrained(folder).end_id == 4


def test_a_setting_of_old_says_the_same(tmp_path: Path) -> None:
    usual = {"rope_type": "default", "rope_theta": 9.0}
    folder = saved(foreign("llama", 8, rope_parameters=usual), tmp_path)
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
        told = "has no file model.safetensors, and pytorch_model.bin is a pickle"
        assert told in refused(folder)
        (folder / "pytorch_model.bin").rename(folder / "pytorch_model.bin.index.json")
        assert "pytorch_model.bin.index.json is a list of pickles" in refused(folder)

    def test_parts_are_read_as_one_file(self, folder: Path, tmp_path: Path) -> None:
        before, parts = answer(folder), tmp_path / "parts"
        foreign("gpt2", 9).save_pretrained(parts, max_shard_size="2KB")
        first, second, *_ = sorted(parts.glob("model-*.safetensors"))
        assert torch.equal(answer(parts), before)
        index, whole = parts / "model.safetensors.index.json", first.read_bytes()
        second.write_bytes(whole)
        assert f"the tensor '{min(load_file(first))}' is in two" in refused(parts)
        first.unlink()
        assert f"has no file {first.name}; save_pretrained" in refused(parts)
        (parts.parent / first.name).write_bytes(whole)
        for told in ({"weight_map": {"a": f"../{first.name}"}}, {"weight_map": []}, {}):
            index.write_text(json.dumps(told))
            assert "weight_map of model.safetensors.index.json" in refused(parts)

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
        with pytest.raises(FileNotFoundError, match=r"no file tokenizer\.json.*\.spm"):
            read_tokenizer(folder)
        words = Tokenizer(WordLevel({"no": 0, "yes": 1}, unk_token="no"))
        words.save(str(folder / "tokenizer.json"))
        assert read_tokenizer(folder).encode("yes").ids == [1]
        (folder / "tokenizer.json").write_text("{}")
        with pytest.raises(ValueError, match=r"tokenizer\.json is no tokenizer: "):
            read_tokenizer(folder)


BESIDE = Path(__file__).parents[3] / "shared" / "pretrained"
# As karpathy/llama2.c publishes it, in doc/stories260K.md: greedy, until it ends.
TALE = """\
Once upon a time, there was a little girl named Lily. She loved to play outside in the \
park. One day, she saw a big, red ball. She wanted to play with it, but it was too high.
Lily's mom said, "Lily, let's go to the park." Lily was sad and didn't know what to \
do. She said, "I want to play with your ball, but I can't find it."
Lily was sad and didn't know what to do. She said, "I'm sorry, Lily. I didn't know \
what to do."
Lily didn't want to help her mom, so she said, "I'm sorry, mom. I didn't know what to \
do." Her mom said, "Don't worry, Lily. We can help you."""


@pytest.fixture(scope="module")
def story() -> Path:
    """The model stories260K, whose tokens lie beside it."""
    for folder in (BESIDE, download_folder() / "stories260K"):
        file = folder / "stories260K.bin"
        if file.is_file() and (folder / "tok512.bin").is_file():
            return file
    pytest.skip(
        "stories260K.bin and tok512.bin are neither beside the checkout, in "
        f"shared/pretrained, nor in stories260K in the folder that {VARIABLE} names"
    )


# Cut by llama2.c's own rules; the tale itself is told in tests/pages.
CUT = (
    'Lily upon  <s>\n<s>\n<0x41>▁"th é日 ato toa',
    "1 317 407 410 410 504 419 505 13 504 419 505 13 504 477 444 484 475 505 229 153 "
    "132 436 413 415 410 485 233 154 168 261 413 414 267 412",
)


def test_texts_are_cut_as_its_own_code_cuts_them(story: Path) -> None:
    tokenizer, (text, ids) = read_tokenizer(story), CUT
    assert tokenizer.encode(text).ids == [*map(int, ids.split())]
    assert tokenizer.decode(tokenizer.encode(text).ids) == text
    assert tokenizer.encode("").ids == [1]


def write_flat(theirs: LlamaForCausalLM, file: Path) -> None:
    """Write a Llama of transformers as llama2.c's own export does."""
    sizes: Any = theirs.config
    weights = theirs.state_dict()
    names = ["input_layernorm", *(f"self_attn.{each}_proj" for each in "qkvo")]
    names += ["post_attention_layernorm"]
    names += [f"mlp.{each}_proj" for each in ("gate", "down", "up")]

    def layers(name: str) -> list[torch.Tensor]:
        found = [
            weights[f"model.layers.{number}.{name}.weight"]
            for number in range(sizes.num_hidden_layers)
        ]
        if name[-6:] in ("q_proj", "k_proj"):  # halves become neighbors
            found = [w.unflatten(0, (-1, 2, sizes.head_dim // 2)) for w in found]
            found = [w.transpose(1, 2).flatten(0, 2) for w in found]
        return found

    parts = [weights["model.embed_tokens.weight"]]
    parts += [weight for name in names for weight in layers(name)]
    angles = torch.zeros(sizes.max_position_embeddings, sizes.head_dim)
    parts += [weights["model.norm.weight"], angles]
    tied = sizes.tie_word_embeddings
    parts += [] if tied else [weights["lm_head.weight"]]
    numbers = [sizes.hidden_size, sizes.intermediate_size, sizes.num_hidden_layers]
    numbers += [sizes.num_attention_heads, sizes.num_key_value_heads]
    numbers += [sizes.vocab_size * (1 if tied else -1)]
    header = struct.pack("<7i", *numbers, sizes.max_position_embeddings)
    file.write_bytes(header + b"".join(w.numpy().tobytes() for w in parts))


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("seed", range(5))
@torch.no_grad()
def test_a_flat_file_holds_a_llama(seed: int, tied: bool, tmp_path: Path) -> None:
    plain = {"attention_bias": False, "mlp_bias": False, "hidden_act": "silu"}
    plain |= {"rope_parameters": {"rope_type": "default", "rope_theta": 10_000.0}}
    plain |= {"rms_norm_eps": 1e-5, "tie_word_embeddings": tied}
    theirs = foreign("llama", seed, **plain)
    assert isinstance(theirs, LlamaForCausalLM)
    write_flat(theirs, tmp_path / "model.bin")
    ours, ids = read_pretrained(tmp_path / "model.bin"), torch.tensor([[1, 0, 7, 9, 7]])
    torch.testing.assert_close(ours(ids), theirs(ids).logits, atol=1e-4, rtol=0)


def test_a_file_of_another_length_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "model.bin"
    for sizes in ((8, 9, 1, 2, 1, 20, 16), (2**31 - 1,) * 7, (8, 9, 1, 0, 1, 20, 16)):
        for more in (b"", b"\0" * 1000):
            file.write_bytes(struct.pack("<7i", *sizes) + more)
            with pytest.raises(ValueError, match=r"model\.bin cannot be read: it "):
                read_pretrained(file)
    file.write_bytes(b"half")
    with pytest.raises(ValueError, match="it is no flat file of llama2"):
        read_pretrained(file)


class TestItsTokens:
    BYTES = [f"<0x{b:02X}>" for b in range(256)]
    TOKENS = ["<unk>", "\n<s>\n", "\n</s>\n", *BYTES, "a"]

    def write(self, folder: Path, tokens: list[str]) -> Path:
        """Write a small flat file with these tokens, and return the model's."""
        no_bias = {"attention_bias": False, "mlp_bias": False}
        theirs = foreign("llama", 1, vocab_size=260, **no_bias)
        assert isinstance(theirs, LlamaForCausalLM)
        write_flat(theirs, folder / "model.bin")
        data = struct.pack("<i", 9)
        for place, token in enumerate(tokens):
            data += struct.pack("<fi", -place, len(token.encode())) + token.encode()
        (folder / "tok260.bin").write_bytes(data)
        return folder / "model.bin"

    def test_they_lie_beside_the_model(self, tmp_path: Path) -> None:
        model = self.write(tmp_path, self.TOKENS)
        assert read_tokenizer(model).encode("a").ids == [1, 3 + ord(" "), 259]
        (tmp_path / "tok260.bin").unlink()
        with pytest.raises(FileNotFoundError, match=r"no file tok260\.bin; it is publ"):
            read_tokenizer(model)

    def test_other_files_are_refused(self, tmp_path: Path) -> None:
        for tokens in (
            self.TOKENS[:-1],
            [*self.TOKENS, "b"],
            [*self.TOKENS[:-1], "<0x00>"],
            [f"{place} " for place in range(260)],
        ):
            model = self.write(tmp_path, tokens)
            with pytest.raises(ValueError, match=r"tok260\.bin (is damaged|does not)"):
                read_tokenizer(model)
