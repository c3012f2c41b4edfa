"""Kinds of tables that differ in their columns and figures."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from benchmarks.made_tables.content import BUDGET, CROPS, GROUPS, MONTHS, POLLUTANTS, SPECIES, STATES, figure
from benchmarks.made_tables.setting import LEFT, NUMBERS, closing, heads_of, opening, rows_of
from benchmarks.made_tables.sheet import Row, Sheet, Style, TrueCell


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
    style = Style(
        "l" + "r" * len(years),
        "",
        rng.choice(("helv", "tiro")),
        rng.choice((8, 9, 10)),
        rng.uniform(14, 30),
        rules=frozenset(rng.choice(((), ("head",), ("top", "head", "foot")))),
        leaders=rng.random() < 0.3,
        money=frozenset({0, len(body) - 1}),
    )
    y = opening(sheet, rng, "Summary of Resources by Appropriation")
    closing(sheet, rng, sheet.table(LEFT, y, heads, body, style))


def typed(sheet: Sheet, rng: Random) -> None:
    """A typewriter's table: columns by spaces, lines of dashes."""
    count = rng.randint(3, 6)
    labels = rng.sample(SPECIES if rng.random() < 0.5 else CROPS, 6)
    width, first = rng.randint(9, 12), rng.randint(18, 22)
    heads = [
        ["", *rng.sample(("Total", "Mean", "Low", "High", "Count", "Catch", "Effort"), count)],
        ["Species", *(rng.choice(("tons", "lbs", "1,000", "pct")) for _ in range(count))],
    ]
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
    style = Style(
        "l" + "r" * len(kinds),
        "",
        rng.choice(("helv", "tiro")),
        rng.choice((7, 8, 9, 10)),
        rng.uniform(4, 8),
        rules=frozenset(rng.choice(((), (), ("head",)))),
        bold_heads=rng.random() < 0.7,
    )
    y = opening(sheet, rng, "Climate normals", prose=rng.random() < 0.6)
    body = rows_of(rng, labels, kinds, 0)
    closing(
        sheet, rng, sheet.table(LEFT, y, [heads_of(["Month" if labels[0] == "Jan" else "State", *names])], body, style)
    )


def landscape(sheet: Sheet, rng: Random) -> None:
    """Many narrow columns on a page that is wider than high."""
    kinds = [rng.choice(("pct", "small", "int"))] * 12
    labels = rng.sample(STATES, rng.randint(8, 14))
    style = Style(
        "l" + "r" * 12,
        "",
        rng.choice(("helv", "tiro")),
        rng.choice((7, 8)),
        rng.uniform(8, 16),
        rules=frozenset(rng.choice((("top", "head", "foot"), ("head",), ()))),
        shaded=rng.choice(("", "zebra")),
    )
    sheet.text(LEFT, 56, "Table 7. Mean monthly discharge, by station", "hebo", 10)
    sheet.table(LEFT, 66, [heads_of(["Station", *MONTHS])], rows_of(rng, labels, kinds), style)


def shaded(sheet: Sheet, rng: Random) -> None:
    """Stripes instead of lines."""
    kinds = [rng.choice(NUMBERS) for _ in range(rng.randint(3, 6))]
    names = ["District", *(f"Group {'ABCDEF'[n]}" for n in range(len(kinds)))]
    style = Style(
        "l" + "c" * len(kinds),
        "",
        "helv",
        rng.choice((8, 9)),
        rng.uniform(14, 28),
        rules=frozenset(),
        shaded=rng.choice(("zebra", "heads")),
    )
    y = opening(sheet, rng, "Exhibit 6. Enrollment")
    closing(sheet, rng, sheet.table(LEFT, y, [heads_of(names)], rows_of(rng, rng.sample(STATES, 8), kinds), style))


def tests(sheet: Sheet, rng: Random) -> None:
    """Means, ranges and probabilities, some words among them."""
    names = ["Parameter", "n", "Mean ± SD", "Range", "p-value", "Significant"]
    kinds = ["small", "mean", "range", "p", "yes"]
    style = Style(
        rng.choice(("lccccc", "lrrrrl", "llllll")),
        "",
        rng.choice(("helv", "tiro")),
        9,
        rng.uniform(10, 22),
        rules=frozenset(rng.choice((("top", "head", "foot"), ()))),
    )
    y = opening(sheet, rng, "Table 11. Results of the assays")
    closing(sheet, rng, sheet.table(LEFT, y, [heads_of(names)], rows_of(rng, POLLUTANTS[:7], kinds, 0.03), style))


def dense(sheet: Sheet, rng: Random) -> None:
    """A page full of rows, with a gap after every fifth one, decimal points below each other."""
    count = rng.randint(4, 8)
    kinds = [rng.choice(("pct", "int", "dec3", "signed")) for _ in range(count)]
    body = [Row(row.cells, above=4.0 * (n % 5 == 0)) for n, row in enumerate(rows_of(rng, STATES * 2, kinds))]
    style = Style(
        "l" + "d" * count,
        font=rng.choice(("helv", "tiro")),
        size=rng.choice((7, 8)),
        gap=rng.uniform(8, 24),
        heads=rng.choice(("", "l" * (count + 1), "l" + "c" * count)),
        leaders=rng.random() < 0.5,
        rules=frozenset(rng.choice((("top", "head", "foot"), ()))),
    )
    names = [
        "State",
        *(
            f"{name}|{1990 + n}" if rng.random() < 0.3 else f"{name}"
            for n, name in enumerate(
                rng.sample(("Births", "Deaths", "Marriages", "Divorces", "Net change", "Rate", "Ratio", "Index"), count)
            )
        ),
    ]
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
    style = Style(
        "ll" + "r" * len(kinds),
        rng.choice(("", "ll" + "c" * len(kinds))),
        rng.choice(("helv", "tiro")),
        8,
        rng.uniform(8, 20),
        rules=frozenset(rng.choice((("top", "head", "foot"), ("head",)))),
    )
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
    style = Style(
        "l" + "r" * count,
        "",
        rng.choice(("helv", "tiro")),
        8,
        rng.uniform(12, 26),
        leaders=rng.random() < 0.4,
        rules=frozenset(rng.choice((("top", "head", "foot"), ("head",)))),
    )
    y = opening(sheet, rng, "Table 17. Average scores")
    closing(sheet, rng, sheet.table(LEFT, y, [heads_of(names)], body, style))
