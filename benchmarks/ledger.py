"""What becomes of every visible word of documents, page by page, as the ledger accounts for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from docspec.core import ParseOptions
from docspec.documents import Source
from docspec.parser import Parser


@dataclass(frozen=True, slots=True)
class AccountedPage:
    """The account of a page in figures; ``lost`` are the words that are missing, with their boxes. ``error``: why there
    is none."""

    source: str
    page: int
    witness: str
    words: Mapping[str, int]
    rules: Mapping[str, int]
    added: int
    displaced: int
    lost: Sequence[tuple[str, tuple[int, int, int, int]]]
    error: str = ""


def measure(sources: Sequence[Source], options: ParseOptions) -> Iterator[AccountedPage]:
    """Every page of ``sources``, read as ``options`` say."""
    with Parser(options, images=False) as parser:
        for document in parser.documents(sources):
            if document.error is not None:
                yield AccountedPage(document.name, 0, "none", {}, {}, 0, 0, (), str(document.error))
            for page in document:
                account = page.account
                if account is None:
                    yield AccountedPage(page.source, page.number, "none", {}, {}, 0, 0, (), page.error or page.status)
                    continue
                lost = [(run.text, run.bbox.rounded()) for run in account.missing]
                words = {str(state): count for state, count in account.counts.items()}
                beside = len(account.added), account.displaced
                yield AccountedPage(page.source, page.number, account.witness, words, account.rules, *beside, lost)
