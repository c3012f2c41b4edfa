"""Newspaper: two stories in two columns, with a photograph and words divided at line ends."""

from samples.press.blocks import Caption, Figure, Frame, Furniture, Heading, Para, Sheet, Title, Zone, roles
from samples.press.canvas import ROW, Canvas
from samples.press.figures import bridge

LOOK = roles(
    "serif",
    8.5,
    title={"size": 15.5, "rows": 1.75, "after": 0.0},
    byline={"font": "serif-i", "after": 0.0},
    body={"indent": 7.0, "after": 0.0},
    heading={"size": 11.0, "rows": 1.25, "before": 0.75, "after": 0.0},
    caption={"font": "sans", "size": 8.0, "before": 0.25, "after": 0.5},
)


def _backdrop(canvas: Canvas) -> None:
    canvas.line(18, canvas.width - 18, 2.05 * ROW, 0.4)
    canvas.line(18, canvas.width - 18, 2.15 * ROW, 1.2)
    canvas.path([(canvas.width / 2, 6.4 * ROW), (canvas.width / 2, 28.2 * ROW)], width=0.4)


SHEET = Sheet(
    backdrop=_backdrop,
    furniture=(
        Furniture("THE WENDLE COURIER", 1, "left", "serif-b", margin=18),
        Furniture("Thursday, 14 March 2019   3", 1, "right", margin=18),
    ),
    zones=(
        Zone((Frame(18, 217.44, 2.5, 3.75),), (Title("Old bridge to close for nine months as cracks widen"),), LOOK),
        Zone(
            (Frame(18, 103, 6.25, 22), Frame(132.44, 103, 6.25, 22)),
            (
                Para("By Harriet Cole", "byline"),
                Para(
                    "The stone bridge at Wendle will shut to all traf\u00adfic on Monday after "
                    "engi\u00adneers found that two of its three arches have moved by 14 mil\u00adlimetres "
                    "since Christ\u00admas."
                ),
                Para(
                    "County coun\u00adcil\u00adlors voted 31 to 6 on Tuesday night to spend 2.8 million "
                    "pounds on repairs. A foot\u00adbridge should open in May."
                ),
                Figure(bridge, 5),
                Caption("Wendle bridge, built in 1786."),
                Para(
                    "“We would rather be late for school than in the river,” said Dennis Oakes, who has "
                    "driven the 7.40 bus across it for twenty-two years."
                ),
                Para(
                    "Shops on the east bank fear an empty summer. Buses will take the long way round by "
                    "Harrow Mill, which adds eigh\u00adteen min\u00adutes to the trip. “We are used to "
                    "floods,” said the green\u00adgrocer, Amina Lodge. “A river of parked lorries is "
                    "some\u00adthing new.”"
                ),
                Heading("Choir needs tenors"),
                Para(
                    "The Wendle Singers are look\u00ading for three ten\u00adors before their spring "
                    "concert on 6 April. “One would do, if he were loud,” said con\u00adductor Ruth Amory. "
                    "Rehear\u00adsals are on Wednes\u00addays at eight in the chapel hall."
                ),
            ),
            LOOK,
        ),
    ),
)
