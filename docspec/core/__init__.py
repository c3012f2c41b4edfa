"""The value types that all rooms share. Nothing here imports torch, PyMuPDF or any other room."""

from docspec.core.categories import Category
from docspec.core.draft import CellBoxes, PageDraft, PrintedLine, Region
from docspec.core.errors import (
    DocspecError,
    DrafterError,
    Failure,
    InputError,
    ModelError,
    OutputError,
    PageError,
    UsageError,
)
from docspec.core.geometry import BBox
from docspec.core.options import ParseOptions
from docspec.core.page import PageImage
from docspec.core.provenance import LeftOut, Provenance, Span
from docspec.core.result import Block, Cut, DocumentResult, Event, PageResult, PageStatus, TablePart
from docspec.core.stats import Baseline, Moment, PageTimings, StageStats

__all__ = [
    "BBox",
    "Baseline",
    "Block",
    "Category",
    "CellBoxes",
    "Cut",
    "DocspecError",
    "DocumentResult",
    "DrafterError",
    "Event",
    "Failure",
    "InputError",
    "LeftOut",
    "ModelError",
    "Moment",
    "OutputError",
    "PageDraft",
    "PageError",
    "PageImage",
    "PageResult",
    "PageStatus",
    "PageTimings",
    "ParseOptions",
    "PrintedLine",
    "Provenance",
    "Region",
    "Span",
    "StageStats",
    "TablePart",
    "UsageError",
]
