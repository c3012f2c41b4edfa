"""Readers of the other finished outputs: the words that HTML, JSON or CSV shows, and nothing of the writers' own."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from typing import Any

from docspec.ledger.outputs import markdown_words


class _Shown(HTMLParser):
    """The text that a browser shows, the numbers of lists included; scripts, styles and what pictures are called are
    not."""

    _SILENT = frozenset({"script", "style", "head", "title", "nav"})
    _PARTS_NO_WORD = frozenset({"b", "i", "em", "strong", "u", "s", "del", "code", "span", "a", "mark"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._silent = 0
        self._lists: list[int | None] = []  # the number of the next item of each open list

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in self._SILENT
        if tag in ("ol", "ul"):
            start = dict(attrs).get("start") or ""
            self._lists.append(None if tag == "ul" else int(start) if start.isdigit() else 1)
        elif tag == "li" and self._lists and (number := self._lists[-1]) is not None:
            self.parts.append(f" {number}. ")
            self._lists[-1] = number + 1
        if tag not in self._PARTS_NO_WORD:
            self.parts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        self._silent = max(0, self._silent - (tag in self._SILENT))
        if tag in ("ol", "ul") and self._lists:
            self._lists.pop()
        if tag not in self._PARTS_NO_WORD:
            self.parts.append(" ")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.parts.append(data)


def html_words(text: str) -> str:
    """The words that ``text`` shows as HTML; their places are not those in ``text``."""
    reader = _Shown()
    reader.feed(text)
    reader.close()
    return "".join(reader.parts)


def json_words(text: str) -> str:
    """The words of the blocks of a document in JSON, each block's as Markdown and HTML show them."""
    document: dict[str, Any] = json.loads(text)
    return "\n".join(markdown_words(block["text"]) for page in document["pages"] for block in page["blocks"])


def csv_words(text: str) -> str:
    """The words of all cells of a CSV file."""
    return "\n".join("  ".join(row) for row in csv.reader(io.StringIO(text)))
