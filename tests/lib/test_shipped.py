"""The models that come with the book keep what their cards and README promise."""

from __future__ import annotations

import hashlib
import itertools
import re
import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lib import corpora
from lib.__main__ import main
from lib.corpora import normalize, references
from lib.corpora.own import with_more
from lib.corpora.remote import download_folder
from lib.evaluation import score_texts, strangers, what_is_wrong
from lib.evaluation.neighbors import far_pairs
from lib.model import count_parameters
from lib.text import SubwordVocabulary, Vocabulary
from lib.text.files import read_json
from lib.text.subwords import ALPHABET
from lib.training import read_log
from lib.translator import SHIPPED, Translator, read_language_model
from lib.translator.folder import read_report, write_card

NAMES = ("grammar-en-es", "tatoeba-en-es")
ROOT = SHIPPED.parent.parent
README = (ROOT / "README.md").read_text("utf-8")
LANGUAGE_MODEL = SHIPPED / "tatoeba-en"
OWN = Path(corpora.__file__).parent
NEEDS_CORPUS = pytest.mark.skipif(
    not (download_folder() / "spa-eng.zip").is_file(),
    reason="the sentences are not here: TRANSFORMER_BOOK_CACHE names no folder with "
    "spa-eng.zip",
)


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    return read_report("tatoeba-en-es")


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load("tatoeba-en-es")


@pytest.mark.parametrize("name", NAMES)
def test_the_card_is_what_the_record_says(name: str, tmp_path: Path) -> None:
    """Every number of a card stands in scores.json, measured on these weights."""
    report = read_report(name)
    write_card(tmp_path, report)
    card = (SHIPPED / name / "README.md").read_text("utf-8")
    assert (tmp_path / "README.md").read_text("utf-8") == card
    parameters = count_parameters(Translator.load(name).model)
    assert parameters == report["parameters"] <= 6_000_000
    assert f"{parameters:,} parameters" in README


def test_the_readme_tells_the_scores_of_the_grammar() -> None:
    for result in read_report("grammar-en-es")["scores"].values():
        assert f"| {result['sentences']:,} | {result['exact_match']:.2%} |" in README


def test_the_readme_tells_the_scores_on_real_sentences(report: dict[str, Any]) -> None:
    test, far = report["scores"].values()
    best = report["winner"]
    for scores, suffix in ((test, ""), (test, "_single"), (far, "")):
        values = (scores["bleu" + suffix], scores["chrf" + suffix])
        assert "| {:.1f} | {:.1f} |".format(*values) in README
    assert f"{report['train_pairs']:,} pairs" in README
    assert f"{test['sentences']:,} sentences" in README
    assert f"({test['pairs']:,} for {test['sentences']:,} sentences)" in README
    assert f"the {far['sentences']:,} sentences that are far" in README
    assert f"validation part, {best['length_penalty']}, gives" in README
    assert "{bleu:.1f} BLEU and {chrf:.1f} chrF".format(**best["test"]) in README
    told = f"it must in {report['strangers']['right']} (`--part strangers`)"
    assert told in " ".join(README.split())


def told_elsewhere() -> Iterator[tuple[str, str]]:
    """Return pages with what stands on them of the scores."""
    unseen = read_report("grammar-en-es")["scores"]["unseen_sentences"]
    right, sentences = f"{unseen['exact_match']:.2%}", unseen["sentences"]
    yield "CHANGELOG.md", f"({right} of unseen sentences right)"
    wrong = round(sentences * (1 - unseen["exact_match"]))
    yield "book/course/10_first_translator.md", f"{right} of {sentences:,} sentences"
    yield "book/course/10_first_translator.md", f"*Expect:* {wrong}; and it says"
    sizes = "`{name}` | D = {d_model}, {n_heads} heads, {n_layers} + {n_layers} layers"
    for name in ("grammar-en-es", "tatoeba-en-es"):
        card = read_report(name)
        told = sizes + ", {parameters:,} numbers |"
        yield "book/notation.md", told.format_map(card | card["settings"])
    report = read_report("tatoeba-en-es")
    scores, pieces = report["scores"], report["settings"]["vocab_size"]
    yield "book/translate.md", f"vocabulary of {pieces:,} sub-words"
    test, far = (f"{scores[part]['bleu']:.1f}" for part in ("test", "test-far"))
    exact = f"{scores['test']['exact_match']:.1%}"
    yield "CHANGELOG.md", f"for everyday sentences ({test} BLEU on its test part"
    lesson, slides = (f"book/course/{f}16_real_sentences.md" for f in ("", "slides/"))
    yield lesson, f"{test} and {far}"
    yield lesson, f"{exact} exact match and {test} BLEU"
    yield slides, f"Pencil first: {pieces:,} pieces"
    yield slides, f"{test} BLEU good?"
    noted = report["doubt"]["strangers"]["wrong"]
    told = "Of {sentences} wrong translations of strangers' sentences {noted} got one"
    yield slides, told.format_map(noted)
    errors = read_json(SHIPPED / "tatoeba-en-es" / "errors.json")
    other = errors["kinds"]["other words"]["number"]
    other /= errors["sentences"] - errors["exact"]
    yield slides, f"Other words lead by far: {100 * other:.0f} percent"
    yield lesson, f'**"{other:.0%} of the mistakes are other'
    found = read_json(SHIPPED / "measurements" / "serving.json")["agreement"]
    same = f"{found['same']['CTranslate2']:,} of the {found['sentences']:,} sentences"
    yield "README.md", f"beam of {found['beam']} it writes the same text for {same}"


@pytest.mark.parametrize(("page", "words"), [*told_elsewhere()])
def test_a_page_tells_what_was_measured(page: str, words: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    assert words in " ".join(text.split())


def test_the_ways_to_serve_write_what_ships(report: dict[str, Any]) -> None:
    ways = read_json(SHIPPED / "measurements" / "serving.json")["ways"]
    assert ways[0]["bleu_beam"] == report["scores"]["test"]["bleu"]


def test_its_scores_are_worth_the_name(report: dict[str, Any]) -> None:
    test, far = report["scores"].values()
    assert test["sentences"] >= 2000
    assert test["bleu"] >= 51.5 and test["chrf"] >= 69.4 and test["beam_size"] == 4
    assert report["far"]["sources"] == far["sentences"] >= 300
    assert far["bleu"] < test["bleu"]
    assert sum(f.stat().st_size for f in (SHIPPED / NAMES[1]).iterdir()) < 18_000_000


def test_the_readme_shows_what_it_answers(translator: Translator) -> None:
    asked = README.split('make translate TEXT="')[1].split('"')[0]
    answer = README.split("It answers\n\n```text\n")[1].split("\n```")[0]
    sentences = [asked, "Where is the station?", "I want you to help me."]
    answers = [answer, "¿Dónde está la estación?", "Quiero que me ayudes."]
    assert translator.translate(sentences, beam_size=4) == answers


def readme_command(name: str) -> list[str]:
    """Return the options of the command that stands beside a table of the README."""
    shown = re.findall(r"python -m lib evaluate ([^#\n]*--beam \d)", README)
    commands = {("--model" in line): line for line in shown}
    assert len(commands) == len(shown) == 2
    return commands[name == "grammar-en-es"].split()


def scores_of(options: list[str], file: Path) -> dict[str, Any]:
    assert main(["evaluate", *options, "--errors", "0", "--json", str(file)]) == 0
    found: dict[str, Any] = read_json(file)["scores"]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_card_has_the_command_of_the_readme(name: str) -> None:
    card = (SHIPPED / name / "README.md").read_text("utf-8")
    (shown,) = re.findall(r"`python -m lib evaluate --model \. (.*)` prints", card)
    parts = [f"--part {part}" for part in read_report(name)["scores"]]
    beam = " ".join(readme_command(name)[-2:])
    assert shown == " ".join([*parts, beam])


def test_the_grammar_translator_scores_what_its_card_says(tmp_path: Path) -> None:
    report, splits = read_report("grammar-en-es"), corpora.load("grammar").splits
    found = scores_of(readme_command("grammar-en-es"), tmp_path / "found.json")
    assert found.keys() == report["scores"].keys() and len(found) == 2
    for part, promised in report["scores"].items():
        assert promised["sentences"] >= 2000 and promised["exact_match"] >= 0.995
        # Another processor may turn a tie, in a sentence of all.
        turned = abs(found[part]["exact_match"] - promised["exact_match"])
        assert turned * promised["sentences"] < 1.5
    translator = Translator.load("grammar-en-es")
    for side, vocabulary in enumerate((translator.src_vocab, translator.tgt_vocab)):
        built = Vocabulary.build(pair[side] for pair in splits["train"])
        assert built.tokens == vocabulary.tokens, "other sentences were trained on"


def test_strangers_sentences_carry_and_its_notes_catch_what_the_card_says(
    report: dict[str, Any], translator: Translator
) -> None:
    card = (SHIPPED / "tatoeba-en-es" / "README.md").read_text("utf-8")
    assert "`python -m lib evaluate --part strangers --beam 4` counts them" in card
    asked = strangers()
    typed = [sentence.english for sentence in asked]
    carried, noted = Counter[str](), Counter[bool]()
    doubted = translator.translate_with_doubt(typed, beam_size=4)
    for sentence, (text, _, unsure) in zip(asked, doubted, strict=True):
        right = not what_is_wrong(sentence, text)
        carried[sentence.kind] += right
        noted[right] += unsure
    promised = report["strangers"]
    # Another processor may turn a tie, in a sentence of all.
    assert abs(carried.total() - promised["right"]) <= 1
    for kind, count in promised["kinds"].items():
        assert count["sentences"] == sum(each.kind == kind for each in asked)
        assert abs(carried[kind] - count["right"]) <= 1
    promised = report["doubt"]["strangers"]
    right, wrong, badly = (promised[v] for v in ("right", "wrong", "badly wrong"))
    assert abs(noted[True] - right["noted"]) <= 1
    assert abs(noted[False] - wrong["noted"]) <= 1
    assert right["noted"] <= 0.07 * right["sentences"]
    assert wrong["noted"] >= 0.5 * wrong["sentences"]
    assert badly["noted"] >= 0.7 * badly["sentences"]


@NEEDS_CORPUS
def test_its_pieces_are_those_of_the_training_part_alone(
    report: dict[str, Any], translator: Translator
) -> None:
    corpus = corpora.load("tatoeba-en-es")
    words = itertools.pairwise(shlex.split(report["command"]))
    more = [[OWN / file] for option, file in words if option == "--also"]
    learned = with_more(corpus, more, attribution="").splits["train"]
    texts = (text for pair in learned for text in pair)
    size = report["settings"]["vocab_size"]
    built = SubwordVocabulary.build(texts, size, ALPHABET)
    assert built.tokens == translator.src_vocab.tokens


@NEEDS_CORPUS
def test_its_scores_can_be_had_again(report: dict[str, Any], tmp_path: Path) -> None:
    splits = corpora.load("tatoeba-en-es").splits
    far = "\n".join(sorted(map(normalize, references(far_pairs(splits)))))
    assert hashlib.sha256(far.encode()).hexdigest() == report["far"]["sha256"]
    seen = {
        normalize(src) for name in ("train", "validation") for src, _ in splits[name]
    }
    assert not seen & {normalize(src) for src, _ in splits["test"]}
    found = scores_of(readme_command("tatoeba-en-es"), tmp_path / "found.json")
    for part in ("test", "test-far"):
        promised = report["scores"][part]
        assert found[part]["sentences"] == promised["sentences"]
        assert found[part]["beam_size"] == promised["beam_size"]
        for name in ("bleu", "chrf", "bleu_single", "chrf_single"):
            assert abs(found[part][name] - promised[name]) < 0.2


def test_the_card_of_the_language_model_is_what_the_run_left() -> None:
    card = (LANGUAGE_MODEL / "README.md").read_text("utf-8")
    report = read_json(LANGUAGE_MODEL / "scores.json")
    epochs = read_log(LANGUAGE_MODEL / "log.csv")
    seconds = sum(float(epoch["seconds"]) for epoch in epochs)
    size = (LANGUAGE_MODEL / "model.safetensors").stat().st_size
    assert size < 2_500_000
    told = [
        (LANGUAGE_MODEL / "settings.toml").read_text("utf-8"),
        f"{report['parameters']:,} parameters, {size:,} bytes",
        f"{report['texts']['train']:,} sentences",
        f"{len(epochs)} epochs in {seconds:,.0f} s; {report['machine']}",
        report["attribution"],
    ]
    told += [
        f"| {part} | {score['texts']:,} | {score['perplexity']:.2f} of "
        f"{score['tokens']:,} | {score['bits_per_character']:.3f} of "
        f"{score['characters']:,} |"
        for part, score in report["scores"].items()
    ]
    assert [words for words in told if words not in card] == []
    model, _ = read_language_model("tatoeba-en")
    assert count_parameters(model) == report["parameters"]
    assert report["scores"]["test"]["perplexity"] < 18


def test_the_language_model_writes_one_sentence_from_the_command_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for _ in range(2):
        assert main(["write", "I want to", "--seed", "1", "--tokens", "30"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == second and first.startswith("I want to") and first[-1] in ".?!"


@NEEDS_CORPUS
def test_the_language_model_scores_what_its_card_says_on_unseen_texts() -> None:
    """And it learned no more texts than there are in no other part."""
    splits = corpora.load("tatoeba-en-es").splits
    texts: dict[str, list[str]] = {}
    taken: set[str] = set()
    for part in ("validation", "test", "train"):
        each = dict.fromkeys(source for source, _ in splits[part])
        texts[part] = [text for text in each if normalize(text) not in taken]
        taken |= set(map(normalize, texts[part]))
    report = read_json(LANGUAGE_MODEL / "scores.json")
    assert {part: len(each) for part, each in texts.items()} == report["texts"]
    model, words = read_language_model("tatoeba-en")
    built = SubwordVocabulary.build(texts["train"], len(words))
    assert built.tokens == words.tokens, "other sentences were learned"
    score = score_texts(model, words, texts["test"])
    told = report["scores"]["test"]
    assert score.perplexity == pytest.approx(told["perplexity"], abs=0.01)
    assert score.tokens == told["tokens"]


@pytest.mark.parametrize("file", ["adapting", "page", "serving"])
def test_what_was_measured_is_of_the_weights_that_ship(file: str) -> None:
    record = read_json(SHIPPED / "measurements" / f"{file}.json")
    found = record["weights"]
    found = found if isinstance(found, dict) else {record["model"]: found}
    for name, checksum in found.items():
        weights = (SHIPPED / name / "model.safetensors").read_bytes()
        assert hashlib.sha256(weights).hexdigest() == checksum, (
            f"{file}.json is of other weights of {name}: measure it anew, as "
            "lib/shipped/measurements/README.md says."
        )
