"""Answers in HTML read back into blocks of Markdown, tables staying HTML and formulas becoming LaTeX.

Lenient: a cut-off answer gives what it has, tags that are not known give their text.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

from docspec.core import BBox, Block, Category
from docspec.dialects.box_numbers import boxed, pixel_box
from docspec.dialects.tables import feed

_CATEGORIES = {
    "caption": Category.CAPTION,
    "footnote": Category.FOOTNOTE,
    "equation-block": Category.FORMULA,
    "list-group": Category.LIST_ITEM,
    "page-header": Category.PAGE_HEADER,
    "page-footer": Category.PAGE_FOOTER,
    "image": Category.PICTURE,
    "figure": Category.PICTURE,
    "diagram": Category.PICTURE,
    "section-header": Category.SECTION_HEADER,
    "table": Category.TABLE,
}
"""Other labels are text."""

_DIV = re.compile(r"<div\s+(?=[^<>]*data-(?:bbox|label)=)([^<>]*)>", re.IGNORECASE)
_TABLE = re.compile(r"<table\b.*?(?:</table>|\Z)", re.DOTALL | re.IGNORECASE)
_BLANK = "blank-page"
"""The label of a page without anything on it."""

_MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*", "del": "~~", "code": "`", "chem": "`"}
"""Formulas of chemistry are SMILES, whose signs Markdown would take for its own."""

_KEPT = {"sub", "sup", "u", "small", "big"}
_DEEPEST = 20
"""Levels of lists that are indented; a target that opens lists for ever must not indent each further."""

_BREAKS = {"p", "div", "ul", "ol", "pre", "caption", *(f"h{level}" for level in range(1, 7))}


def read_layout(text: str, width: int, height: int, scale: int) -> tuple[Block, ...]:
    """The blocks of an answer with their boxes, in pixels of a page of ``width`` x ``height``, over which the numbers
    run from 0 to ``scale``; no blocks if it has no boxes."""
    heads = list(_DIV.finditer(text))
    if not heads:
        return ()
    blocks = [Block(Category.TEXT, words)] if (words := read_fragment(text[: heads[0].start()])) else []
    ends = [head.start() for head in heads[1:]] + [len(text)]
    for head, end in zip(heads, ends, strict=True):
        label = _attribute(head[1], "label").lower()
        category = _CATEGORIES.get(label, Category.TEXT)
        words = read_fragment(text[head.end() : end])
        if label == _BLANK and not words:
            continue
        blocks.append(boxed(category, words, _box(_attribute(head[1], "bbox"), width, height, scale)))
    return tuple(blocks)


def read_fragment(text: str) -> str:
    """HTML as Markdown; text without tags stays as it is."""
    pieces: list[str] = []
    at = 0
    for table in _TABLE.finditer(text):
        pieces += [_markdown(text[at : table.start()]), table[0].strip()]
        at = table.end()
    pieces.append(_markdown(text[at:]))
    return "\n\n".join(filter(None, pieces))


def _attribute(tag: str, name: str) -> str:
    match = re.search(rf'data-{name}=(?:"([^"]*)"|\'([^\']*)\')', tag)
    return (match[1] or match[2] or "").strip() if match else ""


def _box(text: str, width: int, height: int, scale: int) -> BBox | None:
    """The box of four numbers, in brackets or not; ``None`` if they are not four."""
    numbers = re.findall(r"\d{1,6}", text)
    return pixel_box(numbers, width, height, scale) if len(numbers) == 4 else None


def _markdown(text: str) -> str:
    writer = _Writer()
    feed(writer, text)
    return writer.text()


class _Writer(HTMLParser):
    """Writes Markdown as tags come. ``lists`` are the open ones: the number of the next item, or nothing."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._out: list[str] = []
        self._lists: list[int | None] = []
        self._math = ""

    def text(self) -> str:
        """The Markdown so far, with blank lines between blocks and none at the ends."""
        lines = [line.rstrip() for line in "".join(self._out).split("\n")]
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        if tag == "li":
            number = self._lists[-1] if self._lists else None
            if self._lists and number is not None:
                self._lists[-1] = number + 1
            indent = "  " * min(max(len(self._lists) - 1, 0), _DEEPEST)
            self._out.append(f"\n{indent}- " if number is None else f"\n{indent}{number}. ")
        elif tag == "math":
            self._math = "$$" if values.get("display") == "block" else "$"
            self._out.append(self._math)
        elif tag == "br":
            self._out.append("\n")
        elif tag == "img" and values.get("alt"):
            self._out.append(f"![{values['alt']}]()")
        elif tag == "input":
            self._out.append("☑ " if "checked" in values else "☐ ")
        elif tag in _BREAKS:
            self._begin(tag)
        else:
            self._out.append(_MARKS.get(tag, f"<{tag}>" if tag in _KEPT else ""))

    def _begin(self, tag: str) -> None:
        if tag in ("ul", "ol"):
            self._out.append("" if self._lists else "\n\n")
            self._lists.append(1 if tag == "ol" else None)
        elif self._out and self._out[-1].endswith((". ", "- ")):
            return  # a paragraph that begins an item stands behind its mark
        else:
            self._out.append("\n\n" + ("#" * int(tag[1]) + " " if re.fullmatch(r"h\d", tag) else ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "math":
            self._out.append(self._math)
            self._math = ""
        elif tag in ("ul", "ol") and self._lists:
            self._lists.pop()
            self._out.append("" if self._lists else "\n\n")
        elif tag in _BREAKS:
            self._out.append("\n\n" if not self._lists else "")
        elif tag in _KEPT:
            self._out.append(f"</{tag}>")
        else:
            self._out.append(_MARKS.get(tag, ""))

    def handle_data(self, data: str) -> None:
        self._out.append(data if self._math else re.sub(r"[ \t]+", " ", data))
