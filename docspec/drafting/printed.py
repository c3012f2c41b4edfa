"""What is printed on a page, read once for all that looks for tables and forms there."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from docspec.core import BBox
from docspec.drafting.drawn_grids import Slot, Word, cells_together, slots_of


class Printed:
    """The words, drawings and tables of a ``pymupdf.Page`` without rotation, each read when it is first asked for. What
    is written on the page later is not seen: then it is another one."""

    def __init__(self, page: Any) -> None:
        self.page = page

    @cached_property
    def words(self) -> list[Word]:
        return [Word(BBox(*word[:4]), word[4]) for word in self.page.get_text("words")]

    @cached_property
    def drawings(self) -> list[dict[str, Any]]:
        """Its vector graphics, as PyMuPDF's dictionaries."""
        return list(self.page.get_drawings())

    @property
    def tables(self) -> list[Any]:
        """PyMuPDF's tables: those that :func:`docspec.drafting.layout.analyse` has seen, and those of drawn lines."""
        return self._finder.tables if self._finder is not None else []

    @cached_property
    def grids(self) -> list[list[Slot]]:
        """The grids of closed cells, of two rows and columns at least, into which a word reaches."""
        cells = self._finder.cells if self._finder is not None else ()
        grids = (slots for group in cells_together(cells) if (slots := slots_of(group)))
        return [slots for slots in grids if self._has_words(BBox.union(slot.bbox for slot in slots))]

    def _has_words(self, box: BBox) -> bool:
        return any(word.bbox.shared_width(box) > 0 and word.bbox.shared_height(box) > 0 for word in self.words)

    @cached_property
    def _finder(self) -> Any:
        """PyMuPDF's finder, which has looked for closed cells on its way; ``None`` where it has failed."""
        return self.page.find_tables(use_layout=True, union=True, refine=True)
