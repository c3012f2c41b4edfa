"""Output formats by name: a new one is its name in ``Format``, its suffix, and its renderer here."""

from __future__ import annotations

from docspec.core.plugins import load
from docspec.reporting.renderer import Format, Layout, Renderer


def renderer_for(format: Format, layout: Layout) -> Renderer:
    """A fresh renderer of that format."""
    if format == "json":
        from docspec.reporting.jsonout import JsonRenderer

        return JsonRenderer(layout)
    if format == "html":
        from docspec.reporting.html import HtmlRenderer  # and markdown-it with it

        return HtmlRenderer(layout)
    if format == "chunks":
        from docspec.reporting.chunks import ChunkRenderer

        return ChunkRenderer(layout)
    if format == "dots":
        from docspec.reporting.dots import DotsRenderer

        return DotsRenderer()
    if format == "docling":
        from docspec.reporting.docling import DoclingRenderer

        return DoclingRenderer()
    if format != "md":
        made: Renderer = load("formats", format)(layout)
        return made
    from docspec.reporting.markdown import MarkdownRenderer

    return MarkdownRenderer(layout)
