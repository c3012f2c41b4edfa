"""Page and crop generators, one function a kind of document.

Geometry is the reader's: at 200 dpi one line of body text is about one 32-pixel row of visual tokens. Every generator
takes a sheet size in pixels, so the curriculum can ask for small pages as well as whole ones.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable

from docspec.reader.fonts import Face, faces
from docspec.reader.prose import Writer
from docspec.reader.render import Sample, Sheet, advances, degrade
from docspec.reader.tables import figure, table
from docspec.reader.typeset import Column, Setter, Style


def choose_face(rng: random.Random, unseen: bool, mono: bool = True) -> Face:
    """A face by its family's weight."""
    pool = [face for face in faces(unseen) if mono or face.family.kind != "mono"]
    return rng.choices(pool, [face.family.weight for face in pool])[0]


def choose_style(rng: random.Random, unseen: bool, mono: bool = True) -> Style:
    """Body size 22-25.5 px on a pitch of 29-35 px, mostly as in sample pages (8.5-9 points on 11.5 at 200 dpi)."""
    face = choose_face(rng, unseen, mono)
    pitch = 31.94 if rng.random() < 0.4 else rng.uniform(29, 35)
    size = min(rng.uniform(22, 25.5), pitch - 5)
    return Style(
        face,
        size,
        pitch,
        face if rng.random() < 0.7 else choose_face(rng, unseen, mono=False),
        justify=rng.random() < 0.35,
        indent=rng.choice((0.0, 0.0, 0.0, size, 1.6 * size)),
        gap=pitch * rng.choice((0.25, 0.4, 0.5, 0.5, 0.75, 1.0)),
        grey=rng.choice((0.0, 0.0, 0.0, 0.15, 0.3)),
    )


def letters(style: Style, column: Column, lines: float) -> int:
    """About how many characters fill `lines` lines of a column."""
    return max(8, int((column.right - column.left) / (0.46 * style.size) * lines))


class Page:
    """What the kinds share: margins, running heads, columns and common blocks."""

    def __init__(self, width: int, height: int, rng: random.Random, unseen: bool, evaluation: bool) -> None:
        self.rng, self.width, self.height = rng, width, height
        self.sheet = Sheet(width, height)
        self.writer = Writer(rng, evaluation)
        self.style = choose_style(rng, unseen, mono=rng.random() < 0.5)
        self.margin = rng.uniform(0.03, 0.09) * min(width, height)
        self.top, self.bottom = self.margin * rng.uniform(0.5, 1.1), height - self.margin * rng.uniform(0.3, 1.0)

    def running(self, head: bool, number: bool) -> None:
        """Running head and page number: printed, not part of the text."""
        rng, style, font = self.rng, self.style, self.style.face.regular
        size = style.size * rng.uniform(0.75, 1.0)
        if head:
            text = " ".join(c for c in self.writer.phrase(2, 5).split())
            text = "".join(c for c in text if c in advances(font))[:40]
            x = rng.choice((self.margin, self.width * 0.35, self.width * 0.5))
            self.sheet.put(text, x, self.top + size * 0.8, font, size, style.grey, read=False)
            if rng.random() < 0.5:
                self.sheet.rule(self.margin, self.top + size * 1.2, self.width - self.margin, self.top + size * 1.2, 1.0)
            self.top += style.pitch * rng.uniform(1.3, 1.8)
        if number:
            folio = rng.choice(("{}", "{}", "- {} -", "Page {}", "{} / 12")).format(rng.randint(1, 400))
            x = rng.choice((self.width / 2 - 10, self.width / 2 - 10, self.width - self.margin - 80, self.margin))
            self.sheet.put(folio, x, self.bottom, font, size, style.grey, read=False)
            self.bottom -= style.pitch * rng.uniform(1.2, 1.6)

    def setter(self, columns: int = 1, top: float | None = None, gutter: float = 26.0) -> Setter:
        """A setter over equal columns between the margins."""
        top = self.top if top is None else top
        span = (self.width - 2 * self.margin - gutter * (columns - 1)) / columns
        starts = [self.margin + k * (span + gutter) for k in range(columns)]
        return Setter(self.sheet, self.style, [Column(x, x + span, top, self.bottom) for x in starts], self.writer)

    def paragraph(self, setter: Setter, low: float = 2, high: float = 7) -> bool:
        return setter.paragraph(self.writer.passage(letters(self.style, setter.column, self.rng.uniform(low, high))))

    def section(self, setter: Setter) -> bool:
        text = self.writer.phrase(1, 5)
        if self.rng.random() < 0.35:
            text = f"{self.rng.randint(1, 9)}{self.rng.choice(('', '.', f'.{self.rng.randint(1, 9)}'))} {text}"
        return setter.heading(text, "##", self.rng.uniform(1.1, 1.35))

    def list(self, setter: Setter, long: bool = True) -> bool:
        rng = self.rng
        texts = [self.item(setter, long) for _ in range(rng.randint(2, 6))]
        labels = None
        if rng.random() < 0.45:
            start = 1 if rng.random() < 0.7 else rng.randint(2, 9)
            labels = [f"{start + k}." for k in range(len(texts))]
        return setter.items(texts, labels, rng.uniform(1.2, 2.0))

    def item(self, setter: Setter, long: bool) -> str:
        if long and self.rng.random() < 0.4:
            return self.writer.passage(letters(self.style, setter.column, self.rng.uniform(0.8, 1.8)))
        return self.writer.phrase(2, 7)

    def caption(self, setter: Setter) -> bool:
        label = f"{self.rng.choice(('Figure', 'Fig.', 'Table'))} {self.rng.randint(1, 20)}{self.rng.choice(('.', ':'))}"
        text = f"{label} {self.writer.phrase(3, 12)}."
        font = self.style.face.italic if self.rng.random() < 0.4 else self.style.face.regular
        return setter.paragraph(text, font=font, size=self.style.size * self.rng.choice((1.0, 0.92, 0.88)))

    def table(self, setter: Setter) -> bool:
        return table(setter, self.rng.randint(2, 8), self.rng.randint(2, 5))

    def figure(self, setter: Setter) -> bool:
        if not figure(setter, self.rng.uniform(60, 220)):
            return False
        return self.caption(setter) if self.rng.random() < 0.8 else True

    def fill(self, setter: Setter, weights: dict[str, float]) -> Sample:
        """Set random blocks until the page is full."""
        failures = 0
        after_heading = False
        while not setter.full and failures < 4:
            name = "paragraph" if after_heading else self.rng.choices(list(weights), list(weights.values()))[0]
            done = getattr(self, name)(setter)
            failures = 0 if done else failures + 1
            after_heading = done and name == "section"
        return self.sheet.finish()


def book(page: Page) -> Sample:
    """A chapter opening or an inner page of a book."""
    page.running(page.rng.random() < 0.6, page.rng.random() < 0.7)
    page.style = dataclasses.replace(page.style, indent=page.style.size * 1.3, gap=page.rng.choice((2.0, 8.0, page.style.pitch * 0.5)))
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
            head.paragraph(", ".join(page.writer.name() for _ in range(page.rng.randint(1, 3))), font=page.style.face.regular, align=align)
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
    number = rng.randint(1, 9)
    for number in range(number, number + 12):
        question = writer.passage(letters(page.style, setter.column, rng.uniform(0.8, 2.2))).rstrip(".") + "?"
        if setter.full or not setter.items([question], [f"{number}."], rng.uniform(1.3, 1.8)):
            break
        if rng.random() < 0.7:
            count = rng.randint(2, 5)
            labels = [f"{'abcde'[k]})" for k in range(count)]
            setter.items([writer.phrase(1, 6) for _ in range(count)], labels, rng.uniform(1.3, 1.8))
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

    def short(name: Setter) -> bool:
        return name.paragraph(page.writer.phrase(2, 8))

    page.short = short  # type: ignore[attr-defined]
    return page.fill(setter, {"short": 3, "list": 3, "section": 1})


def slide(page: Page) -> Sample:
    """A landscape slide: title, bullets, larger type."""
    scale = page.rng.choice((1.0, 1.0, 1.1, 1.25, 1.4))
    page.style = dataclasses.replace(page.style, size=page.style.size * scale, pitch=page.style.pitch * scale)
    page.running(False, page.rng.random() < 0.5)
    setter = page.setter()
    setter.heading(page.writer.phrase(1, 6), "#", page.rng.uniform(1.4, 1.8) / scale**0.5, align=page.rng.choice(("left", "left", "centre")))
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
    "academic": (academic, 1.6),
    "report": (report, 1.0),
    "textbook": (textbook, 1.2),
    "exam": (exam, 0.8),
    "magazine": (magazine, 0.8),
    "newspaper": (newspaper, 0.8),
    "notes": (notes, 0.8),
    "slide": (slide, 0.8),
    "sparse": (sparse, 0.25),
}


def make_page(
    width: int, height: int, seed: int, *, kind: str | None = None, unseen: bool = False, evaluation: bool = False, noise: float = 0.3
) -> Sample:
    """One page of `width` x `height` pixels; the same seed gives the same page. `noise` is the share of scans."""
    rng = random.Random(seed)
    kind = kind or rng.choices(list(KINDS), [weight for _, weight in KINDS.values()])[0]
    sample = KINDS[kind][0](Page(width, height, rng, unseen, evaluation))
    return degrade(sample, rng) if rng.random() < noise else sample
