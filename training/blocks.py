"""What all kinds of pages share: a style drawn at random, margins, running heads, and the common blocks."""

from __future__ import annotations

import random

from training.fonts import Face, faces
from training.prose import Writer
from training.render import Sample, Sheet, advances
from training.tables import figure, table
from training.typeset import Column, Setter, Style


def choose_face(rng: random.Random, unseen: bool, mono: bool = True) -> Face:
    """A face by its family's weight. Raises FileNotFoundError where no family of the kind is installed."""
    pool = [face for face in faces(unseen) if mono or face.family.kind != "mono"]
    if not pool:
        raise FileNotFoundError("no font of a family marked unseen is installed; training/fonts.py lists them")
    return rng.choices(pool, [face.family.weight for face in pool])[0]


SAMPLES = 11.5 / 72 * 200  # pitch of body text on the sample pages: 11.5 points at 200 dpi
PITCH = (SAMPLES, 35.5)
NARROW = (29.0, 31.0)  # outside the domain: now and then two lines share one row of visual tokens


def choose_style(rng: random.Random, unseen: bool, mono: bool = True, narrow: bool = False) -> Style:
    """Body size 22-27.5 px on a pitch that gives each line its own row of visual tokens, mostly as on sample
    pages; `narrow` takes a pitch that does not."""
    face = choose_face(rng, unseen, mono)
    pitch = rng.choice((SAMPLES, SAMPLES, rng.uniform(*PITCH), rng.uniform(*PITCH), rng.uniform(*PITCH)))
    if narrow:
        pitch = rng.uniform(*NARROW)
    size = min(rng.uniform(22, 27.5), pitch - 5)
    indent = rng.choice((0.0, 0.0, 0.0, 0.5 * size, size, 1.6 * size))
    gap = pitch * rng.choice((0.25, 0.4, 0.5, 0.5, 0.75, 1.0))
    return Style(
        face,
        size,
        pitch,
        face if rng.random() < 0.7 else choose_face(rng, unseen, mono=False),
        justify=rng.random() < 0.35,
        indent=indent,
        gap=0.0 if indent and rng.random() < 0.6 else gap,
        grey=rng.choice((0.0, 0.0, 0.0, 0.15, 0.3)),
        hyphens=rng.random() < 0.12,
    )


def letters(style: Style, column: Column, lines: float) -> int:
    """About how many characters fill `lines` lines of a column."""
    return max(8, int((column.right - column.left) / (0.46 * style.size) * lines))


class Page:
    """What the kinds share: margins, running heads, columns and common blocks."""

    def __init__(
        self, width: int, height: int, rng: random.Random, unseen: bool, evaluation: bool, narrow: bool = False
    ) -> None:
        self.rng, self.width, self.height = rng, width, height
        self.sheet = Sheet(width, height)
        self.writer = Writer(rng, evaluation)
        self.style = choose_style(rng, unseen, rng.random() < 0.5, narrow)
        self.margin = rng.uniform(0.03, 0.09) * min(width, height)
        self.top, self.bottom = (self.margin * rng.uniform(0.5, 1.1), height - self.margin * rng.uniform(0.3, 1.0))

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
                self.sheet.rule(
                    self.margin, self.top + size * 1.2, self.width - self.margin, self.top + size * 1.2, 1.0
                )
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
        return setter.heading(text, "##", self.rng.uniform(1.0, 1.35))

    def list(self, setter: Setter, long: bool = True) -> bool:
        rng = self.rng
        texts = [self.item(setter, long) for _ in range(rng.randint(2, 6))]
        labels = None
        if rng.random() < 0.45:
            start = 1 if rng.random() < 0.7 else rng.randint(2, 9)
            labels = [f"{start + k}." for k in range(len(texts))]
        return setter.items(texts, labels, rng.uniform(1.2, 2.0))

    def short(self, setter: Setter) -> bool:
        return setter.paragraph(self.writer.phrase(2, 8))

    def item(self, setter: Setter, long: bool) -> str:
        if long and self.rng.random() < 0.4:
            return self.writer.passage(letters(self.style, setter.column, self.rng.uniform(0.8, 1.8)))
        return self.writer.phrase(2, 7)

    def caption(self, setter: Setter) -> bool:
        label, mark = self.rng.choice(("Figure", "Fig.", "Table")), self.rng.choice(".:")
        text = f"{label} {self.rng.randint(1, 20)}{mark} {self.writer.phrase(3, 12)}."
        font = self.style.face.italic if self.rng.random() < 0.4 else self.style.face.regular
        return setter.paragraph(text, font=font, size=self.style.size * self.rng.choice((1.0, 0.92, 0.88)))

    def table(self, setter: Setter) -> bool:
        most = max(5, self.width // 150)  # columns
        return table(setter, self.rng.randint(2, 9), self.rng.randint(2, most))

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
