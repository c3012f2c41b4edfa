"""The names in a model's card for its way to write a page: the dialect and the spelling of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from docspec.core.plugins import with_plugins

DialectName = Literal[
    "markdown",
    "layout-json",
    "doctags",
    "grounded",
    "grounded-inline",
    "grounded-markdown",
    "layout-html",
    "layout-html-2",
]
if not TYPE_CHECKING:
    DialectName = with_plugins(DialectName, "dialects")

DIALECTS: tuple[DialectName, ...] = get_args(DialectName)

TableStyle = Literal["compact", "html", "pipe", "both", "otsl"]
"""HTML on one line only (dots.ocr), HTML also indented, pipe tables, HTML of both kinds and pipe tables, or OTSL."""
