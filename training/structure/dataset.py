"""Made pages as examples: the features of each page's tokens, and their true relations, told by the colours of its
text.

Where a token holds characters of several cells (two cells without white between them), the colour of its first one
counts.
"""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
from numpy.typing import NDArray

from docspec.documents.mupdf import load_layout_model
from docspec.drafting.layout import analyse
from docspec.drafting.structure.tokens import PageTokens, page_tokens

FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_ACCURATE_BBOXES | pymupdf.TEXT_MEDIABOX_CLIP

KINDS = ("paragraph", "heading", "item", "caption", "note", "formula", "furniture", "label", "value", "other")

PAIRS = 1_000_000
"""What is added to the number of a pair, a label with its value, to make it that of a block of its own."""


def examples(folder: Path, limit: int = 10**9, most: int = 360) -> Iterator[tuple[PageTokens, NDArray[np.int32]]]:
    """The pages of those PDFs of ``folder`` that have been read (``python -m training.structure.dataset FOLDER``), that
    have at least two tokens and ``most`` at most, with their truth: a row of whole numbers for each token: table (-1:
    none), row, column, rows, columns, head (0 or 1), block (a label and its value
    are one), kind of the block, and place in the order of reading."""
    count = 0
    for path in sorted(one for one in folder.glob("*.pdf") if one.with_suffix(".tokens").exists()):
        for tokens, cells in kept(path):
            if 2 <= len(tokens.tokens) <= most:
                yield tokens, cells
                count += 1
            if count >= limit:
                return


def kept(path: Path, layout: bool = True) -> list[tuple[PageTokens, NDArray[np.int32]]]:
    """The tokens of each page of a PDF with their truth, from the file beside it or made now: the layout model takes
    longer than all else."""
    cache = path.with_suffix(".tokens")
    if cache.exists():
        return pickle.loads(cache.read_bytes())  # type: ignore[no-any-return]
    truth = json.loads(path.with_suffix(".json").read_text())
    with pymupdf.open(path) as document:
        pages = [read(page, layout) for page in document]
    result = [(page, _truth(page, told["colours"])) for page, told in zip(pages, truth["pages"], strict=True)]
    cache.write_bytes(pickle.dumps(result))
    return result


def read(page: Any, layout: bool = True) -> PageTokens:
    """The tokens of a ``pymupdf.Page``, with the boxes of the ``layout`` model if they are asked for."""
    raw = page.get_text("rawdict", flags=FLAGS)
    boxes = []
    if layout:
        load_layout_model()
        boxes = analyse(page)
    return page_tokens(raw, page.get_drawings(), boxes, page.rect.width, page.rect.height)


def _truth(page: PageTokens, colours: dict[str, dict[str, object]]) -> NDArray[np.int32]:
    """The rows that :func:`examples` gives."""
    result = np.full((len(page.tokens), 9), -1, np.int32)
    for row, token in zip(result, page.tokens, strict=True):
        code = token.colour
        told = colours.get(f"{code >> 16},{code >> 8 & 255},{code & 255}")
        if told is None:
            row[7] = -2  # nobody knows: not learned from
        elif told["kind"] == "cell":
            row[:6] = [int(told[key]) for key in ("table", "row", "column", "rows", "columns", "head")]  # type: ignore[call-overload]
        else:
            kind = str(told["kind"])
            pair = told.get("pair")
            row[6] = int(told["block"]) if pair is None else PAIRS + int(pair)  # type: ignore[call-overload]
            row[7] = KINDS.index(kind) if kind in KINDS else len(KINDS) - 1
            row[8] = int(told["order"])  # type: ignore[call-overload]
    return result


if __name__ == "__main__":
    for folder in map(Path, sys.argv[1:]):
        with get_context("spawn").Pool(2) as pool:
            print(
                folder,
                sum(
                    map(
                        len,
                        pool.imap_unordered(
                            kept, sorted(one for one in folder.glob("*.pdf") if one.with_suffix(".json").exists())
                        ),
                    )
                ),
            )
