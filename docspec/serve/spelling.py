"""The recognised text of an image in the spelling of the model that is asked, the likeliest text first."""

from __future__ import annotations

from docspec.core import BBox, Category, PageDraft, Region
from docspec.serve.readers import KnownPrompt

MOST_TEXTS = 64
MOST_CHARACTERS = 200_000
"""Characters of all texts of a request together: somewhat more than the proposer reads."""


def spelled(draft: PageDraft, size: tuple[int, int], reader: KnownPrompt) -> tuple[str, ...]:
    """``draft`` of an image of ``size`` pixels as texts that ``reader`` may answer with."""
    return () if draft.is_empty else bounded(_texts(draft, size, reader))


def bounded(texts: list[str]) -> tuple[str, ...]:
    """As many of ``texts`` as a request may carry, without duplicates."""
    kept: dict[str, None] = {}
    room = MOST_CHARACTERS
    for text in texts:
        if text.strip() and text not in kept and len(kept) < MOST_TEXTS and len(text) <= room:
            kept[text] = None
            room -= len(text)
    return tuple(kept)


def _texts(draft: PageDraft, size: tuple[int, int], reader: KnownPrompt) -> list[str]:
    plain = [next(iter(region.texts), "") for region in draft.regions]
    dialect = reader.dialect
    if dialect is None:
        return ["\n\n".join(filter(None, plain)), *draft.page_texts, *plain]
    if reader.kind == "page":
        return dialect.page_drafts(draft, *size)
    if reader.kind == "table":
        tables = [region for region in draft.regions if region.category is Category.TABLE and region.texts]
        return [text for table in tables for text in dialect.region_drafts(table)] or plain
    if reader.kind == "formula":
        return plain
    # A crop of text is one region, whatever a layout model makes of its few lines.
    whole = Region(BBox(0, 0, *size), Category.TEXT, ("\n".join(filter(None, plain)),))
    own = [text for region in draft.regions for text in dialect.region_drafts(region)]
    return [*dialect.region_drafts(whole), *own]
