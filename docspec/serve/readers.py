"""Which published reader a request is for, by its prompt or by the name of the served model; this decides how drafts
are spelled. The prompts are those of the families' cards (:mod:`docspec.targets.families`), which need no torch."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from docspec.core import BBox, Category, Region
from docspec.dialects import Dialect, make_dialect
from docspec.targets.families import families
from docspec.targets.family import Checkpoint
from docspec.targets.model_profile import KINDS, ModelProfile

PromptKind = Literal["page", "text", "table", "formula", "chart", "layout"]

MARKS = re.compile(r"\{image\}|<image>|<\|[^|<>]{1,40}\|>")
"""Where an image stands, as prompts say it; clients put them in themselves."""

NOWHERE = BBox(0, 0, 1, 1)


@dataclass(frozen=True, slots=True, eq=False)
class KnownPrompt:
    """``kind`` is what is asked for. Without a ``dialect`` drafts are plain text."""

    kind: PromptKind
    dialect: Dialect | None = None


PLAIN = KnownPrompt("page")
"""Who asks in words that nobody published."""


def reader_of(prompt: str, model: str) -> KnownPrompt:
    """The reader that is asked with ``prompt`` under the served name ``model``."""
    asked = _normal(prompt)
    found = _readers().get(asked, ())
    named = [reader for checkpoint, reader in found if checkpoint is not None and checkpoint.is_named(model)]
    if named:
        return named[0]
    if found and (asked or not model):
        return found[0][1]
    for checkpoint, card in _cards():
        if checkpoint is not None and model and checkpoint.is_named(model):
            return KnownPrompt("page", _dialect(card))
    return PLAIN


@cache
def _readers() -> dict[str, list[tuple[Checkpoint | None, KnownPrompt]]]:
    """Readers by what they are asked with; several ask for "Table Recognition:" and mean different spellings."""
    found: dict[str, list[tuple[Checkpoint | None, KnownPrompt]]] = {}
    for checkpoint, card in _cards():
        for kind, prompt, dialect in _prompts(card):
            found.setdefault(_normal(prompt), []).append((checkpoint, KnownPrompt(kind, dialect)))
    return found


def _cards() -> Iterator[tuple[Checkpoint | None, ModelProfile]]:
    """All cards: a checkpoint's own, or its family's under the checkpoint's name."""
    for family in {id(family): family for family in families().values()}.values():
        for checkpoint in family.checkpoints:
            yield checkpoint, checkpoint.card or family.card
        yield None, family.card


def _prompts(card: ModelProfile) -> Iterator[tuple[PromptKind, str, Dialect]]:
    """What a card asks with and for what; first what an image is likelier to be, where one prompt asks for two."""
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
    settings: dict[str, Any] = {"page_prompt": card.prompt, "crop_prompt": card.crop_prompts}
    if card.dialect == "markdown":
        settings["table_style"] = card.table_style
    return make_dialect(card.dialect, **settings)


def _normal(prompt: str) -> str:
    return " ".join(MARKS.sub(" ", prompt).split())
