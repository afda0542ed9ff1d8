"""Files are whole or not there at all."""

import os
from pathlib import Path
from unittest.mock import Mock

import pytest

from lib.text.files import read_json, write_json, write_whole


def test_a_text_is_written_as_utf8_and_folders_are_made(tmp_path: Path) -> None:
    file = tmp_path / "runs" / "note.txt"
    write_whole(file, "¡vamos!\n")
    assert file.read_bytes() == "¡vamos!\n".encode()
    write_whole(file, b"\x00\xff")
    assert file.read_bytes() == b"\x00\xff"
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("error", [OSError(28, "No space left"), KeyboardInterrupt()])
def test_what_stops_halfway_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    file = tmp_path / "log.csv"
    write_whole(file, "old")
    monkeypatch.setattr(os, "replace", Mock(side_effect=error))
    with pytest.raises(type(error)) as caught:
        write_whole(file, "new")
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]
    if isinstance(caught.value, OSError):
        assert caught.value.filename == str(file), "a full disk does not say of what"


def test_json_comes_back_for_people_to_read_and_is_named_if_damaged(
    tmp_path: Path,
) -> None:
    file = tmp_path / "half.json"
    write_json(file, {"word": "mañana"})
    assert file.read_text("utf-8") == '{\n "word": "mañana"\n}\n'
    assert read_json(file) == {"word": "mañana"}
    for content in (b"[1, 2", b"\xff\xfe{"):
        file.write_bytes(content)
        with pytest.raises(ValueError, match=r"half\.json is damaged: "):
            read_json(file)
