"""Verdicts on pages that are compared with ``generate``, and what could not be compared."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from docspec.core import PageResult
from docspec.reporting.formats import document_text
from docspec.reporting.renderer import Format, Layout
from docspec.targets.registry import TargetInfo

COMPARED: tuple[Format, ...] = ("md", "json", "html")
"""All other formats are made from the JSON."""


def files_of(result: PageResult) -> dict[str, str]:
    """The page's text in each format, without what ``generate`` does not have: boxes that drafts gave (in the JSON),
    cuts, what is said of them, and quality."""
    result = replace(result, cut=None, quality=None, events=())
    written: dict[str, str] = {name: document_text([result], name, Layout()) for name in COMPARED}
    return {**written, "json": _without_draft_boxes(written["json"])}


def _without_draft_boxes(document: str) -> str:
    """The only page of a JSON document, the boxes and their origin left out where the model did not write them."""
    [page] = json.loads(document)["pages"]
    for block in page["blocks"]:
        if block["bbox_from"] != "model":
            del block["bbox"], block["bbox_from"]
    return json.dumps(page)


Comparison = Literal["identical", "cut", "differs"]


@dataclass(frozen=True, slots=True)
class FidelityCheck:
    """One way of reading one page compared with ``generate``.

    ``identical``: the page ended and its tokens and files are the same. ``cut``: they are, as far as the budget goes.
    ``apart`` are the things that differ: ``tokens``, ``md``, ``json``, ``html``. ``draft_characters`` is the size of
    the draft, all its readings together.
    """

    source: str
    page: int
    attention: str
    drafts: str
    way: str
    verdict: Comparison
    apart: tuple[str, ...]
    draft_characters: int
    tokens: int
    steps: int
    accepted: int
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Skip:
    """What was not compared on one page, and why; ``failed`` where the page is not the cause."""

    source: str
    page: int
    attention: str
    drafts: str
    reason: str
    failed: bool


@dataclass(slots=True)
class PageChecks:
    """All comparisons of one page under one attention implementation.

    ``inputs`` says who made the inputs of ``generate``, ``inputs_apart`` how docspec's differ. ``seconds`` is wall
    time, drafting included.
    """

    source: str
    page: int
    attention: str
    checks: list[FidelityCheck] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)
    inputs: str = ""
    inputs_apart: str = ""
    seconds: float = 0.0
    target: TargetInfo | None = None

    def of(self, verdict: Comparison) -> list[FidelityCheck]:
        return [check for check in self.checks if check.verdict == verdict]

    @property
    def passed(self) -> bool:
        """Whether everything that was asked for was compared, and nothing differed."""
        failed = any(skip.failed for skip in self.skips)
        return not self.of("differs") and not self.inputs_apart and not failed


def never_compared(pages: Sequence[PageChecks], names: Sequence[str]) -> tuple[str, ...]:
    """Those of the drafters ``names`` whose drafts were compared on no page at all."""
    compared = {check.drafts for page in pages for check in page.checks}
    return tuple(name for name in names if name not in compared)
