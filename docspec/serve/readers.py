"""Recognises which published model a request is for, by its prompt or the served model's name, and spells drafts as
that model does, the likeliest text first. The prompts are those of the families' cards
(:mod:`docspec.targets.families`), which need no torch."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from docspec.core import BBox, Category, PageDraft, Region
from docspec.dialects import Dialect, make_dialect
from docspec.targets.families import families
from docspec.targets.family import Checkpoint
from docspec.targets.model_profile import KINDS, ModelProfile

PromptKind = Literal["page", "text", "table", "formula", "chart", "layout"]

MARKS = re.compile(r"\{image\}|<image>|<\|[^|<>]{1,40}\|>")
"""Image placeholders in prompts; clients add them themselves."""

MOST_TEXTS = 64
MOST_CHARACTERS = 200_000
"""Characters of all texts of a request together: somewhat more than the proposer reads."""

NOWHERE = BBox(0, 0, 1, 1)


@dataclass(frozen=True, slots=True, eq=False)
class KnownPrompt:
    """A published prompt: ``kind`` is what it asks for; without a ``dialect`` drafts are plain text."""

    kind: PromptKind
    dialect: Dialect | None = None


PLAIN = KnownPrompt("page")
"""A prompt that no model card publishes."""


def reader_of(prompt: str, model: str) -> KnownPrompt:
    """The published prompt that ``prompt`` is, for the served model's name ``model``."""
    text = _normal(prompt)
    readers = _readers().get(text, ())
    named = [reader for checkpoint, reader in readers if checkpoint is not None and checkpoint.is_named(model)]
    if named:
        return named[0]
    if readers and (text or not model):
        return readers[0][1]
    for checkpoint, card in _cards():
        if checkpoint is not None and model and checkpoint.is_named(model):
            return KnownPrompt("page", _dialect(card))
    return PLAIN


@cache
def _readers() -> dict[str, list[tuple[Checkpoint | None, KnownPrompt]]]:
    """The known prompts by their text; several models ask "Table Recognition:" and spell the answer differently."""
    readers: dict[str, list[tuple[Checkpoint | None, KnownPrompt]]] = {}
    for checkpoint, card in _cards():
        for kind, prompt, dialect in _prompts(card):
            readers.setdefault(_normal(prompt), []).append((checkpoint, KnownPrompt(kind, dialect)))
    return readers


def _cards() -> Iterator[tuple[Checkpoint | None, ModelProfile]]:
    """All cards: a checkpoint's own, or its family's under the checkpoint's name."""
    for family in {id(family): family for family in families().values()}.values():
        for checkpoint in family.checkpoints:
            yield checkpoint, checkpoint.card or family.card
        yield None, family.card


def _prompts(card: ModelProfile) -> Iterator[tuple[PromptKind, str, Dialect]]:
    """The prompts of a card and what each asks for. Where one prompt asks for two kinds, the likelier kind comes
    first."""
    dialect = _dialect(card)
    kinds: tuple[PromptKind, ...] = ("text", "table", "formula")
    if card.page_pixels != 0:
        yield "page", dialect.page_prompt, dialect
    for kind in kinds:
        yield kind, dialect.crop_prompt(Region(NOWHERE, KINDS[kind])), dialect
    if card.reads_charts:
        yield "chart", dialect.crop_prompt(Region(NOWHERE, Category.PICTURE)), dialect
    yield "page", dialect.page_prompt, dialect
    if card.layout_prompt:
        yield "layout", card.layout_prompt, dialect


def _dialect(card: ModelProfile) -> Dialect:
    return make_dialect(card.dialect, **card.spelling)


def _normal(prompt: str) -> str:
    return " ".join(MARKS.sub(" ", prompt).split())


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
