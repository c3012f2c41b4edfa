"""Journal article: a page of A4 in two columns with a numbered formula, a table, a figure, footnote and references."""

from samples.press.blocks import (
    A4,
    Bullets,
    Caption,
    Figure,
    Formula,
    Frame,
    Furniture,
    Heading,
    NextFrame,
    Numbered,
    Para,
    Sheet,
    Space,
    Table,
    Title,
    Zone,
    roles,
)
from samples.press.figures import curves

_SIZE = 10.0
LOOK = roles(
    "serif",
    _SIZE,
    title={"size": 17.0, "rows": 2.0, "align": "center", "after": 0.5},
    byline={"align": "center", "after": 0.5},
    abstract={"font": "serif", "size": _SIZE, "align": "justify"},
    heading={"size": 11.5, "rows": 1.5, "before": 0.75, "after": 0.25},
    body={"after": 0.0, "indent": 10.0, "align": "justify"},
    caption={"font": "serif", "size": 9.0, "before": 0.5, "after": 0.25},
    table={"after": 0.5},
    formula={"size": 10.0},
)
_LEFT, _RIGHT, _WIDTH = 51.0, 304.0, 240.0

SHEET = Sheet(
    size=A4,
    furniture=(
        Furniture("Annals of Harbour Engineering 27 (2024) 113-120", 2.5, "left", margin=_LEFT),
        Furniture("113", 70.5),
    ),
    zones=(
        Zone(
            (Frame(_LEFT, _RIGHT + _WIDTH - _LEFT, 5, 13),),
            (
                Title("Why Small Harbours Fill with Sand, and What a Groyne Can Do About It"),
                Para("Marta Lindqvist, Samuel Adeyemi and Joan Ferrer", "byline"),
                Para("Institute for Coastal Works, Port Ellis", "byline"),
                Para(
                    "<b>Abstract.</b> Most small harbours were built where a river met the sea, and most of them "
                    "are losing depth. We followed eleven harbours for six years, measured the sand that entered "
                    "and the sand that left, and compared three ways of keeping the entrance open. Dredging alone "
                    "restores the depth for about fourteen months. A short groyne on the weather side doubles "
                    "that time at a third of the yearly cost, provided that it ends inside the breaker line. We "
                    "give a simple rule for its length and say where the rule fails.",
                    "abstract",
                ),
            ),
            LOOK,
        ),
        Zone(
            (Frame(_LEFT, _WIDTH, 18.5, 50), Frame(_RIGHT, _WIDTH, 18.5, 50)),
            (
                Heading("1 Introduction"),
                Para(
                    "A harbour is a hole in the coast, and the sea fills holes. Waves that reach the shore at an "
                    "angle push sand along the beach; where the beach ends at a harbour mouth, the sand falls into "
                    "deeper water and stays there. Large ports answer with dredgers that work all year. Small ones "
                    "wait until the ferry touches the ground."
                ),
                Para(
                    "Earlier studies looked at single harbours after single storms [1, 2]. Their advice differs so "
                    "much that harbour masters have learnt to ignore it. We asked a plainer question: over several "
                    "years, and for harbours of fewer than forty berths, which measure keeps the entrance open "
                    "longest for the money spent?"
                ),
                Heading("2 Sites and measurements"),
                Para(
                    "The eleven harbours lie between Cape Maren and the Ouse estuary. All have a tidal range of 2.1 "
                    "to 3.4 m and an entrance less than 60 m wide. Each spring and autumn we sounded the entrance "
                    "on a grid of 5 m, with an error of no more than 4 cm. Three kinds of harbour were told apart:"
                ),
                Bullets(
                    (
                        "open harbours, without any work outside the entrance;",
                        "dredged harbours, cleared at least once in two years;",
                        "harbours with a groyne of 30 to 90 m on the weather side.",
                    )
                ),
                Space(0.25),
                Para(
                    "Wave height and direction came from two buoys. Between May 2017 and April 2023 they were out "
                    "of service for 31 days in all, less than 1.5% of the time, and the gaps were filled from the "
                    "forecast model of the weather service."
                ),
                Heading("3 A budget of sand"),
                Para(
                    "Let $q$ be the sand that arrives along the beach in a year and $L$ the length of the groyne. "
                    "The share that passes its head falls with the distance to the breaker line $b$, so that the "
                    "entrance loses depth at the rate"
                ),
                Formula(r"r = \frac{q}{w} \left( 1 - \frac{L}{b} \right)^2", "1"),
                Para(
                    "where $w$ is the area of the entrance. A groyne that reaches the breaker line would stop the "
                    "sand altogether, but it would also starve the beach behind it, which no parish council has so "
                    "far agreed to."
                ),
                Para(
                    "The breaker line moves with the weather. We take its distance at a wave height that is passed "
                    "on ten days of the year, between 70 and 140 m at our sites. Doubling that height changes $b$ by "
                    "a quarter and $r$ by half, so the rule asks for a chart and a season of measurements, not for a "
                    "laboratory."
                ),
                NextFrame(),
                Figure(
                    curves(
                        (lambda t: 0.9 - 0.75 * t**0.6, lambda t: 0.85 - 0.3 * t),
                        ((0.1, 0.72), (0.22, 0.6), (0.35, 0.52), (0.5, 0.41), (0.64, 0.36), (0.8, 0.22), (0.92, 0.2)),
                    ),
                    9,
                ),
                Caption(
                    "Figure 1. Depth of the entrance after dredging (points), Equation 1 (solid) and a straight "
                    "line (dashed)."
                ),
                Heading("4 Results"),
                Para(
                    "Table 1 gives the mean loss of depth. Open harbours lost 38 cm a year, dredged ones nearly as "
                    "much as soon as the dredger had left. With a groyne the loss was 17 cm, and it did not depend "
                    "on whether the harbour had been dredged before."
                ),
                Caption("Table 1. Loss of depth and yearly cost by kind of harbour."),
                Table(
                    ("Kind", "Sites", "Loss (cm)", "Cost"),
                    (
                        ("Open", "4", "38 ± 6", "2,100"),
                        ("Dredged", "4", "35 ± 9", "61,500"),
                        ("Groyne", "3", "17 ± 4", "19,800"),
                    ),
                    (2, 1, 1.6, 1.4),
                    "lrrr",
                ),
                Para(
                    "The cost of a groyne, spread over thirty years, is a third of that of dredging. The worst year "
                    "of any groyne was still better than the best year of an open harbour. Only at Sallow Quay, "
                    "where the beach is of shingle, did Equation 1 fail: the stones rolled past a groyne of 90 m as "
                    "if it were not there. Shingle moves along the bottom even in deep water, and no short work will "
                    "hold it; there the dredger remains, at 58,000 to 66,000 a year."
                ),
                Heading("5 Conclusion"),
                Para(
                    "For a small harbour on a sandy coast we recommend a groyne of about two thirds of the distance "
                    "to the breaker line, and one dredging before it is built. The rule needs nothing but a chart, "
                    "a buoy and a patient harbour master."
                ),
                Heading("References"),
                Numbered(
                    (
                        "P. Haldane, “Storm deposits at Port Ellis”, Coastal Notes 12 (1998), pp. 41-58.",
                        "R. Okoye and T. Brandt, Sand and Small Craft, Ferry Press, 2009.",
                        "Buoy data, 2017-2023: www.example.org/buoys.",
                    )
                ),
            ),
            LOOK,
        ),
    ),
)
