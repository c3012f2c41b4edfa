"""The formulas that docspec writes of any PDF, for a person to judge: of pages that have none, each is false."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pymupdf

from docspec.drafting.page_lines import page_lines
from docspec.drafting.printed import Printed
from docspec.drafting.text_layer import formulas_of


@dataclass(frozen=True, slots=True)
class Written:
    """A formula as LaTeX between ``$``, and the line that it is written in."""

    latex: str
    line: str


@dataclass(frozen=True, slots=True)
class WrittenPage:
    """The formulas of page ``number`` (from 1) of the file ``source``; ``looked_at``: whether a font of it is made for
    formulas, so that some are looked for."""

    source: str
    number: int
    looked_at: bool
    formulas: Sequence[Written]


def written(file: Path) -> Iterator[WrittenPage]:
    """The pages of ``file`` as the text layer's drafter reads them. Raises what ``pymupdf`` does."""
    with pymupdf.open(file) as pdf:
        for page in pdf:
            formulas = formulas_of(Printed(page))
            found = [
                Written(line.text[mark.start : mark.end], line.text)
                for line in page_lines(page, formulas=formulas)
                for mark in line.marks
                if mark.kind == "formula"
            ]
            yield WrittenPage(file.name, page.number + 1, formulas.are_on(page), found)
