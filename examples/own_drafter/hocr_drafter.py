"""A drafter for scans that were recognised long ago: the words of ``scan.hocr`` beside ``scan.pdf``, as tesseract and
archives write them. The model reads the page; where the old words are right, it reads it in fewer steps.

pip install ./examples/own_drafter
docspec parse scan.pdf -o scan.md --drafter hocr --words model
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from docspec.core import BBox, Category, DrafterError, PageDraft, PageImage, Region


class HocrDrafter:
    """Each paragraph of the hOCR file is a region."""

    name = "hocr"

    def draft(self, page: PageImage) -> PageDraft:
        """The paragraphs of the page in the order of the file, their boxes scaled to the page image."""
        file = Path(page.source).with_suffix(".hocr")
        if not file.exists():
            raise DrafterError(f"{file} is not there")  # the page is read without a draft
        pages = _with_class(ElementTree.parse(file).getroot(), "ocr_page")
        if page.number > len(pages):
            raise DrafterError(f"{file} has no page {page.number}")
        own = pages[page.number - 1]
        width, height = _box(own)[2:]
        across, down = page.width / width, page.height / height
        regions = []
        for paragraph in _with_class(own, "ocr_par"):
            lines = [" ".join("".join(line.itertext()).split()) for line in _with_class(paragraph, "ocr_line")]
            x0, y0, x1, y1 = _box(paragraph)
            box = BBox(x0 * across, y0 * down, x1 * across, y1 * down)
            regions.append(Region(box, Category.TEXT, ("\n".join(lines),)))
        return PageDraft(tuple(regions), drafter=self.name)


def _with_class(within: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [element for element in within.iter() if element.get("class") == name]


def _box(element: ElementTree.Element) -> tuple[float, float, float, float]:
    """The box in an element's ``title``: pixels of the image that was recognised."""
    found = re.search(r"bbox (\d+) (\d+) (\d+) (\d+)", element.get("title", ""))
    if found is None:
        raise DrafterError("the hOCR file has an element without a box")
    x0, y0, x1, y1 = map(float, found.groups())
    return x0, y0, x1, y1
