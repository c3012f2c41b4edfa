"""How target models spell a page: prompts, drafts in their own spelling, and their answers read back into
blocks."""

from __future__ import annotations

from typing import Any

from docspec.core import UsageError
from docspec.core.plugins import load, plugins
from docspec.core.spelling import DIALECTS
from docspec.dialects.dialect import Dialect

__all__ = ["Dialect", "make_dialect"]


def make_dialect(name: str, **settings: Any) -> Dialect:
    """The dialect called ``name`` (of :data:`docspec.core.spelling.DIALECTS`), built with a model card's ``settings``.

    Cheap: nothing heavy is imported. Raises :class:`UsageError` for an unknown name or setting.
    """
    try:
        if name == "markdown":
            from docspec.dialects.markdown import MarkdownDialect

            return MarkdownDialect(**settings)
        if name == "layout-json":
            from docspec.dialects.layout_json import LayoutJsonDialect

            return LayoutJsonDialect(**settings)
        if name == "doctags":
            from docspec.dialects.doctags import DocTagsDialect

            return DocTagsDialect(**settings)
        if name == "grounded":
            from docspec.dialects.grounded import GroundedDialect

            return GroundedDialect(**settings)
        if name == "grounded-inline":
            from docspec.dialects.grounded_inline import InlineGroundedDialect

            return InlineGroundedDialect(**settings)
        if name == "grounded-markdown":
            from docspec.dialects.grounded_markdown import MarkdownGroundedDialect

            return MarkdownGroundedDialect(**settings)
        if name == "layout-html-2":
            from docspec.dialects.layout_html2 import LayoutHtml2Dialect

            return LayoutHtml2Dialect(**settings)
        if name == "layout-html":
            from docspec.dialects.layout_html import LayoutHtmlDialect

            return LayoutHtmlDialect(**settings)
        if name in plugins("dialects"):
            made: Dialect = load("dialects", name)(**settings)
            return made
    except TypeError as error:
        raise UsageError(f"the dialect {name!r} does not take these settings ({error})") from error
    raise UsageError(f"there is no dialect {name!r}; known are {', '.join(DIALECTS)}")
