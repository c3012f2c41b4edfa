"""Notes: typewritten notes of an evening course, with lists and short remarks."""

from samples.press.blocks import Bullets, Frame, Heading, Numbered, Para, Sheet, Title, Zone, roles

LOOK = roles(
    "mono",
    8.5,
    title={"size": 12.0, "rows": 1.5, "after": 0.0},
    heading={"size": 9.0, "rows": 1.0, "after": 0.25},
    byline={"font": "mono"},
    item={"indent": 16.0},
)

SHEET = Sheet(
    zones=(
        Zone(
            (Frame(23.04, 207.36, 2, 26),),
            (
                Title("Beekeeping, evening 3"),
                Para("Tue 9 Feb, village hall, with Mrs Pratt", "byline"),
                Heading("Before the season"),
                Bullets(
                    (
                        "heft the hive: light = feed now",
                        "one dead bee is nothing, a carpet of them is a letter to the inspector",
                        "mouse guards stay on until April",
                    )
                ),
                Heading("First inspection"),
                Numbered(
                    (
                        "wait for a still day above 14 degrees",
                        "two puffs of smoke, then count to 60",
                        "lift the outer frame first, slowly",
                        "look for eggs, not for the queen",
                    )
                ),
                Para(
                    "Mrs P says a calm keeper makes calm bees. She was stung twice while saying it and did "
                    "not even look down."
                ),
                Heading("To buy"),
                Bullets(("6 frames and foundation", "gloves, size 8 (NOT leather)")),
                Para("Next time: swarms, and what to tell the neighbours."),
            ),
            LOOK,
        ),
    )
)
