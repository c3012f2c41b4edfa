"""``python -m benchmarks.campaign.pages FOLDER OUTPUT``: single pages of running text, drawn at random from the
PDFs below a folder, to measure a reader on (``python -m benchmarks layer OUTPUT``) that was not made with them in view.

Pages are those of A4 or letter size with a sound text layer of Latin or Greek letters, at most one of a file and one of
a folder. The PDFs that Debian's documentation packages bring are such a folder:
``apt-get download texlive-science-doc && dpkg-deb -x texlive-science-doc_*.deb manuals``.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

import pymupdf

WIDTHS, HEIGHTS = (580, 630), (760, 860)  # points
LETTERS = 1200
"""Of the basic Latin alphabet, at least on a page."""
STRANGE = 5
"""Characters of other scripts and private ones from which on a page is left out."""


def is_known(char: str) -> bool:
    code = ord(char)
    return code < 0x250 or 0x370 <= code < 0x400 or 0x2000 <= code < 0x2300 or 0xFB00 <= code < 0xFB07


def is_running_text(text: str) -> bool:
    """Whether the text layer of a page has enough letters, and no characters that nobody can read."""
    letters = sum(char.isascii() and char.isalpha() for char in text)
    return letters > LETTERS and sum(not is_known(char) for char in text) < STRANGE


def drawn(folder: Path, seed: int) -> Iterator[tuple[pymupdf.Document, int]]:
    """Files in random order, each with a page of it."""
    rng = random.Random(seed)
    files = sorted({path.resolve() for path in folder.rglob("*.pdf") if path.is_file()})
    rng.shuffle(files)
    seen: set[Path] = set()
    for path in files:
        if path.parent in seen:
            continue
        with pymupdf.open(path) as document:
            pages = list(range(len(document)))
            for number in rng.sample(pages, min(12, len(pages))):
                page = document[number]
                sized = WIDTHS[0] < page.rect.width < WIDTHS[1] and HEIGHTS[0] < page.rect.height < HEIGHTS[1]
                if sized and is_running_text(page.get_text()):
                    seen.add(path.parent)
                    yield document, number
                    break


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    asked.output.mkdir(parents=True, exist_ok=True)
    for at, (document, number) in zip(range(asked.count), drawn(asked.folder, asked.seed), strict=False):
        single = pymupdf.open()
        single.insert_pdf(document, from_page=number, to_page=number)
        single.save(asked.output / f"{at:02d}-{Path(document.name).stem[:24]}-{number + 1}.pdf")
        print(f"{document.name}, page {number + 1}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
