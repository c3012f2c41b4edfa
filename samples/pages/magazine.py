"""Magazine: a feature with standfirst, two columns and a tinted box of facts."""

from samples.press.blocks import Bullets, Caption, Figure, Frame, Furniture, Heading, Para, Sheet, Title, Zone, roles
from samples.press.canvas import ROW, Canvas
from samples.press.figures import loaves

LOOK = roles(
    "serif",
    8.5,
    title={"font": "sans-b", "size": 16.0, "rows": 2.0, "after": 0.0},
    standfirst={"font": "sans", "size": 9.0, "after": 0.0},
    byline={"font": "sans-i", "size": 8.5, "after": 0.0},
    body={"indent": 8.0, "after": 0.0},
    heading={"font": "sans-b", "size": 9.5, "rows": 1.0, "before": 0.5, "after": 0.0},
    caption={"font": "sans-i", "before": 0.25},
)
BOX = roles("sans", 8.5, heading={"size": 9.5, "rows": 1.25, "before": 0.0}, item={"indent": 8.0})


def _backdrop(canvas: Canvas) -> None:
    canvas.line(18, canvas.width - 18, 2.1 * ROW, 2.0, (0.7, 0.3, 0.2))
    canvas.box(130, 21.5 * ROW, 105.44, 6.25 * ROW, (0.96, 0.93, 0.88))


SHEET = Sheet(
    backdrop=_backdrop,
    furniture=(
        Furniture("Table & Street", 1, "left", "sans-b", margin=18),
        Furniture("May 2024   41", 28.25, "right", "sans", margin=18),
    ),
    zones=(
        Zone(
            (Frame(18, 217.44, 2.5, 6),),
            (
                Title("Yesterday’s bread, please"),
                Para(
                    "In Leith, one shop sells only loaves that nobody wanted the day before, and sells out by ten.",
                    "standfirst",
                ),
                Para("By Morag Sillars", "byline"),
            ),
            LOOK,
        ),
        Zone(
            (Frame(18, 103, 8.25, 20), Frame(132.44, 103, 8.25, 12.75)),
            (
                Figure(loaves, 5),
                Caption("Saturday morning in Leith."),
                Para(
                    "The queue starts before the lights go on. At its head stands Mr Baird, retired "
                    "plumber, with two cloth bags. “The old ones slice better,” he says. “Fresh bread is "
                    "for people without patience.”"
                ),
                Para(
                    "Behind the counter, Una Kerr is unpacking crates from eleven bakeries. She pays them a "
                    "third of the price, sorts by hand, and chalks the day’s list on the door."
                ),
                Heading("A second life"),
                Para(
                    "What is past slicing becomes crumbs, dumplings or, on Fridays, a bread soup that has "
                    "its own small following. Last year only forty kilos went to the pigs."
                ),
                Para(
                    "“My mother never threw out a crust,” Kerr says, wiping the long wooden board. “I just "
                    "gave her habit an address.”"
                ),
            ),
            LOOK,
        ),
        Zone(
            (Frame(134.5, 97, 21.9, 6),),
            (
                Heading("The shop in numbers"),
                Bullets(("260 loaves a day", "11 bakeries", "3 volunteers", "Open from 8 to 12")),
            ),
            BOX,
        ),
    ),
)
