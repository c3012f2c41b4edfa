"""Page generators, one function a kind of document.

Geometry is the reader's: at 200 dpi one line of body text is about one 32-pixel row of visual tokens. Every
generator takes a sheet size in pixels, so the curriculum can ask for small pages as well as whole ones.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from pathlib import Path

from PIL import Image

from training.blocks import Page, letters
from training.render import Sample, degrade


def book(page: Page) -> Sample:
    """A chapter opening or an inner page of a book."""
    page.running(page.rng.random() < 0.6, page.rng.random() < 0.7)
    page.style = dataclasses.replace(
        page.style, indent=page.style.size * 1.3, gap=page.rng.choice((2.0, 8.0, page.style.pitch * 0.5))
    )
    setter = page.setter()
    if page.rng.random() < 0.6:
        setter.column.top += page.rng.uniform(0, 60)
        number = f"Chapter {page.rng.randint(1, 30)}" if page.rng.random() < 0.5 else page.writer.phrase(1, 5)
        setter.heading(number, "#", page.rng.uniform(1.5, 1.8), align=page.rng.choice(("left", "centre")))
    return page.fill(setter, {"paragraph": 8, "section": 0.5})


def academic(page: Page) -> Sample:
    """Title and perhaps abstract across the top, then two columns."""
    page.running(page.rng.random() < 0.2, page.rng.random() < 0.6)
    head = page.setter()
    top = page.top
    align = page.rng.choice(("centre", "centre", "left"))
    if page.rng.random() < 0.85:
        head.heading(page.writer.phrase(3, 8), "#", page.rng.uniform(1.45, 1.8), align=align)
        if page.rng.random() < 0.7:
            head.paragraph(
                ", ".join(page.writer.name() for _ in range(page.rng.randint(1, 3))),
                font=page.style.face.regular,
                align=align,
            )
        if page.rng.random() < 0.5:
            page.paragraph(head, 2, 4)
        top = head.column.top + page.style.gap * 1.3
    body = page.setter(2, top, page.rng.uniform(20, 36))
    body.separator = head.separator
    return page.fill(body, {"paragraph": 6, "section": 1.5, "list": 0.4, "figure": 0.5, "table": 0.2})


def report(page: Page) -> Sample:
    """Paragraphs, headings, and tables of figures."""
    page.running(page.rng.random() < 0.4, page.rng.random() < 0.6)
    setter = page.setter()
    if page.rng.random() < 0.7:
        setter.heading(page.writer.phrase(2, 5), "#", page.rng.uniform(1.45, 1.8))
    return page.fill(setter, {"paragraph": 3, "section": 1, "table": 2, "list": 0.5, "caption": 0.4})


def textbook(page: Page) -> Sample:
    """One column with sections, lists, figures and captions."""
    page.running(page.rng.random() < 0.5, page.rng.random() < 0.7)
    setter = page.setter()
    if page.rng.random() < 0.5:
        setter.heading(page.writer.phrase(1, 5), "#", page.rng.uniform(1.45, 1.8))
    return page.fill(setter, {"paragraph": 4, "section": 1.5, "list": 1, "figure": 1, "table": 0.3, "caption": 0.2})


def exam(page: Page) -> Sample:
    """Numbered questions with lettered options."""
    rng, writer = page.rng, page.writer
    page.running(rng.random() < 0.3, rng.random() < 0.6)
    setter = page.setter()
    if rng.random() < 0.8:
        setter.heading(writer.phrase(1, 4), "#", rng.uniform(1.45, 1.8), align=rng.choice(("left", "centre")))
    if rng.random() < 0.5:
        page.paragraph(setter, 1, 2)
    first = rng.randint(1, 9)
    for number in range(first, first + 12):
        question = writer.passage(letters(page.style, setter.column, rng.uniform(0.8, 2.2))).rstrip(".") + "?"
        if setter.full or not setter.items([question], [f"{number}."], rng.uniform(1.3, 1.8)):
            break
        if rng.random() < 0.7:
            count = rng.randint(2, 5)
            labels = [f"{'abcde'[k]})" for k in range(count)]
            options = [writer.phrase(1, 6) for _ in range(count)]
            setter.items(options, labels, rng.uniform(1.3, 1.8), inset=rng.choice((0.0, 24.0, 30.0)))
        if rng.random() < 0.15:
            page.section(setter)
    return page.sheet.finish()


def magazine(page: Page) -> Sample:
    """Two columns under a headline, with a pull quote."""
    page.running(page.rng.random() < 0.3, page.rng.random() < 0.6)
    head = page.setter()
    head.heading(page.writer.phrase(2, 6), "#", page.rng.uniform(1.5, 1.85))
    if page.rng.random() < 0.4:
        page.paragraph(head, 1, 2)
    body = page.setter(2, head.column.top + page.style.gap, page.rng.uniform(22, 40))
    body.separator = head.separator
    page_quote = page.rng.random() < 0.5
    page.paragraph(body)
    if page_quote:
        text = "“" + page.writer.passage(60) + "”"
        body.paragraph(text, font=page.style.face.italic, size=page.style.size * page.rng.uniform(1.0, 1.3))
    return page.fill(body, {"paragraph": 6, "section": 1, "figure": 0.5})


def newspaper(page: Page) -> Sample:
    """A headline over two or three narrow columns."""
    page.running(page.rng.random() < 0.3, False)
    page.style = dataclasses.replace(page.style, hyphens=page.rng.random() < 0.6)
    head = page.setter()
    head.heading(page.writer.phrase(3, 8), "#", page.rng.uniform(1.5, 1.85), align=page.rng.choice(("left", "centre")))
    count = 3 if page.width > 600 and page.rng.random() < 0.5 else 2
    body = page.setter(count, head.column.top + page.style.gap, page.rng.uniform(18, 30))
    body.separator = head.separator
    return page.fill(body, {"paragraph": 6, "section": 0.8})


def notes(page: Page) -> Sample:
    """Short lines and bullets."""
    setter = page.setter()
    if page.rng.random() < 0.7:
        setter.heading(page.writer.phrase(1, 4), "#", page.rng.uniform(1.45, 1.8))
    return page.fill(setter, {"short": 3, "list": 3, "section": 1})


def slide(page: Page) -> Sample:
    """A landscape slide: title, bullets, larger type."""
    scale = page.rng.choice((1.0, 1.0, 1.1, 1.25, 1.4))
    page.style = dataclasses.replace(page.style, size=page.style.size * scale, pitch=page.style.pitch * scale)
    page.running(False, page.rng.random() < 0.5)
    setter = page.setter()
    setter.heading(
        page.writer.phrase(1, 6),
        "#",
        page.rng.uniform(1.4, 1.8) / scale**0.5,
        align=page.rng.choice(("left", "left", "centre")),
    )
    for _ in range(page.rng.randint(1, 4)):
        name = page.rng.choices(("list", "paragraph", "section", "table", "figure"), (5, 2, 1, 0.5, 0.5))[0]
        if setter.full:
            break
        page.paragraph(setter, 1, 2) if name == "paragraph" else getattr(page, name)(setter)
    return page.sheet.finish()


def sparse(page: Page) -> Sample:
    """Little or nothing on the page, a blank one included."""
    page.running(False, page.rng.random() < 0.3)
    setter = page.setter()
    if page.rng.random() < 0.6:
        setter.column.top += page.rng.uniform(0, 0.5) * setter.room
        page.paragraph(setter, 0.5, 3)
    return page.sheet.finish()


KINDS: dict[str, tuple[Callable[[Page], Sample], float]] = {
    "book": (book, 1.3),
    "academic": (academic, 2.2),
    "report": (report, 1.8),
    "textbook": (textbook, 1.2),
    "exam": (exam, 0.8),
    "magazine": (magazine, 1.6),
    "newspaper": (newspaper, 1.6),
    "notes": (notes, 0.8),
    "slide": (slide, 0.8),
    "sparse": (sparse, 0.25),
}


def make_page(
    width: int,
    height: int,
    seed: int,
    *,
    kind: str | None = None,
    unseen: bool = False,
    evaluation: bool = False,
    noise: float = 0.3,
    narrow: bool = False,
) -> Sample:
    """One page of `width` x `height` pixels; the same seed gives the same page. `noise` is the share of
    scans; `narrow` sets lines closer than the reader's domain has them."""
    rng = random.Random(seed)
    kind = kind or rng.choices(list(KINDS), [weight for _, weight in KINDS.values()])[0]
    sample = KINDS[kind][0](Page(width, height, rng, unseen, evaluation, narrow))
    return degrade(sample, rng) if rng.random() < noise else sample


def write_pages(directory: Path, count: int, seed: int) -> None:
    """Writes ``count`` small pages of all kinds into ``directory`` as PNG files, with the noise of training."""
    directory.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        sample = make_page(704, 960, seed + number, noise=0.5)
        Image.fromarray(sample.pixels).save(directory / f"{number:05}.png")
