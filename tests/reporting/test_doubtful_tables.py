"""Tables that were read and do not hold together are told of, and left as they were written."""

from __future__ import annotations

import pytest

from docspec.core import Block, Category, PageResult
from docspec.reporting.tables import TABLE_DOUBTFUL, with_doubtful_tables

HEAD = "| Account | Debit | Credit |\n| --- | --- | --- |\n"
LAST = "| Stock | 9,310.00 | 310.50 |\n| Loans | 0 | 120.00 |\n| Sum | 1 | 2 |"
SOUND = f"{HEAD}| Cash | 31,111.08 | 26,874.99 |\n{LAST}"
TWO = f"{HEAD}| Cash | 31,111.08 26,874.99 | 7.00 |\n{LAST}"
RAGGED = f"{HEAD}| Cash | 31,111.08 |\n{LAST}"


def html(*rows: str) -> str:
    """Rows whose cells are parted by ``;``."""
    told = ("".join(f"<td>{cell}</td>" for cell in row.split(";")) for row in rows)
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in told)}</table>"


GROUPS = html("Cash;1 942 000", "Stock;12 500", "Sum;7")
SHORT = html("Cash;1;2", "Stock;3")
RANGES = html("Age;10 20", "Size;30 40", "Sum;50 60")
SPANS = (
    "<table><tr><th rowspan=2>Port</th><th colspan=2>Ships</th></tr>"
    "<tr><th>1990</th><th>2000</th></tr><tr><td>Oban</td><td>3</td><td>4</td></tr></table>"
)


def events(text: str, words: str) -> list[str]:
    block = Block(Category.TABLE, text, words=words)  # type: ignore[arg-type]
    page = PageResult("x.pdf", 1, "ok", blocks=(Block(Category.TEXT, "1 2 | 3"), block))
    told = with_doubtful_tables(page)
    assert told.blocks == page.blocks
    return [event.detail for event in told.events if event.kind == TABLE_DOUBTFUL]


@pytest.mark.parametrize("words", ["model", "recognition"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TWO, ['table 1 of the page: two figures in one cell of column 2 ("31,111.08 26,874.99")']),
        (RAGGED, ["table 1 of the page: 1 of 5 rows have another number of cells"]),
        (SHORT, ["table 1 of the page: 1 of 2 rows have another number of cells"]),
        (SOUND, []),
        (GROUPS, []),
        (SPANS, []),
        (RANGES, []),
    ],
    ids=["two figures", "ragged bars", "short row", "sound", "thousands", "spans", "pairs everywhere"],
)
def test_what_does_not_hold_together_is_said(text: str, words: str, said: list[str]) -> None:
    assert events(text, words) == said


@pytest.mark.parametrize("text", [TWO, RAGGED, SHORT])
def test_tables_of_the_files_own_words_are_not_doubted(text: str) -> None:
    assert events(text, "text layer") == []
