"""Drawings for the samples: charts and sketches of lines and tints, without any lettering."""

import math
from collections.abc import Callable, Sequence

from samples.press.blocks import Draw
from samples.press.canvas import Canvas, Colour, Point

GREY: Colour = (0.55, 0.55, 0.55)
PALE: Colour = (0.86, 0.88, 0.9)
DARK: Colour = (0.2, 0.28, 0.4)


def _axes(canvas: Canvas, x: float, y: float, w: float, h: float, ticks: int = 5) -> None:
    canvas.path([(x, y), (x, y + h), (x + w, y + h)], width=0.7)
    for i in range(1, ticks):
        canvas.path([(x, y + h * i / ticks), (x + 2.5, y + h * i / ticks)], width=0.5)
        canvas.path([(x + w * i / ticks, y + h), (x + w * i / ticks, y + h - 2.5)], width=0.5)


def bars(values: Sequence[float], dark: Sequence[int] = ()) -> Draw:
    """A bar chart of values between 0 and 1; the bars listed in `dark` stand out."""

    def draw(canvas: Canvas, x: float, y: float, w: float, h: float) -> None:
        pitch = (w - 4) / len(values)
        for i, value in enumerate(values):
            fill = DARK if i in dark else GREY
            canvas.box(x + 3 + i * pitch + pitch * 0.15, y + h * (1 - value), pitch * 0.7, h * value, fill)
        _axes(canvas, x, y, w, h)

    return draw


def curves(functions: Sequence[Callable[[float], float]], dots: Sequence[Point] = ()) -> Draw:
    """Curves over the unit square, the second one dashed, with optional measured dots."""

    def draw(canvas: Canvas, x: float, y: float, w: float, h: float) -> None:
        _axes(canvas, x, y, w, h)
        for function, dash in zip(functions, ("", "3 2", "1 1.5"), strict=False):
            points = [(x + w * i / 40, y + h * (1 - function(i / 40))) for i in range(41)]
            canvas.path(points, width=0.9, dash=dash)
        for dx, dy in dots:
            canvas.box(x + w * dx - 1, y + h * (1 - dy) - 1, 2, 2, DARK)

    return draw


def loaves(canvas: Canvas, x: float, y: float, w: float, h: float) -> None:
    """A shelf of three loaves."""
    canvas.box(x, y, w, h, PALE)
    for i in range(3):
        middle, size = x + w * (i + 0.5) / 3, w * 0.13
        top = [
            (middle + size * math.cos(a / 12 * math.pi), y + h * 0.8 - h * 0.5 * math.sin(a / 12 * math.pi))
            for a in range(13)
        ]
        canvas.path(top, fill=(0.72, 0.55, 0.36), width=0.6)
        for cut in (-0.45, 0.0, 0.45):
            canvas.path([(middle + size * cut - 2, y + h * 0.62), (middle + size * cut + 3, y + h * 0.45)], width=0.8)
    canvas.box(x, y + h * 0.8, w, h * 0.07, (0.4, 0.32, 0.25))


def bridge(canvas: Canvas, x: float, y: float, w: float, h: float) -> None:
    """A stone bridge of three arches over a river."""
    canvas.box(x, y, w, h, (0.9, 0.92, 0.93))
    canvas.box(x, y + h * 0.74, w, h * 0.26, (0.66, 0.72, 0.76))
    canvas.box(x, y + h * 0.34, w, h * 0.44, (0.58, 0.55, 0.5))
    for i in range(3):
        middle, span = x + w * (i + 0.5) / 3, w * 0.12
        arch = [
            (middle + span * math.cos(a / 12 * math.pi), y + h * 0.78 - h * 0.32 * math.sin(a / 12 * math.pi))
            for a in range(13)
        ]
        canvas.path(arch, fill=(0.8, 0.85, 0.88), width=0.6)
    canvas.line(x, x + w, y + h * 0.34, 1.2)
    for i in range(4):
        canvas.line(x + w * (0.08 + 0.22 * i), x + w * (0.22 + 0.22 * i), y + h * (0.86 + 0.03 * (i % 2)), 0.6)


def lighthouse(canvas: Canvas, x: float, y: float, w: float, h: float) -> None:
    """A lighthouse in section, with its three landings."""
    middle, foot = x + w / 2, y + h
    canvas.path(
        [(middle - 20, foot), (middle - 12, y + h * 0.25), (middle + 12, y + h * 0.25), (middle + 20, foot)], fill=PALE
    )
    canvas.box(middle - 9, y + h * 0.08, 18, h * 0.17, (1, 1, 1), (0, 0, 0))
    canvas.path([(middle - 11, y + h * 0.08), (middle, y), (middle + 11, y + h * 0.08)], fill=DARK)
    for share in (0.42, 0.6, 0.8):
        half = 12 + 8 * (share - 0.25) / 0.75
        canvas.line(middle - half, middle + half, y + h * share, 0.8)
    canvas.line(middle - 60, middle + 60, foot, 1.0)
