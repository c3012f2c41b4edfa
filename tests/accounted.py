"""Every page that a test reads is accounted for: a word that is on it and not in the output fails the test.

A test that reads such a page on purpose says so with ``@pytest.mark.words_missing("why")``.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from docspec import accounting
from docspec.core import PageDraft, PageImage, PageResult
from docspec.core.account import PageAccount

DOES_NOT_READ = frozenset({"lively_qwen"})
"""Fixtures of models with random weights: what they write has nothing to do with a page."""


@pytest.fixture(autouse=True)
def nothing_missing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fails a test in whose pages words are missing, unless it says why they are."""
    lost: list[str] = []
    account_of = accounting.account_of

    def noting(result: PageResult, page: PageImage, draft: PageDraft) -> PageAccount:
        account = account_of(result, page, draft)
        if account.doubt is not None:
            lost.append(f"{result.source}, page {result.number}: {account.doubt}")
        return account

    monkeypatch.setattr(accounting, "account_of", noting)
    yield
    said = request.node.get_closest_marker("words_missing") is not None
    if lost and not said and not DOES_NOT_READ.intersection(request.fixturenames):
        pytest.fail("\n".join(lost), pytrace=False)
