"""Packs of RapidOCR are fetched by name, kept only if they are as published, and never fetched offline."""

from __future__ import annotations

import hashlib
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from docspec.core import ModelError
from docspec.drafting import language_packs
from docspec.drafting.language_packs import Pack, file_of, packs
from docspec.models.hub import fetch

CONTENT = b"a model"
SHA = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pack]:
    """A pack that this machine serves to itself, and an empty cache."""
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "cyrillic_rec.onnx").write_bytes(CONTENT)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args, directory=str(folder))

        def log_message(self, *args: Any) -> None:
            pass

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as running:
        threading.Thread(target=running.serve_forever, args=(0.02,), daemon=True).start()
        pack = Pack("cyrillic", f"http://127.0.0.1:{running.server_address[1]}/cyrillic_rec.onnx", SHA)
        monkeypatch.setattr(language_packs, "packs", lambda: {"cyrillic": pack})
        yield pack
        running.shutdown()


def test_the_list_is_rapidocrs_own() -> None:
    assert {"arabic", "cyrillic", "devanagari", "el", "eslav", "korean", "ta", "te", "th"} <= packs().keys()
    for name, pack in packs().items():
        assert pack.file_name.startswith(name) and pack.file_name.endswith("_rec_mobile.onnx")
        assert pack.address.startswith("https://") and len(pack.sha256) == 64


def test_a_pack_is_fetched_once_found_checked_and_removed(published: Pack, run_cli: Any, tmp_path: Path) -> None:
    missing = run_cli("models", "path", "ocr:cyrillic")
    assert missing.code == 1 and "docspec models download ocr:cyrillic" in missing.err
    fetched = run_cli("models", "download", "ocr:cyrillic", "--yes")
    place = tmp_path / "cache" / "docspec" / "ocr" / "cyrillic_rec.onnx"
    assert fetched.out.strip() == str(place) and place.read_bytes() == CONTENT
    assert file_of(published) == place
    assert run_cli("models", "path", "ocr:cyrillic").out.strip() == str(place)
    assert "cyrillic (here)" in run_cli("models", "list").out
    assert run_cli("models", "check", "ocr:cyrillic").code == 0
    place.write_bytes(b"something else")
    assert "not as published" in run_cli("models", "check", "ocr:cyrillic").err
    assert run_cli("models", "remove", "ocr:cyrillic", "--yes").code == 0 and not place.exists()


def test_a_pack_that_is_not_there_is_named_with_those_that_are(published: Pack, run_cli: Any) -> None:
    ran = run_cli("models", "download", "ocr:klingon", "--yes")
    assert ran.code == 1 and "ocr:klingon: RapidOCR has no such model; it has cyrillic" in ran.err


def test_what_is_not_as_published_or_cannot_be_fetched_leaves_nothing(published: Pack, tmp_path: Path) -> None:
    file = tmp_path / "new" / "cyrillic_rec.onnx"
    with pytest.raises(ModelError, match="is not as published"):
        fetch(published.address, 64 * "0", file)
    with pytest.raises(ModelError, match="cannot be fetched: HTTP Error 404"):
        fetch(published.address.replace("cyrillic", "other"), SHA, file)
    assert list(file.parent.iterdir()) == []


def test_nothing_is_fetched_offline(run_cli: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    ran = run_cli("models", "download", "ocr:cyrillic", "--yes", "--offline")
    assert ran.code == 1 and "cannot be fetched" in ran.err and not list(tmp_path.rglob("*.onnx"))
