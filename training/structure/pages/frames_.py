"""Draws pages frame by frame with reportlab: columns with pictures and notes at their heads, in them and at their feet,
bands, stories, insets, asides, letters, margins, sheets of two pages. Each frame has texts of its own, so that the
order of the frames is that of the page; texts that a frame has no room for are cut off.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from reportlab.lib import pagesizes
from reportlab.pdfgen.canvas import Canvas

from training.structure.pages.flows import Flows
from training.structure.pages.framing import Frame, Framing, columns
from training.structure.pages.page import Block, Part
from training.structure.pages.text import plain


class Setter(Framing):
    """Writes the pages of one run."""

    def document_of_frames(self, count: int, pdf: Path) -> None:
        """``count`` pages, written to ``pdf``."""
        rng = self.rng
        canvas = Canvas(str(pdf))
        kinds: tuple[tuple[Callable[[], None], float], ...] = (
            (self.article, 5),
            (self.bands, 3),
            (self.newspaper, 2),
            (self.inset, 1.5),
            (self.aside, 2),
            (self.letter, 3),
            (self.sheets, 1),
            (self.margins, 1.5),
            (self.cards, 2),
            (self.panels, 1.5),
            (self.headed, 1.5),
            (self.collage, 1),
            (self.form, 2),
        )
        for _ in range(count):
            self.paper = rng.choice(
                (pagesizes.A4, pagesizes.A4, pagesizes.LETTER, pagesizes.A5, pagesizes.landscape(pagesizes.A4))
            )
            canvas.setPageSize(self.paper)
            self.canvas, self.writer_of = canvas, Flows(rng)
            self.font = rng.choice(self.fonts)
            self.size = rng.choice((7, 8, 8.5, 9, 9, 10, 10, 11))
            self.leading = self.size * rng.choice((1.1, 1.2, 1.2, 1.3))
            self.gap = rng.choice((0, 2, 4, 6, 9))
            self.prose = rng.choice(("left", "justify", "justify"))
            self.ruled = rng.random() < 0.2
            side, end = rng.uniform(30, 70), rng.uniform(40, 70)
            self.body = Frame(side, end, self.paper[0] - side, self.paper[1] - end)
            if rng.random() < 0.5:
                self._edge(26.0)
            rng.choices([draw for draw, _ in kinds], [weight for _, weight in kinds])[0]()
            if rng.random() < 0.5:
                self._edge(self.paper[1] - 34)
            canvas.showPage()
        canvas.save()

    def article(self) -> None:
        """Columns under a title; a picture over two of them, or a band over all, at the head or the foot."""
        rng = self.rng
        y, count = self.title(), rng.choice((1, 2, 2, 2, 3, 4))
        frame, gap = replace(self.body, y0=y), self.gutter()
        if count > 1 and rng.random() < 0.25:
            y = self.picture(replace(frame, y1=y + rng.uniform(0.2, 0.4) * (frame.y1 - y))) + 1.2 * self.size
            frame = replace(frame, y0=y)
        last = rng.random() < 0.2
        end = frame.y1 - rng.uniform(0.1, 0.3) * (frame.y1 - frame.y0) if last else frame.y1
        own = columns(replace(frame, y1=end), count, gap)
        if count > 2 and rng.random() < 0.4:  # a picture at the head of the first two
            y = self.picture(Frame(own[0].x0, own[0].y0, own[1].x1, own[0].y0 + 0.4 * (end - own[0].y0))) + self.size
            own = [replace(one, y0=y) if at < 2 else one for at, one in enumerate(own)]
        for one in own:
            self.column(
                replace(one, y1=one.y1 - rng.choice((0, 0, 0, rng.uniform(0, 0.5) * (one.y1 - one.y0))))
                if one is own[-1]
                else one
            )
        if last:
            self.put(replace(frame, y0=end + rng.uniform(0.6, 2.5) * self.size), self.texts(3))

    def bands(self) -> None:
        """What runs over the whole width and columns in turn, near each other."""
        rng, y = self.rng, self.title()
        wide = rng.random() < 0.5
        while y < self.body.y1 - 70:
            gap = rng.uniform(0.4, 2.2) * self.size
            if wide:
                parts: list[Part] = [self.writer_of.head(rng.choice((1, 2)))] if rng.random() < 0.4 else self.texts(1)
                y = self.put(replace(self.body, y0=y, y1=min(self.body.y1, y + 120)), parts) + gap
                if rng.random() < 0.15:
                    self.rule(self.body.x0, self.body.x1, y - gap / 2)
            else:
                high = rng.uniform(70, 240)
                own = columns(
                    replace(self.body, y0=y, y1=min(self.body.y1, y + high)), rng.choice((2, 2, 3)), self.gutter()
                )
                y = max([self.put(one, self.texts()) for one in own]) + gap
            wide = not wide

    def newspaper(self) -> None:
        """Stories under heads of their own over some of the columns, in rows."""
        rng, y = self.rng, self.title()
        count, gap = rng.randint(3, 5), self.gutter()
        self.size, self.leading = min(self.size, 8.5), min(self.leading, 10)
        rows = rng.choice((1, 2, 2, 3))
        for row in range(rows):
            end = y + (self.body.y1 - y) / (rows - row) - 8
            grid, at = columns(replace(self.body, y0=y, y1=end), count, gap), 0
            while at < count:
                wide = min(count - at, rng.choice((1, 1, 2, 2, 3)))
                own = grid[at : at + wide]
                over = Frame(own[0].x0, y, own[-1].x1, end)
                under = self.put(over, [self.writer_of.head(rng.choice((1, 2)))]) + rng.choice((1, 3, 6))
                for one in own:
                    self.column(replace(one, y0=under))
                at += wide
            y = end + rng.uniform(8, 16)

    def inset(self) -> None:
        """Two columns with a box between them, around which their lines are shorter."""
        rng, y = self.rng, self.title()
        left, right = columns(replace(self.body, y0=y), 2, self.gutter())
        top = y + rng.uniform(0.15, 0.5) * (self.body.y1 - y)
        end, wide = top + rng.uniform(70, 130), rng.uniform(35, 70)
        box = Frame(left.x1 - wide, top, right.x0 + wide, end)
        self.put(replace(left, y1=top - 4), self.texts())
        self.put(replace(left, y0=top, y1=end, x1=box.x0 - 8), self.texts()[1:])
        self.put(replace(left, y0=end + 2), self.texts())
        if rng.random() < 0.5:
            self.shade(box)
        self.put(
            Frame(box.x0 + 6, top + 6, box.x1 - 6, end - 4),
            [self.writer_of.head(2) if rng.random() < 0.5 else self.writer_of.short()],
        )
        self.put(replace(right, y1=top - 4), self.texts())
        self.put(replace(right, y0=top, y1=end, x0=box.x1 + 8), self.texts()[1:])
        self.put(replace(right, y0=end + 2), self.texts())

    def aside(self) -> None:
        """Text in one column or two beside a narrow text of its own, which begins somewhere."""
        rng, y = self.rng, self.title()
        share, gap = rng.uniform(0.2, 0.35) * (self.body.x1 - self.body.x0), self.gutter() + 8
        left = rng.random() < 0.4
        top = y + rng.choice((0, 0, rng.uniform(0, 200)))
        end = min(self.body.y1, top + rng.uniform(120, 420))
        own = (
            Frame(self.body.x0, top, self.body.x0 + share, end)
            if left
            else Frame(self.body.x1 - share, top, self.body.x1, end)
        )
        rest = (
            replace(self.body, y0=y, x0=self.body.x0 + share + gap)
            if left
            else replace(self.body, y0=y, x1=self.body.x1 - share - gap)
        )

        def narrow() -> None:
            if rng.random() < 0.6:
                self.shade(own)
            self.put(Frame(own.x0 + 5, own.y0 + 6, own.x1 - 5, own.y1 - 4), [self.writer_of.head(3), *self.texts(6)])

        if left:
            narrow()
        for one in columns(rest, rng.choice((1, 1, 2)), self.gutter()):
            self.column(one)
        if not left:
            narrow()

    def letter(self) -> None:
        """Sender, addressee, date and references where letters have them; text; a foot in columns."""
        rng, draw, body = self.rng, self.writer_of, self.body
        middle = (body.x0 + body.x1) / 2 + rng.uniform(0, 60)
        y = body.y0
        place = rng.random()
        sender = [rng.choice((draw.address, draw.contact))()]
        if place < 0.2:  # both beside each other, and what follows on the left
            ends = [
                self.put(one, [draw.address()]) for one in columns(replace(body, y1=y + 110), rng.choice((2, 2, 3)), 20)
            ]
            y = max(ends) + rng.choice((4, 12, 24))
        elif place < 0.5:  # the sender on the right, above the addressee
            y = self.put(Frame(middle, y, body.x1, y + 110), sender) + rng.choice((4, 20, 45))
        elif place < 0.75:
            y = self.put(Frame(body.x0, y, body.x1, y + 90), sender) + rng.choice((6, 20))
        to = self.put(Frame(body.x0, y, middle - 20, y + 110), [draw.address()])
        side = y
        if rng.random() < 0.5:  # references beside the addressee
            side = self.put(Frame(middle, y + rng.choice((0, 0, 12)), body.x1, y + 140), [draw.facts_in_lines()])
        y = max(to, side) + rng.choice((8, 20, 40))
        if rng.random() < 0.6:
            x = rng.choice((body.x0, middle, body.x1 - 110))
            y = self.put(Frame(x, y, body.x1, y + 30), [Block("paragraph", plain(draw.writer.date()))]) + rng.choice(
                (6, 14)
            )
        y = self.put(replace(body, y0=y, y1=y + 50), [draw.head(3)]) + 4
        y = self.put(replace(body, y0=y, y1=body.y1 - 90), self.texts(rng.randint(1, 4))) + rng.choice((6, 14))
        y = self.put(replace(body, y0=y, y1=body.y1 - 45), [draw.closing()])
        if rng.random() < 0.7:
            for one in columns(replace(body, y0=body.y1 - 36, y1=body.y1 + 12), rng.choice((2, 3, 4)), 10):
                self.put(one, [draw.contact()])

    def panels(self) -> None:
        """Frames below each other, in each texts beside each other."""
        rng, y = self.rng, self.title()
        count = rng.randint(2, 4)
        high = (self.body.y1 - y) / count
        for number in range(count):
            frame = replace(self.body, y0=y + number * high, y1=y + (number + 1) * high - rng.uniform(4, 14))
            self.shade(frame)
            inner = Frame(frame.x0 + 6, frame.y0 + 5, frame.x1 - 6, frame.y1 - 5)
            if rng.random() < 0.5:
                inner = replace(inner, y0=self.put(inner, [self.writer_of.head(3)]) + 3)
            for one in columns(inner, rng.choice((2, 2, 3)), self.gutter()):
                self.put(one, self.texts(rng.choice((1, 2, 3))))

    def headed(self) -> None:
        """Columns whose heads stand in one band, or right above them, some with a box at their foot."""
        rng, y = self.rng, self.title()
        band = rng.uniform(1.6, 4) * self.size * 1.5
        if rng.random() < 0.7:
            self.shade(Frame(self.body.x0, y, self.body.x1, y + band))
        draw, low = self.writer_of, y + band - 1.6 * self.size
        for one in columns(replace(self.body, y0=low), rng.choice((2, 3, 3, 4)), self.gutter()):
            top = self.put(one, [Block("heading", plain(draw.writer.title(1, 3)), level=rng.choice((2, 3)))])
            end = one.y1 - rng.choice((0, 0, rng.uniform(80, 200)))
            text = replace(one, y0=max(top, y + band) + rng.uniform(1, 6), y1=end)
            self.put(text, self.texts(rng.choice((1, 2, 4, 9))))
            if end < one.y1 and rng.random() < 0.7:
                box = replace(one, y0=end + 8)
                self.shade(box)
                self.put(Frame(box.x0 + 5, box.y0 + 6, box.x1 - 5, box.y1 - 4), self.texts(1))

    def collage(self) -> None:
        """Cards of a picture with a head and a text, one or two in a row, none below another."""
        rng, y = self.rng, self.title()
        high = (self.body.y1 - y) / rng.choice((2, 3, 3, 4))
        while y < self.body.y1 - 80:
            shares = rng.choice(((1.0,), (0.4, 0.6), (0.5, 0.5), (0.6, 0.4)))
            x, end = self.body.x0, min(y + high, self.body.y1)
            for share in shares:
                wide = share * (self.body.x1 - self.body.x0)
                part = rng.uniform(0.7, 0.95)
                left, top = x + rng.uniform(0, 1 - part) * wide, y + rng.uniform(0, 0.15) * high
                card = Frame(left, top, left + part * wide, end - rng.uniform(4, 16))
                x += wide
                self.shade(card)
                inner = Frame(card.x0 + 6, card.y0 + 6, card.x1 - 6, card.y1 - 6)
                if len(shares) == 1:
                    middle = inner.x0 + 0.45 * (inner.x1 - inner.x0)
                    sides = [replace(inner, x1=middle - 6), replace(inner, x0=middle + 6)]
                    picture, inner = sides if rng.random() < 0.6 else sides[::-1]
                    self.shade(picture, ink=True)
                elif rng.random() < 0.6:
                    inner = replace(inner, y0=self.picture(replace(inner, y1=inner.y0 + 0.5 * high), False) + 5)
                self.put(inner, [self.writer_of.head(rng.choice((2, 3))), *self.texts(1)])
            y = end

    def form(self) -> None:
        """Fields in rows, in one panel or in two beside each other: a small name, and what is filled in beside it or
        below."""
        y, draw, rng = self.title(), self.writer_of, self.rng
        small, pitch = rng.uniform(0.6, 1) * self.size, rng.uniform(2.2, 4) * self.size
        below, boxed = rng.random() < 0.6, rng.random() < 0.6
        usual = self.size, self.leading
        for panel in columns(replace(self.body, y0=y), rng.choice((1, 1, 2, 2)), self.gutter()):
            y = panel.y0
            while y < panel.y1 - 3 * pitch:
                if rng.random() < 0.2:
                    y = self.put(replace(panel, y0=y), [draw.head(3)]) + 3
                for one in columns(replace(panel, y0=y, y1=y + pitch), rng.choice((1, 1, 2, 2, 3)), 6):
                    if boxed:
                        self.shade(one)
                    number = f"{rng.randint(1, 40)} " if rng.random() < 0.2 else ""
                    name = Block("label", plain(number + draw.writer.title(1, 4)))
                    self.size, self.leading = small, 1.1 * small
                    end = self.put(replace(one, x0=one.x0 + 2, y0=one.y0 + 1, y1=panel.y1), [name])
                    self.size, self.leading = usual
                    if rng.random() < 0.7:
                        writer = draw.writer
                        text = rng.choice((writer.date, writer.person, writer.code, writer.phrase))()
                        middle = one.x0 + 0.5 * (one.x1 - one.x0)
                        place = replace(one, x0=one.x0 + 8, y0=end) if below else replace(one, x0=middle)
                        self.put(replace(place, y1=place.y0 + 3 * pitch), [Block("value", plain(text[:24]))])
                    y = max(y, end + (1.4 * self.size if below else 0))
                y += rng.uniform(0.2, 1) * pitch

    def sheets(self) -> None:
        """Two pages beside each other, each of one column or two."""
        whole = self.body
        for one in columns(whole, 2, self.rng.uniform(20, 50)):
            self.body = one
            y = self.title()
            for part in columns(replace(one, y0=y), self.rng.choice((1, 1, 2)), self.gutter()):
                self.column(part)
        self.body = whole

    def margins(self) -> None:
        """Notes in the margin beside text in one column or two."""
        rng, y = self.rng, self.title()
        wide = rng.uniform(50, 90)
        left = rng.random() < 0.6
        text = (
            replace(self.body, y0=y, x0=self.body.x0 + wide + 8)
            if left
            else replace(self.body, y0=y, x1=self.body.x1 - wide - 8)
        )
        while y < self.body.y1 - 60:
            note = Frame(self.body.x0, y, text.x0 - 8, y + 90) if left else Frame(text.x1 + 8, y, self.body.x1, y + 90)
            noted = rng.random() < 0.6
            end = y
            if noted and left:
                end = self.put(note, [Block("note", plain(self.writer_of.writer.phrase(1, 9)))])
            y = self.put(replace(text, y0=y), self.texts(1))
            if noted and not left:
                end = self.put(note, [Block("note", plain(self.writer_of.writer.phrase(1, 9)))])
            y = max(y, end) + rng.choice((3, 6, 12))

    def cards(self) -> None:
        """Boxes in rows of one height, each row from left to right, or in columns of heights of their own."""
        rng, y = self.rng, self.title()
        count, rows = rng.choice((2, 2, 3, 4)), rng.randint(2, 4)
        framed, by_rows, gap = rng.random() < 0.6, rng.random() < 0.6, self.gutter()
        grid = columns(replace(self.body, y0=y), count, gap)
        high = (self.body.y1 - y) / rows
        places = [replace(one, y0=y + n * high, y1=y + (n + 1) * high - gap) for n in range(rows) for one in grid]
        if not by_rows:
            places = []
            for one in grid:
                top = y
                while top < self.body.y1 - 60:
                    end = min(self.body.y1, top + rng.uniform(0.6, 1.4) * high)
                    places.append(replace(one, y0=top, y1=end - gap))
                    top = end
        numbers = rng.choice((None, None, "{}. ", "{} ", "{}) "))
        for number, place in enumerate(places):
            if framed:
                self.shade(place)
            head: list[Part] = [self.writer_of.head(3)] if rng.random() < 0.8 or numbers else []
            if numbers:
                name = numbers.format(number + 1) + self.writer_of.writer.title(1, 5)
                head = [Block("heading", plain(name), level=rng.choice((2, 3)))]
            self.put(
                Frame(place.x0 + 5, place.y0 + 5, place.x1 - 5, place.y1 - 4), [*head, *self.texts(rng.choice((1, 2)))]
            )


def typeset(rng: random.Random, count: int, folder: Path, name: str) -> tuple[Path, Any]:
    """About `count` pages and what their colours stand for."""
    setter = Setter(rng)
    pdf = folder / f"{name}.pdf"
    setter.document_of_frames(count, pdf)
    return pdf, setter
