"""DocTags read back into blocks without losing a word: elements, their places, tables, captions and lists."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docspec.core import BBox, Block, Category
from docspec.core.formulas import display_formula
from docspec.dialects.box_numbers import boxed, pixel_box
from docspec.dialects.otsl import is_otsl, otsl_as_html
from docspec.dialects.text import has_bullet, split_marker

SCALE = 500
"""The number that stands for the whole width or height of a page."""

_CATEGORIES = {
    "caption": Category.CAPTION,
    "footnote": Category.FOOTNOTE,
    "formula": Category.FORMULA,
    "list_item": Category.LIST_ITEM,
    "page_footer": Category.PAGE_FOOTER,
    "page_header": Category.PAGE_HEADER,
    "picture": Category.PICTURE,
    "chart": Category.PICTURE,
    "otsl": Category.TABLE,
    "table": Category.TABLE,
    "document_index": Category.TABLE,
    "title": Category.TITLE,
    **dict.fromkeys(
        ("text", "paragraph", "code", "reference", "checkbox_selected", "checkbox_unselected"), Category.TEXT
    ),
    **{f"section_header{level}": Category.SECTION_HEADER for level in ("", *(f"_level_{n}" for n in range(1, 7)))},
}
_INSIDE = {
    "picture": ("caption", "chart", "otsl", "table"),
    "chart": ("caption", "otsl"),
    "otsl": ("caption",),
    "table": ("caption", "otsl"),
    "formula": (),
    "code": (),
}
"""Elements that others may hold; those not named hold formulas."""

_OPENING = re.compile(rf"<({'|'.join(sorted(_CATEGORIES, key=len, reverse=True))})>")
_LIST = re.compile(r"<(/?)(un)?ordered_list>")
_PLACE = re.compile(r"\s*<loc_(\d+)><loc_(\d+)><loc_(\d+)><loc_(\d+)>")
_ANY_TAG = re.compile(r"</?[a-z][a-z_0-9]*>|<_[^<>]*_>|<\|[a-z_]+\|>|<end_of_utterance>")
_OTHER_TAG = re.compile(r"<(?!(?:[felux]cel|ched|rhed|srow|nl)>)/?[a-z][a-z_0-9]*>")
_INLINE_FORMULA = re.compile(r"<formula>((?:[^<]|<(?!/?formula>))*+)</formula>")
_CAPTION = re.compile(r"<caption>((?:[^<]|<(?!/?caption>))*+)</caption>")
_LANGUAGE = re.compile(r"<_([^<>]*)_>")
_CHECKED = {"checkbox_selected": "- [x] ", "checkbox_unselected": "- [ ] "}


def read_doctags(text: str, width: int, height: int) -> tuple[Block, ...]:
    """The elements of ``text`` with their boxes on a page of ``width`` x ``height`` pixels.

    Lenient: an element that is not closed ends where the next one begins, and text between elements is text.
    """
    blocks: list[Block] = []
    numbers: list[int | None] = []  # of the open lists; None where items have none
    at = 0
    while opening := _OPENING.search(text, at):
        blocks += _loose(text[at : opening.start()])
        _follow_lists(text[at : opening.start()], numbers)
        tag = opening[1]
        end = _end(text, tag, opening.end())
        number = numbers[-1] if numbers and tag == "list_item" else None
        if numbers and number is not None:
            numbers[-1] = number + 1
        blocks += _blocks(tag, text[opening.end() : end], number, width, height)
        at = end + (len(tag) + 3 if text.startswith(f"</{tag}>", end) else 0)
    if not blocks:
        return ()
    blocks += _loose(text[at:])
    return tuple(blocks)


def _end(text: str, tag: str, at: int) -> int:
    """The end of the element whose contents begin at ``at``: its end tag, or the next element that it cannot hold."""
    inside = _INSIDE.get(tag, ("formula",))
    others = (match.start() for match in _OPENING.finditer(text, at) if match[1] not in inside)
    following = next(others, len(text))
    closing = text.find(f"</{tag}>", at, following)
    return following if closing < 0 else closing


def _follow_lists(between: str, numbers: list[int | None]) -> None:
    """Opens and closes lists as the marks ``between`` two elements say."""
    for mark in _LIST.finditer(between):
        if not mark[1]:
            numbers.append(None if mark[2] else 1)
        elif numbers:
            numbers.pop()


def _loose(between: str) -> Iterator[Block]:
    words = _plain(between)
    if words:
        yield Block(Category.TEXT, words)


def _blocks(tag: str, body: str, number: int | None, width: int, height: int) -> Iterator[Block]:
    category = _CATEGORIES[tag]
    box, body = _placed(body, width, height)
    caption = _CAPTION.search(body) if category in (Category.TABLE, Category.PICTURE) else None
    if caption is not None:
        body = body[: caption.start()] + body[caption.end() :]
        yield from _blocks("caption", caption[1], None, width, height)
    if category is Category.PICTURE and is_otsl(body):
        yield boxed(Category.PICTURE, "", box)
        category, box = Category.TABLE, None
    yield boxed(category, _text(tag, category, body, number), box)


def _text(tag: str, category: Category, body: str, number: int | None) -> str:
    if category is Category.TABLE:
        return otsl_as_html(_OTHER_TAG.sub("", body)) if is_otsl(body) else _plain(body)
    if category is Category.FORMULA:
        return display_formula(_plain(body))
    if tag == "code":
        language = _LANGUAGE.search(body)
        name = language[1].lower() if language and language[1] != "unknown" else ""
        return f"```{name}\n{_LANGUAGE.sub('', body).strip()}\n```"
    words = _plain(_INLINE_FORMULA.sub(lambda formula: f"${_plain(formula[1])}$", body))
    if category is Category.LIST_ITEM:
        marker, rest = split_marker(words)
        if has_bullet(words) or not marker:
            return f"{'- ' if number is None else f'{number}. '}{rest}"
        return words
    if tag.startswith("section_header_level_"):
        return f"{'#' * min(int(tag[-1]) + 1, 6)} {words}"
    return _CHECKED.get(tag, "") + words


def _plain(body: str) -> str:
    """``body`` without tags and places."""
    return _ANY_TAG.sub("", re.sub(r"<loc_\d+>", "", body)).strip()


def _placed(body: str, width: int, height: int) -> tuple[BBox | None, str]:
    """The box at the beginning of an element, on the page, and what follows it."""
    place = _PLACE.match(body)
    if place is None:
        return None, body
    return pixel_box(place.groups(), width, height, SCALE), body[place.end() :]
