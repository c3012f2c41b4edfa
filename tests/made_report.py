"""A born-digital document of two pages: headings, paragraphs and a ruled table."""

from __future__ import annotations

from pathlib import Path

import pymupdf

DRY = "The harbour is dry for two hours at each low tide. Boats that draw more than a metre wait outside the wall, "
LIGHTS = "Two red lights in line lead through the gap. Do not enter with wind from the east above force five."
ROWS = [("Day", "Low (m)", "High (m)"), ("1 March", "0.4", "4.9"), ("2 March", "0.6", "4.7")]


def make_report(path: Path) -> Path:
    """Writes the document to ``path``."""
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 90), "Tides at Low Harbour", fontsize=20, fontname="hebo")
        page.insert_textbox((72, 120, 520, 200), DRY + "where the bottom is sand.")
        page.insert_text((72, 230), "Heights in March", fontsize=14, fontname="hebo")
        for number, row in enumerate(ROWS):
            for column, words in enumerate(row):
                left, top = 72 + 120 * column, 250 + 24 * number
                page.draw_rect((left, top, left + 120, top + 24))
                page.insert_text((left + 6, top + 16), words)
        page = document.new_page()
        page.insert_text((72, 90), "Entering at night", fontsize=14, fontname="hebo")
        page.insert_textbox((72, 110, 520, 200), LIGHTS)
        document.save(path)
    return path
