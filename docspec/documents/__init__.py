"""Opens inputs: selects files and their pages, and gives each page as pixels, one at a time.

Importing this package is cheap; PyMuPDF and Pillow are loaded when the first document is opened.
"""

from docspec.documents.document import Document, PageFailure
from docspec.documents.opening import open_document
from docspec.documents.pages import PageSelection, parse_page_ranges
from docspec.documents.sources import Expansion, Skipped, Source, expand_inputs

__all__ = [
    "Document",
    "Expansion",
    "PageFailure",
    "PageSelection",
    "Skipped",
    "Source",
    "expand_inputs",
    "open_document",
    "parse_page_ranges",
]
