"""Academic paper: spanning title and abstract, then two columns with a formula, a table and a figure."""

from samples.press.blocks import (
    Caption,
    Figure,
    Formula,
    Frame,
    Furniture,
    Heading,
    Para,
    Sheet,
    Table,
    Title,
    Zone,
    roles,
)
from samples.press.figures import curves

_SIZE = 8.5
LOOK = roles(
    "serif",
    _SIZE,
    title={"size": 12.5, "rows": 1.5, "align": "center", "after": 0.0},
    byline={"align": "center", "after": 0.25},
    abstract={"font": "serif", "size": _SIZE, "align": "justify"},
    heading={"size": 9.5, "rows": 1.0, "before": 0.5},
    body={"after": 0.0, "indent": 8.0},
    caption={"font": "serif", "before": 0.5, "after": 0.25},
    table={"after": 0.5},
    formula={"size": 9.0},
)

SHEET = Sheet(
    furniture=(Furniture("Journal of Small Catchments 11 (2022) 204", 1, "left", margin=18), Furniture("204", 28.25)),
    zones=(
        Zone(
            (Frame(18, 217.44, 2.5, 7),),
            (
                Title("Small Rivers Remember Dry Summers"),
                Para("Ida Fenwick, Tomas Arroyo and Lena Okafor", "byline"),
                Para(
                    "<b>Abstract.</b> Autumn floods in small catchments are hard to forecast. We show that "
                    "soil moisture in August explains more than half of the variance of the October peak, "
                    "and that a single probe per valley is enough to see it coming.",
                    "abstract",
                ),
            ),
            LOOK,
        ),
        Zone(
            (Frame(18, 103, 9.75, 18.25), Frame(132.44, 103, 9.75, 18.25)),
            (
                Heading("1 Introduction"),
                Para(
                    "After a dry summer the first rain vanishes. Weeks later the same rain can flood a "
                    "village. Earlier work blamed the storms [3, 8]; we look at the soil instead."
                ),
                Heading("2 Method"),
                Para("Let $S$ be the water stored in August and $P$ the rain of the event. We fit the peak flow as"),
                Formula(r"Q = \frac{(P - a)^2}{P + b - S}", "1"),
                Para("where $a$ is the early loss and $b$ the depth of the soil, both in millimetres."),
                Heading("3 Results"),
                Para("Table 1 compares it with a rain-only model."),
                Caption("Table 1. Variance explained."),
                Table(
                    ("River", "Rain", "Eq. 1"),
                    (("Arle", "0.31", "0.58"), ("Tamber", "0.27", "0.63"), ("Old Nene", "0.40", "0.52")),
                    (2, 1, 1),
                    "lrr",
                ),
                Para("The gain is largest in deep soil, as Figure 1 shows."),
                Figure(
                    curves(
                        (lambda t: 0.1 + 0.8 * t**1.6, lambda t: 0.25 + 0.3 * t),
                        ((0.12, 0.15), (0.25, 0.17), (0.38, 0.3), (0.5, 0.33), (0.64, 0.52), (0.78, 0.6), (0.9, 0.83)),
                    ),
                    3.5,
                ),
                Caption("Figure 1. Peak flow against storage (solid: Equation 1)."),
            ),
            LOOK,
        ),
    ),
)
