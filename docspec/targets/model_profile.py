"""The profile of a checkpoint: its dialect, prompts and limits. Families have defaults.

A file ``docspec.json`` beside the weights overrides the family's defaults, so that a fine-tuned model with its own
prompt needs no code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, get_args

from docspec.core import Category, ModelError
from docspec.core.choices import DIALECTS, TableStyle
from docspec.core.scripts import NAMES
from docspec.targets.validation import (
    FLAG,
    TEXT,
    TOKENS,
    Rule,
    check_fields,
    number,
    one_of,
    optional,
    read_object,
    whole,
)

UNSURE = "unsure"
"""Recognised regions with a line of low confidence, as a kind in ``reads``."""


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """The prompts, the dialect and the limits of a model.

    ``max_new_tokens`` is the generation budget of a page. ``random`` marks weights that were never trained: such a
    target does not read, and every report says so. ``line_pitch_px`` is the distance of text lines in pixels that the
    model reads best. ``page_pixels`` is the largest page that it reads whole; larger ones are read by regions, in crops
    of up to ``crop_lines`` lines and ``crop_width`` x ``crop_height`` pixels. Each crop has the prompt in
    ``region_prompts`` for its kind (``text``, ``table``, ``formula``, ``chart``; without a prompt for charts they are
    pictures, which are not read), or ``crop_prompt``. ``table_cells``: tables are shown cell by cell. ``image_dpi`` is
    the resolution at which the model's own tool shows it image files, through a PDF page; ``longest_px`` is the longest
    side of the images in that tool. Prompts may contain the position of the image (``{image}``). ``layout_prompt`` asks
    for a page's regions before they are read, on a picture of ``layout_side`` x ``layout_side`` pixels if that is
    given.

    ``reads`` are the kinds of regions that the model reads better than a text layer or a recogniser: with ``--words
    evidence`` it reads those nevertheless; ``unsure`` are recognised lines of low confidence. ``scripts`` are those
    that it writes (names in :mod:`docspec.core.scripts`; empty: all): a page with words of another script that stand in
    no file is doubtful, and with ``--words evidence`` such words are not read. ``no_repeat_ngrams`` is the n-gram ban
    of the published model: its ``size`` and, if it has them, ``window`` and ``exceptions``
    (:class:`docspec.targets.rules.NgramBan`).
    """

    dialect: str
    prompt: str | None = None
    crop_prompt: str | None = None
    region_prompts: dict[str, str] | None = None
    table_style: str = "html"
    max_new_tokens: int = 8192
    line_pitch_px: int | None = None
    image_dpi: float | None = None
    page_pixels: int | None = None
    crop_lines: int | None = None
    crop_width: int | None = None
    crop_height: int | None = None
    table_cells: bool = False
    reads: tuple[str, ...] = ("formula", "table", "chart", UNSURE)
    scripts: tuple[str, ...] = ()
    longest_px: int | None = None
    layout_prompt: str | None = None
    layout_side: int | None = None
    no_repeat_ngrams: dict[str, Any] | None = None
    note: str = ""
    random: bool = False

    @property
    def crop_prompts(self) -> str | dict[Category, str] | None:
        """The prompts for crops: one, or one per category (that of text for the others)."""
        if self.region_prompts is None:
            return self.crop_prompt
        return {KINDS[kind]: prompt for kind, prompt in self.region_prompts.items()}

    @property
    def spelling(self) -> dict[str, Any]:
        """The settings of its dialect: prompts, and the style of tables where that can be chosen."""
        style = {"table_style": self.table_style} if self.dialect == "markdown" else {}
        return {"page_prompt": self.prompt, "crop_prompt": self.crop_prompts, **style}

    @property
    def reads_charts(self) -> bool:
        return self.region_prompts is not None and "chart" in self.region_prompts

    @property
    def writes_special_tokens(self) -> bool:
        """Whether tokens that the tokenizer counts as special are part of the output."""
        return self.dialect in ("doctags", "grounded", "grounded-inline") or self.table_style == "otsl"

    def asked(self, dialect: str | None, prompt: str | None) -> ModelProfile:
        """This card with the user's ``dialect`` and ``prompt``, where they are given."""
        return replace(self, dialect=dialect or self.dialect, prompt=prompt or self.prompt)

    def overridden_by(self, directory: str) -> ModelProfile:
        """This card with the fields of ``directory/docspec.json``.

        Raises ``ModelError`` in one line that names a field that is unknown, of a wrong type or out of range.
        """
        path = Path(directory) / "docspec.json"
        if not path.is_file():
            return self
        return self.updated(read_object(path), path)

    def updated(self, said: Mapping[str, Any], where: Path | str) -> ModelProfile:
        """This card with the fields of ``said``, which was read from ``where``. Raises the same as
        :meth:`overridden_by`."""
        known = [field.name for field in fields(self)]
        for name in said:
            if name not in known:
                raise ModelError(f"{where}: there is no field {name!r}; known are {', '.join(known)}")
        check_fields(Path(where), dict(said), RULES)
        return replace(self, **said)


NGRAMS = Rule(
    "an object with size (2 or more) and, if wanted, window (tokens) and exceptions (token ids)",
    lambda value: (
        isinstance(value, dict)
        and value.keys() <= {"size", "window", "exceptions"}
        and whole(2).holds(value.get("size"))
        and whole().holds(value.get("window", 1))
        and TOKENS.holds(value.get("exceptions", []))
    ),
)

KINDS = {"text": Category.TEXT, "table": Category.TABLE, "formula": Category.FORMULA, "chart": Category.PICTURE}
"""The kinds of regions with prompts of their own."""

PROMPTS = Rule(
    f"an object with a text for text and any of {', '.join(list(KINDS)[1:])}",
    lambda value: (
        isinstance(value, dict)
        and "text" in value
        and value.keys() <= KINDS.keys()
        and all(map(TEXT.holds, value.values()))
    ),
)

RULES = {
    "scripts": Rule(
        f"a list of any of {', '.join(sorted(set(NAMES.values())))}",
        lambda value: isinstance(value, list) and set(map(str, value)) <= set(NAMES.values()),
    ),
    "reads": Rule(
        f"a list of any of {', '.join((*list(KINDS)[1:], UNSURE))}",
        lambda value: isinstance(value, list) and set(map(str, value)) <= {*list(KINDS)[1:], UNSURE},
    ),
    "dialect": one_of(DIALECTS),
    "prompt": optional(TEXT),
    "crop_prompt": optional(TEXT),
    "region_prompts": optional(PROMPTS),
    "table_style": one_of(get_args(TableStyle)),
    "max_new_tokens": whole(),
    "line_pitch_px": optional(whole()),
    "image_dpi": optional(number(0, 10_000)),
    "longest_px": optional(whole(28)),
    "layout_prompt": optional(TEXT),
    "layout_side": optional(whole(28)),
    "no_repeat_ngrams": optional(NGRAMS),
    "note": TEXT,
    "table_cells": FLAG,
    "random": FLAG,
}
