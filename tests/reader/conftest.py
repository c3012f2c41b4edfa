"""Reader tests use the project's own generators and MuPDF's fonts only, so they are the same whatever is installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from docspec.reader import corpus, fonts


@pytest.fixture(autouse=True)
def own_text_only(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for sources in ("SOURCES", "ABROAD", "LANGUAGES"):
        monkeypatch.setattr(corpus, sources, ())
    monkeypatch.setattr(corpus, "WORDS", Path("/nowhere"))
    monkeypatch.setattr(fonts, "ROOTS", ())
    caches = (corpus.paragraphs, corpus.words, corpus.dictionaries, fonts._installed, fonts.faces)
    for cached in caches:
        cached.cache_clear()
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)
    for cached in caches:
        cached.cache_clear()
