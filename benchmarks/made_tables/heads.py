"""Kinds of tables that differ in their heads, and in names of rows."""

from __future__ import annotations

from random import Random

from benchmarks.made_tables.content import BUDGET, SPECIES, STATES, figure
from benchmarks.made_tables.setting import LEFT, NUMBERS, closing, heads_of, opening, rows_of
from benchmarks.made_tables.sheet import Head, Row, Sheet, Style, TrueCell


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
    style = Style(
        "l" + "r" * 2 * share,
        "",
        rng.choice(("helv", "tiro")),
        rng.choice((7, 8, 9)),
        rng.uniform(8, 22),
        rules=frozenset({"top", "head", "foot", "spans"}),
        leaders=rng.random() < 0.7,
        bold_heads=rng.random() < 0.5,
        width=rng.choice((0, 420)),
    )
    y = opening(sheet, rng, "Table 3. Employment status of the population, by selected characteristics")
    closing(sheet, rng, sheet.table(LEFT, y, heads, body, style))


def barred(sheet: Sheet, rng: Random) -> None:
    """Lines between the columns, and above, below and under the heads, none between the rows."""
    kinds = [rng.choice(("int", "pct", "paren")) for _ in range(6)]
    level = [Head(("Number of establishments",), 1, 2), Head(("Annual payroll",), 3, 4), Head(("Sales",), 5, 6)]
    lower = heads_of(["Industry", "1997", "1992", "1997", "1992", "1997", "1992"])
    style = Style(
        "l" + "r" * 6,
        "",
        rng.choice(("helv", "tiro")),
        rng.choice((7, 8)),
        rng.uniform(8, 14),
        leaders=rng.random() < 0.7,
        rules=frozenset({"top", "head", "foot", "columns", "spans"}),
        bold_heads=False,
    )
    body = rows_of(rng, rng.sample(BUDGET, 9), kinds)
    y = opening(sheet, rng, "Table 1. Summary statistics for the United States", prose=rng.random() < 0.5)
    closing(sheet, rng, sheet.table(LEFT, y, [level, lower], body, style))


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
    style = Style(
        "lrrrr" if rng.random() < 0.5 else "lcccc",
        "",
        rng.choice(("helv", "tiro")),
        8,
        rng.uniform(10, 24),
        heads_low=rng.random() < 0.7,
        bold_heads=rng.random() < 0.5,
        rules=frozenset(rng.choice((("top", "head", "foot"), ("head",), ()))),
    )
    y = opening(sheet, rng, "Table 4. Commercial fisheries")
    closing(sheet, rng, sheet.table(LEFT, y, [heads_of(names)], rows_of(rng, SPECIES, kinds), style))


def three_levels(sheet: Sheet, rng: Random) -> None:
    """Heads over heads over heads."""
    top = [Head(("Percent of students at each level",), 1, 4)]
    middle = [Head(("Public",), 1, 2), Head(("Private",), 3, 4)]
    lower = heads_of(["Grade", "Basic", "Proficient", "Basic", "Proficient"])
    labels = ["Grade 4", "Grade 8", "Grade 12", "All grades"]
    style = Style(
        "lrrrr",
        "",
        rng.choice(("helv", "tiro")),
        9,
        rng.uniform(14, 26),
        bold_heads=rng.random() < 0.5,
        rules=frozenset({"top", "head", "foot", "spans"}),
    )
    y = opening(sheet, rng, "Table A-2. Achievement")
    closing(sheet, rng, sheet.table(LEFT, y, [top, middle, lower], rows_of(rng, labels, ["pct"] * 4), style))


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


def two_labels(sheet: Sheet, rng: Random) -> None:
    """A label for several rows, beside one for each of them."""
    kinds = [rng.choice(("int", "pct", "range")) for _ in range(3)]
    body = []
    for label in rng.sample(STATES, rng.randint(3, 5)):
        for number, row in enumerate(rows_of(rng, ("Low", "Medium", "High")[: rng.randint(2, 3)], kinds)):
            body.append(Row(((label if number == 0 else "",), *row.cells), above=4.0 * (number == 0)))
    style = Style(
        "ll" + rng.choice("rc") * 3,
        "",
        rng.choice(("helv", "tiro")),
        9,
        rng.uniform(12, 28),
        rules=frozenset(rng.choice((("top", "head", "foot"), ()))),
    )
    y = opening(sheet, rng, "Table 10. Exposure by State and level")
    closing(sheet, rng, sheet.table(LEFT, y, [heads_of(["State", "Level", "Sites", "Samples", "Range"])], body, style))
