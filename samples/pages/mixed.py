"""Mixed document: seven pages about one lighthouse, among them a scan, a rotated table and a blank page."""

from samples.press.blocks import (
    LANDSCAPE,
    Block,
    Bullets,
    Caption,
    Figure,
    Frame,
    Furniture,
    Heading,
    Numbered,
    Para,
    Role,
    Sheet,
    Table,
    Title,
    Zone,
    roles,
)
from samples.press.figures import lighthouse

PRINT = roles(
    "serif",
    title={"size": 15.0, "rows": 2.0, "after": 0.0},
    caption={"before": 0.25},
    heading={"size": 10.5, "rows": 1.25, "after": 0.25},
)
NARROW = roles("serif", 8.5, body={"indent": 8.0, "after": 0.0}, heading={"size": 10.0, "rows": 1.25, "before": 0.5})
TYPED = roles("mono", 8.5, right={"align": "right", "after": 0.0}, tight={"after": 0.0})
PLAIN = roles("sans", 8.5, heading={"size": 11.0, "rows": 1.5, "after": 0.25}, table={"after": 1.0})
_FULL = (Frame(23.04, 207.36, 2.5, 25.5),)


def _foot(number: int) -> tuple[Furniture, ...]:
    return (
        Furniture("Gannet Point Lighthouse", 28.25, "left", margin=23.04),
        Furniture(str(number), 28.25, "right", margin=23.04),
    )


def _page(number: int, look: dict[str, Role], *blocks: Block, scan: bool = False) -> Sheet:
    return Sheet((Zone(_FULL, blocks, look),), furniture=() if scan else _foot(number), scan=scan)


_OPENING = _page(
    1,
    PRINT,
    Title("Gannet Point Lighthouse"),
    Para("Restoration file, opened on 3 May 2021", "byline"),
    Heading("Why now"),
    Para(
        "The tower has stood on its rock since 1842 and has been painted, by our count, thirty-one times. "
        "Under all that paint the mortar is failing. In the storm of 14 January a piece the size of a loaf "
        "fell from the gallery and went through the roof of the coal store, which was luckily empty."
    ),
    Figure(lighthouse, 8),
    Caption("The tower in section, with its three landings."),
    Para(
        "This file collects what we know, what it will cost and who has promised what. It is meant for the "
        "trustees and for anyone in the village who cares to read it."
    ),
)

_HISTORY = Sheet(
    (
        Zone(
            (Frame(18, 103, 2.25, 25.75), Frame(132.44, 103, 2.25, 25.75)),
            (
                Heading("A short history"),
                Para(
                    "The first keeper, Josiah Penn, lit the lamp on 9 November 1842 and wrote in his book: "
                    "“Lit. Wind north. Cold.” He wrote much the same for the next nineteen years."
                ),
                Para(
                    "The oil lamp gave way to gas in 1887 and to electricity in 1931, when the last family "
                    "moved ashore with two goats and a piano that had to be lowered from the gallery in "
                    "pieces."
                ),
                Para(
                    "Since 1986 the light has run by itself. A technician comes twice a year, usually in "
                    "fog, and the rest of the time the gulls have the place to themselves."
                ),
                Heading("What the survey found"),
                Para(
                    "Ellen Marsh spent four days on ropes in June. She tapped every stone with a small "
                    "hammer and marked the hollow ones with chalk; by Friday the north face looked like a "
                    "blackboard."
                ),
                Para(
                    "Of 2,316 facing stones, 187 are loose and 42 must be replaced. The iron stairs are "
                    "sound. The lantern glass is original and, apart from one star-shaped crack, perfect."
                ),
                Heading("What comes next"),
                Para(
                    "Her advice is plain: two summers of work, beginning at the top, with lime mortar only "
                    "and no paint for at least a year."
                ),
                Para(
                    "Stone of the right colour was last cut in 1903, two miles up the coast. The present "
                    "owner of that quarry has been asked, and his answer is on the next page."
                ),
            ),
            NARROW,
        ),
    ),
    furniture=_foot(2),
)

_LETTER = _page(
    3,
    TYPED,
    Para("Quarry House, Steep Lane", "right"),
    Para("22 June 2021", "right"),
    Heading("Stone for the tower"),
    Para("Dear trustees,"),
    Para(
        "Thank you for the sample. It is our own stone, from the bed we closed in 1903. My grandfather cut "
        "it and, I am told, complained about it every day."
    ),
    Para(
        "We can open the bed again for 42 blocks. They would be ready in April, if the winter is kind, at "
        "310 pounds each, delivered to the jetty. Getting them across is your affair."
    ),
    Para("With good wishes,", "tight"),
    Para("Walter Hobbs", "tight"),
    scan=True,
)

_WORKS = Sheet(
    (
        Zone(
            (Frame(23.04, 299.52, 2.5, 17),),
            (
                Heading("Works by level"),
                Table(
                    ("Level", "Task", "Height", "Loose", "Replaced", "Weeks"),
                    (
                        ("Lantern", "repair the glazing bars", "33.5 m", "0", "0", "3"),
                        ("Gallery", "rebuild the parapet", "31.0 m", "58", "19", "9"),
                        ("Third landing", "repoint the north face", "24.2 m", "61", "14", "7"),
                        ("Second landing", "new window frames", "16.8 m", "39", "6", "5"),
                        ("First landing", "drain the wall", "9.1 m", "21", "3", "4"),
                        ("Base", "clean and seal", "0.0 m", "8", "0", "2"),
                        ("Tower", "", "", "187", "42", "30"),
                    ),
                    (72, 98, 38, 34, 46, 36),
                    "llrrrr",
                    (6,),
                ),
                Para(
                    "Heights are measured from the rock. Work on the gallery needs three dry days in a row, "
                    "which the weather station recorded eleven times last summer."
                ),
            ),
            PLAIN,
        ),
    ),
    size=LANDSCAPE,
    rotate=90,
    furniture=(Furniture("4", 20.1, "right", "sans", margin=23.04),),
)

_BUDGET = _page(
    6,
    PLAIN,
    Heading("Budget"),
    Para(
        "All sums are in pounds. The estimate of the surveyor includes ten per cent for surprises; old "
        "towers, she writes, are full of them."
    ),
    Table(
        ("Item", "2022", "2023", "Total"),
        (
            ("Scaffolding", "38,400", "21,900", "60,300"),
            ("Stone and lime", "9,820", "6,140", "15,960"),
            ("Masons", "46,500", "39,750", "86,250"),
            ("Boats", "5,280", "4,410", "9,690"),
            ("Surprises", "10,000", "7,220", "17,220"),
            ("Sum", "110,000", "79,420", "189,420"),
        ),
        (5, 3, 3, 3),
        "lrrr",
        (5,),
    ),
    Heading("Promised so far"),
    Bullets(
        (
            "120,000 from the Coastal Heritage Fund, if work starts before June 2022",
            "25,000 from the county",
            "11,340 from the village, mostly in jars",
        )
    ),
    Para("That leaves 33,080 to find before the first block is cut."),
)

_VISITS = _page(
    7,
    PRINT,
    Heading("Visiting during the works"),
    Para("The island stays open on Sundays from May to September. Please keep to these rules:"),
    Numbered(
        (
            "Book the crossing with Mr Tully by Friday noon; the boat takes eight people and one dog.",
            "Wear a helmet inside the fence. There are twelve, in three sizes.",
            "Do not climb the scaffold, not even the first ladder.",
            "Take nothing from the rubble. Every stone is numbered.",
        )
    ),
    Para(
        "Children who find a number chalked on a stone may write it in the book by the door. So far the "
        "record is held by Maisie Tully, aged seven, with 164."
    ),
    Heading("Who to ask"),
    Para(
        "Questions about money go to Peter Lang, questions about stone to Ellen Marsh, and questions about "
        "the tide to anyone but Mr Tully, who will answer them at length."
    ),
)

SHEETS = (_OPENING, _HISTORY, _LETTER, _WORKS, Sheet(), _BUDGET, _VISITS)
