"""Region crops: what the drafting pipeline cuts out of a page, a few pixels wider than the region.

One kind is for training alone: short columns side by side, where the way from the foot of one to the head of the
next is met several times as often as on whole pages.
"""

from __future__ import annotations

import random

from training.blocks import Page, letters
from training.render import Sample, advances, degrade
from training.typeset import Column, Setter

KINDS = {
    "paragraph": 10.0,
    "heading": 2.4,
    "list": 1.2,
    "table": 2.4,
    "caption": 0.7,
    "mixed": 1.5,
    "columns": 5.0,
    "blank": 0.1,
}


def _neighbours(page: Page, setter: Setter) -> None:
    """Slivers of the lines above and below, cut by the edge: printed, not part of the text."""
    font, size = page.style.face.regular, page.style.size
    words = "".join(c for c in page.writer.passage(40) if c in advances(font))
    if page.rng.random() < 0.5:
        page.sheet.put(words, setter.column.left, page.rng.uniform(-2, 3) - 0.22 * size, font, size, read=False)
    else:
        page.sheet.put(
            words, setter.column.left, page.height + 0.75 * size - page.rng.uniform(0, 3), font, size, read=False
        )


def _columns(page: Page, setter: Setter) -> None:
    """Two or three columns in the place of the setter's one, perhaps under a heading; crops that are too small for
    them are left empty."""
    rng, whole = page.rng, setter.column
    if whole.right - whole.left < 340 or setter.room < 4 * page.style.pitch:
        return
    if rng.random() < 0.3:
        setter.heading(page.writer.phrase(1, 5), "#", rng.uniform(1.3, 1.8))
    count, gutter = 3 if whole.right - whole.left > 560 and rng.random() < 0.4 else 2, rng.uniform(18, 40)
    span = (whole.right - whole.left - gutter * (count - 1)) / count
    starts = [whole.left + k * (span + gutter) for k in range(count)]
    body = Setter(page.sheet, page.style, [Column(x, x + span, whole.top, whole.bottom) for x in starts], page.writer)
    body.separator = setter.separator
    failures = 0
    while not body.full and failures < 4:
        block = rng.choices((page.paragraph, page.section, page.short), (6, 1, 1))[0]
        failures += not block(body)


def make_crop(
    width: int,
    height: int,
    seed: int,
    *,
    kind: str | None = None,
    unseen: bool = False,
    evaluation: bool = False,
    noise: float = 0.3,
    fill: bool = False,
) -> Sample:
    """One crop of `width` x `height` pixels, both multiples of 32; `fill` leaves no line of the height
    unused."""
    rng = random.Random(seed)
    page = Page(width, height, rng, unseen, evaluation)
    style = page.style
    kind = kind or rng.choices(list(KINDS), list(KINDS.values()))[0]
    left, top = rng.uniform(1, 12), rng.uniform(0, 8)
    if rng.random() < 0.1:
        left, top = rng.uniform(0, 30), rng.uniform(0, 24)
    right = width - rng.choice((rng.uniform(1, 10), rng.uniform(1, 34 if width > 128 else 8)))
    setter = Setter(page.sheet, style, [Column(left, right, top, height + 4.0)], page.writer)
    lines = int((height + 4.0 - top) / style.pitch)
    if height <= 64 and lines < 1:
        setter.column.top = rng.uniform(0, 2)
    if rng.random() < 0.08 and kind != "blank":
        _neighbours(page, setter)
    fill = fill or rng.random() < 0.6
    wanted = lines if fill else rng.randint(max(1, lines - 2), max(1, lines))
    if kind == "heading":
        mark = rng.choice(("#", "##"))
        scale = rng.uniform(1.4, 1.8) if mark == "#" else rng.uniform(1.08, 1.35)
        setter.heading(page.writer.phrase(1, max(2, int(wanted * 3))), mark, scale)
    elif kind == "caption":
        page.caption(setter)
    elif kind == "table":
        page.table(setter)
    elif kind == "list":
        for _ in range(3):
            page.list(setter)
    elif kind == "columns":
        _columns(page, setter)
    elif kind == "mixed":
        while setter.room > style.pitch and getattr(page, rng.choice(("paragraph", "paragraph", "section", "list")))(
            setter
        ):
            pass
    if kind == "paragraph" or (kind != "blank" and not page.sheet.chars):
        setter.column.bottom = min(setter.column.bottom, setter.column.top + wanted * style.pitch + 1)
        extent = wanted * 1.25 + 0.3 if fill else wanted - rng.choice((0.0, 0.2, 0.5, 0.8)) + 0.1
        setter.paragraph(page.writer.passage(letters(style, setter.column, extent)))
    sample = page.sheet.finish()
    return degrade(sample, rng) if rng.random() < noise else sample
