"""Tables that a model wrote as HTML, made safe to show: allowed tags only, everything closed, no attributes
but spans and links.

No text is left out: what is no tag of HTML, or one that may do harm, is shown as it was written. Libraries that clean
HTML (nh3) drop the words of a ``<script>``, of what only looks like a tag (``<foo@bar.de>``), of ``alt`` and ``value``,
and move text that stands between rows before the table.
"""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser

_STRUCTURE = {"table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"}
_INLINE = {"b", "i", "em", "strong", "sub", "sup", "u", "s", "code", "pre", "p", "ul", "ol", "li", "a"}
_INSTEAD = {"br", "img", "input"}
_MARK_ONLY = (  # tags that are left out and whose content is kept
    "html|body|head|meta|div|span|font|center|colgroup|col|small|big|tt|strike|del|ins|mark|q|cite|kbd|samp|var|abbr|"
    "label|section|article|figure|figcaption|blockquote|dl|dt|dd|h[1-6]|hr|wbr|nobr|ruby|rt|rp|time|math|mrow|mi|mo|mn|"
    "msup|msub|msubsup|mfrac|msqrt|mroot|mover|munder|munderover|mtext|mspace|mstyle|mtable|mtr|mtd|semantics|annotation"
)
_TAGS = "|".join([*_STRUCTURE, *_INLINE, *_INSTEAD, _MARK_ONLY])
_NO_TAG = re.compile(rf"<(?!/?(?:{_TAGS})(?:[\s/][^<>]*)?>)", re.IGNORECASE)
_LINK = re.compile(r"(?:https?://|mailto:)\S+", re.IGNORECASE)
_MAX_SPAN = 1000
LONGEST = 100_000
"""Characters of a text whose tables are looked for; a page has a tenth."""
_DEEPEST = 100
"""Levels of tags that are kept; a target that opens tables in tables without end must not have each looked through."""


class _TableSanitiser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.out: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _INSTEAD:
            self.out.append(_instead(tag, dict(attrs)))
        elif tag in _STRUCTURE or tag in _INLINE:
            self._close_implied(tag)
            if len(self._open) >= _DEEPEST:
                return  # its text stands in the tag around it
            kept = _spans(attrs) if tag in ("th", "td") else _link(dict(attrs)) if tag == "a" else ""
            self.out.append(f"<{tag}{kept}>")
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _INSTEAD:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            self._close_down_to(_last_index(self._open, tag))

    def handle_data(self, data: str) -> None:
        self.out.append(escape(data, quote=False))

    def _close_implied(self, tag: str) -> None:
        """A new cell ends the open cell, a new row the open row, within the innermost table."""
        ended = {"td": ("td", "th"), "th": ("td", "th"), "tr": ("td", "th", "tr")}.get(tag, ())
        within = range(_last_index(self._open, "table") + 1, len(self._open))
        self._close_down_to(next((depth for depth in within if self._open[depth] in ended), len(self._open)))

    def _close_down_to(self, depth: int) -> None:
        while len(self._open) > depth:
            self.out.append(f"</{self._open.pop()}>")

    def finish(self) -> str:
        self.close()
        self._close_down_to(0)
        return "".join(self.out).strip()


def _last_index(tags: list[str], tag: str) -> int:
    """Where ``tag`` stands last, -1 where it does not."""
    return max((index for index, one in enumerate(tags) if one == tag), default=-1)


def _instead(tag: str, attributes: dict[str, str | None]) -> str:
    """What is shown for a tag without content."""
    if tag == "br":
        return "<br>"
    if tag == "img":
        return escape(attributes.get("alt") or "")
    if attributes.get("type") in ("checkbox", "radio"):
        return "[x]" if "checked" in attributes else "[ ]"
    return escape(attributes.get("value") or "")


def _link(attributes: dict[str, str | None]) -> str:
    address = attributes.get("href") or ""
    return f' href="{escape(address)}"' if _LINK.fullmatch(address) else ""


def _spans(attrs: list[tuple[str, str | None]]) -> str:
    kept = []
    for name, value in attrs:
        if name in ("colspan", "rowspan") and value is not None and value.isascii() and value.isdigit():
            kept.append(f' {name}="{min(int(value[:6]), _MAX_SPAN)}"')
    return "".join(kept)


def sanitised_table(html: str) -> str:
    """``html`` with only table structure, plain inline tags, links and ``colspan``/``rowspan`` left; cut-off input
    is closed.
    """
    sanitiser = _TableSanitiser()
    sanitiser.feed(_NO_TAG.sub("&lt;", html))
    return sanitiser.finish()


def with_html_tables(text: str) -> str:
    """``text`` (Markdown) with its tables of pipes as HTML, for readers that know no others."""
    from markdown_it import MarkdownIt

    if len(text) > LONGEST:
        return text
    markdown = MarkdownIt("commonmark").enable("table")
    lines, tokens = text.split("\n"), markdown.parse(text)
    for at, token in reversed(list(enumerate(tokens))):
        if token.type == "table_open" and token.map is not None:
            end = next(place for place in range(at, len(tokens)) if tokens[place].type == "table_close")
            html = markdown.renderer.render(tokens[at : end + 1], markdown.options, {})
            lines[slice(*token.map)] = [html.replace("\n", ""), ""]
    return "\n".join(lines)
