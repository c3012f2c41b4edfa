"""How target models spell a page: prompts, drafts in their own spelling, and their answers read back into
blocks."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from docspec.core import UsageError
from docspec.core.choices import DIALECTS
from docspec.core.plugins import load, plugins
from docspec.dialects.dialect import Dialect

__all__ = ["Dialect", "make_dialect"]

CLASSES = {
    "markdown": "markdown:MarkdownDialect",
    "layout-json": "layout_json:LayoutJsonDialect",
    "doctags": "doctags:DocTagsDialect",
    "grounded": "grounded:GroundedDialect",
    "grounded-inline": "grounded:InlineGroundedDialect",
    "grounded-markdown": "grounded:MarkdownGroundedDialect",
    "layout-html": "layout_html:LayoutHtmlDialect",
    "layout-html-2": "layout_html:LayoutHtml2Dialect",
}
"""Modules of this package and their classes by the names of their dialects."""


def make_dialect(name: str, **settings: Any) -> Dialect:
    """The dialect called ``name`` (of :data:`docspec.core.choices.DIALECTS`), built with a model card's ``settings``.

    Cheap: nothing heavy is imported. Raises :class:`UsageError` for an unknown name or setting.
    """
    if name in CLASSES:
        module, _, cls = CLASSES[name].partition(":")
        make = getattr(import_module(f"{__name__}.{module}"), cls)
    elif name in plugins("dialects"):
        make = load("dialects", name)
    else:
        raise UsageError(f"there is no dialect {name!r}; known are {', '.join(DIALECTS)}")
    try:
        made: Dialect = make(**settings)
    except TypeError as error:
        raise UsageError(f"the dialect {name!r} does not take these settings ({error})") from error
    return made
