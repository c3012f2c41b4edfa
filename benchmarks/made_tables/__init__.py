"""Pages of tables that are made from a seed, with the truth of their cells: kinds that real reports have, in any number.

They are written in the layout of the ICDAR 2013 table competition, and scored as its documents are.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

from benchmarks.made_tables.kinds import KINDS, landscape
from benchmarks.made_tables.sheet import Sheet, as_truth
from docspec.documents.mupdf import mupdf


def write_made_tables(folder: Path, seed: int, each: int = 2) -> list[Path]:
    """Writes ``each`` documents of every kind, of a page each, into ``folder``; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for kind in KINDS:
        for number in range(1, each + 1):
            path = folder / f"{kind.__name__}-{number}.pdf"
            rng = Random(f"{seed} {path.stem}")
            with mupdf().open() as document:
                width, height = (792, 612) if kind is landscape else (612, 792)
                sheet = Sheet(document.new_page(width=width, height=height))
                kind(sheet, rng)
                document.save(path, deflate=True, no_new_id=True)
            path.with_name(f"{path.stem}-str.xml").write_bytes(as_truth([sheet.tables], path.name))
            paths.append(path)
    return paths
