"""Financial report: an income statement with negatives and totals, and a table by route."""

from samples.press.blocks import Caption, Frame, Furniture, Para, Sheet, Table, Title, Zone, roles

LOOK = roles(
    "sans",
    8.5,
    title={"size": 14.0, "rows": 1.5, "after": 0.25},
    caption={"font": "sans-b", "after": 0.25},
    body={"after": 0.5},
    table={"after": 0.5},
)

_INCOME = (
    ("Passenger fares", "18,420", "16,905", "1,515", "9.0"),
    ("Freight", "9,736", "9,982", "(246)", "(2.5)"),
    ("On-board sales", "3,118", "2,774", "344", "12.4"),
    ("Revenue", "31,274", "29,661", "1,613", "5.4"),
    ("Fuel and port dues", "(10,249)", "(10,745)", "496", "4.6"),
    ("Wages", "(11,060)", "(10,382)", "(678)", "(6.5)"),
    ("Depreciation", "(3,615)", "(3,571)", "(44)", "(1.2)"),
    ("Operating profit", "6,350", "4,963", "1,387", "27.9"),
    ("Finance and tax", "(2,297)", "(2,110)", "(187)", "(8.9)"),
    ("Profit", "4,053", "2,853", "1,200", "42.1"),
)

_ROUTES = (
    ("North Sound", "1,824", "402,300", "71%", "14,905"),
    ("Island Ring", "2,610", "287,150", "58%", "8,640"),
    ("Night Line", "362", "118,470", "83%", "7,729"),
    ("All routes", "4,796", "807,920", "67%", "31,274"),
)

SHEET = Sheet(
    furniture=(
        Furniture("Halden Ferries", 1, "left", "sans", margin=18),
        Furniture("Half-year report", 1, "right", "sans", margin=18),
        Furniture("12", 28.25, font="sans"),
    ),
    zones=(
        Zone(
            (Frame(18, 217.44, 2.25, 25.75),),
            (
                Title("First half of 2024"),
                Para(
                    "Revenue rose by 5.4% to 31.3 million euros. More passengers and cheaper fuel "
                    "outweighed higher wages, and profit reached its best level since 2016."
                ),
                Caption("Income statement (thousand euros)"),
                Table(("Item", "2024", "2023", "Change", "%"), _INCOME, (79, 37, 37, 36, 28), "lrrrr", (3, 7, 9)),
                Caption("Routes"),
                Table(
                    ("Route", "Sailings", "Passengers", "Load", "Revenue"), _ROUTES, (60, 38, 54, 28, 40), "lrrrr", (3,)
                ),
                Para("Load is the share of seats sold. Figures are unaudited."),
            ),
            LOOK,
        ),
    ),
)
