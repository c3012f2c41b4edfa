"""Exam paper: numbered questions with lettered answers, a small table and lines to write on."""

from samples.press.blocks import (
    Figure,
    Frame,
    Furniture,
    Heading,
    Numbered,
    Options,
    Para,
    Sheet,
    Table,
    Title,
    Zone,
    roles,
)
from samples.press.canvas import ROW, Canvas

LOOK = roles(
    "sans",
    title={"size": 14.0, "rows": 1.5, "align": "center", "after": 0.0},
    byline={"align": "center", "font": "sans", "after": 0.25},
    heading={"size": 10.0, "rows": 1.5, "before": 0.25, "after": 0.0},
    item={"indent": 13.0, "after": 0.25},
    table={"before": 0.25, "after": 0.5},
)


def _lines(canvas: Canvas, x: float, y: float, w: float, h: float) -> None:
    for i in range(1, round(h / (1.3 * ROW)) + 1):
        canvas.path([(x, y + 1.3 * ROW * i), (x + w, y + 1.3 * ROW * i)], width=0.4, dash="1 1.5")


SHEET = Sheet(
    furniture=(Furniture("Turn over", 28.25, "right", "sans", margin=23.04), Furniture("1", 28.25, font="sans")),
    zones=(
        Zone(
            (Frame(23.04, 207.36, 2, 26.25),),
            (
                Title("Geography, Year 9"),
                Para("Summer test. 40 minutes. Calculators allowed.", "byline"),
                Heading("Part A: choose one answer (2 marks each)"),
                Numbered(("Which wind brings most rain to a west coast?",)),
                Options(("a warm wind from the land", "a moist wind from the sea", "a dry wind from the hills")),
                Numbered(("On a 1 : 25,000 map two villages are 6 cm apart. How far is it really?",), start=2),
                Options(("150 m", "1.5 km", "15 km")),
                Heading("Part B: use the table (8 marks)"),
                Table(
                    ("Month", "Rain (mm)", "Mean (C)", "Dry days"),
                    (("January", "104", "4.1", "9"), ("April", "62", "8.7", "15"), ("July", "48", "17.3", "21")),
                    (4, 4, 4, 4),
                    "lrrr",
                ),
                Numbered(
                    ("Work out the mean rainfall of the three months.", "Explain why July has so many dry days."),
                    start=3,
                ),
                Figure(_lines, 2.75),
            ),
            LOOK,
        ),
    ),
)
