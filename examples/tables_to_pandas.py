"""The tables of a document as pandas' data frames, numbers as numbers.

python examples/tables_to_pandas.py report.pdf
"""

import sys
from collections.abc import Iterator
from contextlib import suppress

import pandas

from docspec import parse
from docspec.reporting.tables import grids


def tables(document: str) -> Iterator[tuple[int, pandas.DataFrame]]:
    """Each table with the number of its page. The first row names the columns."""
    for page in parse(document).pages:
        for block in page.blocks:
            for grid in grids(block):
                names, *rows = grid.lines()
                frame = pandas.DataFrame(rows, columns=names)
                for name in frame.columns[~frame.columns.duplicated(keep=False)]:
                    with suppress(ValueError):  # a column with words stays text
                        frame[name] = pandas.to_numeric(frame[name])
                yield page.number, frame


if __name__ == "__main__":
    for number, frame in tables(sys.argv[1]):
        print(f"page {number}\n{frame}\n")
