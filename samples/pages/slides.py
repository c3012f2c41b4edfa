"""Slides: one landscape slide with bullets on the left and a chart on the right."""

from samples.press.blocks import (
    LANDSCAPE,
    Bullets,
    Caption,
    Figure,
    Frame,
    Furniture,
    Heading,
    Para,
    Sheet,
    Title,
    Zone,
    roles,
)
from samples.press.canvas import ROW, Canvas
from samples.press.figures import bars

LOOK = roles("sans", title={"size": 16.0, "rows": 2.0}, heading={"size": 11.0, "rows": 1.5, "after": 0.25})


def _backdrop(canvas: Canvas) -> None:
    canvas.box(0, 0, canvas.width, 1.2 * ROW, (0.3, 0.42, 0.55))
    canvas.line(23.04, canvas.width - 23.04, 19.9 * ROW, 0.8, (0.3, 0.42, 0.55))


SHEET = Sheet(
    size=LANDSCAPE,
    backdrop=_backdrop,
    furniture=(
        Furniture("Northern Rail Forum, 12 October 2023", 20.1, "left", "sans", margin=23.04),
        Furniture("7", 20.1, "right", "sans", margin=23.04),
    ),
    zones=(
        Zone(
            (Frame(23.04, 299.5, 2, 3.5),),
            (
                Title("Why travellers choose the night train"),
                Para("Answers from 1,184 passengers on six routes, April to June 2023"),
            ),
            LOOK,
        ),
        Zone(
            (Frame(23.04, 166, 6, 13.5),),
            (
                Heading("What matters most"),
                Bullets(
                    (
                        "Arriving rested: 71% name it first",
                        "A price below flight plus hotel",
                        "Space for a bicycle or a big suitcase",
                        "A door that locks, even in the cheapest class",
                    )
                ),
                Heading("What keeps people away"),
                Bullets(
                    (
                        "Tickets go on sale only 60 days ahead",
                        "One train in five misses its last connection",
                        "Berths for July are gone by March",
                    )
                ),
            ),
            LOOK,
        ),
        Zone(
            (Frame(205, 117.5, 6.5, 13),),
            (
                Figure(bars((0.34, 0.52, 0.81, 0.47, 0.41, 0.6, 0.93, 0.55), dark=(2, 6)), 8),
                Caption("Bookings per quarter in 2022 and 2023; the dark bars are summers."),
            ),
            LOOK | roles("sans", caption={"before": 0.5}),
        ),
    ),
)
