"""Kinds of tables of words, and of places on a page: in prose, below and beside each other, and no tables."""

from __future__ import annotations

from random import Random

from benchmarks.made_tables.content import BUDGET, CROPS, GROUPS, LONG, POLLUTANTS, PROSE, REMARKS, STATES, figure
from benchmarks.made_tables.setting import LEFT, closing, heads_of, opening, rows_of, wrapped
from benchmarks.made_tables.sheet import Row, Sheet, Style


def long_labels(sheet: Sheet, rng: Random) -> None:
    """Labels of several lines, with figures beside the first or the last one."""
    size, low = rng.choice((8, 9)), rng.random() < 0.5
    kinds = [rng.choice(("int", "pct", "percent")) for _ in range(rng.randint(2, 4))]
    labels = ["|".join(wrapped(text, rng.uniform(140, 190), "helv", size)) for text in rng.sample(LONG, 6)]
    body = rows_of(rng, labels, kinds, low=low, above=rng.choice((0, 2, 4)))
    style = Style(
        "l" + "r" * len(kinds),
        "",
        rng.choice(("helv", "tiro")),
        size,
        rng.uniform(16, 30),
        rules=frozenset(rng.choice(((), ("top", "head", "foot"), ("top", "head", "foot", "rows")))),
        leaders=low and rng.random() < 0.6,
    )
    names = ["Measure", *(f"Fiscal year|{2005 + n}" for n in range(len(kinds)))]
    y = opening(sheet, rng, "Table 2-4. Selected measures")
    closing(sheet, rng, sheet.table(LEFT, y, [heads_of(names)], body, style))


def worded(sheet: Sheet, rng: Random) -> None:
    """Cells of running words in several lines."""
    size = rng.choice((8, 9))
    body = []
    for name in rng.sample(POLLUTANTS, rng.randint(4, 6)):
        cells: list[tuple[str, ...]] = [(name,), (figure(rng, "dec3") + " ppm",)]
        cells += [wrapped(rng.choice(REMARKS), width, "helv", size) for width in rng.sample((120, 150), 2)]
        body.append(Row(tuple(cells), above=rng.choice((2, 4))))
    rules = rng.choice(
        (("top", "head", "foot", "rows"), ("top", "head", "foot"), ("top", "head", "foot", "rows", "columns", "frame"))
    )
    style = Style("llll", "", rng.choice(("helv", "tiro")), size, rng.uniform(12, 20), rules=frozenset(rules))
    y = opening(sheet, rng, "Table 1. National standards")
    closing(sheet, rng, sheet.table(LEFT, y, [heads_of(["Pollutant", "Level", "Averaging time", "Form"])], body, style))


def words_alone(sheet: Sheet, rng: Random) -> None:
    """A table of words and codes without a column of figures."""
    names = ["Office", "City", "Contact", "Region"]
    cities = ("Boston", "Atlanta", "Chicago", "Dallas", "Denver", "Seattle")
    people = ("J. Rivera", "M. Chen", "A. Okafor", "S. Lindqvist", "P. Moreau", "T. Nakamura")
    body = [
        Row(((f"{name} Office",), (city,), (person,), (f"Region {'IVX'[n % 3]}",)))
        for n, (name, city, person) in enumerate(zip(rng.sample(STATES, 6), cities, people, strict=True))
    ]
    style = Style(
        "llll",
        "",
        rng.choice(("helv", "tiro")),
        9,
        rng.uniform(14, 40),
        rules=frozenset(rng.choice((("top", "head", "foot"), ("top", "head", "foot", "rows")))),
    )
    y = opening(sheet, rng, "Appendix B. Field offices")
    closing(sheet, rng, sheet.table(LEFT, y, [heads_of(names)], body, style))


def in_column(sheet: Sheet, rng: Random) -> None:
    """A table in one of two columns of prose."""
    width, size = 234.0, rng.choice((7, 8))
    kinds = [rng.choice(("pct", "int", "percent")) for _ in range(rng.randint(2, 3))]
    style = Style(
        "l" + "r" * len(kinds),
        "",
        rng.choice(("helv", "tiro")),
        size,
        8.0,
        width=rng.choice((0, 225)),
        rules=frozenset(rng.choice(((), ("top", "head", "foot")))),
        leaders=rng.random() < 0.3,
    )
    names = rng.sample(("1998", "Change", "Percent", "Total", "Rate"), len(kinds))
    heads, body = [heads_of(["Group", *names])], rows_of(rng, rng.sample(GROUPS, 6), kinds)
    left, right, top = LEFT, LEFT + 258, 60.0
    here, other = rng.sample((left, right), 2)
    y = sheet.prose(here, top, width, PROSE * rng.randint(1, 2), "tiro", 9.5) + 10
    sheet.text(here, y, "Table 5. Participation by group", "tibo", 9)
    y = sheet.table(here, y + 8, heads, body, style)
    sheet.prose(here, y + 26, width, PROSE * 4, "tiro", 9.5, 720)
    sheet.prose(other, top, width, PROSE * 6, "tiro", 9.5, 720)


def stacked(sheet: Sheet, rng: Random) -> None:
    """Several tables on a page, each below its title."""
    style = Style(
        "lrrr",
        "",
        rng.choice(("helv", "tiro")),
        8,
        rng.uniform(14, 30),
        bold_heads=rng.random() < 0.6,
        rules=frozenset(rng.choice(((), ("head",), ("top", "head", "foot")))),
    )
    y = rng.uniform(60, 90)
    for number in range(rng.randint(2, 4)):
        sheet.text(LEFT, y, f"Table {number + 1}. {rng.choice(('Harvest', 'Acreage', 'Yield'))} by crop", "hebo", 9)
        body = rows_of(rng, rng.sample(CROPS, rng.randint(4, 7)), [rng.choice(("int", "pct")) for _ in range(3)])
        y = sheet.table(LEFT, y + 9, [heads_of(["Crop", "2001", "2002", "Percent"])], body, style) + rng.uniform(24, 40)


def beside(sheet: Sheet, rng: Random) -> None:
    """Two tables beside each other."""
    y = opening(sheet, rng, "State rankings")
    style = Style(
        "lr", "", rng.choice(("helv", "tiro")), 9, 20, rules=frozenset(rng.choice(((), ("top", "head", "foot"))))
    )
    for x, title in ((LEFT, "Largest increase"), (LEFT + rng.uniform(190, 260), "Largest decrease")):
        sheet.text(x, y + 12, title, "hebo", 9)
        body = rows_of(rng, rng.sample(STATES, 7), ["percent"], 0)
        sheet.table(x, y + 20, [heads_of(["State", "Change"])], body, style)


def no_table(sheet: Sheet, rng: Random) -> None:
    """A curriculum vitae and a list of addresses, which are no tables, below one."""
    style = Style("lrr", "", "tiro", 9, 30)
    y = sheet.table(
        LEFT, 80, [heads_of(["Grade", "Steps", "Salary"])], rows_of(rng, BUDGET[:5], ["small", "int"], 0), style
    )
    y += 40
    sheet.text(LEFT, y, "Experience", "tibo", 12)
    for years in ("2001-2006", "1998-2001", "1995-1998", "1990-1995"):
        sheet.text(LEFT, y + 16, years, "tiro", 9.5)
        y = sheet.prose(LEFT + 90, y + 16, 380, PROSE[: rng.randint(150, 330)].rsplit(" ", 1)[0], "tiro", 9.5)
    sheet.text(LEFT, y + 20, "Offices", "tibo", 12)
    for number, name in enumerate(rng.sample(STATES, 4)):
        at = LEFT + 240 * (number % 2)
        for line, text in enumerate(
            (f"{name} Office", "Room 120, Federal Building", f"{name} {rng.randint(10000, 99999)}")
        ):
            sheet.text(at, y + 40 + 50 * (number // 2) + 12 * line, text, "tiro", 9.5)
