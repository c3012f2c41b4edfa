"""What a PDF links to: addresses are kept, places inside the file are none."""

from __future__ import annotations

from typing import Any

import pymupdf

from docspec.documents.pages import links_of


def test_places_inside_the_file_are_no_addresses() -> None:
    whole = {"from": pymupdf.Rect(10, 10, 60, 24)}
    links: list[dict[str, Any]] = [
        {"kind": pymupdf.LINK_GOTO, "page": 1, "to": pymupdf.Point(0, 0), **whole},
        {"kind": pymupdf.LINK_URI, "uri": "#section", **whole},
        {"kind": pymupdf.LINK_URI, "uri": "#", **whole},
        {"kind": pymupdf.LINK_URI, "uri": "https://example.org/a#b", **whole},
        {"kind": pymupdf.LINK_URI, "uri": "mailto:a@example.org", **whole},
    ]
    with pymupdf.open() as pdf:
        pdf.new_page()
        pdf.new_page()
        for link in links:
            pdf[0].insert_link(link)
        saved = pymupdf.open(stream=pdf.tobytes())
    with saved:
        assert len(saved[0].get_links()) == len(links)
        assert [target for _, target in links_of(saved[0])] == ["https://example.org/a#b", "mailto:a@example.org"]
