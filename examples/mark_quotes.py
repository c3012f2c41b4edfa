"""A copy of a PDF in which quoted passages are marked where they stand.

python examples/mark_quotes.py report.pdf marked.pdf "no further settlement" "2,610 passengers"
"""

import sys

import pymupdf

from docspec import locate, parse


def mark(document: str, copy: str, *quotes: str) -> list[tuple[str, int]]:
    """Writes ``copy``, and returns each quote that was found with the number of its page."""
    result = parse(document, places="drafts")
    marked = []
    with pymupdf.open(document) as pdf:
        for quote in quotes:
            for found in locate(result, quote):
                page = pdf[found.page - 1]
                scale = page.rect.width / found.width  # from pixels of the picture that was read to points
                shown = pymupdf.Matrix(scale, scale) * page.derotation_matrix
                boxes = [pymupdf.Rect(box.x0, box.y0, box.x1, box.y1) * shown for box in found.boxes]
                highlight = page.add_highlight_annot(boxes)
                highlight.set_info(content=f"{quote} (certainty {found.certainty:.2f})")
                highlight.update()
                marked.append((quote, found.page))
        pdf.save(copy)
    return marked


if __name__ == "__main__":
    for quote, number in mark(*sys.argv[1:]):
        print(f"page {number}: {quote}")
