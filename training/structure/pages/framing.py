"""Frames on a page, each filled with texts of its own, and what stands in them: heads, pictures with captions, notes,
boxes, rules. Texts that a frame has no room for are cut off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Paragraph

from training.structure.pages import reportlab_
from training.structure.pages.flows import Flows
from training.structure.pages.page import Block, Part
from training.structure.pages.text import plain


@dataclass(frozen=True)
class Frame:
    """A place for text, in points from the top left corner."""

    x0: float
    y0: float
    x1: float
    y1: float


def columns(frame: Frame, count: int, gap: float) -> list[Frame]:
    """Frames beside each other."""
    width = (frame.x1 - frame.x0 - gap * (count - 1)) / count
    return [
        replace(frame, x0=frame.x0 + n * (width + gap), x1=frame.x0 + n * (width + gap) + width) for n in range(count)
    ]


class Framing(reportlab_.Setter):
    """Fills the frames of a page, one after the other. Whoever draws pages sets what each has: its ``canvas`` and
    ``paper``, the frame of its ``body``, what writes its texts, and whether rules stand above heads."""

    canvas: Canvas
    paper: tuple[float, float]
    body: Frame
    writer_of: Flows
    ruled: bool

    def put(self, frame: Frame, parts: Sequence[Part]) -> float:
        """Draws ``parts`` into ``frame`` as far as there is room, and says where they end."""
        y, self.width = frame.y0, frame.x1 - frame.x0
        for part in parts:
            if self.ruled and isinstance(part, Block) and part.kind == "heading" and y < frame.y1 - 2 * self.leading:
                y += self.leading if y > frame.y0 else 0.0
                self.rule(frame.x0, frame.x1, y)
                y += 0.3 * self.leading
            for flowable in self.part(part):
                y, fits = self._drawn(flowable, frame, y)
                if not fits:
                    return y
        return y

    def _drawn(self, flowable: Flowable, frame: Frame, y: float) -> tuple[float, bool]:
        width, room = frame.x1 - frame.x0, frame.y1 - y
        _, height = flowable.wrap(width, room)
        fits = height <= room
        if not fits:
            if not isinstance(flowable, Paragraph) or not (pieces := flowable.split(width, room)):
                return y, False
            flowable = pieces[0]
            _, height = flowable.wrap(width, room)
        flowable.drawOn(self.canvas, frame.x0, self.paper[1] - y - height)
        return y + height + float(flowable.getSpaceAfter()), fits

    def _edge(self, y: float) -> None:
        frame = Frame(self.body.x0, y, self.body.x1, y + 14)
        text = self.writer_of.writer.title(1, 5)
        for part in columns(frame, 3, 4):
            if self.rng.random() < 0.5:
                self.put(part, [Block("furniture", plain(text[:30]))])

    def shade(self, frame: Frame, ink: bool = False) -> None:
        """A picture, or the ground or the frame of a box."""
        grey = self.rng.uniform(0.4, 0.8) if ink else self.rng.uniform(0.9, 0.97)
        self.canvas.setFillGray(grey)
        self.canvas.setStrokeGray(0.4)
        line, fill = (0, 1) if ink else self.rng.choice(((0, 1), (1, 0), (1, 1)))
        high = self.paper[1]
        self.canvas.rect(frame.x0, high - frame.y1, frame.x1 - frame.x0, frame.y1 - frame.y0, stroke=line, fill=fill)

    def rule(self, x0: float, x1: float, y: float) -> None:
        """A level rule."""
        self.canvas.setStrokeGray(0.3)
        self.canvas.setLineWidth(0.5)
        self.canvas.line(x0, self.paper[1] - y, x1, self.paper[1] - y)

    def texts(self, count: int = 9) -> list[Part]:
        """Texts for a column: more than it has room for."""
        draw, rng = self.writer_of, self.rng
        heads, lists = rng.choice((0.0, 0.15, 0.3)), rng.choice((0.0, 0.0, 0.15))
        parts: list[Part] = []
        for _ in range(count):
            if rng.random() < heads:
                parts.append(draw.head(rng.choice((2, 3))))
            parts.append(
                draw.items() if rng.random() < lists else rng.choice((draw.paragraph, draw.paragraph, draw.short))()
            )
        return parts

    def gutter(self) -> float:
        """White between columns."""
        return self.rng.choice((0.9, 1.2, 1.6, 2.2, 3)) * self.size

    def title(self) -> float:
        """A title over all columns, and what belongs to it."""
        rng, draw = self.rng, self.writer_of
        if rng.random() < 0.25:
            return self.body.y0
        if rng.random() < 0.15:  # a masthead: a name, beside it what belongs to the issue, a rule below both
            left, right = columns(replace(self.body, y1=self.body.y0 + 70), 2, self.gutter())
            ends = [self.put(left, [draw.head(1)]), self.put(right, [draw.hours(), draw.short()][: rng.choice((1, 2))])]
            self.rule(self.body.x0, self.body.x1, max(ends) + 4)
            return max(ends) + rng.uniform(8, 24)
        y = self.put(replace(self.body, y1=self.body.y0 + 90), [draw.head(1)])
        if rng.random() < 0.5:
            y = self.put(
                replace(self.body, y0=y + 4, y1=y + 80), [rng.choice((draw.short, draw.contact, draw.dense))()]
            )
        return y + rng.uniform(0.5, 2.5) * self.size

    def picture(self, frame: Frame, captioned: bool = True) -> float:
        """A picture with its caption below, and where that ends."""
        high = self.rng.uniform(0.5, 0.8) * (frame.y1 - frame.y0)
        self.shade(replace(frame, y1=frame.y0 + high), ink=True)
        if not captioned:
            return frame.y0 + high
        name = f"{self.rng.choice(('Figure', 'Fig.', 'Abb.'))} {self.rng.randint(1, 20)}."
        text = f"{name} {self.writer_of.writer.sentence()}"
        return self.put(replace(frame, y0=frame.y0 + high + 3), [Block("caption", plain(text))])

    def column(self, frame: Frame) -> None:
        """Text with a picture, a box or a note at its head, in it or at its foot."""
        rng, draw = self.rng, self.writer_of
        kind, high = rng.random(), frame.y1 - frame.y0
        apart = rng.uniform(0.6, 2) * self.size
        if high < 160 or kind < 0.45:
            self.put(frame, self.texts())
        elif kind < 0.6:
            y = self.picture(replace(frame, y1=frame.y0 + rng.uniform(0.25, 0.5) * high)) + apart
            self.put(replace(frame, y0=y), self.texts())
        elif kind < 0.7:
            top = frame.y0 + rng.uniform(0.3, 0.6) * high
            self.put(replace(frame, y1=top - apart), self.texts())
            y = self.picture(replace(frame, y0=top, y1=top + 0.3 * high)) + apart
            self.put(replace(frame, y0=y), self.texts())
        elif kind < 0.8:
            top = frame.y1 - rng.uniform(0.25, 0.45) * high
            self.put(replace(frame, y1=top - apart), self.texts())
            self.picture(replace(frame, y0=top))
        elif kind < 0.92:
            top = frame.y1 - rng.uniform(0.06, 0.14) * high
            self.put(replace(frame, y1=top - 6), self.texts())
            if rng.random() < 0.7:
                self.rule(frame.x0, frame.x0 + 60, top - 3)
            self.put(replace(frame, y0=top), [Block("note", plain(f"{rng.choice('*123')} {draw.writer.sentence()}"))])
        else:
            top = frame.y0 + rng.uniform(0, 0.6) * high
            self.put(replace(frame, y1=top - apart), self.texts())
            box = replace(frame, y0=top, y1=top + 0.25 * high)
            self.shade(box)
            self.put(Frame(box.x0 + 5, box.y0 + 5, box.x1 - 5, box.y1 - 4), [draw.head(3), draw.short()])
            self.put(replace(frame, y0=box.y1 + apart), self.texts())
