"""Reader tests use the project's own generators only, so they are the same whatever is installed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from docspec.reader import corpus


@pytest.fixture(autouse=True)
def own_text_only(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for sources in ("SOURCES", "ABROAD", "LANGUAGES"):
        monkeypatch.setattr(corpus, sources, ())
    caches = (corpus.paragraphs, corpus.words, corpus.dictionaries)
    for cached in caches:
        cached.cache_clear()
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)
    for cached in caches:
        cached.cache_clear()
