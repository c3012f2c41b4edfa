"""Reads back what each page shows by the colours of its characters, and says which pages are fit to teach.

The page that a typesetter made is the truth: text that flowed to the next page is there. A page is left out where
a character's colour stands for nothing, text lies on other text or beyond the paper, or too little is on it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import pymupdf

from training.structure.pages.colours import Colour

Entries = dict[Colour, dict[str, Any]]
SMALLEST = 3.9  # points: type that nobody reads


def characters(page: pymupdf.Page) -> list[tuple[Colour, float, tuple[float, float, float, float]]]:
    """Colour, size and box of each character that is no space."""
    found = []
    for span in page.get_texttrace():
        levels = span["color"]
        red, green, blue = levels if len(levels) == 3 else (levels[0],) * 3
        colour = (round(255 * red), round(255 * green), round(255 * blue))
        for code, _, _, box in span["chars"]:
            if code > 32 and code != 0xA0:
                found.append((colour, span["size"], box))
    return found


def fault(page: pymupdf.Page, entries: Entries) -> str:
    """Why a page is not fit to teach; nothing where it is."""
    shown = characters(page)
    if len(shown) < 40:
        return "little"
    strange = Counter(colour for colour, _, _ in shown if colour not in entries)
    if strange:
        return f"colour {strange.most_common(1)[0][0]}"
    if sum(size < SMALLEST for _, size, _ in shown) > 20:
        return "small"
    if any(not page.rect.contains(pymupdf.Rect(box)) for _, _, box in shown):
        return "beyond the paper"
    return "overlap" if _overlap([(colour, box) for colour, _, box in shown]) else ""


def _overlap(boxes: list[tuple[Colour, tuple[float, float, float, float]]]) -> bool:
    """Whether characters lie on those of another colour."""
    cells: dict[tuple[int, int], list[tuple[Colour, float, float, float, float]]] = defaultdict(list)
    hits = 0
    for colour, (left, top, right, bottom) in boxes:
        height, width = bottom - top, right - left
        core = (left + 0.25 * width, top + 0.27 * height, right - 0.25 * width, bottom - 0.27 * height)
        key = (int(left // 12), int(top // 12))
        for column in (-1, 0, 1):
            for row in (-1, 0, 1):
                for other, *box in cells.get((key[0] + column, key[1] + row), ()):
                    if (
                        other != colour
                        and core[0] < box[2]
                        and box[0] < core[2]
                        and core[1] < box[3]
                        and box[1] < core[3]
                    ):
                        hits += 1
        cells[key].append((colour, *core))
    return hits > 1


def cut(table: dict[str, Any], number: int, shown: Entries, entries: Entries) -> dict[str, Any]:
    """What of a table is on this page, where its rows go on to the next; cells of `shown` are renumbered in place."""
    here = {colour: entry for colour, entry in shown.items() if entry.get("table") == number}
    if len(here) == sum(entry.get("table") == number for entry in entries.values()):
        return table
    rows = sorted({entry["row"] for entry in here.values() if entry["rows"] == 1}) or sorted(
        {entry["row"] for entry in here.values()}
    )
    place = {row: n for n, row in enumerate(rows)}

    def rest(row: int, height: int) -> list[int]:
        return [place[one] for one in range(row, row + height) if one in place]

    for entry in here.values():
        kept = rest(entry["row"], entry["rows"]) or [0]
        entry["row"], entry["rows"] = kept[0], len(kept)
    cells = [
        [kept[0], column, len(kept), width, head]
        for row, column, height, width, head in table["cells"]
        if (kept := rest(row, height))
    ]
    heads = sum(row < table["head_rows"] for row in rows)
    return table | {"rows": len(rows), "head_rows": heads, "cells": cells, "cut": True}


def told(page: pymupdf.Page, entries: Entries, tables: list[dict[str, Any]]) -> dict[str, Any]:
    """A page's truth: what its colours stand for and its tables, numbered from 0 in their order on this page."""
    colours = {colour for colour, _, _ in characters(page)}
    chosen = {colour: dict(entries[colour]) for colour in colours}
    numbers = sorted(
        {entry["table"] for entry in chosen.values() if entry["kind"] == "cell"}, key=lambda n: tables[n]["order"]
    )
    renumbered = {number: n for n, number in enumerate(numbers)}
    orders = [entry["order"] for entry in chosen.values() if "order" in entry] + [tables[n]["order"] for n in numbers]
    told_tables = [cut(tables[number], number, chosen, entries) for number in numbers]
    rank = {order: n for n, order in enumerate(sorted(set(orders)))}
    blocks = {
        block: n for n, block in enumerate(sorted({entry["block"] for entry in chosen.values() if "block" in entry}))
    }
    for entry in chosen.values():
        if entry["kind"] == "cell":
            entry["table"] = renumbered[entry["table"]]
        else:
            entry["order"], entry["block"] = rank[entry["order"]], blocks[entry["block"]]
    return {
        "width": round(page.rect.width, 1),
        "height": round(page.rect.height, 1),
        "colours": {"{},{},{}".format(*colour): entry for colour, entry in sorted(chosen.items())},
        "tables": [table | {"order": rank[table["order"]]} for table in told_tables],
    }
