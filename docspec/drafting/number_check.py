"""Numbers that tesseract read, read a second time.

Of a script that is not its own the recogniser of RapidOCR's wheel reads hardly more than figures, but those nearly
always right, where tesseract takes 18 for 48 in Hindi and loses half of 1356 in Hebrew, surely. So each number is cut
out and read by both. Digits of a script's own the wheel does not know; tesseract confuses those of Arabic, Persian and
Thai (``python -m benchmarks languages --digits``), without being unsure. A number that they read differently is not
sure, and what is not sure is told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from PIL import Image

from docspec.core import Event
from docspec.drafting.ink import ink_of
from docspec.drafting.lines import TextLine

NUMBERS_UNSURE = "numbers_unsure"
"""The kind of the event of a page with numbers that are not sure; if its words stand unread it is doubtful."""

SURE = 0.95
"""Least confidence (0..1) of the wheel in a number that is taken in place of tesseract's."""

UNSURE = 0.75
"""Confidence (0..1) of a line of which a number is not sure: such lines do not stand unread."""

GAP = 0.1
"""White beside a number, in heights of its line, from which on it ends there."""

MARGIN = 0.12
"""White that is shown around a number, in heights of its line."""

OWN_DIGITS = 0.5
"""Share of numbers that only tesseract reads from which on a page has digits that the wheel does not know."""

TOLD = 5
"""Most numbers that an event names."""

_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(r"\d(?:[\d.,:/-]*\d)?")
_NOTHING_ELSE = re.compile(r"[\s.,:;()%/-]*\d[\d\s.,:;()%/-]*")
_RIGHT = re.compile("[०-९]")
"""Digits of scripts that tesseract reads right: of Devanagari's 20 of 20 numbers."""

ReadLine = Callable[[Image.Image], tuple[str, float]]


class NumberWord(NamedTuple):
    """A word with digits as tesseract wrote it, and where it begins and ends in the picture of its line, in pixels."""

    text: str
    left: int
    right: int


class LineRead(NamedTuple):
    """What tesseract read in the picture of a line, its certainty (0..1), the words with digits, and those of their
    numbers that are not sure."""

    text: str
    sure: float
    numbers: tuple[NumberWord, ...] = ()
    unsure: tuple[str, ...] = ()


def with_checked_numbers(pictures: Sequence[Image.Image], lines: Sequence[LineRead], read: ReadLine) -> list[LineRead]:
    """The ``lines`` of a page, of these ``pictures``, whose numbers ``read`` has read, too."""
    verdicts = [
        [_verdict(word, picture, read) for word in line.numbers] for picture, line in zip(pictures, lines, strict=True)
    ]
    every = [verdict for own in verdicts for verdict in own]
    native = any(not word.text.isascii() and _has_own_digits(word.text) for line in lines for word in line.numbers)
    native = native or sum(verdict is None for verdict in every) >= OWN_DIGITS * len(every) > 0
    return [_checked(line, own, native) for line, own in zip(lines, verdicts, strict=True)]


def numbers_unsure(lines: Sequence[TextLine]) -> tuple[Event, ...]:
    """The event of a page with numbers that are not sure."""
    unsure = [number for line in lines for number in line.unsure]
    if not unsure:
        return ()
    named = ", ".join(unsure[:TOLD]) + (", ..." if len(unsure) > TOLD else "")
    count = "a number" if len(unsure) == 1 else f"{len(unsure)} numbers"
    return (Event(NUMBERS_UNSURE, f"{count} of which the recognisers are not sure ({named}); look at the print"),)


def _checked(line: LineRead, verdicts: Sequence[str | None], native: bool) -> LineRead:
    """``line`` with the numbers of the wheel where that reads others (``verdicts``: its text, or ``None``); on pages
    with digits that the wheel does not know (``native``) it has no say."""
    text, unsure, start = line.text, [], 0
    for word, other in zip(line.numbers, verdicts, strict=True):
        same = other is not None and _digits(other) == _digits(word.text)
        if not same and (native or other is None) and not _RIGHT.search(word.text):
            unsure.append(word.text.strip("\u200e\u200f"))
        at = text.find(word.text, start)
        if at < 0:
            continue
        if other is not None and not same and not native:
            mended = _mended(word.text, other)
            text = text[:at] + mended + text[at + len(word.text) :]
            start = at + len(mended)
        else:
            start = at + len(word.text)
    if not unsure:
        return line._replace(text=text)
    return line._replace(text=text, sure=min(line.sure, UNSURE), unsure=tuple(unsure))


def _verdict(word: NumberWord, picture: Image.Image, read: ReadLine) -> str | None:
    """What ``read`` says about a ``word``: a text with the same digits, one that is surely a number, or ``None``."""
    margin = round(MARGIN * picture.height)
    wide, sure = read(_cut(picture, *_grown(word, picture), margin))
    if sure >= SURE and wide.isascii() and _NOTHING_ELSE.fullmatch(wide):
        return wide
    if _digits(wide) == _digits(word.text):
        return wide
    own, around = _DIGITS.findall(word.text), _DIGITS.findall(wide)
    if any(one in other and one != other for one in own for other in around):  # more figures belong to it
        return None
    narrow, _ = read(_cut(picture, word.left, word.right, margin))
    return narrow if _digits(narrow) == _digits(word.text) else None


def _grown(word: NumberWord, picture: Image.Image) -> tuple[int, int]:
    """The ends of the ink around ``word`` that hangs together."""
    gap = max(1, round(GAP * picture.height))
    inked = np.asarray(ink_of(picture).any(axis=0))
    left, right = max(0, word.left), min(len(inked), word.right)
    while inked[max(0, left - gap) : left].any():
        left = max(0, left - gap) + int(np.argmax(inked[max(0, left - gap) : left]))
    while inked[right : right + gap].any():
        right = right + int(np.flatnonzero(inked[right : right + gap])[-1]) + 1
    return left, right


def _cut(picture: Image.Image, left: int, right: int, margin: int) -> Image.Image:
    return picture.crop((max(0, left - margin), 0, min(picture.width, right + margin), picture.height))


def _digits(text: str) -> list[str]:
    """The numbers of ASCII in ``text``, in any order: those of a line from right to left come in another one."""
    return sorted(_DIGITS.findall(text)) if not _has_own_digits(text) else [text]


def _has_own_digits(text: str) -> bool:
    return any(char.isdigit() and not char.isascii() for char in text)


def _mended(word: str, number: str) -> str:
    """``word`` with the ``number`` in place of its own."""
    found, own = _NUMBER.findall(number), _NUMBER.search(word)
    if len(found) != 1 or own is None:
        return word
    last = [match.end() for match in _NUMBER.finditer(word)][-1]
    return word[: own.start()] + found[0] + word[last:]
