"""Gives every word of an output its place on the page.

``words`` are those of the page with their boxes, and those of the blocks; ``gaps`` places what differs between words
that are the same, and ``placing`` aligns and puts all together. ``cells`` are the cells of tables, ``certainty`` says
how far a word can be believed. ``locating`` finds a quoted text again.
"""

from docspec.places.locating import Quotation, locate
from docspec.places.placing import with_places

__all__ = ["Quotation", "locate", "with_places"]
