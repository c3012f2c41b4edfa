"""Tables that a model wrote as HTML, made safe to show: allowed tags only, everything closed, no attributes
but spans.
"""

from __future__ import annotations

from html import escape
from html.parser import HTMLParser

_STRUCTURE = {"table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"}
_INLINE = {"b", "i", "em", "strong", "sub", "sup", "u", "s", "code", "p", "ul", "ol", "li"}
_DROPPED_WITH_CONTENT = {"script", "style", "template", "iframe", "object", "noscript", "title", "head"}
_MAX_SPAN = 1000


class _TableSanitiser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.out: list[str] = []
        self._open: list[str] = []
        self._dropping: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _DROPPED_WITH_CONTENT:
            self._dropping.append(tag)
        elif self._dropping:
            return
        elif tag == "br":
            self.out.append("<br>")
        elif tag in _STRUCTURE or tag in _INLINE:
            self._close_implied(tag)
            self.out.append(f"<{tag}{_spans(attrs) if tag in ('th', 'td') else ''}>")
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag != "br":
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._dropping:
            if tag == self._dropping[-1]:
                self._dropping.pop()
        elif tag in self._open:
            while self._open[-1] != tag:
                self.out.append(f"</{self._open.pop()}>")
            self.out.append(f"</{self._open.pop()}>")

    def handle_data(self, data: str) -> None:
        if not self._dropping:
            self.out.append(escape(data, quote=False))

    def _close_implied(self, tag: str) -> None:
        """A new cell ends the open cell, a new row the open row, within the innermost table."""
        ended = {"td": ("td", "th"), "th": ("td", "th"), "tr": ("td", "th", "tr")}.get(tag)
        if ended is None:
            return
        inner = self._open[max((i for i, name in enumerate(self._open) if name == "table"), default=-1) + 1 :]
        outermost = next((name for name in inner if name in ended), None)
        if outermost is not None:
            for name in reversed(inner[inner.index(outermost) :]):
                self._open.pop()
                self.out.append(f"</{name}>")

    def finish(self) -> str:
        self.close()
        while self._open:
            self.out.append(f"</{self._open.pop()}>")
        return "".join(self.out).strip()


def _spans(attrs: list[tuple[str, str | None]]) -> str:
    kept = []
    for name, value in attrs:
        if name in ("colspan", "rowspan") and value is not None and value.isascii() and value.isdigit():
            kept.append(f' {name}="{min(int(value[:6]), _MAX_SPAN)}"')
    return "".join(kept)


def sanitised_table(html: str) -> str:
    """``html`` with only table structure, plain inline tags and ``colspan``/``rowspan`` left; cut-off input
    is closed.
    """
    sanitiser = _TableSanitiser()
    sanitiser.feed(html)
    return sanitiser.finish()
