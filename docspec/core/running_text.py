"""Text over several pages: paragraphs that a column or a page breaks off, and running heads and feet."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from typing import TypeVar

from docspec.core.geometry import BBox, in_rows
from docspec.core.result import Block

ALIKE = 0.85
"""Least likeness (0..1) of two recognised heads that are one."""

T = TypeVar("T")

_SENTENCE_END = re.compile(r"[.!?:;…。！？：；][\"'”’»)\]]*$")
_BROKEN_WORD = re.compile(r"[^\W\d_][-\u00ad]$")

_PAGE = r"(?:page|pages|pg|p|seite|s|página|pagina|pág|pag|sida|side|strona|стр|str|sivu|oldal|第)"
_ROMAN = r"(?=[ivxl])(?:xl|l?x{0,3})(?:ix|iv|v?i{0,3})"
_NUMBER_OF_PAGE = re.compile(
    rf"(?i:[-–—|·•(\[~\s]*(?:{_PAGE}\.?:?\s*)?(?:\d{{1,3}}|{_ROMAN})"
    rf"(?:\s*(?:/|of|de|von|di|sur|av|из)\s*\d{{1,4}})?\s*[页頁]?[-–—|·•)\]~.\s]*)"
)
_COUNTED = re.compile(r"(?<![\w.,:'’#№-])[1-9]\d{0,3}(?!\w|[.,:'’-]\w)")
_SECTION_AND_PAGE = re.compile(r"(\w{1,3}[-–.])(\d{1,4})")
_PAGE_BEFORE = re.compile(rf"(?:\b{_PAGE}\.?:?)\s*$", re.IGNORECASE)
_LABEL_BEFORE = re.compile(
    r"(?:\b(?:no|nr|num|number|id|ref|invoice|order|customer|receipt|bill|rechnung|kunde|facture|factura|n)\.?|[#№:])\s*$",
    re.IGNORECASE,
)
_CURRENCY = r"(?:[€$£¥]|(?:EUR|USD|GBP|CHF|JPY|CAD|AUD|SEK|NOK|DKK|PLN|CZK|HUF|INR|CNY|BRL)\b)"
_AMOUNT = re.compile(
    rf"{_CURRENCY}\s?-?\d|\d[\d.,'’ ]*\s?{_CURRENCY}|(?<![\d.,])\d{{1,3}}(?:[.,'’]\d{{3}})+[.,]\d\d(?!\d)"
)
"""An amount of money: with its currency, or grouped by thousands with two decimals."""

_ROMAN_AT_END = re.compile(rf"^{_ROMAN}(?=\s|$)|(?<=\s){_ROMAN}$")


def goes_on(first: str, second: str) -> bool:
    """Whether the paragraph ``first`` breaks off and ``second`` is the rest of it: no sentence ends and none begins."""
    second = second.lstrip()
    if not second or not breaks_off(first):
        return False
    return second[0].islower() or (is_broken(first) and second[0].isalpha())


def breaks_off(text: str) -> bool:
    """Whether ``text`` ends with neither the end of a sentence nor that of a listing."""
    text = text.rstrip()
    return bool(text) and not text.endswith("```") and _SENTENCE_END.search(text) is None


def is_broken(text: str) -> bool:
    """Whether ``text`` ends within a word, with a hyphen."""
    return _BROKEN_WORD.search(text.rstrip()) is not None


def is_left_out(block: Block, page: Sequence[Block]) -> bool:
    """Whether ``block`` is a running head or foot to be left out of its ``page``; on a page without other text, one
    with letters stays."""
    return block.category.is_furniture and (
        not any(map(str.isalpha, block.text))
        or any((other.text.strip() or other.part_of) and not other.category.is_furniture for other in page)
    )


def is_page_number(text: str) -> bool:
    """Whether ``text`` is nothing but the number of a page ("3", "Page 3 of 7", "- 3 -", "iv")."""
    return _NUMBER_OF_PAGE.fullmatch(text.strip()) is not None


def carries_amount(text: str) -> bool:
    """Whether ``text`` has an amount of money: a total or a balance may be the same on every page."""
    return _AMOUNT.search(text) is not None


def repeats(text: str, other: str, apart: int, recognised: bool = False) -> bool:
    """Whether ``other``, in the same place ``apart`` pages later, is the same as ``text``, but for a number of the page
    that counts on. ``recognised`` texts may differ by letters, never by figures. What carries an amount of money is no
    running text, whatever other pages say."""
    if carries_amount(text) or carries_amount(other):
        return False
    ours, theirs = (_with_figures(" ".join(one.split())) for one in (text, other))
    if ours == theirs:
        return True
    pair = _SECTION_AND_PAGE.fullmatch(ours), _SECTION_AND_PAGE.fullmatch(theirs)
    if pair[0] is not None and pair[1] is not None:
        return pair[0][1] == pair[1][1] and int(pair[1][2]) - int(pair[0][2]) == apart
    numbers = _counted(ours), _counted(theirs)
    rests = _COUNTED.sub("#", ours), _COUNTED.sub("#", theirs)
    if len(numbers[0]) != len(numbers[1]) or not _is_same(*rests, recognised):
        return False
    return all(a == b or (a[1] and b[1] and b[0] - a[0] == apart) for a, b in zip(*numbers, strict=True))


def _is_same(ours: str, theirs: str, recognised: bool) -> bool:
    figures = [re.findall(r"\d+", one) for one in (ours, theirs)]
    if not recognised or figures[0] != figures[1]:
        return ours == theirs
    return SequenceMatcher(None, ours.casefold(), theirs.casefold(), autojunk=False).ratio() >= ALIKE


def _counted(text: str) -> list[tuple[int, bool]]:
    """The numbers in ``text`` that stand alone, and whether each may count pages: it is not called otherwise."""
    numbers = []
    for number in _COUNTED.finditer(text):
        before = text[: number.start()]
        named = _LABEL_BEFORE.search(before) is not None and _PAGE_BEFORE.search(before) is None
        numbers.append((int(number[0]), not named))
    return numbers


def _with_figures(text: str) -> str:
    """``text`` with Roman numbers of pages at its ends in figures."""
    return _ROMAN_AT_END.sub(lambda number: str(_value(number[0])), text)


def _value(roman: str) -> int:
    values = [{"i": 1, "v": 5, "x": 10, "l": 50}[letter] for letter in roman]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))


def in_place(items: Sequence[T], moved: Callable[[T], bool], box: Callable[[T], BBox | None]) -> list[T]:
    """``items`` with those that are ``moved`` before all others if they stand above these, behind them if they stand
    below; those of one row stay in their order."""
    places = {at: place for at, item in enumerate(items) if (place := box(item)) is not None}
    body = [place for at, place in places.items() if not moved(items[at])]
    if not body:
        return list(items)
    top, bottom = min(place.y0 for place in body), max(place.y1 for place in body)

    apart = [at for at, place in places.items() if moved(items[at]) and not top < place.center_y < bottom]
    row_of = {at: number for number, row in enumerate(in_rows(apart, places.__getitem__)) for at in row}

    def side(at: int) -> tuple[int, int]:
        return (-1 if places[at].center_y <= top else 1, row_of[at]) if at in row_of else (0, 0)

    return [items[at] for at in sorted(range(len(items)), key=side)]
