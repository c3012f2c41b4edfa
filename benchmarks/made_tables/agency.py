"""Kinds of tables as bulletins, budgets and surveys of agencies set them."""

from __future__ import annotations

from random import Random

from benchmarks.made_tables.content import BUDGET, GROUPS, LONG, POLLUTANTS, REMARKS, STATES, figure
from benchmarks.made_tables.setting import LEFT, NUMBERS, closing, heads_of, opening, rows_of, wrapped
from benchmarks.made_tables.sheet import BOLD, Head, Row, Sheet, Style, TrueCell, width_of


def subheads(sheet: Sheet, rng: Random) -> None:
    """Heads of one or two lines over several columns, close above their subheads, with no line between them."""
    shares = [rng.choice((2, 2, 3)) for _ in range(rng.randint(2, 3))]
    spans = rng.sample(("Full-time", "Part-time", "All|workers", "Service|members", "Retired", "Federal|civilian"), 3)
    top, at = [], 1
    for name, share in zip(spans, shares, strict=False):
        top.append(Head(tuple(name.split("|")), at, at + share - 1))
        at += share
    names = [
        name for share in shares for name in rng.sample(("Number", "Percent", "Mean|age", "Change", "Rate"), share)
    ]
    kinds = [rng.choice(("int", "pct", "small", "signed")) for _ in names]
    style = Style(
        "l" + rng.choice("rc") * len(names),
        "l" + "c" * len(names),
        rng.choice(("helv", "tiro")),
        rng.choice((7, 8)),
        rng.uniform(10, 20),
        leading=rng.choice((1.15, 1.3)),
        rules=frozenset(rng.choice(((), ("head",), ("top", "head", "foot")))),
        bold_heads=rng.random() < 0.6,
    )
    labels = rng.sample(STATES, rng.randint(5, 10))
    heads = [top, heads_of([rng.choice(("", "State")), *names])]
    y = opening(sheet, rng, "Table 3-1. Workforce by status")
    closing(sheet, rng, sheet.table(LEFT, y, heads, rows_of(rng, labels, kinds, 0.04), style))


def hanging_labels(sheet: Sheet, rng: Random) -> None:
    """Labels of one to three lines, the later ones indented, with figures beside the last line."""
    size, font, count = rng.choice((8, 9)), rng.choice(("helv", "tiro")), rng.randint(2, 4)
    width, indent = rng.uniform(130, 170), rng.choice((6, 10))
    kinds = [rng.choice(("int", "paren", "pct")) for _ in range(count)]
    step, rights = 1.25 * size, [LEFT + width + 70 + 68 * n for n in range(count)]
    y = opening(sheet, rng, "Table 12.3. Outlays for grants", prose=rng.random() < 0.7) + 14
    names = [str(2003 + n) for n in range(count)]
    cells = [TrueCell(name, 0, n, 0, n) for n, name in enumerate(names, start=1)]
    for right, name in zip(rights, names, strict=True):
        sheet.text(right, y, name, BOLD[font], size, "r")
    if rng.random() < 0.6:
        sheet.rule(LEFT, rights[-1], y + 4)
    y += step + 4
    labels = rng.sample(LONG, 4) + rng.sample(BUDGET, 4)
    rng.shuffle(labels)
    leaders = rng.random() < 0.6
    for row, label in enumerate(labels, start=1):
        lines = wrapped(label, width - indent, font, size)
        for number, line in enumerate(lines):
            sheet.text(LEFT + indent * (number > 0), y, line, font, size)
            y += step
        base, end = y - step, LEFT + indent * (len(lines) > 1) + width_of(lines[-1], font, size)
        dots = int((LEFT + width + 10 - end) / width_of(".", font, size))
        if leaders and dots > 3:
            sheet.text(end + 2, base, "." * dots, font, size)
        texts = [figure(rng, kind) for kind in kinds]
        for right, text in zip(rights, texts, strict=True):
            sheet.text(right, base, text, font, size, "r")
        cells += [TrueCell(text, row, n, row, n) for n, text in enumerate([label, *texts])]
    sheet.tables.append(cells)
    closing(sheet, rng, y - step + 4)


def footnoted(sheet: Sheet, rng: Random) -> None:
    """Raised marks behind labels, heads and figures, and their notes right below the table in the same type."""
    count, size, font = rng.randint(3, 5), rng.choice((8, 9)), rng.choice(("helv", "tiro"))
    step, rights = 1.35 * size, [LEFT + 190 + 62 * n for n in range(count)]
    y = opening(sheet, rng, "Table 5. Selected indicators") + 12
    ruled = rng.random() < 0.6
    names = rng.sample(("Total", "Urban", "Rural", "Farm", "Nonfarm", "Metro"), count)
    cells: list[TrueCell] = []

    def write(row: int, column: int, text: str, at: float, align: str, face: str, mark: str) -> None:
        small = 0.65 * size
        sheet.text(at, y, text, face, size, align)
        if mark:
            sheet.text(at if align == "r" else at + width_of(text, face, size), y - 0.35 * size, mark, face, small)
        cells.append(TrueCell(text + mark, row, column, row, column))

    for column, (right, name) in enumerate(zip(rights, names, strict=True), start=1):
        write(0, column, name, right, "r", BOLD[font], "1" if column == 2 else "")
    write(0, 0, "Item", LEFT, "l", BOLD[font], "")
    if ruled:
        sheet.rule(LEFT, rights[-1] + 6, y + 4)
    y += step + 3
    kinds = [rng.choice(NUMBERS) for _ in names]
    for row, label in enumerate(rng.sample(GROUPS + POLLUTANTS, rng.randint(5, 9)), start=1):
        write(row, 0, label, LEFT, "l", font, rng.choice(("", "", "", "2")))
        for column, (right, kind) in enumerate(zip(rights, kinds, strict=True), start=1):
            write(row, column, figure(rng, kind), right, "r", font, rng.choice(("", "", "", "", "", "3")))
        y += step
    if ruled:
        sheet.rule(LEFT, rights[-1] + 6, y - step + 3)
    sheet.tables.append(cells)
    y += rng.choice((0, 2, 4))
    for mark, note in (("1", "Includes areas not shown separately."), ("2", REMARKS[3] + "."), ("3", "Preliminary.")):
        sheet.text(LEFT, y - 0.35 * size, mark, font, 0.65 * size)
        sheet.text(LEFT + 5, y, note, font, size)
        y += step


def totals_apart(sheet: Sheet, rng: Random) -> None:
    """Strokes above sums in the columns of figures alone, and white around the lines of sums."""
    count, size, font = rng.randint(2, 5), rng.choice((8, 9, 10)), rng.choice(("helv", "tiro"))
    step, rights = 1.3 * size, [LEFT + 230 + 62 * n for n in range(count)]
    money, doubled = rng.random() < 0.5, rng.random() < 0.5
    y = opening(sheet, rng, "Statement of net cost") + 12
    names = [str(2009 - n) for n in range(count)]
    cells = [TrueCell(name, 0, n, 0, n) for n, name in enumerate(names, start=1)]
    for right, name in zip(rights, names, strict=True):
        sheet.text(right, y, name, BOLD[font], size, "r")
    y += step + 4
    row = 1
    for total in rng.sample(("Total gross cost", "Total assets", "Total liabilities", "Net position"), 2):
        labels = rng.sample(BUDGET, rng.randint(3, 5))
        for number, label in enumerate([*labels, total]):
            last = label == total
            face = BOLD[font] if last and doubled else font
            if last:
                for right in rights:
                    sheet.rule(right - 46, right, y - 0.75 * size)
                y += rng.choice((1, 4))
            sheet.text(LEFT + (12 if last else 0), y, label, face, size)
            cells.append(TrueCell(label, row, 0, row, 0))
            for column, right in enumerate(rights, start=1):
                text = figure(rng, "paren")
                sheet.text(right + width_of(")", face, size) * (text[-1] == ")"), y, text, face, size, "r")
                signed = money and number in (0, len(labels))
                if signed:
                    sheet.text(right - 46, y, "$", face, size)
                cells.append(TrueCell("$" * signed + text, row, column, row, column))
            row += 1
            y += step
        for right in rights if doubled else ():
            sheet.rule(right - 46, right, y - step + 2.5)
            sheet.rule(right - 46, right, y - step + 4.5)
        y += rng.uniform(6, 14)
    sheet.tables.append(cells)
    closing(sheet, rng, y - 6)


def dollar_columns(sheet: Sheet, rng: Random) -> None:
    """A sign of currency before every figure, all below each other, far from short figures."""
    count = rng.randint(2, 4)
    body = rows_of(rng, rng.sample(BUDGET, rng.randint(5, 9)), ["int"] * count, 0)
    style = Style(
        "l" + "r" * count,
        "l" + rng.choice("rc") * count,
        rng.choice(("helv", "tiro")),
        rng.choice((8, 9, 10)),
        rng.uniform(16, 36),
        rules=frozenset(rng.choice(((), ("head",), ("top", "head", "foot")))),
        money=frozenset(range(len(body))),
    )
    names = [rng.choice(("", "Item")), *(f"{2006 + n}|{rng.choice(('Actual', 'Plan'))}" for n in range(count))]
    y = opening(sheet, rng, "Estimated costs")
    closing(sheet, rng, sheet.table(LEFT, y, [heads_of(names)], body, style))


def bulletin(sheet: Sheet, rng: Random) -> None:
    """Capitals and a note in brackets above, leaders, lines between columns, groups that end with a colon."""
    count = rng.randint(3, 6)
    kinds = [rng.choice(("int", "pct")) for _ in range(count)]
    body: list[Row] = []
    for group in rng.sample(("Receipts:", "Outlays:", "Deposits:", "Withdrawals:"), 2):
        body.append(Row(((group,), *[("",)] * count)))
        body += rows_of(rng, rng.sample(BUDGET, rng.randint(3, 5)), kinds, indent=8)
        body += rows_of(rng, ["Total"], kinds, 0, indent=16)
    size = rng.choice((7, 8))
    style = Style(
        "l" + "r" * count,
        "l" + "c" * count,
        "tiro",
        size,
        rng.uniform(8, 14),
        rules=frozenset(rng.choice((("top", "head", "foot", "columns"), ("top", "head", "foot")))),
        bold_heads=False,
        leaders=True,
        width=rng.choice((0, 480)),
    )
    y = opening(sheet, rng, "TABLE FFO-1.--SUMMARY OF FISCAL OPERATIONS", prose=rng.random() < 0.5)
    sheet.text(306, y + 4, "[In millions of dollars. Source: monthly statement]", "tiro", size, "c")
    names = [
        "Fiscal year",
        *(f"{name}|({n})" for n, name in enumerate(("1990", "1995", "2000", "2001", "2002", "2003"))),
    ]
    closing(sheet, rng, sheet.table(LEFT, y + 12, [heads_of(names[: count + 1])], body, style))


def hanging_signs(sheet: Sheet, rng: Random) -> None:
    """Parentheses and signs of percent that stand outside of the column of digits."""
    count, size, font = rng.randint(3, 5), rng.choice((8, 9)), rng.choice(("helv", "tiro"))
    step, rights = 1.35 * size, [LEFT + 170 + rng.choice((66, 74)) * n for n in range(count)]
    percent = [rng.random() < 0.4 for _ in rights]
    y = opening(sheet, rng, "Changes in net assets", prose=rng.random() < 0.7) + 12
    cells = []
    for column, (right, name) in enumerate(
        zip(rights, ("First", "Second", "Third", "Fourth", "Year"), strict=False), 1
    ):
        sheet.text(right, y, name, BOLD[font], size, "r")
        cells.append(TrueCell(name, 0, column, 0, column))
    if rng.random() < 0.5:
        sheet.rule(LEFT, rights[-1] + 8, y + 4)
    for row, label in enumerate(rng.sample(BUDGET, rng.randint(6, 10)), start=1):
        y += step
        sheet.text(LEFT, y, label, font, size)
        cells.append(TrueCell(label, row, 0, row, 0))
        for column, (right, share) in enumerate(zip(rights, percent, strict=True), start=1):
            digits = figure(rng, "pct" if share else "int")
            negative = rng.random() < 0.3
            text = ("(" if negative else "") + digits + (")" if negative else "") + ("%" if share else "")
            out = text[len(text.rstrip(")%")) :]
            sheet.text(right + width_of(out, font, size), y, text, font, size, "r")
            cells.append(TrueCell(text, row, column, row, column))
    sheet.tables.append(cells)
    closing(sheet, rng, y + 4)
