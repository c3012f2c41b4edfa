"""Figures as they stand in cells: numbers with signs, currencies and units."""

from __future__ import annotations

import re

_SIGNS = "€$£¥"
_UNIT = rf"(?:%|‰|°[CF]?|[{_SIGNS}]|[^\W\d_]{{1,3}}[²³]?(?:/[^\W\d_]{{1,3}})?)"
_NUMBER = r"(?:[1-9]\d{0,2}(?:[ .,'’]\d{3})+(?:[.,]\d+)?|\d+(?:[.,:]\d+)*(?:,?[-–—])?)"
_FIGURE = re.compile(rf"(?:(?:[{_SIGNS}]|[A-Z]{{3}})\s?)?[-+−–±<>≈~]?\s?{_NUMBER}(?:\s?{_UNIT})?[*†‡]*")
_NEGATIVE = re.compile(rf"\(\s?(?=.*\d\D*\d){_NUMBER}(?:\s?{_UNIT})?\s?\)")


def is_figure(text: str) -> bool:
    """Whether ``text`` is a number, with its sign, currency or unit."""
    return (_FIGURE.fullmatch(text) or _NEGATIVE.fullmatch(text)) is not None
