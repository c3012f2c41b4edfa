"""Where a PDF leads to: web and mail addresses of its links, and its bookmarks."""

from __future__ import annotations

import re
from typing import Any

from docspec.core import BBox

MOST_LINKS = 2000
"""Most links read of a page."""

MOST_BOOKMARKS = 20_000

MOST_ADDRESS = 2000
"""Most characters of an address; longer ones are data."""

_ADDRESS = re.compile(r"(?:https?|ftp|mailto|doi):\S+", re.IGNORECASE)


def links_of(page: Any) -> tuple[tuple[BBox, str], ...]:
    """Places on a ``pymupdf.Page`` as it is shown, in points, with the web and mail addresses that they lead to; empty
    if links are unreadable."""
    try:
        links = []
        for link in page.get_links()[:MOST_LINKS]:
            target = str(link.get("uri") or "").strip()
            if len(target) <= MOST_ADDRESS and _ADDRESS.fullmatch(target):
                links.append((BBox(*link["from"]), target))
        return tuple(links)
    except Exception:  # damaged annotations: the page is worth more than its links
        return ()


def bookmarks_of(pdf: Any) -> dict[int, list[tuple[int, str]]]:
    """Level (from 1) and title of the bookmarks by the number of the page that they lead to; empty if they are
    unreadable."""
    try:
        bookmarks: dict[int, list[tuple[int, str]]] = {}
        for level, title, number, *_ in pdf.get_toc(simple=True)[:MOST_BOOKMARKS]:
            bookmarks.setdefault(number, []).append((level, " ".join(title.split())))
        return bookmarks
    except Exception:
        return {}
