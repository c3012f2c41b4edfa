"""The eleven kinds of region that document models agree on (dots.ocr's names, PyMuPDF's in lower case)."""

from __future__ import annotations

from enum import StrEnum


class Category(StrEnum):
    """What a region is. The value is the spelling used in dots.ocr's layout JSON."""

    CAPTION = "Caption"
    FOOTNOTE = "Footnote"
    FORMULA = "Formula"
    LIST_ITEM = "List-item"
    PAGE_FOOTER = "Page-footer"
    PAGE_HEADER = "Page-header"
    PICTURE = "Picture"
    SECTION_HEADER = "Section-header"
    TABLE = "Table"
    TEXT = "Text"
    TITLE = "Title"

    @property
    def is_furniture(self) -> bool:
        """Whether the region belongs to the page and not to the text (running heads, page numbers)."""
        return self is Category.PAGE_HEADER or self is Category.PAGE_FOOTER

    @property
    def is_heading(self) -> bool:
        """Whether the region is a title or a heading."""
        return self in (Category.TITLE, Category.SECTION_HEADER)

    @property
    def is_running_text(self) -> bool:
        """Whether the region is text that may go on in the next column."""
        return self in (Category.TEXT, Category.LIST_ITEM)

    @classmethod
    def from_name(cls, name: str) -> Category:
        """The category of that name in any case, with ``-``, ``_`` or space; Text if unknown."""
        key = name.strip().lower().replace("_", "-").replace(" ", "-")
        for category in cls:
            if category.value.lower() == key:
                return category
        return cls.TEXT
