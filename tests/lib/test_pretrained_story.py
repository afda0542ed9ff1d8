"""The flat files of llama2.c, and a real model of theirs that tells its tale."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import LlamaForCausalLM

from lib.corpora.remote import VARIABLE, download_folder
from lib.decoding import generate
from lib.model import count_parameters
from lib.today import LanguageModel, read_pretrained, read_tokenizer
from tests.foreign_models import foreign

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


class TestTheTale:
    @pytest.mark.parametrize("cached", [True, False])
    def test_it_writes_what_was_published_to_the_letter(
        self, cached: bool, story: Path
    ) -> None:
        model, tokenizer = read_pretrained(story), read_tokenizer(story)
        assert isinstance(model, LanguageModel)
        assert model.family == "llama"
        assert count_parameters(model) == 260_032
        begun = tokenizer.encode("Once upon a time").ids
        (ids,) = generate(model, [begun], max_new=252, cached=cached)
        assert tokenizer.decode(begun + ids) == TALE

    def test_texts_are_cut_as_its_own_code_cuts_them(self, story: Path) -> None:
        tokenizer, cut = read_tokenizer(story), by_its_own_rules(story)
        draw, pieces = random.Random(1), ["he", " ", "  ", "th", "ing", "é", "日", "\n"]
        pieces += ['"', "Lily", "<s>", "\n<s>\n", "<0x41>", " upon", "▁", "a", "t"]
        for _ in range(500):
            text = "".join(draw.choices(pieces, k=draw.randrange(14)))
            ids = tokenizer.encode(text).ids
            assert ids == cut(text), text
            assert tokenizer.decode(ids) == text


def by_its_own_rules(story: Path) -> Callable[[str], list[int]]:
    """Cut texts as llama2.c does: merge the best pair until there is none."""
    data, at, tokens, scores = story.with_name("tok512.bin").read_bytes(), 4, [], []
    while at < len(data):
        score, length = struct.unpack_from("<fi", data, at)
        at += 8 + length
        scores.append(score)
        tokens.append(data[at - length : at])
    number = {token: place for place, token in enumerate(tokens)}

    def cut(text: str) -> list[int]:
        ids: list[int] = []
        for letter in f" {text}" if text else "":
            whole = number.get(letter.encode())
            ids += [3 + b for b in letter.encode()] if whole is None else [whole]
        while True:
            merges = [
                (-scores[both], place, both)
                for place in range(len(ids) - 1)
                if (both := number.get(tokens[ids[place]] + tokens[ids[place + 1]]))
            ]
            if not merges:
                return [1, *ids]
            _, place, both = min(merges)
            ids[place : place + 2] = [both]

    return cut


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
