"""Pages of generated tables, a function a kind: each writes what differs from the others and leaves the rest to chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from benchmarks.made_tables.content import (
    BUDGET,
    CROPS,
    GROUPS,
    LONG,
    MONTHS,
    POLLUTANTS,
    PROSE,
    REMARKS,
    SPECIES,
    STATES,
    figure,
    gapped,
)
from benchmarks.made_tables.sheet import Head, Row, Sheet, Style, TrueCell, width_of

LEFT, RIGHT, WIDE = 60.0, 552.0, 492.0
"""Margins of an upright page of 612 by 792 points, and what is between them."""

NUMBERS = ("int", "pct", "small", "dec3", "signed", "paren", "percent")


def heads_of(names: Sequence[str], level: int = 0) -> list[Head]:
    """``names`` over the columns from ``level`` on; ``|`` parts their lines, and an empty name is no head."""
    return [Head(tuple(name.split("|")), n, n) for n, name in enumerate(names, start=level) if name]


def rows_of(rng: Random, labels: Sequence[str], kinds: Sequence[str], gaps: float = 0.06, **more: float) -> list[Row]:
    return [
        Row((tuple(label.split("|")), *((gapped(rng, figure(rng, kind), gaps),) for kind in kinds)), **more)  # type: ignore[arg-type]
        for label in labels
    ]


def wrapped(text: str, width: float, font: str, size: float) -> tuple[str, ...]:
    """``text`` in lines of this ``width``."""
    lines: list[str] = []
    for word in text.split():
        if lines and width_of(f"{lines[-1]} {word}", font, size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return tuple(lines)


def opening(sheet: Sheet, rng: Random, title: str, prose: bool = True) -> float:
    """A running head, perhaps a paragraph, and the title of a table; returns where the table begins."""
    y = rng.uniform(50, 70)
    if rng.random() < 0.5:
        sheet.text(LEFT, 36, "U.S. Department of Public Statistics", "helv", 7)
        sheet.text(RIGHT, 36, str(rng.randint(2, 140)), "helv", 7, "r")
    if prose:
        y = sheet.prose(LEFT, y, WIDE, PROSE * rng.randint(1, 2), rng.choice(("tiro", "helv")), 9.5) + 12
    align = rng.choice("lc")
    sheet.text(LEFT if align == "l" else 306, y, title, rng.choice(("hebo", "tibo", "helv")), 9.5, align)
    return y + rng.uniform(6, 14)


def closing(sheet: Sheet, rng: Random, y: float, prose: bool = True) -> None:
    """Notes below a table, and perhaps a paragraph."""
    y += 14
    for note in ("NOTE: Details may not add to totals because of rounding.", "SOURCE: Annual survey, 2003 to 2009."):
        if rng.random() < 0.7:
            sheet.text(LEFT, y, note, "tiro", 7.5)
            y += 10
    if prose and y < 640:
        sheet.prose(LEFT, y + 14, WIDE, PROSE * 2, "tiro", 9.5, 740)
    if rng.random() < 0.5:
        sheet.text(306, 766, str(rng.randint(2, 140)), "tiro", 8, "c")


def statistics(sheet: Sheet, rng: Random) -> None:
    """Heads over several columns with a line below, indented rows, dots that lead to the figures."""
    share = rng.choice((2, 3))
    kinds = [rng.choice(("int", "pct", "signed")) for _ in range(share)]
    spans = rng.sample(("All persons", "Civilian labor force", "Not in labor force", "1990 census", "2000 census"), 2)
    lower = rng.sample(("Number", "Percent", "Change", "Total", "Rate"), share)
    level = [Head((name,), 1 + share * n, share * (n + 1)) for n, name in enumerate(spans)]
    heads = [level, heads_of(["Characteristic", *lower * 2])]
    body = rows_of(rng, ["Total"], kinds * 2, 0, bold=True)
    for group in rng.sample(("Region", "Sex", "Age", "Type of family"), 3):
        body.append(Row(((group,), *[("",)] * (2 * share)), above=rng.choice((0, 3))))
        body += rows_of(rng, rng.sample(STATES, rng.randint(3, 5)), kinds * 2, indent=8)
    style = Style("l" + "r" * 2 * share, "", rng.choice(("helv", "tiro")), rng.choice((7, 8, 9)), rng.uniform(8, 22),
                  rules=frozenset({"top", "head", "foot", "spans"}), leaders=rng.random() < 0.7,
                  bold_heads=rng.random() < 0.5, width=rng.choice((0, 420)))  # fmt: skip
    y = opening(sheet, rng, "Table 3. Employment status of the population, by selected characteristics")
    closing(sheet, rng, sheet.table(LEFT, y, heads, body, style))


def budget(sheet: Sheet, rng: Random) -> None:
    """Signs of currency at the left of the first and the last figures, years as heads, sums in bold."""
    years = [str(2004 + n) for n in range(rng.randint(2, 5))]
    heads = [
        heads_of(
            [rng.choice(("", "Dollars in thousands")), *(f"FY {y}|{rng.choice(('Actual', 'Estimate'))}" for y in years)]
        )
    ]
    body = rows_of(rng, rng.sample(BUDGET, rng.randint(5, 10)), ["paren"] * len(years))
    body += rows_of(rng, ["Total, budget authority"], ["int"] * len(years), 0, bold=True)
    style = Style("l" + "r" * len(years), "", rng.choice(("helv", "tiro")), rng.choice((8, 9, 10)), rng.uniform(14, 30),
                  rules=frozenset(rng.choice(((), ("head",), ("top", "head", "foot")))), leaders=rng.random() < 0.3,
                  money=frozenset({0, len(body) - 1}))  # fmt: skip
    y = opening(sheet, rng, "Summary of Resources by Appropriation")
    closing(sheet, rng, sheet.table(LEFT, y, heads, body, style))


def typed(sheet: Sheet, rng: Random) -> None:
    """A typewriter's table: columns by spaces, lines of dashes."""
    count = rng.randint(3, 6)
    labels = rng.sample(SPECIES if rng.random() < 0.5 else CROPS, 6)
    width, first = rng.randint(9, 12), rng.randint(18, 22)
    heads = [["", *rng.sample(("Total", "Mean", "Low", "High", "Count", "Catch", "Effort"), count)],
             ["Species", *(rng.choice(("tons", "lbs", "1,000", "pct")) for _ in range(count))]]  # fmt: skip
    rows = [[label, *(figure(rng, rng.choice(("int", "pct", "small"))) for _ in range(count))] for label in labels]
    y, cells = opening(sheet, rng, "TABLE 12. LANDINGS BY SPECIES", prose=rng.random() < 0.5) + 10, []
    dashes = "-" * (first + width * count)

    def write(texts: Sequence[str]) -> str:
        return texts[0].ljust(first) + "".join(text.rjust(width) for text in texts[1:])

    for line in (dashes, *map(write, heads), dashes, *map(write, rows), dashes):
        sheet.text(LEFT, y, line.rstrip(), "cour", 8)
        y += rng.choice((9.6,))
    whole = [" ".join(filter(None, lines)) for lines in zip(*heads, strict=True)]
    for row, texts in enumerate([whole, *rows]):
        cells += [TrueCell(text, row, n, row, n) for n, text in enumerate(texts) if text]
    sheet.tables.append(cells)
    closing(sheet, rng, y)


def tight(sheet: Sheet, rng: Random) -> None:
    """Columns four to eight points apart, without lines."""
    kinds = [rng.choice(("pct", "small", "int")) for _ in range(rng.randint(2, 7))]
    names = rng.sample(("Rain (mm)", "Days", "High", "Low", "Mean", "Wind", "Snow (in)", "Sun"), len(kinds))
    labels = list(MONTHS) if rng.random() < 0.5 else rng.sample(STATES, 9)
    style = Style("l" + "r" * len(kinds), "", rng.choice(("helv", "tiro")), rng.choice((7, 8, 9, 10)), rng.uniform(4, 8),
                  rules=frozenset(rng.choice(((), (), ("head",)))), bold_heads=rng.random() < 0.7)  # fmt: skip
    y = opening(sheet, rng, "Climate normals", prose=rng.random() < 0.6)
    body = rows_of(rng, labels, kinds, 0)
    closing(
        sheet, rng, sheet.table(LEFT, y, [heads_of(["Month" if labels[0] == "Jan" else "State", *names])], body, style)
    )


def long_labels(sheet: Sheet, rng: Random) -> None:
    """Labels of several lines, with figures beside the first or the last one."""
    size, low = rng.choice((8, 9)), rng.random() < 0.5
    kinds = [rng.choice(("int", "pct", "percent")) for _ in range(rng.randint(2, 4))]
    labels = ["|".join(wrapped(text, rng.uniform(140, 190), "helv", size)) for text in rng.sample(LONG, 6)]
    body = rows_of(rng, labels, kinds, low=low, above=rng.choice((0, 2, 4)))
    style = Style("l" + "r" * len(kinds), "", rng.choice(("helv", "tiro")), size, rng.uniform(16, 30),
                  rules=frozenset(rng.choice(((), ("top", "head", "foot"), ("top", "head", "foot", "rows")))),
                  leaders=low and rng.random() < 0.6)  # fmt: skip
    names = ["Measure", *(f"Fiscal year|{2005 + n}" for n in range(len(kinds)))]
    y = opening(sheet, rng, "Table 2-4. Selected measures")
    closing(sheet, rng, sheet.table(LEFT, y, [heads_of(names)], body, style))


def worded(sheet: Sheet, rng: Random) -> None:
    """Cells of running words in several lines."""
    size = rng.choice((8, 9))
    body = []
    for name in rng.sample(POLLUTANTS, rng.randint(4, 6)):
        cells = [(name,), (figure(rng, "dec3") + " ppm",)]
        cells += [wrapped(rng.choice(REMARKS), width, "helv", size) for width in rng.sample((120, 150), 2)]
        body.append(Row(tuple(cells), above=rng.choice((2, 4))))
    rules = rng.choice(
        (("top", "head", "foot", "rows"), ("top", "head", "foot"), ("top", "head", "foot", "rows", "columns", "frame"))
    )
    style = Style("llll", "", rng.choice(("helv", "tiro")), size, rng.uniform(12, 20), rules=frozenset(rules))
    y = opening(sheet, rng, "Table 1. National standards")
    closing(sheet, rng, sheet.table(LEFT, y, [heads_of(["Pollutant", "Level", "Averaging time", "Form"])], body, style))


def in_column(sheet: Sheet, rng: Random) -> None:
    """A table in one of two columns of prose."""
    width, size = 234.0, rng.choice((7, 8))
    kinds = [rng.choice(("pct", "int", "percent")) for _ in range(rng.randint(2, 3))]
    style = Style("l" + "r" * len(kinds), "", rng.choice(("helv", "tiro")), size, 8.0, width=rng.choice((0, 225)),
                  rules=frozenset(rng.choice(((), ("top", "head", "foot")))), leaders=rng.random() < 0.3)  # fmt: skip
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
    style = Style("lrrr", "", rng.choice(("helv", "tiro")), 8, rng.uniform(14, 30), bold_heads=rng.random() < 0.6,
                  rules=frozenset(rng.choice(((), ("head",), ("top", "head", "foot")))))  # fmt: skip
    y = rng.uniform(60, 90)
    for number in range(rng.randint(2, 4)):
        sheet.text(LEFT, y, f"Table {number + 1}. {rng.choice(('Harvest', 'Acreage', 'Yield'))} by crop", "hebo", 9)
        body = rows_of(rng, rng.sample(CROPS, rng.randint(4, 7)), [rng.choice(("int", "pct")) for _ in range(3)])
        y = sheet.table(LEFT, y + 9, [heads_of(["Crop", "2001", "2002", "Percent"])], body, style) + rng.uniform(24, 40)


def landscape(sheet: Sheet, rng: Random) -> None:
    """Many narrow columns on a page that is wider than high."""
    kinds = [rng.choice(("pct", "small", "int"))] * 12
    labels = rng.sample(STATES, rng.randint(8, 14))
    style = Style("l" + "r" * 12, "", rng.choice(("helv", "tiro")), rng.choice((7, 8)), rng.uniform(8, 16),
                  rules=frozenset(rng.choice((("top", "head", "foot"), ("head",), ()))), shaded=rng.choice(("", "zebra")))  # fmt: skip
    sheet.text(LEFT, 56, "Table 7. Mean monthly discharge, by station", "hebo", 10)
    sheet.table(LEFT, 66, [heads_of(["Station", *MONTHS])], rows_of(rng, labels, kinds), style)


def gridded(sheet: Sheet, rng: Random) -> None:
    """All cells closed by lines."""
    kinds = [rng.choice(NUMBERS) for _ in range(4)]
    level = [Head(("Before",), 1, 2), Head(("After",), 3, 4)]
    heads = [level, heads_of(["Site", "Mean", "Range", "Mean", "Range"])]
    body = rows_of(rng, rng.sample(STATES, rng.randint(3, 8)), kinds, 0.03)
    style = Style(
        "lcccc", "", rng.choice(("helv", "tiro")), 9, 24, rules=frozenset({"frame", "head", "rows", "columns", "spans"})
    )
    if rng.random() < 0.5:
        heads = heads[1:]
    y = opening(sheet, rng, "Table 9. Water quality")
    closing(sheet, rng, sheet.table(LEFT, y, heads, body, style))


def deep_heads(sheet: Sheet, rng: Random) -> None:
    """Heads of three and four lines, set low or high."""
    names = [
        "Fishery",
        "Number|of|vessels",
        "Ex-vessel|value|($1,000)",
        "Percent|of all|landings",
        "Average|price per|pound (cents)",
    ]
    kinds = ["small", "int", "pct", "pct"]
    style = Style("lrrrr" if rng.random() < 0.5 else "lcccc", "", rng.choice(("helv", "tiro")), 8, rng.uniform(10, 24),
                  heads_low=rng.random() < 0.7, bold_heads=rng.random() < 0.5,
                  rules=frozenset(rng.choice((("top", "head", "foot"), ("head",), ()))))  # fmt: skip
    y = opening(sheet, rng, "Table 4. Commercial fisheries")
    closing(sheet, rng, sheet.table(LEFT, y, [heads_of(names)], rows_of(rng, SPECIES, kinds), style))


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


def grouped(sheet: Sheet, rng: Random) -> None:
    """Names of groups across the whole table, in the middle or at the left."""
    kinds = [rng.choice(("int", "pct", "mean", "dec3")) for _ in range(rng.randint(3, 5))]
    middle = rng.random() < 0.5
    body: list[Row] = []
    for group in ("Males", "Females", "Both sexes")[: rng.randint(2, 3)]:
        body.append(Row(((group,),), bold=rng.random() < 0.7, across=True, low=middle))
        body += rows_of(rng, ("Control", "Low dose", "Mid dose", "High dose"), kinds)
    names = ["Treatment", *rng.sample(("Day 1", "Day 4", "Day 7", "Day 14", "Day 21", "Week 13"), len(kinds))]
    style = Style("l" + "c" * len(kinds), "", rng.choice(("helv", "tiro")), 9, rng.uniform(16, 30))
    y = opening(sheet, rng, "Table 8. Body weight (g), mean and standard deviation")
    closing(sheet, rng, sheet.table(LEFT, y, [heads_of(names)], body, style))


def shaded(sheet: Sheet, rng: Random) -> None:
    """Stripes instead of lines."""
    kinds = [rng.choice(NUMBERS) for _ in range(rng.randint(3, 6))]
    names = ["District", *(f"Group {'ABCDEF'[n]}" for n in range(len(kinds)))]
    style = Style("l" + "c" * len(kinds), "", "helv", rng.choice((8, 9)), rng.uniform(14, 28), rules=frozenset(),
                  shaded=rng.choice(("zebra", "heads")))  # fmt: skip
    y = opening(sheet, rng, "Exhibit 6. Enrollment")
    closing(sheet, rng, sheet.table(LEFT, y, [heads_of(names)], rows_of(rng, rng.sample(STATES, 8), kinds), style))


def barred(sheet: Sheet, rng: Random) -> None:
    """Lines between the columns, and above, below and under the heads, none between the rows."""
    kinds = [rng.choice(("int", "pct", "paren")) for _ in range(6)]
    level = [Head(("Number of establishments",), 1, 2), Head(("Annual payroll",), 3, 4), Head(("Sales",), 5, 6)]
    lower = heads_of(["Industry", "1997", "1992", "1997", "1992", "1997", "1992"])
    style = Style("l" + "r" * 6, "", rng.choice(("helv", "tiro")), rng.choice((7, 8)), rng.uniform(8, 14), leaders=rng.random() < 0.7,
                  rules=frozenset({"top", "head", "foot", "columns", "spans"}), bold_heads=False)  # fmt: skip
    body = rows_of(rng, rng.sample(BUDGET, 9), kinds)
    y = opening(sheet, rng, "Table 1. Summary statistics for the United States", prose=rng.random() < 0.5)
    closing(sheet, rng, sheet.table(LEFT, y, [level, lower], body, style))


def tests(sheet: Sheet, rng: Random) -> None:
    """Means, ranges and probabilities, some words among them."""
    names = ["Parameter", "n", "Mean ± SD", "Range", "p-value", "Significant"]
    kinds = ["small", "mean", "range", "p", "yes"]
    style = Style(rng.choice(("lccccc", "lrrrrl", "llllll")), "", rng.choice(("helv", "tiro")), 9, rng.uniform(10, 22),
                  rules=frozenset(rng.choice((("top", "head", "foot"), ()))))  # fmt: skip
    y = opening(sheet, rng, "Table 11. Results of the assays")
    closing(sheet, rng, sheet.table(LEFT, y, [heads_of(names)], rows_of(rng, POLLUTANTS[:7], kinds, 0.03), style))


def three_levels(sheet: Sheet, rng: Random) -> None:
    """Heads over heads over heads."""
    top = [Head(("Percent of students at each level",), 1, 4)]
    middle = [Head(("Public",), 1, 2), Head(("Private",), 3, 4)]
    lower = heads_of(["Grade", "Basic", "Proficient", "Basic", "Proficient"])
    labels = ["Grade 4", "Grade 8", "Grade 12", "All grades"]
    style = Style("lrrrr", "", rng.choice(("helv", "tiro")), 9, rng.uniform(14, 26), bold_heads=rng.random() < 0.5,
                  rules=frozenset({"top", "head", "foot", "spans"}))  # fmt: skip
    y = opening(sheet, rng, "Table A-2. Achievement")
    closing(sheet, rng, sheet.table(LEFT, y, [top, middle, lower], rows_of(rng, labels, ["pct"] * 4), style))


def words_alone(sheet: Sheet, rng: Random) -> None:
    """A table of words and codes without a column of figures."""
    names = ["Office", "City", "Contact", "Region"]
    cities = ("Boston", "Atlanta", "Chicago", "Dallas", "Denver", "Seattle")
    people = ("J. Rivera", "M. Chen", "A. Okafor", "S. Lindqvist", "P. Moreau", "T. Nakamura")
    body = [Row(((f"{name} Office",), (city,), (person,), (f"Region {'IVX'[n % 3]}",)))
            for n, (name, city, person) in enumerate(zip(rng.sample(STATES, 6), cities, people, strict=True))]  # fmt: skip
    style = Style("llll", "", rng.choice(("helv", "tiro")), 9, rng.uniform(14, 40),
                  rules=frozenset(rng.choice((("top", "head", "foot"), ("top", "head", "foot", "rows")))))  # fmt: skip
    y = opening(sheet, rng, "Appendix B. Field offices")
    closing(sheet, rng, sheet.table(LEFT, y, [heads_of(names)], body, style))


def dense(sheet: Sheet, rng: Random) -> None:
    """A page full of rows, with a gap after every fifth one, decimal points below each other."""
    count = rng.randint(4, 8)
    kinds = [rng.choice(("pct", "int", "dec3", "signed")) for _ in range(count)]
    body = [Row(row.cells, above=4.0 * (n % 5 == 0)) for n, row in enumerate(rows_of(rng, STATES * 2, kinds))]
    style = Style("l" + "d" * count, font=rng.choice(("helv", "tiro")), size=rng.choice((7, 8)), gap=rng.uniform(8, 24),
                  heads=rng.choice(("", "l" * (count + 1), "l" + "c" * count)), leaders=rng.random() < 0.5,
                  rules=frozenset(rng.choice((("top", "head", "foot"), ()))))  # fmt: skip
    names = ["State", *(f"{name}|{1990 + n}" if rng.random() < 0.3 else f"{name}" for n, name in
             enumerate(rng.sample(("Births", "Deaths", "Marriages", "Divorces", "Net change", "Rate", "Ratio", "Index"), count)))]  # fmt: skip
    y = opening(sheet, rng, "Table 14. Vital statistics, by State", prose=False)
    sheet.table(LEFT, y, [heads_of(names)], body, style)


def coded(sheet: Sheet, rng: Random) -> None:
    """Codes before the labels, marks of footnotes behind labels and figures."""
    kinds = [rng.choice(("int", "pct")) for _ in range(rng.randint(2, 4))]
    body = []
    for label in rng.sample(BUDGET, 8):
        texts = [figure(rng, kind) + rng.choice(("", "", "", " 1/", "*", " a")) for kind in kinds]
        name = label + rng.choice(("", "", " 2/"))
        body.append(Row((((str(rng.randint(111, 9999)),)), (name,), *((text,) for text in texts))))
    style = Style("ll" + "r" * len(kinds), rng.choice(("", "ll" + "c" * len(kinds))), rng.choice(("helv", "tiro")), 8,
                  rng.uniform(8, 20), rules=frozenset(rng.choice((("top", "head", "foot"), ("head",)))))  # fmt: skip
    names = ["Code", "Industry", *("Employees", "Payroll|(1,000)", "Share", "Firms")[: len(kinds)]]
    y = opening(sheet, rng, "Table 6. Industries")
    closing(sheet, rng, sheet.table(LEFT, y, [heads_of(names)], body, style))


def errors(sheet: Sheet, rng: Random) -> None:
    """Standard errors in parentheses behind or below the estimates."""
    below, count = rng.random() < 0.5, rng.randint(3, 5)
    body = []
    for label in rng.sample(GROUPS, 6):
        pairs = [(figure(rng, "pct"), f"({rng.uniform(0.1, 3):.2f})") for _ in range(count)]
        if below:
            body.append(Row(((label,), *((one,) for one, _ in pairs)), above=3))
            body.append(Row((("",), *((one,) for _, one in pairs))))
        else:
            body.append(Row(((label,), *((f"{one} {other}",) for one, other in pairs))))
    names = ["Student characteristic", *("1994", "1998", "2002", "2004", "2007")[:count]]
    style = Style("l" + "r" * count, "", rng.choice(("helv", "tiro")), 8, rng.uniform(12, 26), leaders=rng.random() < 0.4,
                  rules=frozenset(rng.choice((("top", "head", "foot"), ("head",)))))  # fmt: skip
    y = opening(sheet, rng, "Table 17. Average scores")
    closing(sheet, rng, sheet.table(LEFT, y, [heads_of(names)], body, style))


def two_labels(sheet: Sheet, rng: Random) -> None:
    """A label for several rows, beside one for each of them."""
    kinds = [rng.choice(("int", "pct", "range")) for _ in range(3)]
    body = []
    for label in rng.sample(STATES, rng.randint(3, 5)):
        for number, row in enumerate(rows_of(rng, ("Low", "Medium", "High")[: rng.randint(2, 3)], kinds)):
            body.append(Row(((label if number == 0 else "",), *row.cells), above=4.0 * (number == 0)))
    style = Style("ll" + rng.choice("rc") * 3, "", rng.choice(("helv", "tiro")), 9, rng.uniform(12, 28),
                  rules=frozenset(rng.choice((("top", "head", "foot"), ()))))  # fmt: skip
    y = opening(sheet, rng, "Table 10. Exposure by State and level")
    closing(sheet, rng, sheet.table(LEFT, y, [heads_of(["State", "Level", "Sites", "Samples", "Range"])], body, style))


def upright_heads(sheet: Sheet, rng: Random) -> None:
    """Heads that read upwards over narrow columns."""
    names = rng.sample(("Total catch", "Effort days", "Net weight", "Mean length", "Discards", "Trips"), 5)
    y, size = opening(sheet, rng, "Table 16. Trips") + 60, 8
    x = [LEFT, *(LEFT + 120 + n * rng.choice((30,)) for n in range(5))]
    cells = [TrueCell("Port", 0, 0, 0, 0)] + [TrueCell(name, 0, n, 0, n) for n, name in enumerate(names, start=1)]
    sheet.text(LEFT, y, "Port", "hebo", size)
    for at, name in zip(x[1:], names, strict=True):
        sheet.page.insert_text((at, y), name, fontname="hebo", fontsize=size, rotate=90)
    sheet.rule(LEFT, x[-1] + 12, y + 4)
    for number, label in enumerate(rng.sample(STATES, 8), start=1):
        sheet.text(LEFT, y + 4 + 11 * number, label, "helv", size)
        for column, at in enumerate(x[1:], start=1):
            text = figure(rng, "small")
            sheet.text(at, y + 4 + 11 * number, text, "helv", size, "r")
            cells.append(TrueCell(text, number, column, number, column))
        cells.append(TrueCell(label, number, 0, number, 0))
    sheet.tables.append(cells)


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


KINDS: tuple[Callable[[Sheet, Random], None], ...] = (
    *(
        statistics,
        budget,
        typed,
        tight,
        long_labels,
        worded,
        in_column,
        stacked,
        landscape,
        gridded,
        deep_heads,
        beside,
    ),
    *(grouped, shaded, barred, tests, three_levels, words_alone),
    *(dense, coded, errors, two_labels, upright_heads, no_table),
)
