"""Kinds of tables as reports of agencies set them: beside each other, of figures without words, of words in lines."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from benchmarks.made_tables.content import CROPS, GROUPS, POLLUTANTS, PROSE, REMARKS, STATES, figure
from benchmarks.made_tables.setting import LEFT, closing, heads_of, opening, rows_of, wrapped
from benchmarks.made_tables.sheet import BOLD, Head, Row, Sheet, Style


def quartered(sheet: Sheet, rng: Random) -> None:
    """Four or six small tables, beside and below each other, each with its title."""
    across = rng.choice((2, 2, 3))
    font, size, count = rng.choice(("helv", "tiro")), rng.choice((7, 8)), 2 if across == 2 else 1
    style = Style("l" + "r" * count, "", font, size, rng.uniform(10, 16), rules=frozenset(rng.choice(((), ("head",)))))
    y = opening(sheet, rng, "County profile", prose=rng.random() < 0.5) + 8
    for _ in range(2):
        bottom = y
        for place in range(across):
            x = LEFT + place * (492 / across + 8)
            sheet.text(
                x, y + 10, rng.choice(("Income", "Housing", "Age", "Schools", "Jobs", "Land")), BOLD[font], size + 1
            )
            body = rows_of(rng, rng.sample(CROPS + STATES, 6), ["int", "pct"][:count], 0)
            names = ["Group", "Number", "Percent"][: count + 1]
            bottom = max(bottom, sheet.table(x, y + 16, [heads_of(names)], body, style))
        y = bottom + rng.uniform(20, 34)


def in_both_columns(sheet: Sheet, rng: Random) -> None:
    """Text in two columns with a table without lines in each."""
    font, size = rng.choice(("helv", "tiro")), rng.choice((7, 8))
    for x in (LEFT, LEFT + 258):
        kinds = [rng.choice(("pct", "int", "percent", "small")) for _ in range(rng.randint(2, 3))]
        style = Style("l" + "r" * len(kinds), "", font, size, 9.0, width=rng.choice((0, 225)), rules=frozenset())
        names = rng.sample(("1998", "Change", "Percent", "Total", "Rate"), len(kinds))
        y = sheet.prose(x, 60, 234, PROSE * rng.randint(1, 2), "tiro", 9.5) + 10
        sheet.text(x, y, f"Table {rng.randint(1, 20)}. Participation", "tibo", 9)
        body = rows_of(rng, rng.sample(GROUPS, rng.randint(4, 7)), kinds)
        y = sheet.table(x, y + 8, [heads_of(["Group", *names])], body, style)
        sheet.prose(x, y + 22, 234, PROSE * 4, "tiro", 9.5, 720)


def words_between(sheet: Sheet, rng: Random) -> None:
    """Columns of words, some in several lines, between and behind columns of figures."""
    size, font = rng.choice((8, 9)), rng.choice(("helv", "tiro"))
    body = []
    for label in rng.sample(STATES, rng.randint(5, 8)):
        remark = wrapped(rng.choice((*REMARKS, "None", "Under review", "Granted")), 150, font, size)
        body.append(Row(((label,), (figure(rng, "int"),), remark, (str(rng.randint(1990, 2009)),)), above=3))
    names: Sequence[str] = ["Facility", "Emissions|(tons)", "Condition", "Year"]
    style = Style(
        "lrlr",
        "",
        font,
        size,
        rng.uniform(14, 24),
        rules=frozenset(rng.choice(((), ("head",), ("top", "head", "foot")))),
        bold_heads=rng.random() < 0.7,
    )
    y = opening(sheet, rng, "Appendix C. Permits in force")
    closing(sheet, rng, sheet.table(LEFT, y, [heads_of(names)], body, style))


def numbered_heads(sheet: Sheet, rng: Random) -> None:
    """Heads that are figures, days or doses, below one over all of them; labels that are figures too."""
    days = rng.sample((("1", "4", "7", "14", "21"), ("0", "30", "100", "300"), ("2", "13", "26", "52")), 1)[0]
    doses = rng.choice(
        (("0", "30", "100", "300", "1,000"), ("0", "62.5", "125", "250", "500"), ("Control", "Low", "High"))
    )
    kind = rng.choice(("mean", "pct", "small"))
    top = [Head((rng.choice(("Postnatal Day", "Week of study", "Day of exposure")),), 1, len(days))]
    ruled = rng.choice(((), ("top", "head", "foot"), ("top", "head", "foot", "spans")))
    style = Style(
        "l" + "c" * len(days),
        "",
        rng.choice(("helv", "tiro")),
        rng.choice((8, 9)),
        rng.uniform(18, 34),
        rules=frozenset(ruled),
        bold_heads=rng.random() < 0.6,
    )
    heads = [top, heads_of([rng.choice(("Dose (mg/kg)", "Dose|(ppm)")), *days])]
    y = opening(sheet, rng, "TABLE 7. Mean body weight (g)")
    closing(sheet, rng, sheet.table(LEFT, y, heads, rows_of(rng, doses, [kind] * len(days), 0.02), style))


def yearly(sheet: Sheet, rng: Random) -> None:
    """Years as labels: a table of nothing but figures below its heads."""
    count = rng.randint(3, 6)
    kinds = [rng.choice(("int", "pct", "signed", "percent")) for _ in range(count)]
    first = rng.randint(1980, 1998)
    labels = [str(first + n) for n in range(rng.randint(6, 14))]
    body = [Row(row.cells, above=4.0 * (n % 5 == 0)) for n, row in enumerate(rows_of(rng, labels, kinds, 0.04))]
    names = rng.sample(
        ("Births", "Imports|(tons)", "Exports|(tons)", "Net", "Price|index", "Per|capita", "Stocks"), count
    )
    style = Style(
        "l" + "r" * count,
        "l" + rng.choice("rc") * count,
        rng.choice(("helv", "tiro")),
        rng.choice((8, 9)),
        rng.uniform(14, 34),
        rules=frozenset(rng.choice(((), ("head",), ("top", "head", "foot")))),
        leaders=rng.random() < 0.4,
        bold_heads=rng.random() < 0.6,
    )
    y = opening(sheet, rng, "Table 2. Supply and use, by year")
    closing(sheet, rng, sheet.table(LEFT, y, [heads_of(["Year", *names])], body, style))


def prose_cells(sheet: Sheet, rng: Random) -> None:
    """Rows of running words in several lines, parted by white alone."""
    size, font = rng.choice((8, 9)), rng.choice(("helv", "tiro"))
    body = []
    for name in rng.sample(POLLUTANTS, rng.randint(4, 6)):
        cells = [wrapped(rng.choice(REMARKS), width, font, size) for width in (130, 150)]
        body.append(Row(((name,), *cells), above=rng.choice((5, 7))))
    style = Style("lll", "", font, size, rng.uniform(14, 24), rules=frozenset(rng.choice(((), ("head",)))))
    y = opening(sheet, rng, "Exhibit 4. Requirements by pollutant")
    closing(sheet, rng, sheet.table(LEFT, y, [heads_of(["Pollutant", "Limit", "Reporting"])], body, style))


def panels(sheet: Sheet, rng: Random) -> None:
    """Panels with a name at the left and, in each, rows of estimates over their errors."""
    count = rng.randint(3, 4)
    body: list[Row] = []
    for name in ("Panel A. Urban counties", "Panel B. Rural counties"):
        body.append(Row(((name,),), bold=rng.random() < 0.5, across=True, above=4))
        for label in rng.sample(GROUPS, rng.randint(2, 4)):
            body.append(Row(((label,), *((figure(rng, "dec3"),) for _ in range(count))), indent=6))
            body.append(Row((("",), *((f"({rng.uniform(0, 1):.3f})",) for _ in range(count)))))
    style = Style(
        "l" + "c" * count,
        "",
        rng.choice(("helv", "tiro")),
        rng.choice((8, 9)),
        rng.uniform(20, 34),
        rules=frozenset(rng.choice((("head",), ("top", "head", "foot")))),
    )
    names = ["Dependent variable", *(f"({n})" for n in range(1, count + 1))]
    y = opening(sheet, rng, "Table 8. Estimated effects")
    closing(sheet, rng, sheet.table(LEFT, y, [heads_of(names)], body, style))
