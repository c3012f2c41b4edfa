"""Charts and diagrams as SVG: words at axes, in legends, in boxes with arrows, beside slices, that are no table however
regular they stand."""

from __future__ import annotations

import html
import math
import random
from collections.abc import Callable

from training.structure.pages.words import MONTHS, Writer

COLOURS = ("#9bd", "#e8a", "#8c9", "#fc8", "#bbb", "#dde", "#fff")


class Graphic:
    """Draws one chart or diagram; ``ink`` gives a colour that stands for one text of it."""

    def __init__(self, rng: random.Random, writer: Writer, ink: Callable[[], str]) -> None:
        self.rng, self.writer, self.ink = rng, writer, ink
        self.width, self.height = rng.randint(170, 420), rng.randint(110, 260)
        self.across, self.down = rng.choice(((1, 1), (1, 1), (1, 1), (2, 1), (2, 2), (3, 1)))
        self.scale = min(1.0, 480 / (self.across * self.width))
        self.size = rng.choice((5, 6, 7, 8, 9)) / self.scale
        self.shapes: list[str] = []
        self.taken: list[tuple[float, float, float, float]] = []

    def source(self) -> str:
        """An SVG element with one, two or four panels."""
        rng = self.rng
        kind = rng.choice(
            (self.bars, self.bars, self.levels, self.lines, self.lines, self.slices, self.flow, self.flow)
        )
        kind = rng.choice((kind, kind, kind, self.spans, self.tree))
        wide, high = self.across * self.width, self.down * self.height
        for row in range(self.down):
            for column in range(self.across):
                self.taken = []
                self.shapes.append(f'<g transform="translate({column * self.width},{row * self.height})">')
                kind()
                if self.across * self.down > 1:
                    self.text(self.width / 2, self.height - 2, f"({'abcdef'[row * self.across + column]})", "middle")
                self.shapes.append("</g>")
        return (
            f'<svg width="{self.scale * wide:.0f}pt" height="{self.scale * high:.0f}pt" viewBox="0 0 {wide} {high}">'
            f"{''.join(self.shapes)}</svg>"
        )

    def text(self, x: float, y: float, words: str, anchor: str = "start", turned: bool = False) -> None:
        """Words with their base line at ``y``, where there is room for them."""
        long, size = 0.62 * self.size * len(words), self.size
        left = x - {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * long
        box = (left, y - size, left + long, y + 0.3 * size)
        if turned:
            box = (x - size, y - long / 2, x + 0.3 * size, y + long / 2)
        if box[0] < 0 or box[1] < 0 or box[2] > self.width or box[3] > self.height:
            return
        if any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in self.taken):
            return
        self.taken.append(box)
        turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
        self.shapes.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{self.size}" text-anchor="{anchor}" fill="{self.ink()}"{turn}>'
            f"{html.escape(words)}</text>"
        )

    def line(self, x0: float, y0: float, x1: float, y1: float, colour: str = "#444", width: float = 0.6) -> None:
        """A straight line."""
        self.shapes.append(
            f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" stroke="{colour}" stroke-width="{width}"/>'
        )

    def box(self, x: float, y: float, width: float, height: float, fill: str, edge: str = "none") -> None:
        """A rectangle."""
        self.shapes.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}" stroke="{edge}" '
            f'stroke-width="0.6" rx="{self.rng.choice((0, 0, 3))}"/>'
        )

    def names(self, count: int) -> list[str]:
        """What stands along an axis of names."""
        rng, year = self.rng, self.rng.randint(1990, 2015)
        return rng.choice(
            (
                [str(year + n) for n in range(count)],
                [MONTHS[n % 12][:3] for n in range(count)],
                [f"Q{1 + n % 4}" for n in range(count)],
                [self.writer.noun() for _ in range(count)],
                [self.writer.system() for _ in range(count)],
                list("ABCDEFGHIJKLMNOP"[:count]),
            )
        )

    def plane(self) -> tuple[float, float, float, float]:
        """Axes with their numbers, lines and titles: left, top, right and bottom of what they hold."""
        rng, size = self.rng, self.size
        left, right, top, bottom = 4.5 * size, self.width - 10, 2.5 * size, self.height - 4.5 * size
        if rng.random() < 0.7:
            self.text(self.width / 2, 1.2 * size, self.writer.title(2, 6), "middle")
        if rng.random() < 0.6:
            self.text(size, (top + bottom) / 2, self.writer.title(1, 3), "middle", turned=True)
        steps, unit = rng.randint(3, 8), rng.choice((0.1, 0.25, 1, 5, 10, 20, 1000))
        sign = rng.choice(("", "", "", "%", "k"))
        framed, ruled = rng.random() < 0.4, rng.random() < 0.5
        for n in range(steps + 1):
            y = bottom - n * (bottom - top) / steps
            self.text(left - 3, y + 0.35 * size, f"{n * unit:g}{sign}", "end")
            if ruled:
                self.line(left, y, right, y, "#ccc", 0.4)
        self.line(left, bottom, right, bottom)
        self.line(left, top, left, bottom)
        if framed:
            self.box(left, top, right - left, bottom - top, "none", "#444")
        if rng.random() < 0.6:
            self.text((left + right) / 2, self.height - 1.5 * size, self.writer.title(1, 3), "middle")
        return left, top, right, bottom

    def legend(self, x: float, y: float, count: int) -> None:
        """Names of series, below each other or in one row."""
        level, size = self.rng.random() < 0.4, self.size
        for n in range(count):
            self.box(x, y - 0.7 * size, size, 0.7 * size, COLOURS[n % 5])
            name = self.writer.system()
            self.text(x + 1.4 * size, y, name)
            x, y = (x + (3 + 0.6 * len(name)) * size, y) if level else (x, y + 1.3 * size)

    def bars(self) -> None:
        """Upright bars in groups, with their values above or not."""
        rng = self.rng
        left, top, right, bottom = self.plane()
        count, series, told = rng.randint(3, 9), rng.choice((1, 1, 2, 3)), rng.random() < 0.6
        step = (right - left) / count
        for n, name in enumerate(self.names(count)):
            for k in range(series):
                high, wide = rng.uniform(0.1, 0.95) * (bottom - top), 0.7 * step / series
                x = left + (n + 0.15) * step + k * wide
                self.box(x, bottom - high, wide, high, COLOURS[k])
                if told:
                    self.text(
                        x + wide / 2, bottom - high - 1.5, f"{rng.uniform(1, 99):.{rng.choice((0, 1))}f}", "middle"
                    )
            if rng.random() < 0.95:
                self.text(left + (n + 0.5) * step, bottom + 1.3 * self.size, name[: max(3, int(step / 4))], "middle")
        if series > 1:
            self.legend(left + 10, top + self.size, series)

    def levels(self) -> None:
        """Level bars: a name at the left, a value at the right of each, as a list has them."""
        rng, size = self.rng, self.size
        count = max(3, min(14, int(self.height / (1.8 * size))))
        left, step = 0.35 * self.width, (self.height - 3 * size) / count
        self.text(self.width / 2, 1.2 * size, self.writer.title(2, 6), "middle")
        for n in range(count):
            y, long = 2.2 * size + n * step, rng.uniform(0.05, 0.8) * (self.width - left)
            self.text(left - 4, y + 0.65 * step, self.writer.title(1, 2)[: int(left / size * 1.6)], "end")
            self.box(left, y + 0.1 * step, long, 0.7 * step, COLOURS[0])
            self.text(left + long + 3, y + 0.65 * step, f"{rng.uniform(0, 100):.1f}" + rng.choice(("", "%")))

    def lines(self) -> None:
        """Curves or points over numbers, some of them named."""
        rng, size = self.rng, self.size
        left, top, right, bottom = self.plane()
        count, series = rng.randint(4, 9), rng.randint(1, 4)
        for n, name in enumerate(rng.choice((self.names(count), [f"{n * 10}" for n in range(count)]))):
            self.text(left + n * (right - left) / (count - 1), bottom + 1.3 * size, name[:6], "middle")
        for k in range(series):
            places = [
                (left + n * (right - left) / (count - 1), rng.uniform(top + size, bottom - size)) for n in range(count)
            ]
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            self.shapes.append(f'<polyline points="{points}" fill="none" stroke="{COLOURS[k]}"/>')
        if rng.random() < 0.3:
            for x, y in places:
                self.text(x + 2, y - 2, self.writer.noun())
        else:
            self.legend(left + 8, top + size, series)

    def slices(self) -> None:
        """A cake whose slices have names and shares around it."""
        rng = self.rng
        x, y, radius = self.width / 2, self.height / 2, 0.28 * min(self.width, self.height)
        self.shapes.append(f'<circle cx="{x}" cy="{y}" r="{radius}" fill="#9bd" stroke="#444" stroke-width="0.5"/>')
        count = rng.randint(3, 7)
        for n in range(count):
            angle = 2 * math.pi * (n + 0.5) / count
            u, v = x + 1.2 * radius * math.cos(angle), y + 1.25 * radius * math.sin(angle)
            anchor = "start" if u > x else "end"
            self.text(u, v, f"{self.writer.title(1, 2)}", anchor)
            self.text(u, v + 1.2 * self.size, f"{rng.randint(2, 60)} %", anchor)

    def flow(self) -> None:
        """Boxes with words, in rows and columns, and arrows between them."""
        rng, size = self.rng, self.size
        down, across = rng.randint(1, 4), rng.randint(2, 5)
        wide, high = self.width / across, self.height / down
        fill, edge = rng.choice(COLOURS), rng.choice(("#444", "none", "#48a"))
        for row in range(down):
            for column in range(across):
                if rng.random() < 0.15:
                    continue
                x, y = column * wide + 0.08 * wide, row * high + 0.15 * high
                self.box(x, y, 0.8 * wide, 0.6 * high, fill, edge)
                most = max(1, min(3, int(0.5 * high / (1.2 * size))))
                letters = max(4, int(0.8 * wide / (0.55 * size)))
                for n in range(rng.randint(1, most)):
                    self.text(x + 0.4 * wide, y + (1.3 + 1.2 * n) * size, self.writer.phrase(1, 2)[:letters], "middle")
                if column + 1 < across:
                    self.line(x + 0.8 * wide, y + 0.3 * high, x + wide, y + 0.3 * high)
                if row + 1 < down and rng.random() < 0.4:
                    self.line(x + 0.4 * wide, y + 0.6 * high, x + 0.4 * wide, y + high)
                    if rng.random() < 0.5:
                        self.text(
                            x + 0.4 * wide + 3, y + 0.85 * high, rng.choice(("yes", "no", "ok", "n = 12", "1..*"))
                        )

    def spans(self) -> None:
        """Tasks over months: names at the left, months above, bars over some of them."""
        rng, size = self.rng, self.size
        left, count, months = 0.3 * self.width, rng.randint(3, 9), rng.randint(4, 10)
        step, high = (self.width - left) / months, (self.height - 2 * size) / count
        first, ruled = rng.randrange(12), rng.random() < 0.5
        for n in range(months):
            self.text(left + (n + 0.5) * step, size, MONTHS[(first + n) % 12][:3], "middle")
            if ruled:
                self.line(left + n * step, 1.5 * size, left + n * step, self.height, "#ccc", 0.4)
        for n in range(count):
            y, start = 2 * size + n * high, rng.uniform(0, 0.6) * (self.width - left)
            self.text(2, y + 0.6 * high, self.writer.title(1, 3)[: int(left / size * 1.6)])
            self.box(
                left + start, y + 0.2 * high, rng.uniform(0.1, 0.4) * (self.width - left), 0.6 * high, COLOURS[n % 5]
            )

    def tree(self) -> None:
        """An organisation, or a taxonomy: names below each other's heads, with lines between them."""
        rng, size = self.rng, self.size
        levels, places = rng.randint(2, 4), [self.width / 2]
        high, boxed = self.height / levels, rng.random() < 0.6
        for level in range(levels):
            room = self.width / len(places)
            for x in places:
                y = level * high + 1.5 * size
                if boxed:
                    self.box(x - 0.45 * room, y - 1.2 * size, 0.9 * room, 2 * size, "none", "#444")
                self.text(x, y, self.writer.noun()[: max(3, int(0.8 * room / (0.55 * size)))], "middle")
            if level + 1 < levels:
                most = max(1, int(self.width / (len(places) * 6 * size)))
                each = min(most, rng.choice((2, 2, 3)))
                below = [x + room * ((k + 0.5) / each - 0.5) for x in places for k in range(each)]
                for n, x in enumerate(below):
                    self.line(places[n // each], level * high + 2.4 * size, x, (level + 1) * high + 0.3 * size)
                places = below
