"""Descriptions of photographs: Multi30k, with its own splits."""

from __future__ import annotations

from lib.corpora.archives import gzip_lines
from lib.corpora.base import Corpus
from lib.corpora.remote import DELETE, RemoteFile, download_folder, read_remote
from lib.corpora.splitting import keep_apart, tidy
from lib.text import Pair

ATTRIBUTION = (
    "Multi30k (https://github.com/multi30k/dataset): D. Elliott, S. Frank, K. Sima'an "
    "and L. Specia, 2016; French by D. Elliott and others, 2017; after the captions of "
    "Flickr30k. For research and education."
)
_URL = "https://raw.githubusercontent.com/multi30k/dataset/master/data/task1/raw/"
# Our names of the splits, and those of the files.
PARTS = {"train": "train", "validation": "val", "test": "test_2016_flickr"}
_SHA256 = {
    "train.de": "726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6",
    "train.en": "d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f",
    "train.fr": "622e75069e9f4c577425c4f277116ce66e63a2401c0a2312d90073cb12379a3c",
    "val.de": "f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a",
    "val.en": "14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28",
    "val.fr": "ca3106f1a72390591d25f6c45cb4cd39dec4cd3f123e099748a3ce5256c160e9",
    "test_2016_flickr.de": (
        "9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8"
    ),
    "test_2016_flickr.en": (
        "611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9"
    ),
    "test_2016_flickr.fr": (
        "6d326e188d259fb1d04ac19eae3af956559b3a0b93d7635e56c90987c40c8b90"
    ),
}
FILES = {
    name: RemoteFile(f"multi30k/{name}.gz", f"{_URL}{name}.gz", sha256)
    for name, sha256 in _SHA256.items()
}


def load(source: str, target: str) -> Corpus:
    """Load descriptions of photographs in two languages.

    The test split is test_2016_flickr, whole and as it was published, so that scores
    can be compared with those of others.

    Args:
        source: "en", "de" or "fr".
        target: another of them.
    """
    ready = {part: _read(part, source, target) for part in PARTS}
    ready["train"], notes = tidy(ready["train"])
    splits, more = keep_apart(ready, order=["test", "validation", "train"])
    name = f"multi30k-{source}-{target}"
    told = (*notes, *more)
    return Corpus(name, source, target, splits, ATTRIBUTION, told, prose=True)


def _read(part: str, source: str, target: str) -> list[Pair]:
    """Put the lines of the two files side by side."""
    files = [FILES[f"{PARTS[part]}.{code}"] for code in (source, target)]
    left, right = (
        [line.strip() for line in read_remote(file, gzip_lines)] for file in files
    )
    if len(left) != len(right):
        one, other = (download_folder() / file.place for file in files)
        raise ValueError(
            f"{one} has {len(left):,} lines, but {other} has {len(right):,}, so they "
            f"do not belong together; for each of them: {DELETE}."
        )
    return list(zip(left, right, strict=True))
