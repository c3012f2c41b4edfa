"""``python -m benchmarks hyphens``: how often hyphens at line ends are undone rightly."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from docspec.bench.cli.common import JsonFile, console, table, write_json


def hyphens(
    folders: Annotated[list[Path], typer.Argument(metavar="FOLDER", help="Texts by people: .html, .txt, .gz.")],
    *,
    language: Annotated[str, typer.Option(metavar="CODE", help="Whose patterns cut words: en, de, fr, es.")] = "en",
    beside: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Another hyphens.py, which decides the same beside this one.")
    ] = None,
    most: Annotated[int, typer.Option(metavar="N", help="At most so many cut words of a folder.")] = 100_000,
    wrong: Annotated[int, typer.Option(metavar="N", help="Show the N most frequent wrong decisions.")] = 0,
    json_file: JsonFile = None,
) -> int:
    """Compounds whose hyphen is kept and cut words that are joined, by their paragraph and by their page."""
    from itertools import islice

    from benchmarks.line_hyphens import code_of, cuts, decided
    from docspec.dialects.hyphens import joined

    ways = {"this": joined} if beside is None else {"other": code_of(beside), "this": joined}
    heads = ["compounds", "kept", "different: kept", "cut words", "joined", "different: joined"]
    grid = table(f"Hyphens at line ends, {language}", ["texts", "context", "code"], heads)
    rows = []
    for folder in folders:
        found = list(islice(cuts(folder, language), most))
        for context in ("paragraph", "page"):
            for name, way in ways.items():
                told = [(cut, decided(way, cut, getattr(cut, context)) is cut.kept) for cut in found]
                row: dict[str, object] = {"folder": folder.name, "context": context, "code": name}
                for label, kept in (("kept", True), ("joined", False)):
                    right = [good for cut, good in told if cut.kept is kept]
                    each = dict.fromkeys(cut.word.casefold() for cut, _ in told if cut.kept is kept)
                    bad = {cut.word.casefold() for cut, good in told if cut.kept is kept and not good}
                    row |= {f"{label} of": len(right), label: sum(right), f"{label} words": len(each) - len(bad)}
                    row[f"{label} words of"] = len(each)
                rows.append(row)
                cells = [
                    cell
                    for label in ("kept", "joined")
                    for cell in (
                        str(row[f"{label} of"]),
                        _share(row[label], row[f"{label} of"]),
                        _share(row[f"{label} words"], row[f"{label} words of"]),
                    )
                ]
                grid.add_row(folder.name, context, name, *cells)
                if wrong and name == "this" and context == "page":
                    for kept in (True, False):
                        bad_words = Counter(cut.word for cut, good in told if cut.kept is kept and not good)
                        print("joined:" if kept else "kept:", dict(bad_words.most_common(wrong)))
    console().print(grid)
    write_json(json_file, "docspec.bench.hyphens/1", language, rows)
    return 0


def _share(part: object, whole: object) -> str:
    assert isinstance(part, int) and isinstance(whole, int)
    return f"{100 * part / whole:.2f} %" if whole else "-"
